//! Steps with functions of the user's: `map`, `filter`, `take_while`, `scan`, `flat_map`, `interleave`, `group_by_window` and what is made of
//! them. In a traced function the functions are recorded, with what they capture of the graph.

use super::{Dataset, Resample, the_element};
use crate::builder;
use crate::data::form::{DatasetElement, Form};
use crate::data::function::{Function, StepFunction};
use crate::data::order::{SharedOrder, global_seed};
use crate::data::stage::Stage;
use crate::data::steps::filter::{Filter, Otherwise};
use crate::data::steps::flatten::{Flatten, LateTypes};
use crate::data::steps::group::Group;
use crate::data::steps::map::{Map, result_types};
use crate::data::steps::parallel::{Parallel, ParallelMap};
use crate::data::steps::resample::{RejectionResample, class_type};
use crate::data::steps::scan::Scan;
use crate::op::Outputs;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use smallvec::smallvec;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

/// A function of elements over their tensors.
fn over_tensors<S: DatasetElement, R: DatasetElement>(
    step: &'static str,
    from: &Form<S>,
    to: &Form<R>,
    function: impl Fn(S) -> Result<R> + Send + Sync + 'static,
) -> Function {
    let (from, to) = (from.clone(), to.clone());
    Arc::new(move |values: Outputs| to.take_apart(&function(from.put_together(&values)?)?, step))
}

/// The types of the elements of data sets that a function gives, once it was recorded.
#[derive(Clone, Default)]
struct Inner(Arc<OnceLock<Option<Vec<TensorType>>>>);

impl Inner {
    /// What finds the types: the function is recorded if it was not.
    fn late(&self) -> LateTypes {
        let found = self.0.clone();
        Arc::new(move |function, given| {
            if found.get().is_none() {
                result_types(function, &given?)?;
            }
            found.get().cloned().flatten()
        })
    }
}

/// A function that gives data sets, over the tensors of elements.
fn over_datasets<R: DatasetElement>(
    inner: &Inner,
    to: &Form<R>,
    function: impl Fn(Outputs) -> Result<Dataset<R>> + Send + Sync + 'static,
) -> Function {
    let (inner, to) = (inner.clone(), to.clone());
    Arc::new(move |values: Outputs| {
        let made = function(values)?;
        to.follow(&made.form);
        if builder::current().is_some() {
            inner.0.get_or_init(|| made.types());
        }
        Ok(smallvec![made.handle().clone()])
    })
}

impl<S: DatasetElement> Dataset<S> {
    /// A function of each element, which may give another form.
    ///
    /// Random numbers that it draws follow from the seed of the step, the number of the pass and that of the element: parallel and
    /// resumed passes have the same ones.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let bytes = tf::Tensor::from([[0u8, 51], [102, 255]]);
    /// let scaled = tf::data::Dataset::from_tensor_slices(bytes).map(|row| (row.cast(tf::DType::F32) * 5.0, row));
    /// let (row, byte) = scaled.iter().next().unwrap();
    /// assert_eq!((row.to_vec::<f32>(), byte.to_vec::<u8>()), (vec![0.0, 255.0], vec![0, 51]));
    /// ```
    ///
    /// In a traced function it is recorded, as the rest of the function is.
    #[track_caller]
    pub fn map<R: DatasetElement>(&self, function: impl Fn(S) -> R + Send + Sync + 'static) -> Dataset<R> {
        self.try_map(move |element| Ok(function(element)))
    }

    /// [`map`](Self::map) by a function that may answer an error, which the iterator's
    /// [`try_next`](crate::data::DatasetIterator::try_next) passes on.
    #[track_caller]
    pub fn try_map<R: DatasetElement>(&self, function: impl Fn(S) -> Result<R> + Send + Sync + 'static) -> Dataset<R> {
        self.mapped(Parallel::in_turn(), function)
    }

