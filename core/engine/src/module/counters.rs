//! Atomic numbers as fields of modules: counters of the host, such as steps and epochs, which a checkpoint holds as `int64` scalars.
//! They are no settings. A call does not ask for their values, and a function is not traced again when they change.

use super::saved_state::{Prepared, SavedState, StateValue};
use super::{Fields, Module};
use kernels::error::{Error, Result};
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};

const KIND: &str = "counter";

/// Objects that count by themselves have numbers from 1, places of variables from 2⁶³; addresses lie between under this bit.
const ADDRESSES: u64 = 1 << 62;

macro_rules! counters {
    ($($atomic:ident of $number:ty;)*) => {$(
        impl SavedState for $atomic {
            fn kind(&self) -> &'static str {
                KIND
            }

            fn id(&self) -> u64 {
                ADDRESSES | std::ptr::from_ref(self).addr() as u64
            }

            fn save(&self) -> Result<StateValue> {
                let number = self.load(Ordering::Relaxed);
                i64::try_from(number).map(StateValue::Int64).map_err(|_| beyond("save", number, stringify!(i64)))
            }

            fn prepare(&self, value: &StateValue) -> Result<Prepared> {
                let number = value.int64(KIND)?;
                match <$number>::try_from(number) {
                    Ok(_) => Ok(Prepared::Int64(number)),
                    Err(_) => Err(beyond("restore", number, stringify!($number))),
                }
            }

            fn commit(&self, prepared: Prepared) {
                // `prepare` saw that the number fits.
                if let Prepared::Int64(number) = prepared
                    && let Ok(number) = <$number>::try_from(number)
                {
                    self.store(number, Ordering::Relaxed);
                }
            }

            fn number(&self) -> Option<u64> {
                Some(self.load(Ordering::Relaxed) as u64)
            }
        }

        /// A counter of the host: a checkpoint holds its number.
        ///
        /// What a traced function does with it happens once, while it is traced, as all that is no tensor; a branch or loop of the
        /// graph that changes it is an error. Count in a traced function by a [`Variable`](crate::Variable).
        impl Module for $atomic {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.state(self);
            }
            fn module_name(&self) -> Option<&'static str> {
                None
            }
        }
    )*};
}

counters! {
    AtomicU64 of u64;
    AtomicI64 of i64;
    AtomicUsize of usize;
}

#[cold]
fn beyond(op: &str, number: impl Display, range: &str) -> Error {
    Error::failed_precondition(op, "a counter's number is out of range")
        .got(number)
        .expected(format!("a number of the type {range}"))
}

/// A flag counts as 0 or 1.
impl SavedState for AtomicBool {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn id(&self) -> u64 {
        ADDRESSES | std::ptr::from_ref(self).addr() as u64
    }

    fn save(&self) -> Result<StateValue> {
        Ok(StateValue::Int64(self.load(Ordering::Relaxed).into()))
    }

    fn prepare(&self, value: &StateValue) -> Result<Prepared> {
        match value.int64(KIND)? {
            flag @ (0 | 1) => Ok(Prepared::Int64(flag)),
            number => Err(beyond("restore", number, "bool")),
        }
    }

    fn commit(&self, prepared: Prepared) {
        if let Prepared::Int64(flag) = prepared {
            self.store(flag == 1, Ordering::Relaxed);
        }
    }

    fn number(&self) -> Option<u64> {
        Some(self.load(Ordering::Relaxed).into())
    }
}

/// A flag of the host, as the counters.
impl Module for AtomicBool {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.state(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;
    use crate::{Module, Tensor, Variable};

    // The derive macro beside the trait.
    #[derive(crate::Module)]
    struct Training {
        weight: Variable,
        step: AtomicU64,
        best: std::sync::Arc<AtomicI64>,
        done: AtomicBool,
    }

    fn training() -> Training {
        Training {
            weight: Variable::new(2.0),
            step: 3.into(),
            best: std::sync::Arc::new((-7).into()),
            done: true.into(),
        }
    }

    fn restore(object: &dyn SavedState, value: &StateValue) -> Result<()> {
        object.prepare(value).map(|prepared| object.commit(prepared))
    }

    #[test]
    fn counters_are_saved_as_scalars() {
        let t = training();
        let counters: [&dyn SavedState; 4] = [&t.step, &*t.best, &t.done, &AtomicUsize::new(9)];
        assert_eq!(counters.map(|c| c.save().unwrap()), [3, -7, 1, 9].map(StateValue::Int64));
        for counter in counters {
            restore(counter, &StateValue::Int64(1)).unwrap();
            assert_eq!((counter.save().unwrap(), counter.number()), (StateValue::Int64(1), Some(1)));
            assert!(restore(counter, &StateValue::Bytes(vec![1])).is_err());
        }
        assert!(restore(&t.step, &StateValue::Int64(-1)).is_err() && restore(&t.done, &StateValue::Int64(2)).is_err());
        assert_eq!((t.step.load(Ordering::Relaxed), t.done.load(Ordering::Relaxed)), (1, true));
        restore(&*t.best, &StateValue::Int64(i64::MIN)).unwrap();
        assert_eq!(t.best.save().unwrap(), StateValue::Int64(i64::MIN));
        t.step.store(u64::MAX, Ordering::Relaxed);
        assert!(t.step.save().unwrap_err().to_string().contains("18446744073709551615"));
        assert_ne!(t.step.id(), t.best.id());
    }

    #[test]
    fn counters_are_no_settings() {
        let t = training();
        let before = t.signature();
        t.step.fetch_add(1, Ordering::Relaxed);
        assert_eq!(t.signature(), before);
        assert_eq!(t.named_variables().len(), 1);
    }

    #[tf::tf_function]
    fn step(t: &Training, x: &Tensor) -> Tensor {
        t.step.fetch_add(1, Ordering::Relaxed);
        x * &t.weight
    }

    #[tf::tf_function]
    fn steps(t: &Training, n: &Tensor) -> Tensor {
        let mut x = n.clone();
        while x.greater(0) {
            t.step.fetch_add(1, Ordering::Relaxed);
            x = x - 1;
        }
        x
    }

    #[test]
    fn a_trace_counts_once_and_a_loop_of_the_graph_not_at_all() {
        let t = training();
        for _ in 0..3 {
            assert_eq!(step(&t, &tf::constant(1.0)).item::<f32>(), 2.0);
        }
        assert_eq!(t.step.load(Ordering::Relaxed), 4, "no call traces again, and traces count once");
        let panic = std::panic::catch_unwind(|| steps(&training(), &tf::constant(3))).unwrap_err();
        let text = panic.downcast_ref::<String>().expect("a message");
        assert!(text.contains("`t.step`, a counter of the host"), "{text}");
    }
}
