//! What gradients can be asked for: tensors, variables, and arrays, tuples, slices and vectors of them.
//! [`Sources`] says how many tensors those are and which shape the answer has.

use crate::tape::Gradients;
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use smallvec::SmallVec;

/// A few tensors or handles, which stay the caller's.
pub(crate) type Handles<'a> = SmallVec<[&'a Tensor; 4]>;

/// Something a tape can follow: a tensor, or a variable by its handle.
pub trait Differentiable {
    /// The tensor or resource handle that the tape follows.
    #[doc(hidden)]
    fn handle(&self) -> &Tensor;
}

impl Differentiable for Tensor {
    fn handle(&self) -> &Tensor {
        self
    }
}

impl Differentiable for Variable {
    fn handle(&self) -> &Tensor {
        self.as_handle()
    }
}

impl<T: Differentiable + ?Sized> Differentiable for &T {
    fn handle(&self) -> &Tensor {
        (**self).handle()
    }
}

/// A single source, as it may stand in a tuple of sources.
pub trait Source: Differentiable {}
impl<T: Differentiable + ?Sized> Source for &T {}

/// Tensors or variables to watch.
pub trait Watch {
    /// Calls `visit` with each of them.
    #[doc(hidden)]
    fn for_each(&self, visit: &mut dyn FnMut(&Tensor));
}

impl<T: Differentiable> Watch for T {
    fn for_each(&self, visit: &mut dyn FnMut(&Tensor)) {
        visit(self.handle());
    }
}

macro_rules! watch_lists {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<$($generics)*> Watch for $t {
            fn for_each(&self, visit: &mut dyn FnMut(&Tensor)) {
                self.iter().for_each(|t| visit(t.handle()));
            }
        }
    )*};
}

watch_lists! {
    [T: Differentiable] [T];
    [T: Differentiable] &[T];
    [T: Differentiable] Vec<T>;
    [T: Differentiable] &Vec<T>;
    [T: Differentiable, const N: usize] [T; N];
    [T: Differentiable, const N: usize] &[T; N];
}

/// What to do about an empty list of variables.
pub const EMPTY: &str = "list them when all layers are built, `model.trainable_variables()` after its first call; a module's fields that \
                                are skipped are not among them";

/// An error where there is nothing to take a gradient by: the answer would be as empty, and training by it do nothing.
pub(super) fn check_any(handles: &[&Tensor]) -> Result<()> {
    match handles.is_empty() {
        false => Ok(()),
        true => Err(Error::invalid_argument("gradient", "there is nothing to take the gradient by")
            .got("an empty list of sources")
            .expected("at least one tensor or variable")
            .help(EMPTY)),
    }
}

/// The sources of a gradient, and the form of the answer.
///
/// One tensor or variable gives one [`Tensor`], arrays and tuples of references give arrays and tuples of tensors; a
/// source without a gradient is then an error that says why. Lists that are lent, `&[&a, &b]`, slices and `&vec`, give
/// [`Gradients`], in which entries may be missing, and which optimizers take.
///
/// ```
/// use eagerflow as tf;
/// use tf::GradientTape;
/// let (x, y) = (tf::constant(2.0), tf::constant(3.0));
/// let mut tape = GradientTape::new();
/// tape.watch([&x, &y]);
/// let z = &x * &y;
/// let (dx, dy) = tape.gradient(&z, (&x, &y));
/// assert_eq!((dx.item::<f32>(), dy.item::<f32>()), (3.0, 2.0));
/// ```
///
/// ```
/// use eagerflow as tf;
/// let (v, w) = (tf::Variable::new(2.0), tf::Variable::new(3.0));
/// let tape = tf::GradientTape::new();
/// let z = &v * &w;
/// let gradients = tape.gradient(&z, &[&v, &w]);
/// assert_eq!(gradients.get(0).unwrap().item::<f32>(), 3.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no sources of a gradient",
    label = "expected `&x`, `[&x, &y]`, `(&x, &y)`, or a list that is lent: `&[&x, &y]`, `&variables`"
)]
pub trait Sources {
    /// What the gradient of these sources is given as.
    type Answer;
    /// The handles of all sources, in order.
    #[doc(hidden)]
    fn handles(&self) -> Handles<'_>;
    /// The answer made from the list of gradients.
    #[doc(hidden)]
    fn answer(gradients: Gradients) -> Result<Self::Answer>;
}

impl<T: Differentiable> Sources for &T {
    type Answer = Tensor;
    fn handles(&self) -> Handles<'_> {
        Handles::from_slice(&[self.handle()])
    }
    fn answer(mut gradients: Gradients) -> Result<Tensor> {
        match gradients.list.first_mut().and_then(Option::take) {
            Some(gradient) => gradient.into_dense(),
            None => Err(gradients.missing(0)),
        }
    }
}

impl<T: Source, const N: usize> Sources for [T; N] {
    type Answer = [Tensor; N];
    fn handles(&self) -> Handles<'_> {
        self.iter().map(|t| t.handle()).collect()
    }
    fn answer(gradients: Gradients) -> Result<[Tensor; N]> {
        let mut all = gradients.try_to_vec()?.into_iter();
        // `handles` made N sources, so there are N gradients.
        Ok(std::array::from_fn(|_| all.next().unwrap_or_else(|| unreachable!("one gradient per source"))))
    }
}

macro_rules! lent_lists {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<$($generics)*> Sources for $t {
            type Answer = Gradients;
            fn handles(&self) -> Handles<'_> {
                self.iter().map(|t| t.handle()).collect()
            }
            fn answer(gradients: Gradients) -> Result<Gradients> {
                Ok(gradients)
            }
        }
    )*};
}

lent_lists! {
    [T: Differentiable] &[T];
    [T: Differentiable] &Vec<T>;
    [T: Differentiable, const N: usize] &[T; N];
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Source),*> Sources for ($($name,)*) {
            type Answer = ($(tuples!(@tensor $name),)*);
            fn handles(&self) -> Handles<'_> {
                Handles::from_slice(&[$(self.$index.handle()),*])
            }
            fn answer(gradients: Gradients) -> Result<Self::Answer> {
                let all = gradients.try_to_vec()?;
                Ok(($(all[$index].clone(),)*))
            }
        }
    };
    (@tensor $name:ident) => { Tensor };
}

tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);

/// The targets of a gradient: one tensor, or several whose gradients add up.
pub trait Targets {
    /// The tensors, in order.
    #[doc(hidden)]
    fn tensors(&self) -> Handles<'_>;
}

impl Targets for &Tensor {
    fn tensors(&self) -> Handles<'_> {
        Handles::from_slice(&[*self])
    }
}

macro_rules! target_lists {
    ($([$($generics:tt)*] $t:ty: $this:ident => $tensors:expr;)*) => {$(
        impl<$($generics)*> Targets for $t {
            fn tensors(&self) -> Handles<'_> {
                let $this = self;
                $tensors.collect()
            }
        }
    )*};
}

target_lists! {
    [const N: usize] [&Tensor; N]: list => list.iter().copied();
    [const N: usize] &[&Tensor; N]: list => list.iter().copied();
    [] &[&Tensor]: list => list.iter().copied();
    [const N: usize] &[Tensor; N]: list => list.iter();
    [] &[Tensor]: list => list.iter();
    [] &Vec<Tensor>: list => list.iter();
}
