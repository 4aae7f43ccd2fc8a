//! `SpectralNormalization`: a layer whose kernel is kept at a greatest singular value of 1.
//! Keras's `SpectralNormalization`; critics of generative networks are made of such layers.

use crate::initializers::TruncatedNormal;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, Weight, layer, named, run};
use engine::library::{Typed, cast_to, options, reshape_to};
use engine::{Copies, Duplicate, Fields, Module, Tensor, TensorType, Variable};
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::fmt;
use std::sync::Arc;

/// A layer with a kernel, or a table of embeddings, which each call of a training step first divides by an estimate of its greatest singular
/// value: Miyato et al. 2018.
///
/// The output has the input's dtype, but for integers: Keras cuts the rows of an embedding to integers there.
///
/// The estimate comes from a vector that the layer keeps, `vector_u`, and so many steps of power iteration, one unless set.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Dense, SpectralNormalization};
/// let layer = SpectralNormalization::new(Dense::new(2)).power_iterations(20);
/// let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
/// layer.call(&x);
/// let kernel = tf::Module::named_variables(&layer)[0].1.clone();
/// kernel.assign(&tf::constant([[3.0, 0.0], [0.0, 1.0]])); // singular values 3 and 1
/// layer.call_training(&x, true);
/// let largest = tf::reduce_max(tf::linalg::svdvals(kernel.value()), ()).item::<f32>();
/// assert!((largest - 1.0).abs() < 1e-5);
/// ```
#[derive(Clone)]
pub struct SpectralNormalization {
    core: Core,
    layer: Arc<dyn Layer>,
    power_iterations: usize,
    vector_u: Weight,
}

layer!(SpectralNormalization);

options::options! { SpectralNormalization:
    /// How many steps of power iteration a call takes, at least 1.
    pub fn power_iterations, try_power_iterations(this, power_iterations: usize) {
        this.power_iterations = options::count("SpectralNormalization", "power_iterations", power_iterations)?;
        Ok(this)
    }
}

/// A row over its length.
#[track_caller]
fn unit(row: &Tensor) -> Result<Tensor> {
    // The least length is Keras's.
    engine::try_l2_normalize(row, (), 1e-14)
}

impl SpectralNormalization {
    /// Around a layer.
    pub fn new(layer: impl Layer + 'static) -> Self {
        let normal = TruncatedNormal::new().stddev(0.02);
        Self {
            core: Core::new("spectral_normalization"),
            layer: Arc::new(layer),
            power_iterations: 1,
            vector_u: Weight::fixed("vector_u", normal),
        }
    }

    /// The layer inside.
    pub fn layer(&self) -> &Arc<dyn Layer> {
        &self.layer
    }

    /// The inner layer's kernel and the vector, which are made for inputs like this one if this is the first.
    #[track_caller]
    fn built(&self, x: &TensorType) -> Result<(Variable, Variable)> {
        let kernel = self.kernel(x)?;
        let shape = kernel.shape();
        let Some(columns) = shape.rank().checked_sub(1).map(|axis| shape.dims()[axis]) else {
            return Err(Error::invalid_argument(
                self.core.name(),
                "a kernel without dimensions has no singular values",
            ));
        };
        let u = self.vector_u.make_of(&self.core, kernel.dtype(), &[1, columns])?;
        Ok((kernel, u.clone()))
    }

    #[track_caller]
    fn kernel(&self, x: &TensorType) -> Result<Variable> {
        /// The layer as the module whose variables are made.
        struct Inner<'a>(&'a dyn Layer);

        impl Module for Inner<'_> {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.0.visit(fields);
            }
        }

        let layer = &*self.layer;
        if layer.try_named_variables().is_err() {
            engine::try_build(&Inner(layer), *x, |inner, x| run(inner.0, std::slice::from_ref(x), &Call::inference()))?;
        }
        let variables = layer.try_named_variables()?;
        let of = |name: &str| variables.iter().find(|(path, _)| path == name).map(|(_, variable)| variable.clone());
        of("kernel").or_else(|| of("embeddings")).ok_or_else(|| {
            Error::invalid_argument(self.core.name(), "the layer has neither a kernel nor embeddings")
                .got(format!("the layer \"{}\"", layer.layer_name()))
                .expected("a layer like `Dense`, `Conv2D` or `Embedding`")
        })
    }

    /// Moves the vector and divides the kernel; a kernel of zeros stays as it is.
    #[track_caller]
    fn divide(&self, kernel: &Variable, u: &Variable) -> Result<()> {
        let (value, before) = (kernel.value(), u.value());
        let (value, before) = (engine::try_stop_gradient(&value)?, engine::try_stop_gradient(&before)?);
        let columns = value.shape().dim(value.rank() - 1);
        let rows = value.shape().element_count() / columns;
        let matrix = reshape_to(&value, &Shape::from_dims(&[rows, columns])?)?;
        let mut row = before.clone();
        let mut column = row.clone();
        for _ in 0..self.power_iterations {
            column = unit(&engine::try_matmul_transposed(&row, false, &matrix, true)?)?;
            row = unit(&engine::try_matmul(&column, &matrix)?)?;
        }
        let sigma = engine::try_matmul_transposed(&engine::try_matmul(&column, &matrix)?, false, &row, true)?;
        let divided = value.try_divide(&reshape_to(&sigma, &Shape::SCALAR)?)?;
        let zeros = engine::try_reduce_all(&value.try_equal(0)?, ())?;
        u.try_assign(&engine::try_where(&zeros, &before, &row)?)?;
        kernel.try_assign(&engine::try_where(&zeros, &value, &divided)?)
    }
}

impl Layer for SpectralNormalization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Own
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let (kernel, u) = self.built(inputs[0].ty())?;
        if cx.is_training() {
            self.divide(&kernel, &u)?;
        }
        let outputs = run(&*self.layer, inputs, cx)?;
        match inputs[0].dtype().is_floating() && outputs[0].dtype() != inputs[0].dtype() {
            true => cast_to(&outputs[0], inputs[0].dtype()).map(Outputs::one),
            false => Ok(outputs),
        }
    }
}

impl Module for SpectralNormalization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.power_iterations);
        fields.field("layer", &self.layer);
        fields.field("vector_u", &self.vector_u);
    }
}

impl Duplicate for SpectralNormalization {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let address = Arc::as_ptr(&self.layer).addr() as u64;
        Self {
            core: self.core.clone(),
            layer: copies.shared(address, |copies| self.layer.copied(copies)),
            power_iterations: self.power_iterations,
            vector_u: self.vector_u.duplicate_in(copies),
        }
    }
}

impl fmt::Debug for SpectralNormalization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpectralNormalization")
            .field("layer", &self.layer.layer_name())
            .field("power_iterations", &self.power_iterations)
            .finish()
    }
}
