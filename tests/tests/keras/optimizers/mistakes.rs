//! What cannot be meant, and what is said of it: options out of range, two ways to clip, variables that nobody knows.
//! Each message names the optimizer, what it got and what it expected.

use eagerflow as tf;
use tf::optim::schedules::{CosineDecay, CosineDecayRestarts, ExponentialDecay, OneCycle, PiecewiseConstantDecay};
use tf::optim::{
    Adafactor, Adagrad, Adam, AdamW, Ftrl, Groups, Lion, LossScaleOptimizer, Muon, Optimizer, RMSprop, SGD,
    ScheduleFreeAdamW,
};
use tf::{Gradients, Tensor, Variable};

/// The message has all of these.
#[track_caller]
fn says<T>(result: tf::Result<T>, parts: &[&str]) {
    let Err(error) = result else { panic!("nothing was refused") };
    let text = error.to_string();
    assert!(parts.iter().all(|part| text.contains(part)), "{text}\nlacks some of {parts:?}");
    assert!(text.contains(file!()), "{text}\nnames another line");
}

#[test]
fn options_out_of_range() {
    says(SGD::try_new(-0.1), &["SGD", "`learning_rate`", "-0.1"]);
    says(Adam::try_new(f64::NAN), &["Adam", "`learning_rate`", "NaN"]);
    says(Adam::new(0.1).try_beta_1(1.0), &["Adam", "`beta_1`", "from 0 up to, and not, 1"]);
    says(AdamW::new(0.1).try_weight_decay(-1.0), &["AdamW", "`weight_decay`", "-1"]);
    says(SGD::new(0.1).try_momentum(2.0), &["SGD", "`momentum`", "2"]);
    says(RMSprop::new(0.1).try_rho(-0.5), &["RMSprop", "`rho`", "-0.5"]);
    says(Adagrad::new(0.1).try_initial_accumulator_value(-1.0), &["Adagrad", "`initial_accumulator_value`"]);
    says(Ftrl::new(0.1).try_learning_rate_power(0.5), &["Ftrl", "`learning_rate_power`", "at most 0"]);
    says(Adafactor::new(0.1).try_clip_threshold(0.0), &["Adafactor", "`clip_threshold`", "above 0"]);
    says(Lion::new(0.1).try_beta_1(0.0), &["Lion", "`beta_1`", "above 0"]);
    says(ScheduleFreeAdamW::new(0.1).try_beta_1(0.0), &["ScheduleFreeAdamW", "`beta_1`"]);
    says(Muon::new(0.1).try_rms_rate(-0.2), &["Muon", "`rms_rate`"]);
    says(Adam::new(0.1).try_ema_momentum(1.5), &["`ema_momentum`", "from 0 to 1"]);
    says(Adam::new(0.1).try_ema_overwrite_frequency(0), &["`ema_overwrite_frequency`", "at least 1"]);
    says(Adam::new(0.1).try_gradient_accumulation_steps(1), &["`gradient_accumulation_steps`", "at least 2"]);
    says(Adam::new(0.1).try_loss_scale_factor(0.0), &["`loss_scale_factor`", "above 0"]);
    says(LossScaleOptimizer::new(SGD::new(0.1)).try_initial_scale(-1.0), &["`initial_scale`"]);
    says(LossScaleOptimizer::new(SGD::new(0.1)).try_dynamic_growth_steps(0), &["`dynamic_growth_steps`"]);
    says(AdamW::new(0.1).try_exclude_from_weight_decay(&[], &["("]), &["AdamW", "no regular expression", "("]);
}

#[test]
fn schedules_that_give_no_rate() {
    says(ExponentialDecay::try_new(0.1, 0, 0.5), &["ExponentialDecay", "`decay_steps`", "at least 1"]);
    says(CosineDecay::try_new(f64::INFINITY, 10), &["CosineDecay", "`initial_learning_rate`", "inf"]);
    says(CosineDecayRestarts::new(0.1, 10).try_t_mul(0.5), &["CosineDecayRestarts", "`t_mul`", "at least 1"]);
    says(OneCycle::new(0.1, 10).try_pct_start(1.5), &["OneCycle", "`pct_start`"]);
    says(PiecewiseConstantDecay::try_new(&[1, 2], &[0.1, 0.2]), &["2 boundaries, 2 rates"]);
    says(PiecewiseConstantDecay::try_new(&[2, 1], &[0.1, 0.2, 0.3]), &["`boundaries` do not rise", "[2, 1]"]);
}

