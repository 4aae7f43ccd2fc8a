//! Optimizers and schedules of this library, made as a row of Keras's numbers says, and the list of options that can be made so.
//! The rows are run with them, and a class or an option that is not here fails the coverage test.

use super::super::numbers::number;
use eagerflow as tf;
use serde_json::{Map, Value};
use tf::optim::schedules::{
    Anneal, CosineDecay, CosineDecayRestarts, ExponentialDecay, InverseTimeDecay, OneCycle, PiecewiseConstantDecay,
    PolynomialDecay, Schedule,
};
use tf::optim::{
    Adadelta, Adafactor, Adagrad, Adam, AdamW, Adamax, Ftrl, Lamb, Lion, Muon, Nadam, Optimizer, RMSprop, SGD,
    ScheduleFreeAdamW,
};

pub type Config = Map<String, Value>;

fn flag(value: &Value) -> bool {
    value.as_bool().expect("true or false")
}

fn count(value: &Value) -> usize {
    value.as_u64().expect("a number of steps") as usize
}

fn optional(value: &Value) -> Option<f64> {
    value.as_f64()
}

/// Texts for as long as the tests run.
fn texts(value: &Value) -> &'static [&'static str] {
    let all = value.as_array().expect("a list").iter();
    let all: Vec<&str> =
        all.map(|text| &*Box::leak(text.as_str().expect("a text").to_owned().into_boxed_str())).collect();
    Box::leak(all.into_boxed_slice())
}

fn anneal(value: &Value) -> Anneal {
    if value == "linear" { Anneal::Linear } else { Anneal::Cos }
}

macro_rules! builders {
    ($($kind:ident { $($option:ident: $of:ident),* $(,)? })*) => {
        /// An optimizer by Keras's class and arguments; `rate` stands for the argument of that name.
        pub fn build(kind: &str, config: &Config, rate: tf::optim::Rate) -> Box<dyn Optimizer> {
            match kind {
                $(stringify!($kind) => {
                    let mut o = $kind::new(rate);
                    for (name, value) in config.iter().filter(|(name, _)| *name != "learning_rate") {
                        o = match name.as_str() {
                            $(stringify!($option) => o.$option($of(value)),)*
                            "clipnorm" => o.clipnorm(number(value)),
                            "clipvalue" => o.clipvalue(number(value)),
                            "global_clipnorm" => o.global_clipnorm(number(value)),
                            "weight_decay" => o.weight_decay(number(value)),
                            "use_ema" => o.use_ema(flag(value)),
                            "ema_momentum" => o.ema_momentum(number(value)),
                            "ema_overwrite_frequency" => o.ema_overwrite_frequency(count(value)),
                            "loss_scale_factor" => o.loss_scale_factor(number(value)),
                            "gradient_accumulation_steps" => o.gradient_accumulation_steps(count(value)),
                            other => panic!("{kind} has no option `{other}` here"),
                        };
                    }
                    Box::new(o)
                })*
                _ => panic!("no optimizer {kind} here"),
            }
        }

        /// The options of each class that are its own.
        pub const OPTIONS: &[(&str, &[&str])] = &[$((stringify!($kind), &[$(stringify!($option)),*])),*];
    };
}

/// The options that all have; `learning_rate` is the first argument of `new`, `name` is called `named`.
pub const SHARED: [&str; 9] = [
    "clipnorm",
    "clipvalue",
    "global_clipnorm",
    "weight_decay",
    "use_ema",
    "ema_momentum",
    "ema_overwrite_frequency",
    "loss_scale_factor",
    "gradient_accumulation_steps",
];

builders! {
    SGD { momentum: number, nesterov: flag }
    Adam { beta_1: number, beta_2: number, epsilon: number, amsgrad: flag }
    AdamW { beta_1: number, beta_2: number, epsilon: number, amsgrad: flag }
    Adamax { beta_1: number, beta_2: number, epsilon: number }
    Nadam { beta_1: number, beta_2: number, epsilon: number }
    RMSprop { rho: number, momentum: number, epsilon: number, centered: flag }
    Adagrad { initial_accumulator_value: number, epsilon: number }
    Adadelta { rho: number, epsilon: number }
    Ftrl {
        learning_rate_power: number, initial_accumulator_value: number, l1_regularization_strength: number,
        l2_regularization_strength: number, l2_shrinkage_regularization_strength: number, beta: number,
    }
    Adafactor { beta_2_decay: number, epsilon_1: number, epsilon_2: number, clip_threshold: number, relative_step: flag }
    Lion { beta_1: number, beta_2: number }
    Lamb { beta_1: number, beta_2: number, epsilon: number }
    Muon {
        adam_beta_1: number, adam_beta_2: number, adam_weight_decay: number, adam_lr_ratio: number, epsilon: number,
        muon_a: number, muon_b: number, muon_c: number, momentum: number, ns_steps: count, nesterov: flag,
        rms_rate: optional, exclude_embeddings: flag, exclude_layers: texts,
    }
    ScheduleFreeAdamW { beta_1: number, beta_2: number, epsilon: number, warmup_steps: count }
}

