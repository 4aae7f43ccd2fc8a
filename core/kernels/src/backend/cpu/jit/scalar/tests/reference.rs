//! The meaning of every line in Rust, on the array and lists that the code runs on as well.
//! A test runs a program here line by line, and the code calls the same for its steps.

use super::*;

/// What a list is like.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Bytes of a row.
    pub size: usize,
    /// Before its rows there are others without end, all missing.
    pub open: bool,
    /// Whether the code pushes and pops.
    pub walked: bool,
}

/// A list whose memory grows by little, so that it is moved often.
struct Rows {
    bytes: Vec<u8>,
    /// Rows without bytes.
    count: usize,
    shape: Shape,
}

#[repr(C)]
pub struct Reference {
    context: Context,
    lines: Vec<Line>,
    pub words: Vec<u64>,
    lists: Vec<Rows>,
    registers: usize,
}

unsafe extern "C" fn step(context: *mut Context, line: u64) -> bool {
    // SAFETY: the context is the first field of the reference that runs the code.
    let reference = unsafe { &mut *context.cast::<Reference>() };
    reference.take_ends();
    let result = reference.line(line as usize);
    reference.give_ends();
    result.is_err()
}

macro_rules! by_number {
    ($number:expr, $t:ident, $body:expr) => {
        match $number {
            Number::F32 => {
                type $t = f32;
                $body
            }
            Number::F64 => {
                type $t = f64;
                $body
            }
            Number::I32 => {
                type $t = i32;
                $body
            }
            Number::I64 => {
                type $t = i64;
                $body
            }
        }
    };
}

macro_rules! floats {
    ($number:expr, $t:ident, $body:expr) => {
        match $number {
            Number::F32 => {
                type $t = f32;
                $body
            }
            _ => {
                type $t = f64;
                $body
            }
        }
    };
}

fn binary<T: Arithmetic>(op: Binary, a: T, b: T) -> T {
    match op {
        Binary::Add => a.add(b),
        Binary::Sub => a.sub(b),
        Binary::Mul => a.mul(b),
        Binary::Div => a.div(b),
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
    }
}

fn holds<T: Arithmetic>(comparison: Comparison, a: T, b: T) -> bool {
    match comparison {
        Comparison::Eq => a == b,
        Comparison::Ne => a != b,
        Comparison::Lt => a < b,
        Comparison::Le => a <= b,
    }
}

impl Reference {
    pub fn new(lines: &[Line], start: &[u64], rows: &[Shape]) -> Self {
        let lists = rows.iter().map(|&shape| Rows { bytes: Vec::new(), count: 0, shape }).collect();
        let mut words = start.to_vec();
        words.resize(start.len() + WORDS_OF_LIST * rows.len(), 0);
        Self { context: Context { step }, lines: lines.to_vec(), words, lists, registers: start.len() }
    }

    pub fn contents(&self) -> Vec<(&[u8], usize)> {
        self.lists.iter().map(|list| (&list.bytes[..], list.count)).collect()
    }

    pub fn run_code(&mut self, code: &LoopCode) -> Result<(), usize> {
        self.give_ends();
        let this: *mut Self = self;
        // SAFETY: the words are as many as asked for, and the step's context is this value, which nobody else uses.
        let end = unsafe { code.run((*this).words.as_mut_ptr(), this.cast()) };
        self.take_ends();
        end
    }

    pub fn run(&mut self) -> Result<(), usize> {
        let mut at = 0;
        while self.lines[at].op != Op::Halt {
            at = self.line(at)?;
        }
        Ok(())
    }

    /// Says where lists are, as the code wants to know it.
    fn give_ends(&mut self) {
        for (i, list) in self.lists.iter_mut().enumerate() {
            let at = self.registers + WORDS_OF_LIST * i;
            let start = list.bytes.as_mut_ptr() as u64;
            let mut ends = [start + list.bytes.len() as u64, start + list.bytes.capacity() as u64, start, 0];
            if list.shape.size == 0 {
                ends[0] = list.count as u64;
            }
            ends[3] = u64::from(list.shape.open);
            self.words[at..at + WORDS_OF_LIST].copy_from_slice(&ends);
        }
    }

    fn take_ends(&mut self) {
        for (i, list) in self.lists.iter_mut().enumerate().filter(|(_, list)| list.shape.walked) {
            let at = self.registers + WORDS_OF_LIST * i;
            if list.shape.size == 0 {
                list.count = self.words[at] as usize;
                continue;
            }
            let length = self.words[at] - self.words[at + 2];
            // SAFETY: the code wrote the rows up to there.
            unsafe { list.bytes.set_len(length as usize) };
        }
    }