#[test]
fn gradients_are_clipped_in_one_way() {
    says(Adam::new(0.1).clipnorm(1.0).try_clipvalue(0.5), &["`clipnorm` and `clipvalue`", "one of"]);
    says(Adam::new(0.1).global_clipnorm(1.0).try_clipnorm(0.5), &["`global_clipnorm` and `clipnorm`"]);
    assert!(Adam::new(0.1).clipnorm(1.0).try_clipnorm(2.0).is_ok());
}

#[test]
fn a_rate_that_follows_a_schedule_is_not_set() {
    let optimizer = SGD::new(CosineDecay::new(0.1, 10));
    says(optimizer.learning_rate().try_set(0.5), &["follows a schedule", "CosineDecay", "Adam::new(1e-3)"]);
    assert!((optimizer.learning_rate().get() - 0.1).abs() < 1e-8);
    assert!(optimizer.learning_rate().variable().is_none());
}

fn ones(shapes: &[&[usize]]) -> Gradients {
    shapes.iter().map(|shape| tf::ones(shape.iter().map(|&n| n as i64).collect::<Vec<_>>())).collect()
}

#[test]
fn variables_that_do_not_fit() {
    let w = [Variable::with([1.0, 2.0], "pair", true), Variable::with([[3.0]], "one", true)];
    let all: [Box<dyn Optimizer>; 4] = [
        Box::new(Adam::new(0.1).gradient_accumulation_steps(2)),
        Box::new(LossScaleOptimizer::new(Muon::new(0.1))),
        Box::new(Groups::new(SGD::new(0.1)).with(&w[..1], Lion::new(0.1))),
        Box::new(Adafactor::new(0.1)),
    ];
    for optimizer in all {
        let before = [w[0].value().to_vec::<f32>(), w[1].value().to_vec::<f32>()];
        says(optimizer.try_apply_gradients(&ones(&[&[2]]), &w), &["1 gradients, 2 variables"]);
        says(optimizer.try_apply_gradients(&ones(&[&[2], &[2, 1]]), &w), &["does not fit", "[2, 1]", "one"]);
        says(optimizer.try_apply_gradients(&ones(&[]), &[]), &["no variables"]);
        let nothing: Gradients = [None::<Tensor>, None].into_iter().collect();
        says(optimizer.try_apply_gradients(&nothing, &w), &["no variable has a gradient"]);
        assert_eq!(before, [w[0].value().to_vec::<f32>(), w[1].value().to_vec::<f32>()]);
    }
}

#[test]
fn averages_that_are_not_there() {
    let (w, other) = ([Variable::with(1.0, "known", true)], [Variable::with(1.0, "other", true)]);
    says(Adam::new(0.1).try_swap_averages(&w), &["no averages", "use_ema(true)"]);
    assert!(Adam::new(0.1).try_finalize_variable_values(&w).is_ok());
    let optimizer = Adam::new(0.1).use_ema(true);
    optimizer.apply_gradients(&[tf::constant(1.0)].into_iter().collect(), &w);
    says(optimizer.try_swap_averages(&other), &["variable 'other'", "has no average"]);
    says(optimizer.try_finalize_variable_values(&other), &["variable 'other'"]);
}

#[test]
fn groups_that_cannot_be() {
    let w = [Variable::with(1.0, "a", true), Variable::with(1.0, "b", true)];
    let groups = Groups::new(SGD::new(0.1)).with(&w[..1], SGD::new(0.2));
    says(groups.try_with(&w[..], Adam::new(0.1)), &["in two groups", "variable 'a'"]);
    let groups = || Groups::new(SGD::new(0.1));
    says(groups().try_with(&w[..0], SGD::new(0.1)), &["no variables"]);
    says(groups().try_with(&tf::layers::Dense::new(2), SGD::new(0.1)), &["not built"]);
    let scaled = || SGD::new(0.1).loss_scale_factor(8.0);
    says(Groups::try_new(scaled()), &["scales the loss", "by 8"]);
    says(groups().try_with(&w[..], LossScaleOptimizer::new(SGD::new(0.1))), &["scales the loss"]);
    let all = Groups::new(SGD::new(1.0)).loss_scale_factor(4.0);
    assert_eq!(all.scale_loss(&tf::constant(2.0)).item::<f32>(), 8.0);
}