macro_rules! schedules {
    ($($kind:ident($($first:ident),*) { $($option:ident: $of:ident),* $(,)? })*) => {
        /// A schedule by its class and arguments.
        pub fn schedule(kind: &str, config: &Config) -> Box<dyn Schedule> {
            let given = |name: &str| config.get(name).unwrap_or_else(|| panic!("{kind} lacks `{name}`"));
            match kind {
                "PiecewiseConstantDecay" => {
                    let numbers = |name| given(name).as_array().expect("a list").iter().map(number).collect::<Vec<f64>>();
                    let boundaries: Vec<i64> = numbers("boundaries").iter().map(|&at| at as i64).collect();
                    Box::new(PiecewiseConstantDecay::new(&boundaries, &numbers("values")))
                }
                $(stringify!($kind) => {
                    let first: &[&str] = &[$(stringify!($first)),*];
                    let mut made = make::$kind(&given);
                    for (name, value) in config.iter().filter(|(name, _)| !first.contains(&name.as_str())) {
                        made = match name.as_str() {
                            $(stringify!($option) => made.$option($of(value)),)*
                            other => panic!("{kind} has no option `{other}` here"),
                        };
                    }
                    Box::new(made)
                })*
                _ => panic!("no schedule {kind} here"),
            }
        }

        /// The options of each class.
        pub const SCHEDULES: &[(&str, &[&str])] =
            &[$((stringify!($kind), &[$(stringify!($first),)* $(stringify!($option)),*]),)* ("PiecewiseConstantDecay", &["boundaries", "values"])];
    };
}

schedules! {
    ExponentialDecay(initial_learning_rate, decay_steps, decay_rate) { staircase: flag }
    InverseTimeDecay(initial_learning_rate, decay_steps, decay_rate) { staircase: flag }
    PolynomialDecay(initial_learning_rate, decay_steps) { end_learning_rate: number, power: number, cycle: flag }
    CosineDecay(initial_learning_rate, decay_steps) { alpha: number, warmup_target: number, warmup_steps: count }
    CosineDecayRestarts(initial_learning_rate, first_decay_steps) { t_mul: number, m_mul: number, alpha: number }
    OneCycle(max_lr, total_steps) {
        pct_start: number, anneal_strategy: anneal, div_factor: number, final_div_factor: number, three_phase: flag,
    }
}

/// Schedules by the arguments that they cannot do without.
#[allow(non_snake_case, reason = "named like the types that they make")]
mod make {
    use super::*;
    type Given<'a> = &'a dyn Fn(&str) -> &'a Value;

    pub fn ExponentialDecay(given: Given<'_>) -> super::ExponentialDecay {
        super::ExponentialDecay::new(
            number(given("initial_learning_rate")),
            count(given("decay_steps")),
            number(given("decay_rate")),
        )
    }
    pub fn InverseTimeDecay(given: Given<'_>) -> super::InverseTimeDecay {
        super::InverseTimeDecay::new(
            number(given("initial_learning_rate")),
            count(given("decay_steps")),
            number(given("decay_rate")),
        )
    }
    pub fn PolynomialDecay(given: Given<'_>) -> super::PolynomialDecay {
        super::PolynomialDecay::new(number(given("initial_learning_rate")), count(given("decay_steps")))
    }
    pub fn CosineDecay(given: Given<'_>) -> super::CosineDecay {
        super::CosineDecay::new(number(given("initial_learning_rate")), count(given("decay_steps")))
    }
    pub fn CosineDecayRestarts(given: Given<'_>) -> super::CosineDecayRestarts {
        super::CosineDecayRestarts::new(number(given("initial_learning_rate")), count(given("first_decay_steps")))
    }
    pub fn OneCycle(given: Given<'_>) -> super::OneCycle {
        super::OneCycle::new(number(given("max_lr")), count(given("total_steps")))
    }
}
