//! `Functional`: a graph of layers between nodes, with any number of inputs and outputs. Keras's functional models.
//! It holds the layers, not what they recorded, so that training, freezing, masks and paths are those of any model.

use super::summary::{Row, Summary, numbered, shown, type_of};
use super::{Model, TensorsOf};
use crate::layers::{Call, Core, Layer, Node, NodeSource, Outputs, Step, named, options_of_all};
use engine::{Copies, Duplicate, Fields, Module, Signature, Tensor};
use kernels::error::{Error, OrFail, Result};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// Nodes as the inputs or outputs of a model: a node, or a tuple, array or slice of nodes.
pub trait ModelNodes {
    /// What stands for the nodes when the model is called.
    type Tensors: TensorsOf;
    /// The nodes in order.
    fn nodes(&self) -> Vec<Node>;
}

impl ModelNodes for &Node {
    type Tensors = Tensor;

    fn nodes(&self) -> Vec<Node> {
        vec![(*self).clone()]
    }
}

impl ModelNodes for &[Node] {
    type Tensors = Vec<Tensor>;

    fn nodes(&self) -> Vec<Node> {
        self.to_vec()
    }
}

impl ModelNodes for &Vec<Node> {
    type Tensors = Vec<Tensor>;

    fn nodes(&self) -> Vec<Node> {
        self.to_vec()
    }
}

impl<const N: usize> ModelNodes for [&Node; N] {
    type Tensors = [Tensor; N];

    fn nodes(&self) -> Vec<Node> {
        self.iter().map(|node| (*node).clone()).collect()
    }
}

/// A tensor or a node in place of each name.
macro_rules! one_of {
    ($name:ident, $of:ty) => {
        $of
    };
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl ModelNodes for ($(one_of!($name, &Node),)*) {
            type Tensors = ($(one_of!($name, Tensor),)*);

            fn nodes(&self) -> Vec<Node> {
                vec![$(self.$index.clone()),*]
            }
        }
    };
}

tuples!(a 0);
tuples!(a 0, b 1);
tuples!(a 0, b 1, c 2);
tuples!(a 0, b 1, c 2, d 3);
tuples!(a 0, b 1, c 2, d 3, e 4);
tuples!(a 0, b 1, c 2, d 3, e 4, f 5);

/// A model of layers between input and output nodes: Keras's `Model(inputs, outputs)`.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Concatenate, Dense, Embedding, Flatten};
/// let (numbers, word) = (tf::input([4]), tf::layers::input_of([1], tf::DType::I32));
/// let embedded = Flatten::new().call(Embedding::new(100, 8).call(&word));
/// let both = Concatenate::new().call([&numbers, &embedded]);
/// let hidden = Dense::new(16).activation("relu").call(&both);
/// let (price, sold) = (Dense::new(1).call(&hidden), Dense::new(1).activation("sigmoid").call(&hidden));
///
/// let model = tf::Functional::new((&numbers, &word), (&price, &sold));
/// let (price, sold) = model.call(&(tf::ones([2, 4]), tf::constant([[3], [7]])));
/// assert_eq!((price.shape().dims(), sold.shape().dims()), (&[2, 1][..], &[2, 1][..]));
/// ```
pub struct Functional<I = Tensor, O = Tensor> {
    core: Core,
    inputs: Vec<Node>,
    outputs: Vec<Node>,
    /// Each call of a layer once, after those that it needs.
    steps: Vec<Planned>,
    /// Where the outputs are found.
    results: Vec<usize>,
    /// Each layer once, in the order of the calls.
    layers: Vec<Arc<dyn Layer>>,
    types: PhantomData<fn(I) -> O>,
}

/// A call of a layer, with the places of values in a list.
#[derive(Clone)]
struct Planned {
    step: Arc<Step>,
    /// The layer, which copies of the model have their own of.
    layer: Arc<dyn Layer>,
    inputs: Vec<usize>,
    first_output: usize,
    /// Values that no later call needs.
    done: Vec<usize>,
    /// The layer's name, with a number where several of one kind have no other.
    name: String,
    /// What tells the layer from its first call in the model, where this one is told something else, such as to return states.
    told: Option<Signature>,
}

impl<I: TensorsOf, O: TensorsOf> Functional<I, O> {
    /// A model of what lies between inputs and outputs.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new<X, Y>(inputs: X, outputs: Y) -> Self
    where
        X: ModelNodes<Tensors = I>,
        Y: ModelNodes<Tensors = O>,
    {
        Self::try_new(inputs, outputs).or_fail()
    }

