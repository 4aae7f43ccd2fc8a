//! Runs a program in three ways on several inputs (at once, as a trace, and as that trace was recorded, before all passes)
//! and compares: results bit for bit, effects in order, the kind of error, gradients of both orders within a bound.

use super::counted::is_refused;
use super::native;
use super::program::Program;
use super::values::Inputs;
use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{GradientTape, Tensor, Variable, random::Generator};

/// A tensor: its shape, the bits of its elements, and whether they are floats.
type Bits = (Vec<usize>, Vec<u32>, bool);

/// Whether two results are the same: on the CPU bit for bit. A GPU's functions differ from those that fold constants on the CPU
/// in their last places.
fn same(a: &Bits, b: &Bits) -> bool {
    let near = |(x, y): (&u32, &u32)| close(f32::from_bits(*x), f32::from_bits(*y), 1e-5);
    a == b || a.2 && elsewhere() && a.0 == b.0 && a.1.iter().zip(&b.1).all(near)
}

/// As [`same`] for printed lines, word by word.
fn same_lines(a: &str, b: &str) -> bool {
    let near = |(a, b): (&str, &str)| match (a.parse(), b.parse()) {
        (Ok(x), Ok(y)) => close(x, y, 1e-5),
        _ => a == b,
    };
    let words = |text: &'_ str| text.split_whitespace().count();
    a == b || elsewhere() && words(a) == words(b) && a.split_whitespace().zip(b.split_whitespace()).all(near)
}

/// Whether operations run on a GPU.
fn elsewhere() -> bool {
    tf::ones([2]).device().kind() == tf::DeviceKind::Gpu
}

/// What one run gives.
#[derive(Debug)]
struct Outcome {
    /// The bits of the results with their shapes, or the kind of error with its message.
    result: Result<Vec<Bits>, (String, String)>,
    /// The bits of the variables afterwards.
    variables: [u32; 2],
    /// The lines, in their order.
    printed: String,
}

/// Gradients of first and second order, by `x`, `y` and `w`, and what was printed on the way.
type Slopes = (Vec<Option<Vec<f32>>>, String);

/// The variables and the generator that all runs of a program share.
pub struct World {
    w: Variable,
    log: Variable,
    generator: Generator,
}

impl World {
    pub fn new() -> Self {
        Self { w: Variable::new(0.5f32), log: Variable::with(0.0f32, "log", false), generator: Generator::from_seed(1) }
    }

    fn inputs(&self, case: usize) -> Inputs {
        let (training, n) = if case == 3 { (false, 1) } else { (true, 3) };
        let y: &[f32] = if case == 3 { &[0.5, -1.0, 0.75, 2.0, -0.25] } else { &[1.5, -0.5, 0.25] };
        Inputs {
            training,
            n,
            x: tf::constant([0.875f32, -1.25, 0.0, 2.5][case]),
            y: tf::constant(y) * [1.0f32, -1.0, 0.5, 1.0][case],
            j: tf::constant([2, 0, -3, 5][case]),
            w: self.w.clone(),
            log: self.log.clone(),
            generator: self.generator.clone(),
        }
    }

    fn reset(&self) {
        self.w.assign(tf::constant(0.5f32));
        self.log.assign(tf::constant(0.0f32));
        self.generator.reset_from_seed(7).expect("a seed");
    }
}

fn message(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
}

fn outcome(world: &World, call: impl FnOnce() -> Vec<Tensor>) -> Outcome {
    world.reset();
    let _ = native::printed();
    let (result, printed) = tf::__testing::captured(|| catch_unwind(AssertUnwindSafe(call)));
    let printed = native::printed() + &printed;
    let result = result.map_err(|panic| {
        let text = message(panic);
        // An assertion of a truth value of the host is Rust's own.
        let kind = match text.split(':').next().unwrap_or_default() {
            "assertion failed" => "InvalidArgument",
            kind => kind,
        };
        (kind.to_owned(), text)
    });
    let bits = |t: &Tensor| match t.dtype() {
        tf::DType::F32 => {
            t.to_vec::<f32>().into_iter().map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() }).collect()
        }
        _ => t.to_vec::<i32>().into_iter().map(|x| x as u32).collect(),
    };
    let of = |t: &Tensor| (t.shape().dims().to_vec(), bits(t), t.dtype() == tf::DType::F32);
    let result = result.map(|all| all.iter().map(of).collect());
    let number = |v: &Variable| v.value().item::<f32>().to_bits();
    Outcome { result, variables: [number(&world.w), number(&world.log)], printed }
}

fn slopes(world: &World, inputs: &Inputs, call: impl FnOnce() -> Vec<Tensor>) -> Result<Slopes, String> {
    world.reset();
    let _ = native::printed();
    let run = || {
        let (x, y, w) = (&inputs.x, &inputs.y, &inputs.w);
        let mut outer = GradientTape::persistent();
        outer.watch([x, y]);
        let mut inner = GradientTape::persistent();
        inner.watch([x, y]);
        let out = call();
        let sum = &out[0] * 1.25 + tf::reduce_sum(&tf::tanh(&out[1]), ());
        let first = [inner.gradient_or_none(&sum, x), inner.gradient_or_none(&sum, y), inner.gradient_or_none(&sum, w)];
        drop(inner);
        let mut second = vec![None; 3];
        let each = first.iter().enumerate().filter_map(|(i, g)| Some((i, g.as_ref()?)));
        let sums = each.map(|(i, g)| tf::reduce_sum(&(g * (0.5 + i as f32)), ()));
        if let Some(sum) = sums.reduce(|a, b| a + b) {
            second =
                vec![outer.gradient_or_none(&sum, x), outer.gradient_or_none(&sum, y), outer.gradient_or_none(&sum, w)];
        }
        first.into_iter().chain(second).map(|g| g.map(|g| g.to_vec::<f32>())).collect()
    };
    let (slopes, printed) = tf::__testing::captured(|| catch_unwind(AssertUnwindSafe(run)));
    slopes.map(|slopes| (slopes, native::printed() + &printed)).map_err(message)
}

