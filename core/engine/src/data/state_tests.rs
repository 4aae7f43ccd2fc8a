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

#[test]
fn resampled_windows_and_devices_resume_at_every_step() {
    let _alone = alone();
    let resampled = |how: fn() -> Resample| {
        Dataset::range(30).rejection_resample(|n: Tensor| n % 3, how()).map(|(class, n)| vec![class, n])
    };
    let series = || tf::reshape(&tf::range(0, 40, 1), [20, 2]);
    let windows = move |how: Timeseries| timeseries_dataset_from_array(series(), 3, how).map(|x| vec![x]);
    let pairs = move |how: Timeseries| {
        timeseries_dataset_with_targets(series(), tf::range(0, 20, 1), 4, how).map(|(x, y)| vec![x, y])
    };
    let stages: Vec<(&str, Build)> = vec![
        ("resample", Box::new(move || resampled(|| Resample::to([0.2, 0.2, 0.6])))),
        ("resample known", Box::new(move || resampled(|| Resample::to([0.0, 0.5, 0.5]).from([0.4, 0.3, 0.3])))),
        ("windows", Box::new(move || windows(Timeseries::new().batch_size(4).sequence_stride(2)))),
        ("windows in any order", Box::new(move || windows(Timeseries::new().batch_size(3).shuffle(true)))),
        ("windows alone", Box::new(move || pairs(Timeseries::new().batch_size(None).sampling_rate(3).start_index(1)))),
        ("windows and targets", Box::new(move || pairs(Timeseries::new().batch_size(5).shuffle(true).seed(3)))),
        ("to a device", Box::new(|| rows(9).shuffle(4).prefetch_to_device("/cpu:0", 3))),
    ];
    for (name, build) in stages {
        check(name, &*build);
    }
}

/// Numbers as elements that hold one tensor.
fn listed(numbers: Dataset) -> Dataset<Element> {
    numbers.map(|n| vec![n])
}

/// A number with one that is drawn.
fn noisy(n: Tensor) -> Element {
    vec![n, tf::random::normal([2], 0.0, 1.0)]
}

#[test]
fn steps_that_choose_and_compute_resume_at_every_step() {
    let _alone = alone();
    let range = |n: usize| Dataset::range(n);
    let stages: Vec<(&str, Build)> = vec![
        ("from_tensors", Box::new(|| Dataset::from_tensors(vec![tf::constant([1, 2])]))),
        ("from_indexed", Box::new(|| Dataset::from_indexed(6, |n| vec![tf::constant(n as i32)]).shuffle(3))),
        ("from_generator", Box::new(|| Dataset::from_generator(|| (0..5).map(|n| vec![tf::constant(n)])))),
        ("range", Box::new(move || listed(range(9).shuffle(4).batch(2)))),
        ("counter", Box::new(|| listed(Dataset::counter(3, -2).take(5)))),
        ("random", Box::new(|| listed(Dataset::random(None).take(5)))),
        ("skip", Box::new(move || listed(range(7).skip(3)))),
        ("skip all", Box::new(move || listed(range(2).skip(3)))),
        ("shard", Box::new(move || listed(range(8).shard(3, 1)))),
        ("filter", Box::new(move || listed(range(9).filter(|n| (n % 3).not_equal(1)).batch(2)))),
        ("random filter", Box::new(move || listed(range(20).filter(|_| tf::random::uniform((), 0.0, 1.0).less(0.5))))),
        ("take_while", Box::new(move || listed(range(9).take_while(|n| n.less(4))))),
        ("scan", Box::new(move || listed(range(6).scan(Tensor::from(0i64), |sum, n| (&sum + &n, sum))))),
        ("random map", Box::new(move || range(6).map(noisy))),
        ("shuffled random map", Box::new(move || range(6).map(noisy).shuffle(3).repeat(2))),
        ("unbatch", Box::new(move || listed(range(7).batch(3).unbatch()))),
        ("rebatch", Box::new(move || listed(range(11).batch(3).rebatch(4)))),
        ("rebatch to several", Box::new(move || listed(range(11).batch(4).try_rebatch([1, 3], false).unwrap()))),
        (
            "padded_batch",
            Box::new(move || listed(range(5).map(|n| tf::ones([n.item::<i64>() as usize])).padded_batch(2))),
        ),
        ("window", Box::new(move || listed(range(7).window(3, 2).flat_map(|window| window.batch(3))))),
        (
            "shuffled windows",
            Box::new(move || listed(range(9).window(2, 1).shuffle(4).flat_map(|window| window.batch(2)))),
        ),
        ("windows far apart", Box::new(move || listed(range(9).window(2, 4).flat_map(|window| window.batch(2))))),
        ("flat_map", Box::new(move || listed(range(5).flat_map(|n| Dataset::range(n.item::<i64>()))))),
        ("interleave", Box::new(move || listed(range(5).interleave(3, 2, |n| Dataset::range(n.item::<i64>() + 1))))),
        (
            "random interleave",
            Box::new(move || range(3).interleave(2, 1, |n| Dataset::from_tensors(n).repeat(3).map(noisy))),
        ),
        ("zip", Box::new(move || range(5).zip(&Dataset::range(9).shuffle(4)).map(|(a, b)| vec![a, b]))),
        ("concatenate", Box::new(move || listed(range(3).concatenate(&Dataset::range(9).shuffle(4)).repeat(2)))),
        ("cache", Box::new(move || range(4).map(noisy).cache().repeat(3))),
        ("cache of a shuffle", Box::new(move || listed(range(6).shuffle(3).cache().shuffle(3).repeat(2)))),
        ("unique", Box::new(move || listed(range(12).map(|n| n % 5).unique()))),
        (
            "group_by_window",
            Box::new(move || listed(range(9).group_by_window(|n| n % 2, |_, window| window.batch(3), 3))),
        ),
        (
            "choose",
            Box::new(move || {
                let sets = [Dataset::range(5), Dataset::range(100).skip(50)];
                listed(choose_from_datasets(&sets, &Dataset::range(2).repeat(4)))
            }),
        ),
        (
            "sample",
            Box::new(move || {
                let sets = [Dataset::range(5), Dataset::range(100).skip(90)];
                listed(sample_from_datasets(&sets, Sample::weights([1.0, 3.0]).rerandomize_each_iteration(true)))
            }),
        ),
    ];
    for (name, build) in stages {
        check(name, &*build);
    }
}