    /// A model of what lies between inputs and outputs, which may not be joined.
    ///
    /// # Errors
    /// InvalidArgument where there are none, an output needs an input that is not among them, an input leads to no output, two
    /// inputs are one, or two layers have one name.
    #[track_caller]
    pub fn try_new<X, Y>(inputs: X, outputs: Y) -> Result<Self>
    where
        X: ModelNodes<Tensors = I>,
        Y: ModelNodes<Tensors = O>,
    {
        let here = Location::caller();
        Self::planned(inputs.nodes(), outputs.nodes()).map_err(|e| e.at(here))
    }

    fn planned(inputs: Vec<Node>, outputs: Vec<Node>) -> Result<Self> {
        let core = Core::new("functional");
        let error = |what: &str| Error::invalid_argument("Functional", what.to_owned());
        if inputs.is_empty() || outputs.is_empty() {
            return Err(error("a model has at least one input and one output").got(format!(
                "{} inputs, {} outputs",
                inputs.len(),
                outputs.len()
            )));
        }
        let mut places: HashMap<u64, usize> = HashMap::new();
        for (place, input) in inputs.iter().enumerate() {
            if places.insert(input.id(), place).is_some() {
                return Err(error("a node is given twice as an input")
                    .got(format!("{input:?}"))
                    .help("give each input once; layers may read it as often as they like"));
            }
        }
        let mut plan = Plan { places, count: inputs.len(), steps: Vec::new(), used: vec![false; inputs.len()] };
        for output in &outputs {
            plan.visit(output)?;
        }
        let results: Vec<usize> = outputs.iter().map(|output| plan.places[&output.id()]).collect();
        results.iter().filter(|&&place| place < inputs.len()).for_each(|&place| plan.used[place] = true);
        if let Some(unused) = plan.used.iter().position(|used| !used) {
            return Err(error("an input leads to no output")
                .got(format!("{:?}", inputs[unused]))
                .help("leave it out, or make an output depend on it"));
        }
        plan.note_last_uses(&results);
        let layers = distinct(&mut plan.steps)?;
        Ok(Self { core, inputs, outputs, steps: plan.steps, results, layers, types: PhantomData })
    }

    /// The input nodes.
    pub fn inputs(&self) -> &[Node] {
        &self.inputs
    }

    /// The output nodes.
    pub fn outputs(&self) -> &[Node] {
        &self.outputs
    }

    /// The layers, each once, in the order in which they are called first.
    pub fn layers(&self) -> &[Arc<dyn Layer>] {
        &self.layers
    }

    /// The layer of a name, if there is one.
    pub fn get_layer(&self, name: &str) -> Option<&Arc<dyn Layer>> {
        self.steps.iter().find(|planned| planned.name == name).map(|planned| &planned.layer)
    }

    /// The layers with the shapes of their outputs, their numbers of parameters, and what they are connected to.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Dense;
    /// let x = tf::input([784]).name("pixels");
    /// let model = tf::Functional::new(&x, &Dense::new(10).name("digits").call(&x));
    /// let text = model.summary().to_string();
    /// assert!(text.contains("digits (Dense)") && text.contains("(None, 10)") && text.contains("7,850"));
    /// ```
    ///
    /// # Panics
    /// Never for a model that was made: its layers are built.
    #[track_caller]
    pub fn summary(&self) -> Summary {
        let nothing = ();
        let inputs = self.inputs.iter().map(|node| Row {
            name: format!("{} (Input)", node.label()),
            layer: &nothing as &dyn Module,
            shape: Some(shown(&node.sizes())),
            inputs: Some("-".to_owned()),
        });
        let names = self.labels();
        let steps = self.steps.iter().map(|planned| {
            let labels: Vec<&str> = planned.inputs.iter().map(|&place| names[place]).collect();
            Row {
                name: format!("{} ({})", planned.name, type_of(&*planned.layer)),
                layer: &planned.layer,
                shape: planned.step.shape.as_deref().map(shown),
                inputs: Some(labels.join(", ")),
            }
        });
        Summary::of(self.core.name(), self, inputs.chain(steps)).or_fail()
    }

    /// What values are called: the names of inputs, and of the layers that make the others.
    fn labels(&self) -> Vec<&str> {
        let made = self.steps.iter().flat_map(|planned| std::iter::repeat_n(&*planned.name, planned.step.outputs));
        self.inputs.iter().map(Node::label).chain(made).collect()
    }

