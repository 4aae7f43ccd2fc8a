//! Runs something with loops as machine code, by the bytecode machine and operation by operation, and compares every bit.

use eagerflow as tf;
use tf::{__testing, DType, GradientTape, Tensor};

/// The bits of a tensor of numbers. All NaNs are one: which of two operands gives its sign is left to the compiler.
pub fn bits(x: &Tensor) -> Vec<u64> {
    let narrow = |v: f32| u64::from(if v.is_nan() { f32::NAN } else { v }.to_bits());
    let wide = |v: f64| if v.is_nan() { f64::NAN } else { v }.to_bits();
    match x.dtype() {
        DType::F32 => x.to_vec::<f32>().into_iter().map(narrow).collect(),
        DType::F64 => x.to_vec::<f64>().into_iter().map(wide).collect(),
        DType::I32 => x.to_vec::<i32>().into_iter().map(|v| v as u64).collect(),
        DType::I64 => x.to_vec::<i64>().into_iter().map(|v| v as u64).collect(),
        DType::Bool => x.to_vec::<bool>().into_iter().map(u64::from).collect(),
        other => panic!("no bits of {other}"),
    }
}

/// Whether loops run as machine code here.
pub fn has_code() -> bool {
    let wanted = std::env::var("EAGERFLOW_JIT").as_deref() != Ok("off") && __testing::cpu_path() != "portable";
    wanted && cfg!(all(target_arch = "x86_64", target_os = "linux", not(miri)))
}

/// The same results in registers, as machine code and by the bytecode machine, and one by one; and loops did run so.
#[track_caller]
pub fn both_ways(f: impl Fn() -> Vec<Tensor>) -> Vec<Tensor> {
    let before = (__testing::loops_run_in_registers(), __testing::loops_run_as_code());
    let fast = f();
    assert!(__testing::loops_run_in_registers() > before.0, "no loop ran in registers");
    assert_eq!(__testing::loops_run_as_code() > before.1, has_code(), "loops as machine code");
    compare(&fast, &by_bytecode(&f));
    compare(&fast, &one_by_one(f));
    fast
}

#[track_caller]
fn compare(fast: &[Tensor], slow: &[Tensor]) {
    let show = |all: &[Tensor]| all.iter().map(|t| format!("{t:?}")).collect::<Vec<_>>().join(", ");
    assert_eq!(
        fast.iter().map(bits).collect::<Vec<_>>(),
        slow.iter().map(bits).collect::<Vec<_>>(),
        "as machine code {}, otherwise {}",
        show(fast),
        show(slow)
    );
}

/// Runs loops in registers by the bytecode machine.
pub fn by_bytecode<R>(f: impl FnOnce() -> R) -> R {
    struct On;
    impl Drop for On {
        fn drop(&mut self) {
            __testing::loops_as_code(true);
        }
    }
    let _on = On;
    __testing::loops_as_code(false);
    f()
}

/// Runs loops operation by operation.
pub fn one_by_one<R>(f: impl FnOnce() -> R) -> R {
    struct On;
    impl Drop for On {
        fn drop(&mut self) {
            __testing::loops_in_registers(true);
        }
    }
    let _on = On;
    __testing::loops_in_registers(false);
    f()
}

/// The value and its gradients by all inputs, to first and second order.
pub fn orders(f: impl Fn(&[Tensor]) -> Tensor, inputs: &[Tensor]) -> Vec<Tensor> {
    let mut outer = GradientTape::persistent();
    inputs.iter().for_each(|x| outer.watch(x));
    let mut inner = GradientTape::persistent();
    inputs.iter().for_each(|x| inner.watch(x));
    let y = f(inputs);
    let first: Vec<Tensor> = inputs.iter().filter_map(|x| inner.gradient_or_none(&y, x)).collect();
    drop(inner);
    let mut all = vec![y];
    for dx in first {
        all.push(dx.clone());
        all.extend(inputs.iter().filter_map(|x| outer.gradient_or_none(&dx, x)));
    }
    all
}
