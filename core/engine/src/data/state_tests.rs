//! Saved and resumed iterators: exactly the rest, at every step, of every kind of stage and of random pipelines.
//! Damaged states and those of other pipelines are refused whole.

use super::*;
use crate as tf;
use crate::module::{SavedState, StateValue, StateWriter};
use crate::random::tests::alone;
use crate::{Error, Module, Tensor};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type Element = Vec<Tensor>;
type Build = Box<dyn Fn() -> Dataset<Element>>;

fn save(object: &impl SavedState) -> StateValue {
    object.save().unwrap()
}

fn restore(object: &impl SavedState, value: &StateValue) -> tf::Result<()> {
    object.prepare(value).map(|prepared| object.commit(prepared))
}

fn bytes(value: &StateValue) -> &[u8] {
    value.bytes("test").unwrap()
}

/// An element to the bit.
fn bits(element: Element) -> Vec<u8> {
    let mut writer = StateWriter::new("element");
    element.iter().for_each(|t| writer.tensor(t).unwrap());
    writer.finish()
}

fn rest(iterator: DatasetIterator<Element>) -> Vec<Vec<u8>> {
    iterator.map(bits).collect()
}

fn rows(count: i32) -> Dataset<Element> {
    let images = tf::constant((0..count).map(|i| [i as f32, -i as f32]).collect::<Vec<_>>());
    Dataset::from_tensor_slices(vec![images, Tensor::from((0..count).collect::<Vec<i32>>())])
}

fn numbers(count: i32) -> Dataset {
    Dataset::from_tensor_slices(Tensor::from((0..count).collect::<Vec<i32>>()))
}

/// At each step of a pass: a pipeline built anew resumes, gives the rest, ends for good, and its next passes are those of the first.
fn check(name: &str, build: &dyn Fn() -> Dataset<Element>) {
    let dataset = build();
    // A pass before, so that the numbers of passes count.
    assert!(dataset.iter().take(3).count() <= 3);
    let mut iterator = dataset.iter();
    let (mut states, mut elements) = (vec![save(&iterator)], Vec::new());
    while let Some(element) = iterator.try_next().unwrap() {
        elements.push(bits(element));
        states.push(save(&iterator));
    }
    // Behind the end it is another one: the end was seen.
    states.push(save(&iterator));
    let later: Vec<_> = (0..2).map(|_| rest(dataset.iter())).collect();
    for (step, state) in states.iter().enumerate() {
        let fresh = build();
        let mut resumed = fresh.iter();
        resumed.next();
        restore(&resumed, state).unwrap();
        assert_eq!(save(&resumed), *state, "{name}: a resumed iterator has the state that it was given, step {step}");
        assert_eq!(rest(resumed.clone()), elements[step.min(elements.len())..], "{name}: the rest at step {step}");
        assert!(resumed.next().is_none() && save(&resumed) == states[states.len() - 1], "{name}: the end is the end");
        // All passes of the first run that began behind the state.
        assert_eq!(rest(fresh.iter()), later[0], "{name}: the pass after step {step}");
        assert_eq!(rest(fresh.iter()), later[1], "{name}: the pass after that, step {step}");
    }
    // The same process goes back.
    restore(&iterator, &states[0]).unwrap();
    assert_eq!(rest(iterator), elements, "{name}: once more from the start");
    assert_eq!(rest(dataset.iter()), later[0], "{name}: and the next pass");
}