    /// [`map`](Self::map) with several calls at a time, `num_parallel_calls`: a number, [`AUTOTUNE`](crate::data::AUTOTUNE), or
    /// [`Parallel`] with options. Results come in the order of the elements unless that says otherwise.
    ///
    /// The threads begin with the first element that is asked for, work ahead by twice as many elements as they are, and have ended when
    /// the iterator is dropped. They pay for functions that take tens of microseconds and more.
    #[track_caller]
    pub fn map_with<R: DatasetElement>(
        &self,
        how: impl Into<Parallel>,
        function: impl Fn(S) -> R + Send + Sync + 'static,
    ) -> Dataset<R> {
        self.try_map_with(how, move |element| Ok(function(element)))
    }

    /// [`map_with`](Self::map_with) by a function that may answer an error.
    #[track_caller]
    pub fn try_map_with<R: DatasetElement>(
        &self,
        how: impl Into<Parallel>,
        function: impl Fn(S) -> Result<R> + Send + Sync + 'static,
    ) -> Dataset<R> {
        self.mapped(how.into(), function)
    }

    #[track_caller]
    fn mapped<R: DatasetElement>(
        &self,
        how: Parallel,
        function: impl Fn(S) -> Result<R> + Send + Sync + 'static,
    ) -> Dataset<R> {
        let location = Location::caller();
        let form = Form::open();
        let function = over_tensors("map", &self.form, &form, function);
        let types = |_, recorded: &[super::Recorded]| Ok(Some(recorded[0].results.clone()));
        let make = move |before: &Arc<_>, functions: &[Function]| {
            let mut function = StepFunction::new("map", functions[0].clone(), location);
            if let Some(seed) = how.seed {
                function.order = SharedOrder::new(seed);
            }
            let before = Arc::clone(before);
            Ok(match how.calls {
                0 => Arc::new(Map::new(before, function)) as _,
                _ => Arc::new(ParallelMap { before, function, how, types: OnceLock::new() }) as _,
            })
        };
        self.then_calling("map", form, [(function, &the_element)], types, make).or_fail()
    }

    /// The elements for which a function is true: it gives a `bool` scalar.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let small = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2, 3])).filter(|n| n.less(3));
    /// assert_eq!(small.iter().map(|n| n.item::<i32>()).collect::<Vec<_>>(), [1, 2]);
    /// ```
    #[track_caller]
    pub fn filter(&self, predicate: impl Fn(S) -> Tensor + Send + Sync + 'static) -> Self {
        self.tested("filter", Otherwise::Skip, move |element| Ok(predicate(element)))
    }

    /// [`filter`](Self::filter) by a function that may answer an error.
    #[track_caller]
    pub fn try_filter(&self, predicate: impl Fn(S) -> Result<Tensor> + Send + Sync + 'static) -> Self {
        self.tested("filter", Otherwise::Skip, predicate)
    }

    /// The elements up to the first for which a function is false.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let first = tf::data::Dataset::range(10).take_while(|n| n.less(3));
    /// assert_eq!(first.iter().count(), 3);
    /// ```
    #[track_caller]
    pub fn take_while(&self, predicate: impl Fn(S) -> Tensor + Send + Sync + 'static) -> Self {
        self.tested("take_while", Otherwise::End, move |element| Ok(predicate(element)))
    }

    #[track_caller]
    fn tested(
        &self,
        step: &'static str,
        otherwise: Otherwise,
        predicate: impl Fn(S) -> Result<Tensor> + Send + Sync + 'static,
    ) -> Self {
        let location = Location::caller();
        let function = over_tensors(step, &self.form, &Form::<Tensor>::open(), predicate);
        let types = |own, _: &[super::Recorded]| Ok(Some(own));
        let make = move |before: &Arc<_>, functions: &[Function]| {
            let predicate = StepFunction::new(step, functions[0].clone(), location);
            Ok(Arc::new(Filter { before: Arc::clone(before), predicate, otherwise }) as _)
        };
        self.then_calling(step, self.form.clone(), [(function, &the_element)], types, make).or_fail()
    }

