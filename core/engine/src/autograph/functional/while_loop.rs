//! `while_loop`: closures that are called again and again on the loop's variables. The protocol is that of `while` in a traced function.
//! Users call it.

use crate::autograph::dispatch::CondValue;
use crate::autograph::rt::{Cond, Condition, Next, Test, While, condition};
use crate::ops::functions::{less, logical_and};
use crate::structure::{Nest, Place, Slot, place, result};
use crate::tensor::Tensor;

/// The loop's variables as messages call them.
const VARIABLES: &str = "the loop's variables";

/// Calls `body` on the loop's variables as long as `cond` holds for them, `maximum_iterations` times at most: TensorFlow's
/// `tf.while_loop`.
///
/// Outside of traced functions the closures run round by round. In a traced function where the condition is a value of the graph the
/// loop is one operation of it, whose condition and body are recorded once; sizes that change from round to round become open, as
/// `shape_invariants` would say in TensorFlow, but dtypes and numbers of axes stay. Gradients of all orders flow through it; they keep
/// what a round's gradient reads, for each round. `maximum_iterations` is a number, or `None`. In a body under
/// `#[tf_function]`, `while` does the same.
///
/// ```
/// use eagerflow as tf;
/// let (i, x) = tf::while_loop(
///     |(i, _)| tf::less(i, 10),
///     |(i, x)| (i + 1, x * 2.0),
///     (tf::constant(0), tf::constant(1.0)),
///     None,
/// );
/// assert_eq!((i.item::<i32>(), x.item::<f32>()), (10, 1024.0));
/// ```
///
/// # Panics
/// If `cond` does not give one truth value, or if `body` gives variables of other dtypes or numbers of axes than it was given.
#[track_caller]
pub fn while_loop<S: Nest, C: Condition>(
    cond: impl Fn(&S) -> C,
    body: impl Fn(&S) -> S,
    loop_vars: S,
    maximum_iterations: impl Into<Option<usize>>,
) -> S {
    match maximum_iterations.into() {
        None => rounds(&|vars: &S| condition(&cond(vars)), &body, loop_vars),
        Some(most) => {
            let most = Tensor::from(i64::try_from(most).unwrap_or(i64::MAX));
            let counted = (Tensor::from(0i64), loop_vars);
            let more = |(round, vars): &(Tensor, S)| {
                let own = condition(&cond(vars));
                match &own.value {
                    CondValue::Host(false) => own,
                    CondValue::Host(true) => condition(&less(round, &most)),
                    CondValue::Tensor(holds) => condition(&logical_and(less(round, &most), holds)),
                }
            };
            rounds(&more, &|(round, vars): &(Tensor, S)| (round + 1, body(vars)), counted).1
        }
    }
}

/// The loop itself.
#[track_caller]
fn rounds<S: Nest>(cond: &dyn Fn(&S) -> Cond, body: &dyn Fn(&S) -> S, mut state: S) -> S {
    fn head<S: Nest>(state: &mut S) -> [Place<'_>; 1] {
        [place(VARIABLES, state, result::<S>())]
    }
    let mut protocol = While::new(Slot::<()>::new(), &[], false);
    loop {
        protocol.head(&mut head(&mut state));
        let holds = cond(&state);
        match protocol.test(holds, &mut head(&mut state)) {
            Test::Exit => break,
            Test::Again => continue,
            Test::Body => {}
        }
        state = body(&state);
        match protocol.next(&mut head(&mut state), true) {
            Next::More => {}
            Next::Over | Next::Left => break,
        }
    }
    protocol.after(&mut head(&mut state));
    state
}