#[test]
fn every_kind_of_stage_resumes_at_every_step() {
    let _alone = alone();
    let shuffled = || rows(12).shuffle(Shuffle::buffer(5));
    let stages: Vec<(&str, Build)> = vec![
        ("source", Box::new(|| rows(5))),
        ("no rows", Box::new(|| rows(1).take(0))),
        ("batch", Box::new(|| rows(7).batch(3))),
        ("batch_exact", Box::new(|| rows(7).batch_exact(3))),
        ("take", Box::new(|| rows(7).take(4))),
        ("skip", Box::new(|| rows(7).shuffle(Shuffle::buffer(3).seed(2)).skip(3))),
        ("skipped away", Box::new(|| rows(2).skip(5).repeat(2))),
        ("repeat", Box::new(|| rows(3).repeat(3))),
        ("endless", Box::new(|| rows(3).repeat(None).take(8))),
        ("repeated nothing", Box::new(|| rows(1).take(0).repeat(None))),
        ("map", Box::new(|| rows(5).map(|e| vec![&e[0] * 2.0, e[1].cast(tf::DType::F16)]))),
        ("enumerate", Box::new(|| rows(5).enumerate().map(|(n, e)| vec![n, e[0].clone()]))),
        ("shuffle", Box::new(shuffled)),
        ("shuffle all", Box::new(|| rows(9).shuffle(Shuffle::whole()))),
        ("one order", Box::new(|| rows(9).shuffle(Shuffle::whole().reshuffle_each_iteration(false)))),
        ("repeated shuffle", Box::new(move || shuffled().repeat(3).batch(5))),
        ("shuffled repetition", Box::new(|| rows(4).repeat(3).shuffle(5))),
        ("two shuffles", Box::new(|| rows(9).shuffle(4).repeat(2).shuffle(Shuffle::buffer(6).seed(3)))),
        ("computed elements", Box::new(|| rows(9).map(|e| vec![e[1].clone() * 3, e[0].clone()]).shuffle(4).batch(2))),
    ];
    for (name, build) in stages {
        check(name, &*build);
    }
}

/// A pipeline of a number's choosing: the same one each time.
fn random_pipeline(seed: u64) -> Dataset<Element> {
    let mut word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: u64| {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        word % n
    };
    let mut dataset = rows(below(20) as i32 + 1);
    let mut uneven = false;
    for _ in 0..=below(6) {
        let n = below(6) as usize + 1;
        dataset = match below(8) {
            0 => dataset.shuffle(n),
            1 => dataset.shuffle(Shuffle::buffer(2 * n).seed(n as i64)),
            2 => dataset.shuffle(Shuffle::buffer(n + 1).reshuffle_each_iteration(false)),
            3 => dataset.repeat(n % 4),
            4 => dataset.take(3 * n),
            5 => dataset.map(move |e| e.iter().map(|t| t + n as i32).collect()),
            6 => dataset.enumerate().map(|(n, mut e)| {
                e.truncate(2);
                e.push(n);
                e
            }),
            // Batches of different sizes cannot be put together once more.
            _ if uneven => dataset.take(n),
            _ => {
                uneven = below(2) == 0;
                if uneven { dataset.batch(n) } else { dataset.batch_exact(n) }
            }
        };
    }
    dataset.take(40)
}

#[test]
fn random_pipelines_resume_at_every_step() {
    let _alone = alone();
    for seed in 0..60 {
        check(&format!("pipeline {seed}"), &|| random_pipeline(seed));
    }
}

#[test]
fn functions_are_not_called_again_and_states_grow_with_buffers() {
    let calls = Arc::new(AtomicUsize::new(0));
    let build = |count: i32, buffer: usize| {
        let calls = calls.clone();
        let counted = move |n: Tensor| {
            calls.fetch_add(1, Ordering::Relaxed);
            n
        };
        numbers(count).map(counted).shuffle(Shuffle::buffer(buffer).seed(1))
    };
    let mut iterator = build(1000, 10).iter();
    let mut sizes = Vec::new();
    for _ in 0..900 {
        iterator.next();
        sizes.push(bytes(&save(&iterator)).len());
    }
    assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() < 8, "{sizes:?}");
    let state = save(&iterator);
    assert_eq!(calls.swap(0, Ordering::Relaxed), 909);
    let mut resumed = build(1000, 10).iter();
    restore(&resumed, &state).unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 0, "nothing is computed to resume");
    assert_eq!(resumed.by_ref().count(), 100);
    assert_eq!(calls.load(Ordering::Relaxed), 91);
    let size = |buffer| {
        let mut iterator = numbers(1000).shuffle(Shuffle::buffer(buffer).seed(1)).iter();
        iterator.next();
        bytes(&save(&iterator)).len()
    };
    // Rows are numbers: three bytes at most.
    assert!(size(500) - size(100) <= 3 * 400 + 8, "{}", size(500) - size(100));
}