    /// Elements with their classes, of which each comes as often as it shall: TensorFlow's `rejection_resample`. Elements of classes that
    /// come too often are left out at random.
    ///
    /// The function gives the class of an element, an integer from 0 on. The random choices are not TensorFlow's, and each pass has its
    /// own; as there, each class counts as seen ten times before the first element where it is not told how often classes come.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::{Dataset, Resample};
    /// // Every tenth number is of class 1; it shall be every second.
    /// let class = |n: tf::Tensor| tf::cast(tf::equal(&n % 10, tf::cast(tf::constant(0), tf::int64)), tf::int32);
    /// let even = Dataset::counter(0, 1).rejection_resample(class, Resample::to([0.5, 0.5]).from([0.9, 0.1]).seed(1));
    /// let ones = even.take(200).iter().filter(|(class, _)| class.item::<i32>() == 1).count();
    /// assert!((70..130).contains(&ones));
    /// ```
    #[track_caller]
    pub fn rejection_resample(
        &self,
        class_func: impl Fn(S) -> Tensor + Send + Sync + 'static,
        how: impl Into<Resample>,
    ) -> Dataset<(Tensor, S)> {
        const STEP: &str = "rejection_resample";
        let location = Location::caller();
        let how = how.into();
        let seed = how.seed;
        let (target, initial) = how.checked().map_err(|e| e.at(location)).or_fail();
        let function = over_tensors(STEP, &self.form, &Form::<Tensor>::open(), move |element| Ok(class_func(element)));
        let types = |own: Vec<TensorType>, recorded: &[super::Recorded]| {
            Ok(class_type(&recorded[0].results).map(|class| std::iter::once(class).chain(own).collect()))
        };
        let make = move |before: &Arc<dyn Stage>, functions: &[Function]| {
            let class_type = before.types().and_then(|own| class_type(&result_types(&functions[0], &own)?));
            let class = StepFunction::new(STEP, functions[0].clone(), location);
            let order = SharedOrder::new(seed.map_or_else(global_seed, Ok)?);
            let (before, target, initial) = (before.clone(), target.clone(), initial.clone());
            Ok(Arc::new(RejectionResample { before, class, target, initial, order, class_type }) as _)
        };
        let form = Form::<(Tensor, S)>::parts((Form::open(), self.form.clone()));
        self.then_calling(STEP, form, [(function, &the_element)], types, make).or_fail()
    }

    /// A state that goes from element to element: the function takes state and element, and gives the next state and a result.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let sums = tf::data::Dataset::range(5).scan(tf::Tensor::from(0i64), |sum, n| {
    ///     let sum = sum + n;
    ///     (sum.clone(), sum)
    /// });
    /// assert_eq!(sums.iter().map(|n| n.item::<i64>()).collect::<Vec<_>>(), [0, 1, 3, 6, 10]);
    /// ```
    #[track_caller]
    pub fn scan<T: DatasetElement, R: DatasetElement>(
        &self,
        initial_state: T,
        function: impl Fn(T, S) -> (T, R) + Send + Sync + 'static,
    ) -> Dataset<R> {
        let location = Location::caller();
        let (state, form) = (Form::of(&initial_state), Form::open());
        let start = state.take_apart(&initial_state, "scan").map_err(|e| e.at(location)).or_fail();
        let (count, start_types): (_, Vec<TensorType>) = (start.len(), start.iter().map(|t| *t.ty()).collect());
        let (from, to, own) = (state, form.clone(), self.form.clone());
        let function = move |mut values: Outputs| {
            let element: Outputs = values.drain(count..).collect();
            let (next, result) = function(from.put_together(&values)?, own.put_together(&element)?);
            let next = from.take_apart(&next, "scan")?;
            let mut changed = next.iter().zip(&start_types).filter(|(now, then)| now.dtype() != then.dtype);
            if let Some((now, then)) = changed.next() {
                let what = "the function gives a state of another dtype";
                return Err(Error::invalid_argument("scan", what).got(now.ty()).expected(then));
            }
            Ok(next.into_iter().chain(to.take_apart(&result, "scan")?).collect())
        };
        let function: Function = Arc::new(function);
        let state_types: Vec<TensorType> = start.iter().map(|t| *t.ty()).collect();
        let given = move |own: &[TensorType]| Ok(state_types.iter().chain(own).copied().collect());
        let types = move |_, recorded: &[super::Recorded]| Ok(Some(recorded[0].results[count..].to_vec()));
        let make = move |before: &Arc<dyn crate::data::stage::Stage>, functions: &[Function]| {
            let function = StepFunction::new("scan", functions[0].clone(), location);
            let all = before.types().map(|own| start.iter().map(|t| *t.ty()).chain(own).collect::<Vec<_>>());
            let types = all.and_then(|all| result_types(&function.function, &all)).map(|types| types[count..].to_vec());
            Ok(Arc::new(Scan { before: Arc::clone(before), start: start.clone(), function, types }) as _)
        };
        self.then_calling("scan", form, [(function, &given)], types, make).or_fail()
    }

