//! The element functions at every float as machine code and by loops.
//! `EAGERFLOW_HEAVY=1` takes one in 61, `EAGERFLOW_HEAVY=all` all of them.

use super::singles::single;
use super::*;

/// The element functions at every float, or with fewer of them at one in 61 or 4099.
#[test]
fn functions_at_every_float() {
    TARGETS.into_iter().filter(|(_, isa)| available(*isa)).for_each(|(target, isa)| at_every_float(target, isa));
}

fn at_every_float(target: Target, isa: Isa) {
    let step = match std::env::var("EAGERFLOW_HEAVY").as_deref() {
        Ok("all") => 1,
        Ok("1") => 61,
        _ => 4099,
    };
    let element = [Code::Exp, Code::Expm1, Code::Log, Code::Log1p, Code::Tanh, Code::Erf, Code::Erfc, Code::Sigmoid];
    for code in element.into_iter().chain([Code::Sin, Code::Cos, Code::Floor, Code::Ceil, Code::Round]) {
        let case = single(code, DType::F32, DType::F32);
        let operands = Operands { inputs: &case.inputs, outputs: &case.outputs, folds: &[], lanes: false };
        let machine = Machine::compile(&case.sequence, &operands, target).expect("these are known");
        let run = vector::lookup(code, DType::F32, DType::F32, isa).unwrap();
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
        for high in 0..1u32 << 8 {
            check(&(0..1 << 24).step_by(step).map(|low| high << 24 | low).collect::<Vec<u32>>());
        }
    }
}
