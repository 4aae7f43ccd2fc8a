//! What a model is called on and what it answers: `Sequential`, `Functional`, and `#[model]` on a struct.
//! Training, masks, losses and names go through all of them.

use eagerflow as tf;
use tf::layers::{Call, Concatenate, Dense, Dropout, Layer, Outputs, with_losses};
use tf::regularizers::L2;
use tf::{Duplicate, Functional, Model, Module, Sequential, Tensor, tf_function};

#[derive(Clone, Module, Duplicate)]
struct Block {
    hidden: Dense,
    dropout: Dropout,
}

#[tf::model(layer)]
impl Block {
    fn new(units: usize) -> Self {
        Self { hidden: Dense::new(units).activation("tanh"), dropout: Dropout::new(0.5) }
    }

    /// Halves what is large.
    fn call(&self, x: &Tensor) -> Tensor {
        let mut h = self.hidden.call(x);
        if tf::reduce_max(x, ()) > 100.0 {
            h = h * 0.5;
        }
        self.dropout.call(h)
    }
}

#[test]
fn a_struct_is_a_model_and_a_layer() {
    let block = Block::new(4);
    let x = tf::ones([2, 3]);
    let used = block.call(&x);
    assert_eq!(used.to_vec::<f32>(), block.call_with(&x, &Call::inference()).to_vec::<f32>());
    // The condition is the graph's: one trace serves both sides.
    let halved = block.call(&(&x * 1000.0));
    assert!(halved.to_vec::<f32>().iter().all(|y| y.abs() <= 0.5));
    // Of 128 numbers some are dropped, whatever the draw.
    let trained = block.call_with(&tf::ones([32, 3]), &Call::training()).to_vec::<f32>();
    assert!(trained.contains(&0.0), "{trained:?}");
    let net = Sequential::new((block.clone(), Dense::new(1)));
    assert_eq!(net.call(&x).shape(), [2, 1]);
    assert_eq!(net.trainable_variables().len(), 4);
    let node = tf::input([3]);
    let graph = Functional::new(&node, &block.call(&node));
    assert_eq!(graph.call(&x).to_vec::<f32>(), used.to_vec::<f32>());
}

/// Layers of a user's own have the name of their kind, as Keras makes it, with a number from the second on.
#[test]
fn own_layers_of_one_kind_are_told_apart() {
    let (first, second) = (Block::new(4), Block::new(4));
    let node = tf::input([4]);
    let inner = second.call(first.call(&node));
    let graph = Functional::new(&node, &first.call(inner));
    assert_eq!((graph.layers().len(), graph.trainable_variables().len()), (2, 4));
    let text = graph.summary().to_string();
    assert!(text.contains(" block (Block)") && text.contains(" block_1 (Block)"), "{text}");
    assert!(!text.contains("block_2"), "{text}");
    assert!(graph.get_layer("block_1").is_some() && graph.get_layer("block_2").is_none());
    assert_eq!(graph.output_names(), ["block"]);
    let x = tf::random::normal([2, 4], 0.0, 1.0);
    assert_eq!(graph.call(&x).to_vec::<f32>(), first.call(second.call(first.call(&x))).to_vec::<f32>());
    let net = Sequential::new((first.clone(), second.clone(), Dense::new(1).name("last")));
    let text = net.summary([None, Some(4)]).to_string();
    assert!(text.contains(" block (Block)") && text.contains(" block_1 (Block)"), "{text}");
    assert!(
        net.get_layer("block_1").is_some() && net.get_layer("last").is_some() && net.get_layer("block_2").is_none()
    );
}

#[derive(Module)]
struct Two {
    left: Dense,
    right: Dense,
}

#[tf::model]
impl Two {
    fn call(&self, x: &Tensor, y: &Tensor, cx: &Call) -> tf::Result<(Tensor, Tensor)> {
        let sum = self.left.try_call(x, cx.is_training())? + self.right.try_call(y, cx.is_training())?;
        tf::layers::add_loss(tf::reduce_sum(&sum, ()));
        let flag = if cx.is_training() { tf::ones(1) } else { tf::zeros(1) };
        Ok((sum, flag))
    }
}

#[test]
fn several_inputs_a_context_and_a_result() {
    let net = Two { left: Dense::new(2).kernel_initializer("ones"), right: Dense::new(2).kernel_initializer("ones") };
    let (x, y) = (tf::ones([1, 3]), tf::ones([1, 5]));
    let ((sum, flag), losses) = with_losses(|| net.call(&x, &y, &Call::training()).unwrap());
    assert_eq!((sum.to_vec::<f32>(), flag.item_at(), losses[0].item::<f32>()), (vec![8.0, 8.0], 1.0, 16.0));
    let (_, flag) = net.call_with(&(x.clone(), y), &Call::inference());
    assert_eq!(flag.item_at(), 0.0);
    let error = net.try_call_with(&(x.clone(), tf::ones([1, 4])), &Call::inference()).unwrap_err().to_string();
    assert!(error.contains("[1, 4]") && error.contains("[5, 2]") && error.contains("models.rs"), "{error}");
}

trait ItemAt {
    fn item_at(&self) -> f32;
}