#[test]
fn steps_with_threads_resume_at_every_step() {
    let _alone = alone();
    let range = |n: usize| Dataset::range(n);
    let stages: Vec<(&str, Build)> = vec![
        ("prefetch", Box::new(move || listed(range(7).shuffle(3).prefetch(2)))),
        ("prefetch what is computed", Box::new(move || range(7).map(noisy).prefetch(3).shuffle(2))),
        ("map in parallel", Box::new(move || range(9).map_with(3, noisy))),
        (
            "map in parallel behind a shuffle",
            Box::new(move || range(9).shuffle(4).map_with(2, noisy).prefetch(1).repeat(2)),
        ),
        (
            "interleave in parallel",
            Box::new(move || {
                listed(range(5).interleave_with(3, 2, Parallel::calls(2), |n| Dataset::range(n.item::<i64>() + 1)))
            }),
        ),
    ];
    for (name, build) in stages {
        check_elements(name, &*build);
    }
}

/// A state is not bound to a number of threads, which AUTOTUNE takes from the machine.
#[test]
fn states_go_from_one_number_of_threads_to_another() {
    let _alone = alone();
    let build = |threads: Option<usize>| {
        let how = threads.map(Parallel::calls);
        Dataset::range(6).interleave_with(3, 2, how, |n| Dataset::range(n.item::<i64>() + 2))
    };
    let all: Vec<i64> = build(None).iter().map(|n| n.item()).collect();
    for (from, to) in [(None, Some(2)), (Some(3), None), (Some(1), Some(3))] {
        let mut iterator = build(from).iter();
        iterator.nth(4);
        let resumed = build(to).iter();
        restore(&resumed, &save(&iterator)).unwrap();
        assert_eq!(resumed.map(|n| n.item::<i64>()).collect::<Vec<_>>(), all[5..], "{from:?} to {to:?}");
    }
}

#[test]
fn what_cannot_begin_ends_also_where_errors_are_passed_over() {
    let broken = || Dataset::<Tensor>::from_generator(|| -> Vec<Tensor> { panic!("there is no such file") });
    let numbers = Dataset::range(2);
    assert_eq!(broken().repeat(None).ignore_errors(false).iter().count(), 0);
    assert_eq!(numbers.concatenate(&broken()).concatenate(&numbers).ignore_errors(false).iter().count(), 4);
}

/// As [`check`], where how far threads are ahead is another thing each time, and so are the bytes of states.
fn check_elements(name: &str, build: &dyn Fn() -> Dataset<Element>) {
    let dataset = build();
    let mut iterator = dataset.iter();
    let (mut states, mut elements) = (vec![save(&iterator)], Vec::new());
    while let Some(element) = iterator.try_next().unwrap() {
        elements.push(bits(element));
        states.push(save(&iterator));
    }
    let later = rest(dataset.iter());
    for (step, state) in states.iter().enumerate() {
        let fresh = build();
        let resumed = fresh.iter();
        restore(&resumed, state).unwrap();
        assert_eq!(rest(resumed), elements[step..], "{name}: the rest at step {step}");
        assert_eq!(rest(fresh.iter()).len(), later.len(), "{name}: another pass after step {step}");
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
