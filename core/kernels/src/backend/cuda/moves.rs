//! Places of captured work that lie elsewhere in each call: kernels are given the new addresses, so that large operands and
//! results need no copies. `capture.rs` notes every launch while work is recorded, and sets the addresses before a start.

use super::call::Arguments;
use super::driver::{self, Address, Function, Graph, Grid, Node, Recorded, Stream};
use super::gpu::Gpu;
use crate::error::Result;
use std::collections::HashMap;
use std::ffi::c_void;

/// Memory that a call may have elsewhere: its first byte while work is recorded, and its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub address: Address,
    pub bytes: usize,
}

impl Place {
    fn holds(&self, word: u64) -> bool {
        word >= self.address && word - self.address < self.bytes as u64
    }
}

/// What was met while work was recorded.
#[derive(Default)]
pub(super) struct Noted {
    launches: Vec<Launch>,
    /// Addresses that something else than a kernel's argument holds, and how many launches were before it.
    fixed: Vec<(usize, Address)>,
    /// Memory that was taken meanwhile: how many launches were before it, and the bytes that were asked for.
    born: HashMap<Address, (usize, usize)>,
}

/// A kernel of recorded work, with its arguments.
struct Launch {
    node: Node,
    function: Function,
    grid: Grid,
    words: Vec<u64>,
    starts: Vec<u16>,
    /// The words that are numbers, whatever they look like.
    numbers: Vec<u16>,
}

impl Noted {
    /// A kernel was queued; one whose node cannot be changed, because it lies in a body, has none.
    pub fn launch(&mut self, node: Option<Node>, function: Function, grid: Grid, arguments: &Arguments) {
        let (words, starts, numbers) = arguments.parts();
        match node {
            Some(node) => self.launches.push(Launch { node, function, grid, words, starts, numbers }),
            None => words.iter().for_each(|&word| self.fix(word)),
        }
    }

    /// Something else than a kernel was given an address.
    pub fn fix(&mut self, address: Address) {
        self.fixed.push((self.launches.len(), address));
    }

    /// Memory was taken for so many bytes.
    pub fn take(&mut self, address: Address, bytes: usize) {
        self.born.insert(address, (self.launches.len(), bytes));
    }
}

/// Places of recorded work, and the kernels that are given their addresses.
#[derive(Default)]
pub(super) struct Moves {
    /// Those that can lie elsewhere.
    places: Vec<Option<Moving>>,
    launches: Vec<Launch>,
}

struct Moving {
    now: Address,
    /// Launch, word, and how far behind the place's first byte it points.
    uses: Vec<(usize, usize, u64)>,
}

/// Kernels that are told of a place, beside one for each MiB of it: telling more of them takes longer than a copy. The driver takes
/// nearly half a microsecond for one (NVIDIA H200).
const MOST_USES: usize = 8;

impl Moves {
    /// Of `places`, the first so many of which were there before, those that kernels alone are given. Others were taken meanwhile,
    /// as a whole.
    pub fn new(noted: Noted, places: &[Place], before: usize) -> Self {
        let Noted { launches, fixed, born } = noted;
        let mut found: Vec<Option<Moving>> = Vec::new();
        for (i, place) in places.iter().enumerate() {
            let from = match born.get(&place.address) {
                _ if i < before => Some(0),
                Some(&(from, bytes)) if bytes == place.bytes => Some(from),
                _ => None,
            };
            let free = |from: &usize| !fixed.iter().any(|&(at, address)| at >= *from && place.holds(address));
            let worth = |moving: &Moving| moving.uses.len() <= MOST_USES + (place.bytes >> 20);
            found.push(
                from.filter(free)
                    .map(|from| {
                        let of = |(l, launch): (usize, &Launch)| {
                            launch.uses(place).map(move |(w, far)| (l, w, far)).collect::<Vec<_>>()
                        };
                        let uses = launches.iter().enumerate().skip(from).flat_map(of).collect();
                        Moving { now: place.address, uses }
                    })
                    .filter(worth),
            );
        }
        let mut moves = Self { places: found, launches };
        moves.forget_others();
        moves
    }

    /// Drops launches that no place needs.
    fn forget_others(&mut self) {
        let mut kept: Vec<Option<usize>> = vec![None; self.launches.len()];
        let uses = || self.places.iter().flatten().flat_map(|place| &place.uses);
        uses().for_each(|&(launch, ..)| kept[launch] = Some(0));
        let mut next = 0;
        for new in kept.iter_mut().flatten() {
            (*new, next) = (next, next + 1);
        }
        let mut at = kept.iter();
        self.launches.retain(|_| at.next().is_some_and(Option::is_some));
        for place in self.places.iter_mut().flatten() {
            place.uses.iter_mut().for_each(|(launch, ..)| *launch = kept[*launch].unwrap_or(0));
        }
    }

    /// Whether a place can lie elsewhere.
    pub fn moves(&self, place: usize) -> bool {
        self.places[place].is_some()
    }

    /// Whether any place can.
    pub fn any(&self) -> bool {
        self.places.iter().any(Option::is_some)
    }

