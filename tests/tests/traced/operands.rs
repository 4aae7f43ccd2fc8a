//! Operands that are to Rust what they are without the attribute: truth values, which are copied, and places that are lent while
//! a later operand jumps. Each text is compared with itself without the attribute, beside the ways of running it.

use eagerflow as tf;
use tf::{Tensor, tf_function};

fn limit() -> f32 {
    3.0
}

twice! {
    flag_of_a_loop(x) {
        let mut done = x > 2.0;
        let mut y = x * 1.0;
        while !done {
            y *= 1.5;
            done = y > 2.0;
        }
        if !done { y } else { y + 1.0 }
    }

    flags_joined(x) {
        let (low, mut y) = (0.0, x * 1.0);
        let above = x > low;
        let below = x < 3.0;
        if above & below {
            y += 1.0;
        }
        if above | below {
            y *= 2.0;
        }
        if above ^ below {
            y += 3.0;
        }
        let inside = above && below;
        let outside = !inside;
        if outside { y - x } else if inside && above { y + x } else { y }
    }

    flags_handed_on(x) {
        struct Flags {
            above: bool,
        }
        let above = limit() > 2.0;
        let flags = Flags { above };
        let kept = above;
        if kept && flags.above && above { x * 2.0 } else { x * 1.0 }
    }

    flags_of_branches(x) {
        let near = if x < 1.0 { x > 0.5 } else { x < 2.0 };
        let kept = near;
        let mut y = x * 1.0;
        for _ in 0..2 {
            let small = y < 4.0;
            let go = small;
            if near & go {
                y = y * 2.0;
            }
            if kept || small {
                y = y + 1.0;
            }
        }
        y
    }

    break_beside_a_place(x) {
        let mut y = x * 1.0;
        for _ in 0..3 {
            y = &y + if y > 4.0 { x * 1.5 } else { break };
        }
        y
    }

    return_beside_a_place(x) {
        let y = x * 1.0;
        let z = &y + if y > 4.0 { x * 1.5 } else { return y };
        z * y
    }

    jumps_in_compound(x) {
        let mut all = [x * 1.0, x * 2.0];
        let mut y = x * 1.0;
        for i in 0..2 {
            all[i] += if all[i] > 3.0 { x * 1.0 } else { continue };
            y *= if y > 1.0 { &all[i] + 1.0 } else { return all[0].clone() };
        }
        y + &all[0] * &all[1]
    }

    jumps_in_arguments(x) {
        let mut y = x * 1.0;
        while y < 20.0 {
            y = tf::maximum(&y, if y > 10.0 { break } else { &y * 2.0 + 1.0 });
            y = y.add(if y > 5.0 { x } else { continue });
        }
        y
    }
}

// What the operand that jumps changes is read in front of it.
twice! {
    index_beside_a_change(x) {
        let (mut i, mut v) = (0, [x * 1.0, x * 2.0, x * 3.0]);
        v[i] += if x > 2.0 {
            i += 1;
            x * 7.0
        } else {
            return x * 3.0;
        };
        &v[0] + &v[1] * 10.0 + i as f32
    }

    host_jumps(x) {
        let mut i = 0;
        let mut v = [x * 1.0, x * 2.0, x * 3.0];
        loop {
            v[i] += {
                i += 1;
                if i == 3 {
                    break;
                }
                x * i as f32
            };
        }
        let mut k = 2.0f32;
        let s = k + {
            k = 5.0;
            if k > 6.0 {
                return x * 0.0;
            }
            1.0
        };
        (&v[0] + &v[1] * 10.0 + &v[2] * 100.0) * (s + k)
    }

    moved_beside_a_change(x) {
        let mut n = tf::constant(1.0f32);
        let z = n * {
            n = tf::constant(50.0f32);
            if x > 3.0 {
                return x + n;
            }
            x * 2.0
        };
        x * z + n
    }

    arguments_beside_a_change(x) {
        let mut k = 2i32;
        let (a, b) = (k, if x > 2.0 { k = 4; k } else { return x * 3.0 });
        let c = k.pow(if x < 5.0 { k = 3; 2 } else { return x * 4.0 });
        x * (a + b * 10 + c * 100 + k * 1000) as f32
    }

    flag_beside_a_change(x) {
        let mut c = x > 1.0;
        let mut y = x * 1.0;
        for _ in 0..3 {
            let d = c & if y > 5.0 {
                c = !c;
                y < 9.0
            } else {
                y += 1.5;
                c = !c;
                continue;
            };
            y = if d { y * 2.0 } else { y - 1.0 };
        }
        y
    }

    elements_by_calculated_index(x) {
        let mut a = [x * 1.0, x * 2.0];
        for i in 0..3 {
            a[i % 2] -= if x > 2.0 { continue } else { x * 0.3 };
        }
        &a[0] + &a[1]
    }
}

#[test]
fn places_are_named_before_they_change() {
    compare!(index_beside_a_change host_jumps moved_beside_a_change arguments_beside_a_change flag_beside_a_change
        elements_by_calculated_index; [0.4f32, 1.7, 3.5, 6.0]);
}

#[test]
fn truth_values_are_copied() {
    compare!(flag_of_a_loop flags_joined flags_handed_on flags_of_branches; [0.3f32, 0.7, 1.5, 2.5, 20.0]);
}

#[test]
fn places_are_lent_where_operands_jump() {
    compare!(break_beside_a_place return_beside_a_place jumps_in_compound jumps_in_arguments; [0.4f32, 1.7, 3.5, 6.0]);
}