    fn get<T: Copy>(&self, r: u16) -> T {
        // SAFETY: a number of at most 8 bytes.
        unsafe { (&raw const self.words[r as usize]).cast::<T>().read() }
    }

    fn set<T>(&mut self, r: u16, value: T) {
        // SAFETY: as above.
        unsafe { (&raw mut self.words[r as usize]).cast::<T>().write(value) }
    }

    fn bytes(&self, r: u16, size: u8) -> Vec<u8> {
        self.words[r as usize].to_le_bytes()[..size as usize].to_vec()
    }

    fn set_bytes(&mut self, r: u16, bytes: &[u8]) {
        let mut all = self.words[r as usize].to_le_bytes();
        all[..bytes.len()].copy_from_slice(bytes);
        self.words[r as usize] = u64::from_le_bytes(all);
    }

    /// Does a line, and says which is next.
    fn line(&mut self, at: usize) -> Result<usize, usize> {
        let i = self.lines[at];
        let aim = i.imm as usize;
        let jump = |goes: bool| if goes { aim } else { at + 1 };
        match i.op {
            Op::Unary(op, number) => match op {
                Unary::Neg => by_number!(number, T, self.set::<T>(i.to, Arithmetic::neg(self.get::<T>(i.a)))),
                Unary::Abs => by_number!(number, T, self.set::<T>(i.to, Arithmetic::abs(self.get::<T>(i.a)))),
                Unary::Sign => floats!(number, T, self.set::<T>(i.to, Arithmetic::sign(self.get::<T>(i.a)))),
                Unary::Sqrt => floats!(number, T, self.set::<T>(i.to, Real::sqrt(self.get::<T>(i.a)))),
                Unary::Floor => floats!(number, T, self.set::<T>(i.to, Real::floor(self.get::<T>(i.a)))),
            },
            Op::Binary(op, number) => by_number!(number, T, {
                let value = binary(op, self.get::<T>(i.a), self.get::<T>(i.b));
                self.set(i.to, value);
            }),
            Op::Pair { first, second, number, swapped } => by_number!(number, T, {
                let (one, c) = (binary(first, self.get::<T>(i.a), self.get::<T>(i.b)), self.get::<T>(i.c));
                self.set(i.to, if swapped { binary(second, c, one) } else { binary(second, one, c) });
            }),
            Op::Division(division, number) => by_number!(number, T, {
                let (a, b) = (self.get::<T>(i.a), self.get::<T>(i.b));
                if Arithmetic::no_divisor(b) {
                    return Err(at);
                }
                self.set::<T>(
                    i.to,
                    match division {
                        Division::Div => Arithmetic::div(a, b),
                        Division::Rem => Arithmetic::rem(a, b),
                        Division::FloorDiv => Arithmetic::floor_div(a, b),
                        Division::FloorMod => Arithmetic::floor_mod(a, b),
                    },
                );
            }),
            Op::Logic(logic) => {
                let (a, b) = (self.get::<Truth>(i.a), self.get::<Truth>(i.b));
                self.set(
                    i.to,
                    match logic {
                        Logic::And => a.and(b),
                        Logic::Or => a.or(b),
                        Logic::Xor => a.xor(b),
                    },
                );
            }
            Op::Not => self.set(i.to, self.get::<Truth>(i.a).not()),
            Op::Compare(comparison, number) => by_number!(number, T, {
                self.set(i.to, u8::from(holds(comparison, self.get::<T>(i.a), self.get::<T>(i.b))));
            }),
            Op::Convert(from, into) => {
                by_number!(from, F, by_number!(into, T, self.set(i.to, self.get::<F>(i.a) as T)));
            }
            Op::Move(size) => self.set_bytes(i.to, &self.bytes(i.a, size)),
            Op::Select(size) => {
                let from = if self.get::<u8>(i.a) != 0 { i.b } else { i.c };
                self.set_bytes(i.to, &self.bytes(from, size));
            }
            Op::Function(function, number) => floats!(number, T, {
                let a = self.get::<T>(i.a);
                self.set::<T>(
                    i.to,
                    match function {
                        Function::Exp => Real::exp(a),
                        Function::Log => Real::log(a),
                        Function::Tanh => Real::tanh(a),
                        Function::Sigmoid => Real::sigmoid(a),
                    },
                );
            }),
            Op::Call(_) => {
                if self.get::<i64>(i.b) == 7 {
                    return Err(at);
                }
                self.set(i.to, called(self.get(i.a), self.get(i.b), self.get(i.c)));
            }
            Op::Step(touched) => {
                let operands = [i.a, i.b, i.c];
                let sum = (0..3)
                    .filter(|&n| touched.reads[n])
                    .fold(3i32, |sum, n| sum.wrapping_mul(5).wrapping_add(self.get::<i32>(operands[n])));
                match touched.writes {
                    Some(4) => self.set(i.to, sum),
                    Some(_) => self.set(i.to, i64::from(sum)),
                    None => {}
                }
                // Lists lose a row in a step.
                for n in touched.lists.into_iter().flatten() {
                    let list = &mut self.lists[n as usize];
                    list.bytes.truncate(list.bytes.len().saturating_sub(list.shape.size));
                }
            }
            Op::Jump => return Ok(aim),
            Op::JumpIf => return Ok(jump(self.get::<u8>(i.a) != 0)),
            Op::JumpUnless => return Ok(jump(self.get::<u8>(i.a) == 0)),
            Op::Branch { comparison, number, unless } => by_number!(number, T, {
                return Ok(jump(holds(comparison, self.get::<T>(i.a), self.get::<T>(i.b)) != unless));
            }),
            Op::Count { step, comparison, number, swapped } => by_number!(number, T, {
                let value = binary(step, self.get::<T>(i.to), self.get::<T>(i.c));
                self.set(i.to, value);
                let b = self.get::<T>(i.b);
                return Ok(jump(if swapped { holds(comparison, b, value) } else { holds(comparison, value, b) }));
            }),
            Op::Halt => {}
            Op::Push(size) => {
                let bytes = self.bytes(i.a, size);
                let list = &mut self.lists[i.to as usize].bytes;
                list.reserve_exact(bytes.len());
                list.extend_from_slice(&bytes);
            }
            Op::Pop(size) => {
                let list = &mut self.lists[i.a as usize];
                let bytes = match list.bytes.len().checked_sub(size as usize) {
                    Some(at_row) => list.bytes.split_off(at_row),
                    None if list.shape.open => vec![0; size as usize],
                    None => return Err(at),
                };
                self.set_bytes(i.to, &bytes);
            }
            Op::PushRow => {
                let list = &mut self.lists[i.to as usize].bytes;
                list.reserve_exact(3 * aim);
                list.resize(list.len() + aim, 0);
            }
            Op::PopRow => {
                let list = &mut self.lists[i.to as usize];
                if list.bytes.is_empty() && list.shape.open {
                    list.bytes.resize(aim, 0);
                }
                let Some(length) = list.bytes.len().checked_sub(aim) else { return Err(at) };
                list.bytes.truncate(length);
            }
            Op::PushCount => self.lists[i.to as usize].count += 1,
            Op::PopCount => {
                let list = &mut self.lists[i.to as usize];
                match list.count.checked_sub(1) {
                    Some(count) => list.count = count,
                    None if list.shape.open => {}
                    None => return Err(at),
                }
            }
            Op::Store(size) => {
                let bytes = self.bytes(i.a, size);
                let list = &mut self.lists[i.to as usize].bytes;
                let from = list.len() - aim;
                list[from..from + bytes.len()].copy_from_slice(&bytes);
            }
            Op::Load(size) => {
                let list = &self.lists[i.a as usize].bytes;
                // SAFETY: a row that was just taken still lies behind the others.
                let bytes = unsafe { std::slice::from_raw_parts(list.as_ptr().add(list.len() + aim), size as usize) };
                let bytes = bytes.to_vec();
                self.set_bytes(i.to, &bytes);
            }
        }
        Ok(at + 1)
    }
}

fn called(a: i64, b: i64, c: i64) -> i64 {
    a.wrapping_mul(b).wrapping_sub(c)
}

/// A vector loop for [`Op::Call`] on `i64`, which faults where `b` is 7.
pub unsafe fn wide_loop(n: usize, out: *mut u8, a: *const u8, b: *const u8, c: *const u8) -> bool {
    assert_eq!(n, 1);
    // SAFETY: one element each.
    unsafe {
        let [a, b, c] = [a, b, c].map(|operand| operand.cast::<i64>().read());
        out.cast::<i64>().write(called(a, b, c));
        b == 7
    }
}
