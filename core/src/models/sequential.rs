//! `Sequential`: layers one after the other, each with one input and one output. Keras's `Sequential`.
//! It is a layer and a model; masks and whether it is trained go from layer to layer.

use super::Model;
use super::summary::{Row, Summary, numbered, shown, type_of};
use crate::layers::{Call, Core, Layer, MaskRule, Outputs, layer, named, run};
use engine::{Copies, Duplicate, Fields, InputSpec, Module, Tensor, TensorType};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::IntoShape;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

/// A list of layers, each of which is called on the output of the one before.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Dense, Dropout, Flatten};
/// let model = tf::Sequential::new((
///     Flatten::new(),
///     Dense::new(128).activation("relu"),
///     Dropout::new(0.2),
///     Dense::new(10),
/// ));
/// assert_eq!(model.call(tf::ones([4, 28, 28])).shape(), [4, 10]);
/// assert_eq!(model.len(), 4);
/// ```
#[derive(Clone)]
pub struct Sequential {
    core: Core,
    layers: Vec<Arc<dyn Layer>>,
}

/// Layers for a [`Sequential`]: a tuple of layers, or a list of boxed or shared ones.
pub trait IntoLayers {
    /// The list.
    fn into_layers(self) -> Vec<Arc<dyn Layer>>;
}

impl IntoLayers for Vec<Arc<dyn Layer>> {
    fn into_layers(self) -> Self {
        self
    }
}