    /// One value of all elements: the function takes what it gave for the elements before, at first the initial state, and the element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let sum = tf::data::Dataset::range(5).reduce(tf::Tensor::from(0i64), |sum, n| sum + n);
    /// assert_eq!(sum.item::<i64>(), 10);
    /// ```
    ///
    /// # Panics
    /// As [`try_reduce`](Self::try_reduce) fails.
    #[track_caller]
    pub fn reduce<T>(&self, initial_state: T, function: impl FnMut(T, S) -> T) -> T {
        self.try_reduce(initial_state, function).or_fail()
    }

    /// One value of all elements.
    ///
    /// # Errors
    /// What the steps answer; FailedPrecondition in a traced function, where `for element in &dataset` does it, as a loop of the graph.
    #[track_caller]
    pub fn try_reduce<T>(&self, initial_state: T, mut function: impl FnMut(T, S) -> T) -> Result<T> {
        if self.in_graph() {
            let what = "the elements are not there while a function is traced, so the closure cannot go through them";
            return Err(Error::failed_precondition("reduce", what)
                .expected("a `for` loop over the data set, which becomes a loop of the graph")
                .help("write `for element in &dataset`, with the state in a variable that each round changes, or a `while` loop")
                .at(Location::caller()));
        }
        let mut iterator = self.try_iter()?;
        let mut state = initial_state;
        while let Some(element) = iterator.try_next()? {
            state = function(state, element);
        }
        Ok(state)
    }

    /// The elements of the data sets that a function makes of each element, one after the other.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::Dataset;
    /// let numbers = Dataset::range(4).flat_map(|n| Dataset::range(n.item::<i64>()));
    /// assert_eq!(numbers.iter().map(|n| n.item::<i64>()).collect::<Vec<_>>(), [0, 0, 1, 0, 1, 2]);
    /// ```
    #[track_caller]
    pub fn flat_map<R: DatasetElement>(
        &self,
        function: impl Fn(S) -> Dataset<R> + Send + Sync + 'static,
    ) -> Dataset<R> {
        self.opened("flat_map", [1, 1, 0], function)
    }

    /// The elements of the data sets that a function makes of each element, `cycle_length` of them open at a time, of which each gives
    /// `block_length` elements in a row. The order is TensorFlow's.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::Dataset;
    /// let numbers = Dataset::range((1, 4, 1)).interleave(2, 2, |n| Dataset::from_tensors(n).repeat(3));
    /// assert_eq!(numbers.iter().map(|n| n.item::<i64>()).collect::<Vec<_>>(), [1, 1, 2, 2, 1, 2, 3, 3, 3]);
    /// ```
    ///
    /// # Panics
    /// For a `cycle_length` or `block_length` of 0.
    #[track_caller]
    pub fn interleave<R: DatasetElement>(
        &self,
        cycle_length: usize,
        block_length: usize,
        function: impl Fn(S) -> Dataset<R> + Send + Sync + 'static,
    ) -> Dataset<R> {
        self.interleave_with(cycle_length, block_length, None, function)
    }

