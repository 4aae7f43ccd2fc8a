//! Layers of attention against Keras: each option, masks of inputs and of pairs, causal ones, scores, several axes.
//! `attention_facts` has what no numbers of Keras tell: what is dropped, nodes, and mistakes.

use crate::layer_rows::check;
use crate::numbers::file;
use eagerflow as tf;
use tf::layers::{AdditiveAttention, Attend, Attention, Call, GroupQueryAttention, Layer, MultiHeadAttention, Outputs};
use tf::{Duplicate, Module, Result, Tensor};

/// Float32 numbers, of which the file has seven digits.
const NEAR: f64 = 4e-6;

/// Layers that are called by [`Attend`].
trait Attends: Layer + Clone + Duplicate + 'static {
    fn attend(&self, attend: Attend, scores: bool, cx: &Call) -> Result<Vec<Tensor>>;
}

macro_rules! attends {
    ($($layer:ident),*) => {$(
        impl Attends for $layer {
            fn attend(&self, attend: Attend, scores: bool, cx: &Call) -> Result<Vec<Tensor>> {
                match scores {
                    true => self.try_call_with_scores(attend, cx).map(|(output, scores)| vec![output, scores]),
                    false => self.try_call_attention(attend, cx).map(|output| vec![output]),
                }
            }
        }
    )*};
}

attends!(MultiHeadAttention, GroupQueryAttention, Attention, AdditiveAttention);

/// A layer with what its call is told.
#[derive(Clone, Module, Duplicate)]
struct Asked<L> {
    layer: L,
    masks: [Option<Tensor>; 3],
    pairs: Option<Tensor>,
    causal: bool,
    scores: bool,
}

impl<L: Attends> Layer for Asked<L> {
    fn layer_name(&self) -> &str {
        self.layer.layer_name()
    }

    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let mut attend = Attend::new(&inputs[0], &inputs[1]).causal(self.causal);
        if let Some(key) = inputs.get(2) {
            attend = attend.key(key);
        }
        if let Some(pairs) = &self.pairs {
            attend = attend.mask(pairs);
        }
        let cx = cx.clone().masks(self.masks.iter().take(inputs.len()).cloned());
        self.layer.attend(attend, self.scores, &cx).map(Outputs::many)
    }
}

fn asked<L>(layer: L) -> Asked<L> {
    Asked { layer, masks: [None, None, None], pairs: None, causal: false, scores: false }
}

impl<L> Asked<L> {
    fn causal(self) -> Self {
        Self { causal: true, ..self }
    }

    fn scores(self) -> Self {
        Self { scores: true, ..self }
    }

    fn pairs(self) -> Self {
        let first = [[true, false, true, true, false]; 3];
        let second = [[false; 5], [true; 5], [false, true, false, true, true]];
        Self { pairs: Some(tf::constant([first, second])), ..self }
    }

    /// Masks of the first, second and third input, those that are said.
    fn masked(self, which: [bool; 3]) -> Self {
        let queries = tf::constant([[true, true, false], [true, false, true]]);
        let values = tf::constant([[true, true, true, false, false], [false, true, true, true, false]]);
        let keys = tf::constant([[true, false, true, true, true], [true; 5]]);
        let mut all = [queries, values, keys].into_iter();
        Self { masks: which.map(|said| all.next().filter(|_| said)), ..self }
    }
}