impl ItemAt for Tensor {
    fn item_at(&self) -> f32 {
        self.reshape(()).item()
    }
}

#[test]
fn a_graph_of_layers_shares_and_copies() {
    let (a, b) = (tf::input([4]), tf::input([4]));
    let trunk = Dense::new(3);
    let (x, y) = (trunk.call(&a), trunk.call(&b));
    let both = Concatenate::new().call([&x, &y]);
    let out = Dense::new(1).call(Dropout::new(0.5).call(&both));
    let model = Functional::new((&a, &b), &out);
    assert_eq!((model.layers().len(), model.variables().len()), (4, 5));
    let (one, two) = (tf::ones([2, 4]), tf::zeros([2, 4]));
    let before = model.call((one.clone(), two.clone())).to_vec::<f32>();
    let copy = model.duplicate();
    trunk.kernel().unwrap().assign(tf::zeros([4, 3]));
    assert_eq!(copy.call((one.clone(), two.clone())).to_vec::<f32>(), before);
    assert_ne!(model.call((one, two)).to_vec::<f32>(), before);
    let text = |model: tf::Result<Functional<Tensor, Tensor>>| model.unwrap_err().to_string();
    assert!(text(Functional::try_new(&a, &out)).contains("no input of the model"));
    let alone = Dense::new(1).call(&a);
    let error = Functional::try_new((&a, &b), &alone).unwrap_err().to_string();
    assert!(error.contains("leads to no output") && error.contains("models.rs"), "{error}");
    let (c, d) = (Dense::new(1).name("same").call(&a), Dense::new(1).name("same").call(&a));
    let error = Functional::try_new(&a, (&c, &d)).unwrap_err().to_string();
    assert!(error.contains("\"same\""), "{error}");
}

#[test]
fn a_wrong_layer_names_itself_where_it_is_called() {
    let x = tf::input([4]);
    let error = Dense::new(2).name("head").try_call(&tf::input(()), false).unwrap_err().to_string();
    assert!(error.contains("head") && error.contains("models.rs"), "{error}");
    let model = Functional::new(&x, &Dense::new(2).call(&x));
    let error = model.try_call(tf::ones([2, 5])).unwrap_err().to_string();
    assert!(error.contains("[2, 5]") && error.contains("4"), "{error}");
}

/// A helper that is traced by itself, inside of models that are not.
#[tf_function]
fn dropped(layer: &Dropout, x: &Tensor) -> Tensor {
    layer.call(x)
}

/// A layer whose call is not traced.
#[derive(Clone, Module, Duplicate)]
struct Untraced {
    dropout: Dropout,
}

impl Model for Untraced {
    type Input = Tensor;
    type Output = Tensor;

    fn forward(&self, input: &Tensor, _: &Call) -> tf::Result<Tensor> {
        Ok(dropped(&self.dropout, input))
    }
}

#[test]
fn traces_know_whether_the_model_around_is_trained() {
    let (model, x) = (Untraced { dropout: Dropout::new(0.5) }, tf::ones([100]));
    assert_eq!(model.call_with(&x, &Call::inference()).to_vec::<f32>(), [1.0; 100]);
    assert_ne!(model.call_with(&x, &Call::training()).to_vec::<f32>(), [1.0; 100]);
    assert_eq!(model.call_with(&x, &Call::inference()).to_vec::<f32>(), [1.0; 100]);
    assert_eq!(dropped(&model.dropout, &x).to_vec::<f32>(), [1.0; 100]);
}

/// A layer by hand, which calls another without a word of training.
#[derive(Clone, Module, Duplicate)]
struct Halves {
    dropout: Dropout,
}

impl Layer for Halves {
    fn layer_name(&self) -> &str {
        "halves"
    }
    fn forward(&self, inputs: &[Tensor], _: &Call) -> tf::Result<Outputs> {
        Ok(Outputs::one(self.dropout.call(&inputs[0])))
    }
}

#[test]
fn layers_within_a_layer_inherit_training() {
    let net = Sequential::new((Halves { dropout: Dropout::new(0.5) },));
    let x = tf::ones([100]);
    assert_eq!(net.call(&x).to_vec::<f32>(), [1.0; 100]);
    assert!(net.call_training(&x, true).to_vec::<f32>().contains(&0.0));
    assert_eq!(net.call(&x).to_vec::<f32>(), [1.0; 100]);
}

#[test]
fn regularizers_count() {
    let layer = Dense::new(1).kernel_initializer("ones").kernel_regularizer(L2::new(0.5)).activity_regularizer("l2");
    let net = Sequential::new((layer,));
    let (_, losses) = net.call_with_losses(&tf::ones([2, 3]), &Call::training()).unwrap();
    // The output is 3 twice: 0.01 * 18, by two examples.
    assert!((losses[0].item::<f32>() - 0.09).abs() < 1e-6);
    let weights = net.weight_losses().unwrap();
    assert_eq!(weights.iter().map(|w| w.item::<f32>()).collect::<Vec<_>>(), [1.5]);
    net.set_trainable(false);
    assert!(net.weight_losses().unwrap().is_empty());
}
