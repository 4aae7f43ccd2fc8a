//! The same list for AVX2, which has no registers for masks and fewer comparisons: masks become vectors of all ones and zeros.
//! `mod.rs` calls [`List::for_avx2`] before lines are put in order; every element stays what it is, bit for bit.

use super::ops::{List, Op, Source, Value, compare};

/// What stands for a value of the old list.
#[derive(Clone, Copy)]
struct Now {
    value: Value,
    /// For masks: zeros are what is true.
    inverted: bool,
}

struct Rewrite {
    old: List,
    list: List,
    now: Vec<Option<Now>>,
}

impl List {
    /// The list in operations that AVX2 has.
    pub fn for_avx2(self) -> Self {
        let now = vec![None; self.values.len()];
        let mut rewrite = Rewrite { old: self, list: Self::default(), now };
        for line in std::mem::take(&mut rewrite.old.lines) {
            let args: smallvec::SmallVec<[Now; 3]> = line.args().iter().map(|&arg| rewrite.get(arg)).collect();
            let now = rewrite.line(line.op, &args);
            rewrite.now[line.to.0 as usize] = Some(now);
        }
        rewrite.list
    }
}

impl Rewrite {
    fn get(&mut self, old: Value) -> Now {
        let value = match (self.now[old.0 as usize], self.old.values[old.0 as usize]) {
            (Some(now), _) => return now,
            (None, source) => self.list.shared(source),
        };
        let now = Now { value, inverted: false };
        self.now[old.0 as usize] = Some(now);
        now
    }

    fn push(&mut self, op: Op, args: &[Value]) -> Now {
        Now { value: self.list.push(op, args), inverted: false }
    }

    fn line(&mut self, op: Op, args: &[Now]) -> Now {
        let values: smallvec::SmallVec<[Value; 3]> = args.iter().map(|arg| arg.value).collect();
        match op {
            Op::CompareI(how) => self.integers(how, &values),
            Op::Test => {
                let both = if values[0] == values[1] { values[0] } else { self.list.push(Op::And, &values) };
                let zero = self.list.bits(0);
                Now { inverted: true, ..self.push(Op::EqualI, &[both, zero]) }
            }
            Op::Choose => self.choose(args[0], values[1], values[2]),
            Op::MaskNot => Now { inverted: !args[0].inverted, ..args[0] },
            Op::MaskXor => Now { inverted: args[0].inverted != args[1].inverted, ..self.push(Op::Xor, &values) },
            Op::MaskAnd => self.both(args[0], args[1]),
            Op::MaskOr => {
                // By De Morgan: neither is false.
                let not = |mask: Now| Now { inverted: !mask.inverted, ..mask };
                not(self.both(not(args[0]), not(args[1])))
            }
            Op::Bits => {
                let [a, b, c] = values[..] else { return args[0] };
                let (kept, taken) = (self.list.push(Op::AndNot, &[c, a]), self.list.push(Op::And, &[c, b]));
                self.push(Op::Or, &[kept, taken])
            }
            Op::Flip => {
                let [a, b, c] = values[..] else { return args[0] };
                let both = self.list.push(Op::And, &[b, c]);
                self.push(Op::Xor, &[a, both])
            }
            _ => self.push(op, &values),
        }
    }

    fn integers(&mut self, how: u8, values: &[Value]) -> Now {
        let (x, y) = (values[0], values[1]);
        let (op, args, inverted) = match how {
            compare::EQUAL => (Op::EqualI, [x, y], false),
            compare::NOT_EQUAL_I => (Op::EqualI, [x, y], true),
            compare::LESS_I => (Op::GreaterI, [y, x], false),
            _ => (Op::GreaterI, [x, y], true),
        };
        Now { inverted, ..self.push(op, &args) }
    }

    /// Of two masks; of two that are false where they have ones, one operation more.
    fn both(&mut self, a: Now, b: Now) -> Now {
        match (a.inverted, b.inverted) {
            (false, false) => self.push(Op::And, &[a.value, b.value]),
            (true, false) => self.push(Op::AndNot, &[a.value, b.value]),
            (false, true) => self.push(Op::AndNot, &[b.value, a.value]),
            (true, true) => Now { inverted: true, ..self.push(Op::Or, &[a.value, b.value]) },
        }
    }

    fn choose(&mut self, mask: Now, then: Value, otherwise: Value) -> Now {
        let (ones, zeros) = if mask.inverted { (otherwise, then) } else { (then, otherwise) };
        let is_zero = |value: Value| matches!(self.list.values[value.0 as usize], Source::Constant(0));
        match (is_zero(ones), is_zero(zeros)) {
            (_, true) => self.push(Op::And, &[mask.value, ones]),
            (true, _) => self.push(Op::AndNot, &[mask.value, zeros]),
            _ => self.push(Op::Choose, &[mask.value, ones, zeros]),
        }
    }
}
