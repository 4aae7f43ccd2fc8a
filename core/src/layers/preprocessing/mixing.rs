//! `MixUp` and `CutMix`: images of a batch mixed with others of it, as a whole or in a rectangle, and their labels with them.
//! Keras's layers of these names.

use super::erasing::{part, within_rectangle};
use super::{Factor, images, on_images};
use crate::layers::base::{Call, Core, Layer, LayerExt, Masking, Outputs, layer, misfit, named};
use crate::layers::dropout::own_seeds;
use crate::layers::noise::seeded;
use engine::library::options::{self, options};
use engine::library::{Typed, cast_to, reshape_to};
use engine::random::{self, SeedGenerator};
use engine::{AsTensor, DataFormat, Duplicate, Fields, Module, Tensor};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// With which image of the batch each is mixed, and how much of itself it keeps: both `[batch]`.
struct Mix {
    order: Tensor,
    kept: Tensor,
}

impl Mix {
    /// What comes in the places of a tensor's first axis.
    #[track_caller]
    fn others(&self, x: &Tensor) -> Result<Tensor> {
        engine::try_gather(x, &self.order, 0)
    }

    /// Each slice along the first axis mixed with its other one.
    #[track_caller]
    fn of(&self, x: &Tensor) -> Result<Tensor> {
        let mut sizes = vec![Dim::ONE; x.rank()];
        sizes[0] = x.shape().dim(0);
        let kept = cast_to(&reshape_to(&self.kept, &Shape::from_dims(&sizes)?)?, x.dtype())?;
        let other = self.others(x)?.try_multiply(&kept.try_neg()?.try_add(1.0)?)?;
        x.try_multiply(&kept)?.try_add(&other)
    }
}

/// The numbers from 0 to the batch's size in an order of chance.
#[track_caller]
fn order(batch: Dim, seeds: &SeedGenerator) -> Result<Tensor> {
    random::try_stateless_shuffle(&engine::try_range(0, batch, 1)?, seeds.try_next()?)
}

/// Numbers of a beta distribution whose parameters are equal, one for each image.
#[track_caller]
fn beta(alpha: &Tensor, batch: Dim, seeds: &SeedGenerator) -> Result<Tensor> {
    let one = Tensor::from(1.0_f32);
    let shape = Shape::from_dims(&[batch])?;
    let a = random::try_stateless_gamma(shape, seeds.try_next()?, alpha, &one)?;
    let b = random::try_stateless_gamma(shape, seeds.try_next()?, alpha, &one)?;
    a.try_divide(&a.try_add(&b)?)
}

/// Writes the struct of a layer that mixes images, and what both have. The layer's own method `mixed` answers the images, and how labels
/// are mixed.
macro_rules! mixing {
    ($(#[$doc:meta])* $layer:ident, $field:ident: $ty:ty, |$of:ident| $word:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $layer {
            core: Core,
            #[module(value)]
            $field: $ty,
            #[module(value)]
            data_format: DataFormat,
            seeds: SeedGenerator,
        }

        layer!($layer);
        seeded!($layer);

        impl $layer {
            /// Where the channels lie: last unless set.
            #[must_use]
            pub fn data_format(mut self, data_format: DataFormat) -> Self {
                self.data_format = data_format;
                self
            }

            /// The output for images `[batch, ..]` and labels `[batch, ..]`, which are mixed as the images are: Keras's call with a
            /// dictionary of both. Labels are shares of classes, such as those of `one_hot`, and come out in the layer's dtype.
            ///
            /// # Panics
            /// As [`try_call_labelled`](Self::try_call_labelled) fails, at the caller's line.
            #[track_caller]
            pub fn call_labelled(&self, images: impl AsTensor, labels: impl AsTensor, training: bool) -> (Tensor, Tensor) {
                self.try_call_labelled(images, labels, training).or_fail()
            }

            /// The output for images and labels.
            ///
            /// # Errors
            /// InvalidArgument for what are no images, and labels that are not as many as they.
            #[track_caller]
            pub fn try_call_labelled(
                &self,
                images: impl AsTensor,
                labels: impl AsTensor,
                training: bool,
            ) -> Result<(Tensor, Tensor)> {
                let given = [images.as_tensor().clone(), labels.as_tensor().clone()];
                match &*self.try_apply_all(&given, &Call::of(training))? {
                    [images, labels] => Ok((images.clone(), labels.clone())),
                    _ => Err(Error::internal(self.core.name(), "two outputs are given for two inputs")),
                }
            }
        }

        impl Layer for $layer {
            named!();

            fn masking(&self) -> Masking {
                Masking::Refuses
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
                let x = images(&self.core, &inputs[0])?;
                let labels = inputs.get(1).map(|labels| labelled(&self.core, &x, labels)).transpose()?;
                // An image alone has no other to be mixed with.
                if !cx.is_training() || x.rank() == 3 {
                    return Ok(Outputs::many([x].into_iter().chain(labels)));
                }
                let mut mix = None;
                let mixed = on_images(&self.core, &x, self.data_format, |x| {
                    let (mixed, how) = self.mixed(x)?;
                    mix = Some(how);
                    Ok(mixed)
                })?;
                match (labels, mix) {
                    (Some(labels), Some(mix)) => {
                        let mixed = mixed.into_first(self.core.name())?;
                        Ok(Outputs::many([mixed, mix.of(&labels)?]))
                    }
                    _ => Ok(mixed),
                }
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                let $of = self;
                self.core.visit(fields);
                fields.value(&(self.data_format, $word));
                fields.field("seed_generator", &self.seeds);
            }
        }
    };
}

