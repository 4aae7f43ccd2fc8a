//! Operands that are to Rust what they are without the attribute: truth values, which are copied, and places that are lent while
//! a later operand jumps. Each text is compared with itself without the attribute, beside the ways of running it.

use eagerflow as tf;
use tf::{Tensor, tf_function};

/// One text with the attribute and without.
macro_rules! twice {
    ($($name:ident($x:ident) { $($body:tt)* })*) => {$(
        mod $name {
            use super::*;

            pub fn plain($x: &Tensor) -> Tensor { $($body)* }

            #[tf_function]
            pub fn traced($x: &Tensor) -> Tensor { $($body)* }
        }
    )*};
}

macro_rules! compare {
    ($($name:ident)*; $inputs:tt) => {$(
        use $name::traced as $name;
        eager_vs_graph!($name(x); x in $inputs);
        for x in $inputs {
            let x = tf::constant(x);
            assert_eq!($name::plain(&x).to_vec::<f32>(), $name(&x).to_vec::<f32>(), "{} of {x}", stringify!($name));
        }
    )*};
}

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

#[test]
fn truth_values_are_copied() {
    compare!(flag_of_a_loop flags_joined flags_handed_on flags_of_branches; [0.3f32, 0.7, 1.5, 2.5, 20.0]);
}

#[test]
fn places_are_lent_where_operands_jump() {
    compare!(break_beside_a_place return_beside_a_place jumps_in_compound jumps_in_arguments; [0.4f32, 1.7, 3.5, 6.0]);
}