#[test]
fn states_of_other_pipelines_are_refused_with_both_named() {
    let state = save(&rows(6).shuffle(Shuffle::buffer(3).seed(1)).batch(2).iter());
    let others = [
        rows(7).shuffle(Shuffle::buffer(3).seed(1)).batch(2),
        rows(6).shuffle(Shuffle::buffer(4).seed(1)).batch(2),
        rows(6).shuffle(Shuffle::buffer(3).seed(2)).batch(2),
        rows(6).shuffle(Shuffle::buffer(3)).batch(2),
        rows(6).shuffle(Shuffle::buffer(3).seed(1)).batch_exact(2),
        rows(6).batch(2).shuffle(Shuffle::buffer(3).seed(1)),
        rows(6).shuffle(Shuffle::buffer(3).seed(1)).batch(2).repeat(1),
        Dataset::from_tensor_slices(vec![tf::zeros([6])]).shuffle(Shuffle::buffer(3).seed(1)).batch(2),
    ];
    for dataset in others {
        let mut iterator = dataset.iter();
        iterator.next();
        let before = save(&iterator);
        let error = iterator.prepare(&state).map(drop).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::FailedPrecondition(_)), "{text}");
        assert!(text.contains("from_tensor_slices(float32[6, 2], int32[6]) | shuffle(3, seed 1) | batch(2)"), "{text}");
        assert_eq!(save(&iterator), before, "nothing changed");
    }
    let right = rows(6).shuffle(Shuffle::buffer(3).seed(1)).batch(2);
    let text = right.prepare(&state).map(drop).unwrap_err().to_string();
    assert!(text.contains("got: a dataset iterator") && text.ends_with("expected: a dataset"), "{text}");
    let text = right.iter().prepare(&StateValue::Int64(3)).map(drop).unwrap_err().to_string();
    assert!(text.contains("int64"), "{text}");
}

#[test]
fn what_is_prepared_changes_nothing_before_it_is_committed() {
    let dataset = rows(9).shuffle(Shuffle::whole().seed(4)).repeat(2);
    let mut iterator = dataset.iter();
    let early = save(&iterator);
    iterator.nth(11);
    let late = save(&iterator);
    let prepared = iterator.prepare(&early).unwrap();
    assert_eq!(save(&iterator), late);
    drop(prepared);
    assert_eq!(save(&iterator), late);
    let prepared = iterator.prepare(&early).unwrap();
    iterator.commit(prepared);
    assert_eq!(save(&iterator), early);
}

#[test]
fn damaged_states_are_errors() {
    let build = || numbers(9).map(|n| n * 2).shuffle(Shuffle::buffer(3).seed(1)).repeat(2).enumerate();
    let mut iterator = build().iter();
    iterator.nth(4);
    let state = save(&iterator);
    let state = bytes(&state);
    let target = build().iter();
    let refused = |damaged: Vec<u8>, how: &str| {
        let error = target.prepare(&StateValue::Bytes(damaged)).map(drop).unwrap_err();
        assert!(matches!(error, Error::DataLoss(_)), "{how}: {error}");
    };
    for at in 0..state.len() {
        refused(state[..at].to_vec(), &format!("cut at {at}"));
        for bit in 0..8 {
            let mut damaged = state.to_vec();
            damaged[at] ^= 1 << bit;
            refused(damaged, &format!("bit {bit} of byte {at}"));
        }
    }
    refused([state, &[0]].concat(), "a byte more");
}

