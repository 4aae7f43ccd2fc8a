//! The pipelines of `tests/golden/tf_data.py`, by the same names.
//! The comparison builds them at once and in traced functions.

use eagerflow::{self as tf, DType, Tensor, TensorSpec, s};
use tf::data::{AUTOTUNE, Dataset, PaddedBatch, Sample, choose_from_datasets, sample_from_datasets, zip};

/// Elements as lists of their tensors.
pub type Element = Vec<Tensor>;

fn n(end: i64) -> Dataset {
    Dataset::range(end)
}

/// Lists of these lengths.
fn ragged<const N: usize>(lengths: [usize; N]) -> Dataset {
    let spec = [TensorSpec::new([None], DType::F32)];
    Dataset::from_generator_with(spec, move || lengths.map(|k| tf::ones([k]) * k as f32))
}

fn source(name: &str) -> Option<Dataset<Element>> {
    let columns = || (tf::constant([1, 2]), tf::constant([[3.0], [4.0]]));
    Some(match name {
        "from_tensors" => Dataset::from_tensors(columns()).flattened(),
        "from_tensor_slices" => {
            let rows = (tf::constant([[1, 2], [3, 4], [5, 6]]), tf::constant([7.0, 8.0, 9.0]));
            Dataset::from_tensor_slices(rows).flattened()
        }
        "from_generator" => {
            let spec = [TensorSpec::new([] as [usize; 0], DType::I32)];
            Dataset::from_generator_with(spec, || (0..4).map(tf::constant)).flattened()
        }
        "range_stop" => n(5).flattened(),
        "range_start" => Dataset::range(2..5).flattened(),
        "range_step" => Dataset::range((1, 10, 3)).flattened(),
        "range_down" => Dataset::range((10, 1, -4)).flattened(),
        "range_empty" => Dataset::range((5, 1, 1)).flattened(),
        "counter" => Dataset::counter(3, 2).take(4).flattened(),
        "counter_whole" => Dataset::counter(0, 1).flattened(),
        "strings" => Dataset::from_tensor_slices(tf::constant(["a", "bc", ""])).flattened(),
        _ => return None,
    })
}

fn selection(name: &str) -> Option<Dataset<Element>> {
    Some(match name {
        "take" => n(5).take(2).flattened(),
        "take_more" => n(3).take(9).flattened(),
        "take_endless" => n(3).repeat(None).take(7).flattened(),
        "skip" => n(5).skip(2).flattened(),
        "skip_more" => n(3).skip(9).flattened(),
        "repeat" => n(3).repeat(2).flattened(),
        "repeat_none" => n(3).repeat(0).flattened(),
        "repeat_endless" => n(3).repeat(None).flattened(),
        "repeat_empty_endless" => n(0).repeat(None).flattened(),
        "shard" => n(10).shard(3, 0).flattened(),
        "shard_last" => n(10).shard(3, 2).flattened(),
        "shard_few" => n(2).shard(5, 3).flattened(),
        "enumerate_from" => Dataset::from_tensor_slices(tf::constant([7, 8, 9])).enumerate_from(5).flattened(),
        "cache" => n(4).cache().repeat(2).flattened(),
        "prefetch" => n(4).prefetch(2).flattened(),
        "prefetch_tuned" => n(4).prefetch(AUTOTUNE).flattened(),
        "unique" => Dataset::from_tensor_slices(tf::constant([1, 37, 2, 37, 2, 1])).unique().flattened(),
        "unique_strings" => Dataset::from_tensor_slices(tf::constant(["a", "b", "a"])).unique().flattened(),
        "shuffle_cardinality" => n(0).shuffle(3).flattened(),
        _ => return None,
    })
}

fn batches(name: &str) -> Option<Dataset<Element>> {
    let windows = |set: Dataset<Dataset>, size: usize| set.flat_map(move |window| window.batch(size)).flattened();
    Some(match name {
        "batch" => n(7).batch(3).flattened(),
        "batch_exact" => n(7).batch_exact(3).flattened(),
        "batch_of_batches" => n(8).batch(2).batch(2).flattened(),
        "batch_endless" => n(2).repeat(None).batch(3).take(2).flattened(),
        "padded_batch" => ragged([1, 3, 2]).padded_batch(2).flattened(),
        "padded_batch_exact" => ragged([1, 3, 2]).padded_batch(PaddedBatch::new(2).drop_remainder(true)).flattened(),
        "padded_batch_shape" => {
            ragged([1, 3, 2]).padded_batch(PaddedBatch::new(2).padded_shapes([vec![Some(4)]])).flattened()
        }
        "padded_batch_value" => {
            ragged([1, 3]).padded_batch(PaddedBatch::new(2).padding_values([tf::constant(-1.0)])).flattened()
        }
        "padded_batch_pairs" => {
            let pair = |k: Tensor| (tf::fill([&k], &k), tf::fill([Tensor::from(2i64), k], 1.5));
            Dataset::range(1..4).map(pair).padded_batch(3).flattened()
        }
        "padded_batch_too_large" => {
            ragged([1, 3]).padded_batch(PaddedBatch::new(2).padded_shapes([vec![Some(2)]])).flattened()
        }
        "batch_of_different_shapes" => ragged([1, 3]).batch(2).flattened(),
        "unbatch" => n(7).batch(3).unbatch().flattened(),
        "unbatch_exact" => n(7).batch_exact(3).unbatch().flattened(),
        "unbatch_pairs" => {
            Dataset::from_tensors((tf::constant([1, 2]), tf::constant([[3.0], [4.0]]))).unbatch().flattened()
        }
        "rebatch" => n(8).batch(4).rebatch(3).flattened(),
        "rebatch_exact" => n(8).batch(4).try_rebatch([3], true).unwrap().flattened(),
        "rebatch_several" => n(8).batch(4).try_rebatch([2, 1, 1], false).unwrap().flattened(),
        "window" => windows(n(7).window(3, 3), 3),
        "window_shift" => windows(n(7).window(3, 2), 3),
        "window_stride" => windows(n(9).try_window(3, 1, 2, false).unwrap(), 3),
        "window_exact" => windows(n(7).window_exact(3, 2), 3),
        "window_far_apart" => windows(n(9).window(2, 4), 2),
        "window_cardinality" => n(7).window(3, 2).flattened(),
        "window_exact_cardinality" => n(7).try_window(3, 2, 2, true).unwrap().flattened(),
        _ => return None,
    })
}