/// Labels in the images' dtype, if there are as many.
#[track_caller]
fn labelled(core: &Core, x: &Tensor, labels: &Tensor) -> Result<Tensor> {
    let batch = x.rank() == 4;
    if batch && (labels.rank() == 0 || !labels.shape().dim(0).can_equal(x.shape().dim(0))) {
        return Err(misfit(
            core.name(),
            "labels and images are not as many",
            labels.ty(),
            format!("as for {}", x.ty()),
        ));
    }
    cast_to(labels, x.dtype())
}

mixing! {
    /// Mixes each image of a batch with another one of it, while the model is trained: it keeps a share of itself, a number of a beta
    /// distribution with the parameters alpha and alpha. *mixup: Beyond Empirical Risk Minimization*, Zhang et al., 2018.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::MixUp;
    /// let labels = tf::one_hot(&tf::constant([0, 1]), 2);
    /// let (x, y) = MixUp::new().call_labelled(tf::ones([2, 4, 4, 3]), &labels, true);
    /// assert!(x.shape() == [2, 4, 4, 3] && tf::reduce_sum(&y, -1).to_vec::<f32>().iter().all(|s| (s - 1.0).abs() < 1e-6));
    /// ```
    MixUp, alpha: f64, |of| of.alpha.to_bits()
}

mixing! {
    /// Puts a rectangle of another image of a batch in the same place of each, while the model is trained; of the labels an image keeps the
    /// share that it keeps of its area. *CutMix: Regularization Strategy to Train Strong Classifiers with Localizable Features*, Yun et al.,
    /// 2019.
    ///
    /// The share is drawn as that of [`MixUp`], with an alpha that lies between two factors, one for the whole batch.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::CutMix;
    /// let y = CutMix::new().call_training(tf::ones([2, 4, 4, 3]), true);
    /// assert_eq!(y.to_vec::<f32>(), [1.0; 96]);
    /// ```
    CutMix, factor: Factor, |of| of.factor.word()
}

impl MixUp {
    /// A layer with an alpha of 0.2.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn new() -> Self {
        let here = Location::caller();
        let seeds = own_seeds().map_err(|e| e.at(here)).or_fail();
        Self { core: Core::new("mix_up"), alpha: 0.2, data_format: DataFormat::ChannelsLast, seeds }
    }

    #[track_caller]
    fn mixed(&self, x: &Tensor) -> Result<(Tensor, Mix)> {
        let batch = x.shape().dim(0);
        let order = order(batch, &self.seeds)?;
        let kept = beta(&Tensor::from(self.alpha as f32), batch, &self.seeds)?;
        let mix = Mix { order, kept };
        Ok((mix.of(x)?, mix))
    }
}

options! { MixUp:
    /// The parameter of the shares' distribution, above 0: 1 for any share alike, less for shares near 0 and 1. 0.2 unless set.
    pub fn alpha, try_alpha(this, alpha: f64) {
        this.alpha = options::positive("MixUp", "alpha", alpha)?;
        Ok(this)
    }
}

impl Default for MixUp {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl CutMix {
    /// A layer whose alphas lie between 0 and 1.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn new() -> Self {
        let here = Location::caller();
        let seeds = own_seeds().map_err(|e| e.at(here)).or_fail();
        let (factor, data_format) = (Factor(0.0, 1.0), DataFormat::ChannelsLast);
        Self { core: Core::new("cut_mix"), factor, data_format, seeds }
    }

    #[track_caller]
    fn mixed(&self, x: &Tensor) -> Result<(Tensor, Mix)> {
        let (batch, rows, columns) = (x.shape().dim(0), x.shape().dim(1), x.shape().dim(2));
        // A parameter of 0 is none of the distribution.
        let alpha = engine::try_squeeze(&self.factor.draw(Dim::ONE, &self.seeds)?, 0)?.try_add(1e-6)?;
        let side = beta(&alpha, batch, &self.seeds)?.try_neg()?.try_add(1.0)?.try_sqrt()?;
        let across = part(&side, columns, &self.seeds)?;
        let down = part(&side, rows, &self.seeds)?;
        let length = |[start, end]: &[Tensor; 2]| end.try_subtract(start);
        let area = length(&across)?.try_multiply(&length(&down)?)?.try_divide(columns * rows)?;
        let mix = Mix { order: order(batch, &self.seeds)?, kept: area.try_neg()?.try_add(1.0)? };
        let inside = within_rectangle(x, &across, &down)?;
        Ok((engine::try_where(&inside, &mix.others(x)?, x)?, mix))
    }
}

options! { CutMix:
    /// Between which numbers alpha lies: two from 0 to 1, or one, for 0 to it.
    pub fn factor, try_factor(this, factor: impl Into<Factor>) {
        this.factor = factor.into().above_zero().within("CutMix", "factor", 0.0, 1.0)?;
        Ok(this)
    }
}

impl Default for CutMix {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}
