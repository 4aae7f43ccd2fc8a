//! What stands around and between statements: items, constants, attributes, comments, unsafe blocks, visibility.

use crate::{same, table};
use eagerflow as tf;
use tf::{Tensor, tf_function};

const LIMIT: f32 = 2.0;
static TABLE: [f32; 3] = [1.0, 10.0, 100.0];

#[test]
fn constants_and_statics() {
    #[tf_function]
    fn f(x: &Tensor, k: usize) -> Tensor {
        const OFFSET: f32 = 0.5;
        static SCALE: f32 = 2.0;
        if x > LIMIT { x * TABLE[k] } else { x * SCALE + OFFSET + f32::EPSILON * 0.0 }
    }
    table(|x| f(x, 1), &[(3.0, 30.0), (1.0, 2.5)]);
}

#[test]
fn nested_items() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        use tf::Tensor as T;
        fn square(t: &T) -> T {
            if t.rank() > 0 {
                return t.clone();
            }
            t * t
        }
        #[tf_function]
        fn root(t: &T) -> T {
            if t > 0.0 { t.sqrt() } else { tf::constant(0.0) }
        }
        struct Pair(T, T);
        impl Pair {
            fn sum(&self) -> T {
                &self.0 + &self.1
            }
        }
        let pair = Pair(square(x), root(x));
        if pair.sum() > 10.0 { pair.0.clone() } else { pair.sum() }
    }
    table(f, &[(4.0, 16.0), (1.0, 2.0), (-1.0, 1.0)]);
}

#[test]
fn attributes_on_statements() {
    #[tf_function]
    #[inline(never)]
    #[must_use]
    fn f(#[allow(unused_variables)] x: &Tensor, unused: usize) -> Tensor {
        #[allow(unused_variables)]
        let unused = unused + 1;
        #[cfg(any())]
        let x = nothing(x);
        #[rustfmt::skip]
        let y = x   +   1.0;
        #[allow(unused_assignments)]
        {
            let mut z = y.clone();
            z = z * 2.0;
            if z > 4.0 {
                #[allow(clippy::let_and_return)]
                let out = z;
                return out;
            }
        }
        y
    }
    table(|x| f(x, 3), &[(0.5, 1.5), (2.0, 6.0)]);
}

#[test]
fn doc_comments() {
    /// Doubles.
    #[doc = "In a way."]
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        //! Inside, too.
        // A plain one.
        let y = x * 2.0; /* and another */
        if y > 2.0
        /* here */
        {
            y /* there */
        } else {
            -y
        }
    }
    table(f, &[(2.0, 4.0), (1.0, -2.0)]);
}

#[test]
fn unsafe_blocks_and_functions() {
    #[tf_function]
    unsafe fn f(x: &Tensor, bits: u32) -> Tensor {
        // SAFETY: a reference may be read through.
        let by = unsafe { std::ptr::read(&f32::from_bits(bits)) };
        let y = unsafe { if x > 1.0 { x * by } else { x.clone() } };
        y + 1.0
    }
    // SAFETY: it asks for nothing.
    table(|x| unsafe { f(x, 2.0f32.to_bits()) }, &[(2.0, 5.0), (0.5, 1.5)]);
}

mod inner {
    /// Seen from outside, by a path to the macro.
    #[eagerflow::tf_function(name = "inner/deep", crate = eagerflow)]
    pub(in crate::items) fn deep(r#type: &eagerflow::Tensor, _: bool) -> eagerflow::Tensor {
        let r#loop = r#type * 2.0;
        if r#loop > 1.0 { r#loop } else { r#type.clone() }
    }
}

#[test]
fn visibility_paths_and_raw_names() {
    table(|x| inner::deep(x, true), &[(2.0, 4.0), (0.25, 0.25)]);
}

#[test]
fn options_of_the_attribute() {
    #[tf_function(input_signature = [f32[_], _], max_traces = 2, relax_shapes = false)]
    fn f(x: &Tensor, by: f32) -> Tensor {
        if tf::reduce_sum(x, ()) > 3.0 { x * by } else { -x }
    }
    let run = |n: usize| same(|| f(&tf::ones([n]), 2.0).to_vec::<f32>());
    assert_eq!((run(2), run(4), run(1)), (vec![-1.0; 2], vec![2.0; 4], vec![-1.0]));
    assert_eq!(tf::function(f).trace_count(), 1);
}