/// A number so many times.
fn repeated(x: Tensor) -> Dataset {
    Dataset::from_tensors(x.clone()).repeat(&x)
}

fn functions(name: &str) -> Option<Dataset<Element>> {
    let inverse = |x: Tensor| tf::debugging::check_numerics(1.0 / x.cast(DType::F32), "x");
    Some(match name {
        "map" => n(4).map(|x| &x * &x).flattened(),
        "map_to_pairs" => n(3).map(|x| (x.clone(), x.cast(DType::F32) / 2.0)).flattened(),
        "map_parallel" => n(20).map_with(3, |x| x * 2).flattened(),
        "map_fails" => n(4).map(move |x| inverse(2 - x)).flattened(),
        "filter" => n(10).filter(|x| (x % 3).equal(1)).flattened(),
        "filter_none" => n(3).filter(|x| x.greater(5)).flattened(),
        "take_while" => n(10).take_while(|x| x.less(4)).flattened(),
        "take_while_none" => Dataset::range(5..10).take_while(|x| x.less(4)).flattened(),
        "scan" => n(6).scan(Tensor::from(0i64), |s, x| (&s + &x, &s * 10 + &x)).flattened(),
        "flat_map" => n(4).flat_map(|x| Dataset::range(x)).flattened(),
        "flat_map_known" => n(3).flat_map(|x| Dataset::from_tensors(x).repeat(2)).flattened(),
        "interleave" => Dataset::range(1..6).interleave(2, 1, repeated).flattened(),
        "interleave_blocks" => {
            Dataset::range(1..6).interleave(3, 2, |x| Dataset::from_tensors(x.clone()).repeat(x + 1)).flattened()
        }
        "interleave_more_than_there_are" => {
            Dataset::range(1..4).interleave(8, 1, |x| Dataset::from_tensors(x).repeat(2)).flattened()
        }
        "interleave_empty" => n(5).interleave(2, 1, |x| Dataset::range(x % 2)).flattened(),
        "interleave_parallel" => {
            let six = |x| Dataset::from_tensors(x).repeat(6);
            Dataset::range(1..6).interleave_with(3, 4, tf::data::Parallel::calls(2), six).flattened()
        }
        "group_by_window" => n(10).group_by_window(|x| x % 2, |_, window| window.batch(3), 3).flattened(),
        "group_by_window_sizes" => {
            n(12).group_by_window_sized(|x| x % 3, |_, window| window.batch(4), |key| key + 1).flattened()
        }
        "bucket_by_sequence_length" => {
            let lists = ragged([1, 5, 2, 6, 3, 3, 9]);
            lists.bucket_by_sequence_length(|x| tf::shape(x).at(s![0]), [3, 6], [2, 3, 1]).flattened()
        }
        "ignore_errors" => n(5).map(move |x| inverse(x - 2)).ignore_errors(false).flattened(),
        "apply" => n(5).apply(|set| set.skip(1).batch(2)).flattened(),
        _ => return None,
    })
}

fn several(name: &str) -> Option<Dataset<Element>> {
    let from_ten = |end: i64| Dataset::range(10..end);
    let choices = |list: &[i64]| Dataset::from_tensor_slices(Tensor::from(list));
    Some(match name {
        "zip" => n(3).zip(&from_ten(15)).flattened(),
        "zip_three" => zip((&n(3), &from_ten(15), &n(2).batch(1))).flattened(),
        "zip_endless" => n(2).repeat(None).zip(&n(3)).flattened(),
        "zip_unknown" => n(2).filter(|x| x.greater_equal(0)).zip(&n(3)).flattened(),
        "concatenate" => n(3).concatenate(&from_ten(12)).flattened(),
        "concatenate_endless" => n(3).concatenate(&n(2).repeat(None)).flattened(),
        "choose" => {
            let sets = ["foo", "bar", "baz"].map(|word| Dataset::from_tensors(tf::constant(word)).repeat(None));
            choose_from_datasets(&sets, &n(3).repeat(3)).flattened()
        }
        "choose_to_the_first_end" => {
            choose_from_datasets(&[n(2), from_ten(20)], &choices(&[0, 1, 0, 1, 0, 1])).flattened()
        }
        "choose_to_the_end" => {
            let numbers = choices(&[0, 1, 0, 1, 0, 1, 1]);
            tf::data::choose_from_datasets_to_the_end(&[n(2), from_ten(13)], &numbers).flattened()
        }
        "sample_one" => sample_from_datasets(&[n(3), from_ten(13)], Sample::weights([1.0, 0.0])).flattened(),
        _ => return None,
    })
}

/// The pipeline of a name.
pub fn build(name: &str) -> Dataset<Element> {
    let families = [source, selection, batches, functions, several];
    families.iter().find_map(|family| family(name)).unwrap_or_else(|| panic!("there is no pipeline `{name}`"))
}