    /// [`interleave`](Self::interleave) where threads read ahead in up to `num_parallel_calls` of the open data sets. The order is the same.
    ///
    /// # Panics
    /// For a `cycle_length` or `block_length` of 0.
    #[track_caller]
    pub fn interleave_with<R: DatasetElement>(
        &self,
        cycle_length: usize,
        block_length: usize,
        num_parallel_calls: impl Into<Option<Parallel>>,
        function: impl Fn(S) -> Dataset<R> + Send + Sync + 'static,
    ) -> Dataset<R> {
        let cycle = crate::options::count("interleave", "cycle_length", cycle_length).or_fail();
        let block = crate::options::count("interleave", "block_length", block_length).or_fail();
        let threads = num_parallel_calls.into().map_or(0, |how: Parallel| how.threads().min(cycle));
        self.opened("interleave", [cycle, block, threads], function)
    }

    #[track_caller]
    fn opened<R: DatasetElement>(
        &self,
        step: &'static str,
        [cycle, block, threads]: [usize; 3],
        function: impl Fn(S) -> Dataset<R> + Send + Sync + 'static,
    ) -> Dataset<R> {
        let location = Location::caller();
        let (inner, form, own) = (Inner::default(), Form::open(), self.form.clone());
        let function = over_datasets(&inner, &form, move |values| Ok(function(own.put_together(&values)?)));
        let found = inner.clone();
        let types = move |_, _: &[super::Recorded]| Ok(found.0.get().cloned().flatten());
        let make = move |before: &Arc<dyn crate::data::stage::Stage>, functions: &[Function]| {
            let function = StepFunction::new(step, functions[0].clone(), location);
            let types = inner.late();
            Ok(Arc::new(Flatten { before: Arc::clone(before), function, cycle, block, threads, types }) as _)
        };
        self.then_calling(step, form, [(function, &the_element)], types, make).or_fail()
    }

    /// Elements collected by a key, an `int64` scalar: of every `window_size` elements with the same key, and of those that are left at the
    /// end, a function makes a data set, whose elements are given.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let parity = |n: tf::Tensor| n % 2;
    /// let groups = tf::data::Dataset::range(7).group_by_window(parity, |_key, window| window.batch(2), 2);
    /// let lists: Vec<Vec<i64>> = groups.iter().map(|list| list.to_vec()).collect();
    /// assert_eq!(lists, [vec![0, 2], vec![1, 3], vec![4, 6], vec![5]]);
    /// ```
    ///
    /// # Panics
    /// For a `window_size` of 0.
    #[track_caller]
    pub fn group_by_window<R: DatasetElement>(
        &self,
        key_func: impl Fn(S) -> Tensor + Send + Sync + 'static,
        reduce_func: impl Fn(Tensor, Dataset<S>) -> Dataset<R> + Send + Sync + 'static,
        window_size: usize,
    ) -> Dataset<R> {
        crate::options::count("group_by_window", "window_size", window_size).or_fail();
        self.group_by_window_sized(key_func, reduce_func, move |_| tf_i64(window_size))
    }