/// A state with a right checksum whose content was changed: an error, or a state to go on from.
#[test]
fn states_that_lie_do_not_break_anything() {
    let build = || {
        let mapped = numbers(5).map(|n| n * 2).shuffle(Shuffle::buffer(3).seed(1)).batch(2);
        mapped.shuffle(Shuffle::buffer(2).seed(1)).repeat(2).enumerate().take(20)
    };
    let mut iterator = build().iter();
    iterator.nth(1);
    let state = save(&iterator);
    let content = &bytes(&state)[..bytes(&state).len() - 8];
    let mut taken = 0;
    for at in 0..content.len() {
        for byte in [0, 1, 2, 3, 0x7f, 0x80, 0xff, content[at].wrapping_add(1), content[at].wrapping_sub(1)] {
            let mut lie = content.to_vec();
            lie[at] = byte;
            let lie = StateWriter::from_content(lie).finish();
            let mut target = build().iter();
            if restore(&target, &StateValue::Bytes(lie)).is_ok() {
                taken += 1;
                let ends = (0..100).any(|_| matches!(target.try_next(), Ok(None)));
                assert!(ends, "byte {at} as {byte}");
            }
        }
    }
    assert!(taken > content.len(), "{taken} of the lies cannot be told");
}

#[test]
fn a_dataset_holds_the_orders_of_the_passes_to_come() {
    let _alone = alone();
    let build = || rows(20).shuffle(Shuffle::whole()).batch(3);
    let dataset = build();
    let epochs: Vec<_> = (0..2).map(|_| rest(dataset.iter())).collect();
    assert_ne!(epochs[0], epochs[1]);
    let state = save(&dataset);
    let third = rest(dataset.iter());
    let fresh = build();
    restore(&fresh, &state).unwrap();
    assert_eq!(rest(fresh.iter()), third, "with the seed that was drawn, too");
    // Longer pipelines share the shuffle.
    let mapped = fresh.map(|e| e);
    restore(&fresh, &state).unwrap();
    assert_eq!(rest(mapped.iter()), third);
    for at in 0..bytes(&state).len() {
        let mut damaged = bytes(&state).to_vec();
        damaged[at] ^= 0x10;
        assert!(dataset.prepare(&StateValue::Bytes(damaged)).is_err());
    }
}

#[test]
fn values_that_are_no_tensors_of_numbers_are_not_saved() {
    let odd = numbers(4).map(|_| vec![tf::Variable::new(1.0).as_handle().clone()]).shuffle(Shuffle::buffer(3).seed(1));
    let mut iterator = odd.iter();
    save(&iterator);
    iterator.next();
    let error = iterator.save().unwrap_err().to_string();
    assert!(error.contains("cannot be saved") && error.contains("resource"), "{error}");
}

#[test]
fn iterators_and_data_sets_are_modules() {
    #[derive(Module)]
    struct Training {
        data: Dataset,
        elements: DatasetIterator,
    }
    let data = numbers(3);
    let training = Training { elements: data.iter(), data };
    let before = training.signature();
    training.elements.clone().next();
    assert_eq!(training.signature(), before);
    assert_ne!(Training { data: numbers(3), elements: training.elements.clone() }.signature(), before);
    assert_eq!(training.elements.id(), training.elements.clone().id());
    assert_ne!(training.elements.id(), training.data.id());
    assert!(training.variables().is_empty());
}

#[test]
fn data_sets_that_a_graph_made_resume() {
    #[tf::tf_function]
    fn prepare(x: &Tensor) -> Dataset {
        let scale = x + 1;
        Dataset::from_tensor_slices(x.clone())
            .map(move |n| n * tf::reduce_sum(&scale, 0))
            .shuffle(Shuffle::buffer(3).seed(2))
    }
    let x = Tensor::from((0..8).collect::<Vec<i32>>());
    let flat = |iterator: DatasetIterator| iterator.map(|n| n.item::<i32>()).collect::<Vec<_>>();
    let mut iterator = prepare(&x).iter();
    iterator.nth(2);
    let state = save(&iterator);
    let resumed = prepare(&x).iter();
    restore(&resumed, &state).unwrap();
    let right = flat(iterator);
    assert_eq!((right.len(), flat(resumed)), (5, right));
}