    /// The output for an input, as the model is used.
    ///
    /// # Panics
    /// As [`try_call`](Self::try_call) fails, at the caller's line.
    #[track_caller]
    pub fn call(&self, input: impl std::borrow::Borrow<I>) -> O {
        self.try_call(input).or_fail()
    }

    /// The output for an input, as the model around is, or used.
    ///
    /// # Errors
    /// InvalidArgument where an input does not fit its node, or a layer refuses what it is given.
    #[track_caller]
    pub fn try_call(&self, input: impl std::borrow::Borrow<I>) -> Result<O> {
        let here = Location::caller();
        self.try_call_with(input.borrow(), &Call::inherited()).map_err(|e| e.at(here))
    }

    #[track_caller]
    fn run(&self, inputs: &[Tensor], training: bool) -> Result<Vec<Tensor>> {
        if inputs.len() != self.inputs.len() {
            return Err(Error::invalid_argument(self.core.name(), "there is another number of inputs")
                .got(inputs.len())
                .expected(format!("{}: {:?}", self.inputs.len(), self.inputs)));
        }
        for (tensor, node) in inputs.iter().zip(&self.inputs) {
            self.check(tensor, node)?;
        }
        let mut values: Vec<Option<Tensor>> = inputs.iter().cloned().map(Some).collect();
        for planned in &self.steps {
            let given: Vec<Tensor> = planned.inputs.iter().filter_map(|&place| values[place].clone()).collect();
            planned.done.iter().for_each(|&place| values[place] = None);
            let made = planned.step.run(&*planned.layer, &given, training)?;
            let (wanted, got) = (planned.step.outputs, made.len());
            if wanted != got {
                return Err(Error::internal(planned.layer.layer_name(), format!("{got} outputs in place of {wanted}")));
            }
            values.resize(values.len().max(planned.first_output + got), None);
            made.into_iter().enumerate().for_each(|(at, output)| values[planned.first_output + at] = Some(output));
        }
        let missing = || Error::internal("Functional", "a value is gone that the model gives");
        self.results.iter().map(|&place| values[place].clone().ok_or_else(missing)).collect()
    }

    fn check(&self, tensor: &Tensor, node: &Node) -> Result<()> {
        let (own, given) = (node.ty().shape, tensor.shape());
        let open = |axis: usize| !own.dim(axis).is_known() || own.dim(axis).can_equal(given.dim(axis));
        if own.rank() == given.rank() && (0..own.rank()).all(open) {
            return Ok(());
        }
        Err(Error::invalid_argument(self.core.name(), format!("the input \"{}\" has another shape", node.label()))
            .got(engine::library::Typed::ty(tensor))
            .expected(format!("{node:?}"))
            .help("inputs are given in the order in which the model was made of them"))
    }
}

/// The calls in order, while they are looked for.
struct Plan {
    places: HashMap<u64, usize>,
    count: usize,
    steps: Vec<Planned>,
    used: Vec<bool>,
}

impl Plan {
    /// Plans the calls that a node needs. A list takes the place of recursion: models may be deep.
    fn visit(&mut self, output: &Node) -> Result<()> {
        let mut pending = vec![(output.clone(), false)];
        while let Some((node, inputs_are_planned)) = pending.pop() {
            if self.places.contains_key(&node.id()) {
                continue;
            }
            let NodeSource::Layer { step } = node.source() else {
                return Err(Error::invalid_argument(
                    "Functional",
                    "an output needs a node that is no input of the model",
                )
                .got(format!("{node:?}"))
                .help("give it among the inputs"));
            };
            if inputs_are_planned {
                self.plan(step);
                continue;
            }
            pending.push((node.clone(), true));
            pending.extend(step.inputs.iter().rev().map(|input| (input.clone(), false)));
        }
        Ok(())
    }

    fn plan(&mut self, step: &Arc<Step>) {
        // Its nodes are known by the number of the call and of the output.
        let inputs: Vec<usize> = step.inputs.iter().map(|input| self.places[&input.id()]).collect();
        let given = self.used.len();
        inputs.iter().filter(|&&place| place < given).for_each(|&place| self.used[place] = true);
        for (at, id) in step.output_ids().into_iter().enumerate() {
            self.places.insert(id, self.count + at);
        }
        let first_output = self.count;
        self.count += step.outputs;
        self.steps.push(Planned {
            step: step.clone(),
            layer: step.layer.clone(),
            inputs,
            first_output,
            done: Vec::new(),
            name: String::new(),
            told: None,
        });
    }