fn close(a: f32, b: f32, bound: f32) -> bool {
    if a.is_finite() && b.is_finite() {
        return (a - b).abs() <= bound * a.abs().max(b.abs()).max(1.0);
    }
    !a.is_finite() && !b.is_finite()
}

fn differs(native: &Slopes, traced: &Slopes) -> Option<String> {
    const NAMES: [&str; 6] = ["dx", "dy", "dw", "second dx", "second dy", "second dw"];
    if !same_lines(&native.1, &traced.1) {
        return Some(format!("under tapes it printed {:?}, eager {:?}", traced.1, native.1));
    }
    for (i, (a, b)) in native.0.iter().zip(&traced.0).enumerate() {
        let len = a.as_ref().or(b.as_ref()).map_or(0, Vec::len);
        let [x, y] = [a, b].map(|g| g.clone().unwrap_or_else(|| vec![0.0; len]));
        let bound = if i < 3 { 1e-4 } else { 1e-3 };
        if x.len() != y.len() || x.iter().zip(&y).any(|(x, y)| !close(*x, *y, bound)) {
            return Some(format!("{} is {b:?}, eager {a:?}", NAMES[i]));
        }
    }
    None
}

/// A program as a traced function.
pub type Call<'c> = &'c dyn Fn(&Inputs) -> Vec<Tensor>;

/// What differs, if anything does.
pub fn check(program: &Program, call: Call<'_>, world: &World) -> Result<(), String> {
    for case in 0..4 {
        let inputs = world.inputs(case);
        let expected = outcome(world, || native::call(program, 0, inputs.clone()));
        // What a GPU refuses comes out in whichever thread reads next, and other effects may have happened: another test has that.
        if expected.result.is_err() && std::env::var_os("EAGERFLOW_DEVICE").is_some() {
            continue;
        }
        let traced = || call(&inputs);
        let with = outcome(world, traced);
        agree(&expected, &with).map_err(|e| format!("input {case}, traced: {e}"))?;
        let without = without_passes(case, || outcome(world, traced));
        agree(&expected, &without).map_err(|e| format!("input {case}, without passes: {e}"))?;
        // What the attribute makes of a function must do the same where nothing is traced.
        let stepwise = outcome(world, || tf::config::with_eager_functions(traced));
        agree(&expected, &stepwise).map_err(|e| format!("input {case}, operation by operation: {e}"))?;
        if case == 1 || expected.result.is_err() {
            continue;
        }
        let expected = slopes(world, &inputs, || native::call(program, 0, inputs.clone()))
            .map_err(|e| format!("input {case}: eager gradient fails: {e}"))?;
        let with = slopes(world, &inputs, traced).map_err(|e| format!("input {case}, gradient: {e}"))?;
        differs(&expected, &with).map_or(Ok(()), |e| Err(format!("input {case}, traced: {e}")))?;
        let without = without_passes(case, || slopes(world, &inputs, traced));
        let without = without.map_err(|e| format!("input {case}, gradient without passes: {e}"))?;
        differs(&expected, &without).map_or(Ok(()), |e| Err(format!("input {case}, without passes: {e}")))?;
    }
    Ok(())
}

/// Runs graphs operation by operation as they were recorded, in some cases with loops over numbers in registers.
fn without_passes<R>(case: usize, body: impl FnOnce() -> R) -> R {
    if case.is_multiple_of(2) { tf::__testing::as_recorded(body) } else { tf::__testing::without_plans(body) }
}

fn agree(expected: &Outcome, found: &Outcome) -> Result<(), String> {
    match (&expected.result, &found.result) {
        (Ok(a), Ok(b)) if a.len() != b.len() || !a.iter().zip(b).all(|(a, b)| same(a, b)) => {
            return Err(format!("results {}, eager {}", show(b), show(a)));
        }
        // A trace that is refused has had no effects.
        (Err(_), Err(b)) if is_refused(&b.1) => return Err(b.1.clone()),
        (Err(a), Err(b)) if a.0 != b.0 => return Err(format!("error {:?}, eager {:?}", b.1, a.1)),
        (Ok(_), Err(b)) => return Err(b.1.clone()),
        (Err(a), Ok(b)) => return Err(format!("results {}, eager fails with {}", show(b), a.1)),
        _ => {}
    }
    if !same_lines(&expected.printed, &found.printed) {
        return Err(format!("printed {:?}, eager {:?}", found.printed, expected.printed));
    }
    let floats = |bits: [u32; 2]| bits.map(f32::from_bits);
    let (a, b) = (floats(expected.variables), floats(found.variables));
    let near = || elsewhere() && a.iter().zip(&b).all(|(a, b)| close(*a, *b, 1e-5));
    if expected.variables != found.variables && !near() {
        return Err(format!("variables w and log are {b:?}, eager {a:?}"));
    }
    Ok(())
}

fn show(results: &[Bits]) -> String {
    let float = |(_, bits, _): &Bits| bits.iter().map(|b| f32::from_bits(*b)).collect::<Vec<_>>();
    let (floats, ints) = results.split_at(2.min(results.len()));
    let ints: Vec<i32> = ints.iter().flat_map(|(_, bits, _)| bits.iter().map(|b| *b as i32)).collect();
    format!("{:?} {ints:?}", floats.iter().map(float).collect::<Vec<_>>())
}