    /// [`group_by_window`](Self::group_by_window) with a size of the windows for each key, an `int64` scalar: TensorFlow's
    /// `window_size_func`.
    #[track_caller]
    pub fn group_by_window_sized<R: DatasetElement>(
        &self,
        key_func: impl Fn(S) -> Tensor + Send + Sync + 'static,
        reduce_func: impl Fn(Tensor, Dataset<S>) -> Dataset<R> + Send + Sync + 'static,
        window_size_func: impl Fn(Tensor) -> Tensor + Send + Sync + 'static,
    ) -> Dataset<R> {
        const STEP: &str = "group_by_window";
        let location = Location::caller();
        let key = over_tensors(STEP, &self.form, &Form::<Tensor>::open(), move |element| Ok(key_func(element)));
        let (inner, form, own) = (Inner::default(), Form::open(), self.form.clone());
        let before = self.clone();
        let reduce = over_datasets(&inner, &form, move |values: Outputs| {
            let [key, window] = &values[..] else { return Err(Error::internal(STEP, "a key and a window are given")) };
            let types = if builder::current().is_some() { before.types() } else { None };
            let window = Self::made(window.clone(), types.map(Into::into), own.clone());
            Ok(reduce_func(key.clone(), window))
        });
        let size: Function = Arc::new(move |values: Outputs| {
            let [key] = &values[..] else { return Err(Error::internal(STEP, "a key is given")) };
            Ok(smallvec![window_size_func(key.clone())])
        });
        let a_key = |_: &[TensorType]| Ok(vec![TensorType::scalar(DType::I64)]);
        let key_and_window =
            |_: &[TensorType]| Ok(vec![TensorType::scalar(DType::I64), TensorType::scalar(DType::Variant)]);
        let found = inner.clone();
        let types = move |_, _: &[super::Recorded]| Ok(found.0.get().cloned().flatten());
        let make = move |before: &Arc<_>, functions: &[Function]| {
            let [key, reduce, size] = [0, 1, 2].map(|at| StepFunction::new(STEP, functions[at].clone(), location));
            let types = inner.late();
            Ok(Arc::new(Group { before: Arc::clone(before), key, reduce, size, types }) as _)
        };
        let functions: [(Function, super::GivenTypes<'_>); 3] =
            [(key, &the_element), (reduce, &key_and_window), (size, &a_key)];
        self.then_calling(STEP, form, functions, types, make).or_fail()
    }

    /// Batches of elements of about the same length: elements are collected by length, as the boundaries part them, and padded to the
    /// longest of their batch. There is one size of batches more than there are boundaries.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let lists = tf::data::Dataset::from_generator(|| [1usize, 5, 2, 6].map(|n| tf::ones([n])));
    /// let length = |list: &tf::Tensor| tf::shape(list).at(0);
    /// let batches = lists.bucket_by_sequence_length(length, [3], [2, 2]);
    /// let shapes: Vec<String> = batches.iter().map(|batch| batch.shape().to_string()).collect();
    /// assert_eq!(shapes, ["[2, 2]", "[2, 6]"]);
    /// ```
    ///
    /// # Panics
    /// For boundaries that do not grow, and other than one size more.
    #[track_caller]
    pub fn bucket_by_sequence_length(
        &self,
        element_length_func: impl Fn(&S) -> Tensor + Send + Sync + 'static,
        bucket_boundaries: impl IntoIterator<Item = usize>,
        bucket_batch_sizes: impl IntoIterator<Item = usize>,
    ) -> Self {
        const STEP: &str = "bucket_by_sequence_length";
        let boundaries: Vec<i64> = bucket_boundaries.into_iter().map(|b| b as i64).collect();
        let sizes: Vec<i64> = bucket_batch_sizes.into_iter().map(|size| size as i64).collect();
        if boundaries.is_empty() || !boundaries.windows(2).all(|pair| pair[0] < pair[1]) {
            kernels::error::fail(
                Error::invalid_argument(STEP, "the boundaries do not grow").got(format!("{boundaries:?}")),
            );
        }
        if sizes.len() != boundaries.len() + 1 || sizes.contains(&0) {
            let expected = format!("{} sizes of at least 1", boundaries.len() + 1);
            kernels::error::fail(
                Error::invalid_argument(STEP, "the sizes of the batches do not fit the boundaries")
                    .got(format!("{sizes:?} for {} boundaries", boundaries.len()))
                    .expected(expected),
            );
        }
        let most = sizes.iter().copied().max().unwrap_or(1) as usize;
        let (boundaries, sizes) = (Tensor::from(boundaries), Tensor::from(sizes));
        let bucket = move |element: S| {
            let length = element_length_func(&element).cast(DType::I64);
            crate::ops::functions::reduce_sum(boundaries.less_equal(&length).cast(DType::I64), 0)
        };
        let size = move |key: Tensor| crate::ops::functions::gather(&sizes, &key, 0);
        // A window has as many elements as its batch, which holds them all.
        self.group_by_window_sized(bucket, move |_, window| window.padded_batch(most), size)
    }

    /// Puts a function between the calls of a chain: `dataset.apply(f)` is `f(dataset)`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let prepared = |numbers: &tf::data::Dataset| numbers.skip(1).batch(2);
    /// assert_eq!(tf::data::Dataset::range(5).apply(prepared).cardinality(), 2);
    /// ```
    #[track_caller]
    pub fn apply<R>(&self, function: impl FnOnce(&Self) -> R) -> R {
        function(self)
    }
}

fn tf_i64(number: usize) -> Tensor {
    Tensor::from(number as i64)
}