    /// Notes after which call a value is not needed any more, so that it need not be kept.
    fn note_last_uses(&mut self, results: &[usize]) {
        let mut later: Vec<bool> = vec![false; self.count];
        results.iter().for_each(|&place| later[place] = true);
        for planned in self.steps.iter_mut().rev() {
            for &place in &planned.inputs {
                if !std::mem::replace(&mut later[place], true) {
                    planned.done.push(place);
                }
            }
        }
    }
}

/// Each layer of the calls once. Two different layers of one name are an error, as in Keras, but for layers of a user's own, which may
/// have no other name than their kind's: those are numbered, as Keras does. A layer whose calls are told different things, such as to hide
/// what comes later, is one: it has the same variables.
fn distinct(steps: &mut [Planned]) -> Result<Vec<Arc<dyn Layer>>> {
    // Of each kind, by their variables, or by all that there is of those without any: the number, and what the first call was told.
    type Known = HashMap<(Vec<u64>, Option<Signature>), (usize, Signature)>;
    let mut by_name: HashMap<String, Known> = HashMap::new();
    let mut layers = Vec::new();
    for planned in steps {
        let (kind, signature) = (planned.layer.layer_name(), planned.layer.signature());
        let variables: Vec<u64> = planned.layer.built_variables().iter().map(|(_, variable)| variable.id()).collect();
        let whole = variables.is_empty().then(|| signature.clone());
        let known = by_name.entry(kind.to_owned()).or_default();
        let count = known.len();
        match known.entry((variables, whole)) {
            Entry::Occupied(same) => {
                let (number, first) = same.get();
                planned.name = numbered(kind, *number);
                planned.told = (*first != signature).then_some(signature);
            }
            Entry::Vacant(place) if count == 0 || planned.layer.core().is_none() => {
                planned.name = numbered(kind, count);
                place.insert((count, signature));
                layers.push(planned.layer.clone());
            }
            Entry::Vacant(_) => {
                return Err(Error::invalid_argument("Functional", "two layers have one name")
                    .got(format!("\"{kind}\""))
                    .help("give each a `name` of its own"));
            }
        }
    }
    Ok(layers)
}

impl<I: TensorsOf, O: TensorsOf> Model for Functional<I, O> {
    type Input = I;
    type Output = O;

    /// The names of the layers that make the outputs.
    fn output_names(&self) -> Vec<String> {
        let names = self.labels();
        self.results.iter().map(|&place| names[place].to_owned()).collect()
    }

    #[track_caller]
    fn forward(&self, input: &I, cx: &Call) -> Result<O> {
        O::of_list(self.run(&input.list(), cx.is_training())?)
    }
}

impl<I: TensorsOf, O: TensorsOf> Layer for Functional<I, O> {
    named!();

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        Ok(Outputs::many(self.run(inputs, cx.is_training())?))
    }
}

options_of_all!([I: TensorsOf, O: TensorsOf] Functional<I, O>);

impl<I, O> Module for Functional<I, O> {
    fn visit(&self, fields: &mut Fields<'_>) {
        for (index, layer) in self.layers.iter().enumerate() {
            fields.item(index, layer);
        }
        // The same layers may be joined in another way.
        for planned in &self.steps {
            fields.value(&(planned.layer.layer_name(), &planned.inputs, planned.first_output, &planned.told));
        }
        fields.value(&self.results);
    }
}

impl<I, O> Clone for Functional<I, O> {
    fn clone(&self) -> Self {
        Self {
            core: self.core.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            steps: self.steps.clone(),
            results: self.results.clone(),
            layers: self.layers.clone(),
            types: PhantomData,
        }
    }
}

impl<I, O> Duplicate for Functional<I, O> {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        let mut copied =
            |layer: &Arc<dyn Layer>| copies.shared(Arc::as_ptr(layer).addr() as u64, |copies| layer.copied(copies));
        let steps =
            self.steps.iter().map(|planned| Planned { layer: copied(&planned.layer), ..planned.clone() }).collect();
        let layers = self.layers.iter().map(&mut copied).collect();
        Self { steps, layers, ..self.clone() }
    }
}

impl<I, O> std::fmt::Debug for Functional<I, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Functional")
            .field("inputs", &self.inputs)
            .field("outputs", &self.outputs)
            .finish_non_exhaustive()
    }
}