/// The rows that attention with many heads has in common.
macro_rules! many_heads {
    ($test:ident, $new:expr) => {
        #[test]
        fn $test() {
            let rows = file("layers_attention");
            let row = |end: &str| &rows[format!("{}{end}", stringify!($test))];
            let new = || $new;
            check(row(""), "plain", &new(), NEAR);
            check(row("_key"), "key", &new(), NEAR);
            check(row("_bare"), "bare", &new().use_bias(false), NEAR);
            check(row("_gate"), "gate", &new().use_gate(true), NEAR);
            check(row("_window"), "window", &new().sliding_window(2), NEAR);
            check(row("_window_causal"), "window_causal", &asked(new().sliding_window(2)).causal(), NEAR);
            check(row("_causal"), "causal", &asked(new()).causal(), NEAR);
            check(row("_causal"), "causal as an option", &new().use_causal_mask(true), NEAR);
            check(row("_causal_scores"), "causal_scores", &asked(new()).causal().scores(), NEAR);
            check(row("_scores"), "scores", &asked(new()).scores(), NEAR);
            check(row("_scores"), "scores as an option", &new().return_attention_scores(true), NEAR);
            check(row("_pairs"), "pairs", &asked(new()).pairs(), NEAR);
            check(row("_pairs"), "pairs, scores held", &asked(new().flash_attention(false)).pairs(), NEAR);
            check(row("_pairs_scores"), "pairs_scores", &asked(new()).pairs().scores(), NEAR);
            let all = [true, true, true];
            check(row("_masked"), "masked", &asked(new()).masked(all), NEAR);
            let values = [false, true, false];
            check(row("_masked_causal"), "masked_causal", &asked(new()).masked(values).causal(), NEAR);
            check(row("_masked_all"), "masked_all", &asked(new()).masked(all).pairs().scores(), NEAR);
            check(row("_drops_used"), "drops_used", &new().dropout(0.5), NEAR);
            check(row("_mixed"), "mixed", &new().dtype("mixed_bfloat16"), 3e-2);
        }
    };
}

many_heads!(mha, MultiHeadAttention::new(2, 3));
many_heads!(gqa, GroupQueryAttention::new(3, 4, 2));

#[test]
fn sizes_and_axes() {
    let rows = file("layers_attention");
    let new = || MultiHeadAttention::new(2, 3);
    check(&rows["mha_value_dim"], "value_dim", &new().value_dim(2), NEAR);
    check(&rows["mha_output"], "output", &new().output_shape([2, 3]), NEAR);
    check(&rows["mha_wide"], "wide", &asked(new()).scores(), NEAR);
    check(&rows["mha_axis"], "axis", &new().attention_axes([2]), NEAR);
    check(&rows["mha_axis_first"], "axis_first", &asked(new().attention_axes([1])).scores(), NEAR);
}

/// The rows that attention without heads has in common.
macro_rules! without_heads {
    ($test:ident, $new:expr) => {
        #[test]
        fn $test() {
            let rows = file("layers_attention");
            let row = |end: &str| &rows[format!("{}{end}", stringify!($test))];
            let new = || $new;
            check(row(""), "plain", &new(), NEAR);
            check(row("_key"), "key", &new(), NEAR);
            check(row("_scaled"), "scaled", &new().use_scale(true), NEAR);
            check(row("_bare"), "bare", &new().use_scale(false), NEAR);
            check(row("_scores"), "scores", &asked(new()).scores(), NEAR);
            check(row("_causal"), "causal", &asked(new()).causal(), NEAR);
            let both = [true, true, false];
            check(row("_masked"), "masked", &asked(new()).masked(both), NEAR);
            check(row("_masked_scores"), "masked_scores", &asked(new()).masked(both).scores(), NEAR);
            // A query that sees no key has gradients in Keras that come from lost digits, so there is none here.
            let values = tf::constant([[true, false, true, true, true], [true; 5]]);
            let causal = Asked { masks: [None, Some(values), None], ..asked(new()).causal() };
            check(row("_masked_causal"), "masked_causal", &causal, NEAR);
            check(row("_drops_used"), "drops_used", &new().dropout(0.5), NEAR);
        }
    };
}

without_heads!(dot, Attention::new());
without_heads!(additive, AdditiveAttention::new());

#[test]
fn by_sums_without_scales() {
    let rows = file("layers_attention");
    let new = || Attention::new().score_mode("concat");
    check(&rows["dot_concat"], "concat", &new(), NEAR);
    let scaled = asked(new().use_scale(true)).masked([true, true, false]).scores();
    check(&rows["dot_concat_scaled"], "concat_scaled", &scaled, NEAR);
}