    /// Gives the kernels of later starts new addresses, one for each place.
    ///
    /// # Safety
    /// The addresses hold what the places are for in the order of the stream.
    pub unsafe fn set(&mut self, recorded: Recorded, to: &[Address]) -> driver::Answer<()> {
        let mut changed: Vec<usize> = Vec::new();
        for (place, &to) in self.places.iter_mut().zip(to) {
            let Some(place) = place.as_mut().filter(|place| place.now != to) else { continue };
            for &(launch, word, far) in &place.uses {
                self.launches[launch].words[word] = to + far;
                changed.push(launch);
            }
            place.now = to;
        }
        changed.sort_unstable();
        changed.dedup();
        for launch in changed {
            let Launch { node, function, grid, words, starts, .. } = &mut self.launches[launch];
            let base = words.as_mut_ptr();
            let mut pointers: Vec<*mut c_void> =
                starts.iter().map(|&start| base.wrapping_add(start as usize).cast()).collect();
            // SAFETY: the arguments are those that the kernel was recorded with, but for addresses, by the caller's promise.
            let answer = unsafe { driver::set_launch(recorded, *node, *function, *grid, &mut pointers) };
            if answer.is_err() {
                // Which kernels know their addresses is not known now: the next start tells all of them.
                self.places.iter_mut().flatten().for_each(|place| place.now = 0);
                return answer;
            }
        }
        Ok(())
    }
}

impl Launch {
    /// The words that point into a place, and how far behind its first byte.
    fn uses(&self, place: &Place) -> impl Iterator<Item = (usize, u64)> {
        let (place, numbers) = (*place, &self.numbers);
        let points = move |(w, word): (usize, &u64)| {
            (place.holds(*word) && !numbers.contains(&(w as u16))).then(|| (w, word - place.address))
        };
        self.words.iter().enumerate().filter_map(points)
    }
}

/// The node of what a stream recorded last, if the work lies in no body; for [`Noted::launch`].
pub(super) fn last_node(gpu: &Gpu, stream: Stream, depth: usize) -> Result<Option<Node>> {
    match depth {
        0 => driver::last_node(stream).map(Some).map_err(|e| gpu.failed("graph", &e)),
        _ => Ok(None),
    }
}

/// The graph that nodes belong to, as long as they may be changed.
pub(super) struct Kept(pub Graph);

impl Drop for Kept {
    fn drop(&mut self) {
        driver::discard(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(words: &[&[u64]]) -> Noted {
        let mut noted = Noted::default();
        for (i, words) in words.iter().enumerate() {
            let starts = (0..words.len() as u16).collect();
            let grid = Grid { blocks: [1; 3], threads: [1; 3], shared: 0 };
            noted.launches.push(Launch {
                node: Node(i),
                function: Function::NONE,
                grid,
                words: words.to_vec(),
                starts,
                numbers: vec![2],
            });
        }
        noted
    }

    #[test]
    fn kernels_that_are_given_a_place_are_found() {
        let moves = Moves::new(
            noted(&[&[7, 1000], &[5], &[1010, 1099, 1050], &[1100]]),
            &[Place { address: 1000, bytes: 100 }],
            1,
        );
        let place = moves.places[0].as_ref().unwrap();
        // The last of three is a number, and the last launch is beyond the end.
        assert_eq!(place.uses, [(0, 1, 0), (1, 0, 10), (1, 1, 99)]);
        assert_eq!(moves.launches.len(), 2);
    }

    #[test]
    fn memory_that_is_used_otherwise_stays() {
        let place = Place { address: 1000, bytes: 100 };
        let mut fixed = noted(&[&[1000]]);
        fixed.fix(1040);
        assert!(!Moves::new(fixed, &[place], 1).moves(0));
        // Memory that was taken before, or for more bytes, or is no whole block.
        assert!(!Moves::new(noted(&[&[1000]]), &[place], 0).moves(0));
        let mut larger = noted(&[&[1000]]);
        larger.take(1000, 200);
        assert!(!Moves::new(larger, &[place], 0).moves(0));
    }

    /// What was at an address before the memory was taken is somebody else's.
    #[test]
    fn earlier_uses_of_the_same_memory_stay() {
        let launch = |words: &[u64]| Launch { words: words.to_vec(), ..Launch::empty() };
        let mut noted = noted(&[&[1000]]);
        noted.fix(1000);
        noted.launches.push(launch(&[3]));
        noted.take(1000, 100);
        noted.launches.push(launch(&[9, 1000]));
        let moves = Moves::new(noted, &[Place { address: 1000, bytes: 100 }], 0);
        assert_eq!(moves.places[0].as_ref().unwrap().uses, [(0, 1, 0)]);
    }

    impl Launch {
        fn empty() -> Self {
            let grid = Grid { blocks: [1; 3], threads: [1; 3], shared: 0 };
            Self { node: Node(0), function: Function::NONE, grid, words: vec![], starts: vec![], numbers: vec![] }
        }
    }
}
