//! The element functions at every float as machine code and by loops.
//! `EAGERFLOW_HEAVY=1` takes all of them.

use super::singles::single;
use super::*;

/// The element functions at every float, or with fewer of them at one in 4099.
#[test]
fn functions_at_every_float() {
    if !available() {
        return;
    }
    let step = if std::env::var_os("EAGERFLOW_HEAVY").is_some_and(|v| v == "1") { 1 } else { 4099 };
    let element = [Code::Exp, Code::Expm1, Code::Log, Code::Log1p, Code::Tanh, Code::Erf, Code::Sigmoid];
    for code in element.into_iter().chain([Code::Floor, Code::Ceil, Code::Round]) {
        let case = single(code, DType::F32, DType::F32);
        let operands = Operands { inputs: &case.inputs, outputs: &case.outputs, folds: &[], lanes: false };
        let machine = Machine::compile(&case.sequence, &operands).expect("these are known");
        let run = vector::lookup(code, DType::F32, DType::F32, Isa::Avx512).unwrap();
        let all: Vec<u32> =
            (0..=u32::MAX / step).map(|i| i * step).take(if step == 1 { 0 } else { usize::MAX }).collect();
        let check = |x: &[u32]| {
            let (mut got, mut want) = (vec![0f32; x.len()], vec![0f32; x.len()]);
            let table = [x.as_ptr().cast::<u8>().cast_mut(), got.as_mut_ptr().cast()];
            // SAFETY: operands of one length.
            unsafe {
                machine.run(table.as_ptr(), x.len(), std::ptr::null_mut());
                run(x.len(), want.as_mut_ptr().cast(), x.as_ptr().cast(), std::ptr::null(), std::ptr::null());
            }
            for ((x, got), want) in x.iter().zip(&got).zip(&want) {
                let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(same, "{code:?} of {:e}: {got:e}, not {want:e}", f32::from_bits(*x));
            }
        };
        check(&all);
        if step == 1 {
            for high in 0..1u32 << 12 {
                check(&(0..1 << 20).map(|low| high << 20 | low).collect::<Vec<u32>>());
            }
        }
    }
}