impl IntoLayers for Vec<Box<dyn Layer>> {
    fn into_layers(self) -> Vec<Arc<dyn Layer>> {
        self.into_iter().map(Arc::from).collect()
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Layer + 'static),*> IntoLayers for ($($name,)*) {
            fn into_layers(self) -> Vec<Arc<dyn Layer>> {
                vec![$(Arc::new(self.$index) as Arc<dyn Layer>),*]
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15);

layer!(Sequential);

impl Sequential {
    /// A model of layers.
    pub fn new(layers: impl IntoLayers) -> Self {
        Self { core: Core::new("sequential"), layers: layers.into_layers() }
    }

    /// A model without layers, for [`push`](Self::push).
    pub fn empty() -> Self {
        Self { core: Core::new("sequential"), layers: Vec::new() }
    }

    /// Adds a layer at the end: Keras's `add`.
    pub fn push(&mut self, layer: impl Layer + 'static) {
        self.layers.push(Arc::new(layer));
    }

    /// Takes the last layer away.
    pub fn pop(&mut self) -> Option<Arc<dyn Layer>> {
        self.layers.pop()
    }

    /// The layers in order.
    pub fn layers(&self) -> &[Arc<dyn Layer>] {
        &self.layers
    }

    /// The number of layers.
    pub fn len(&self) -> usize {
        self.layers.len()
    }

    /// Whether there are no layers.
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// The layers with the shapes of their outputs for an input, of which sizes may be open, and their numbers of parameters. Layers that
    /// are not built are built for it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::{Dense, Flatten};
    /// let model = tf::Sequential::new((Flatten::new(), Dense::new(128), Dense::new(10)));
    /// let text = model.summary([None, Some(28), Some(28)]).to_string();
    /// assert!(text.contains("(None, 128)") && text.contains("100,480") && text.contains("Total params: 101,770 (397.54 KB)"));
    /// ```
    ///
    /// # Panics
    /// As [`try_summary`](Self::try_summary) fails, at the caller's line.
    #[track_caller]
    pub fn summary(&self, input: impl InputSpec<Tensors = Tensor>) -> Summary {
        self.try_summary(input).or_fail()
    }

    /// The layers with the shapes of their outputs.
    ///
    /// # Errors
    /// InvalidArgument where the input does not fit a layer, with the layer's name and both shapes.
    #[track_caller]
    pub fn try_summary(&self, input: impl InputSpec<Tensors = Tensor>) -> Result<Summary> {
        let here = Location::caller();
        let mut shapes = Vec::new();
        engine::try_build(self, input, |model, x| {
            let mut values = Outputs::one(x.clone());
            for layer in &model.layers {
                values = run(&**layer, &values, &Call::inference()).map_err(|e| e.within(layer.layer_name()))?;
                let sizes = values.first().map(|y| y.shape().iter().map(|dim| dim.known_value()).collect::<Vec<_>>());
                shapes.push(sizes.unwrap_or_default());
            }
            Ok(())
        })
        .map_err(|e| e.at(here))?;
        let names = self.names();
        let rows = self.layers.iter().zip(names).zip(shapes).map(|((layer, name), sizes)| Row {
            name: format!("{name} ({})", type_of(&**layer)),
            layer,
            shape: Some(shown(&sizes)),
            inputs: None,
        });
        Summary::of(self.core.name(), self, rows)
    }

    /// The layer of a name, if there is one.
    pub fn get_layer(&self, name: &str) -> Option<&Arc<dyn Layer>> {
        self.names().iter().position(|own| own == name).map(|at| &self.layers[at])
    }

    /// The layers' names. Layers of a user's own that have no other name than their kind's are numbered, as Keras does.
    fn names(&self) -> Vec<String> {
        let mut kinds: HashMap<&str, usize> = HashMap::new();
        let mut names = Vec::with_capacity(self.layers.len());
        for layer in &self.layers {
            let kind = layer.layer_name();
            let count = kinds.entry(kind).or_default();
            names.push(if layer.core().is_some() { kind.to_owned() } else { numbered(kind, *count) });
            *count += 1;
        }
        names
    }

    /// Makes the variables of all layers for inputs of a shape, by a call that is recorded and never run.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{Module, layers::Dense};
    /// let model = tf::Sequential::new((Dense::new(4), Dense::new(1)));
    /// model.build([1, 3]);
    /// assert_eq!(model.count_params().total(), 3 * 4 + 4 + 4 + 1);
    /// ```
    ///
    /// # Panics
    /// As [`try_build`](Self::try_build) fails, at the caller's line.
    #[track_caller]
    pub fn build(&self, input_shape: impl IntoShape) {
        self.try_build(input_shape).or_fail();
    }

    /// Makes the variables of all layers for inputs of a shape.
    ///
    /// # Errors
    /// InvalidArgument where inputs of the shape do not fit a layer, with the layer's name and both shapes.
    #[track_caller]
    pub fn try_build(&self, input_shape: impl IntoShape) -> Result<()> {
        let here = Location::caller();
        let shape = input_shape.into_shape().map_err(|e| e.in_op("build").at(here))?;
        let ty = TensorType::new(self.core.compute(), shape);
        let built =
            engine::try_build(self, ty, |model, x| Layer::forward(model, std::slice::from_ref(x), &Call::inference()));
        built.map_err(|e| e.at(here))
    }
}

impl Layer for Sequential {
    named!();

    fn masking(&self) -> MaskRule {
        MaskRule::Own
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        if self.layers.is_empty() {
            return Err(
                Error::failed_precondition(self.core.name(), "the model has no layers").help("add some with `push`")
            );
        }
        let mut x = Outputs::many(inputs.iter().cloned());
        // The caller's masks are those of the first layer's inputs; the others get what the layer before hands on.
        let inner = cx.without_masks();
        for (index, layer) in self.layers.iter().enumerate() {
            x = run(&**layer, &x, if index == 0 { cx } else { &inner }).map_err(|e| e.within(layer.layer_name()))?;
        }
        Ok(x)
    }
}

impl Model for Sequential {
    type Input = Tensor;
    type Output = Tensor;

    #[track_caller]
    fn forward(&self, input: &Tensor, cx: &Call) -> Result<Tensor> {
        Layer::forward(self, std::slice::from_ref(input), cx)?.into_first(self.core.name())
    }
}

impl Module for Sequential {
    fn visit(&self, fields: &mut Fields<'_>) {
        for (index, layer) in self.layers.iter().enumerate() {
            fields.item(index, layer);
        }
    }
}

impl Duplicate for Sequential {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let layers = self
            .layers
            .iter()
            .map(|layer| copies.shared(Arc::as_ptr(layer).addr() as u64, |copies| layer.copied(copies)))
            .collect();
        Self { core: self.core.clone(), layers }
    }
}

impl std::fmt::Debug for Sequential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.layers.iter().map(|layer| layer.layer_name());
        f.debug_tuple(self.core.name()).field(&names.collect::<Vec<_>>()).finish()
    }
}
