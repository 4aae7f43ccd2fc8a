//! Which slot of a tape stands for a tensor, by the tensor's id: a table that a new tape empties in one step.
//! The tape's notes look every operand of every operation up here.

/// The number of a tensor that no tape slot stands for.
pub(crate) const UNTRACKED: u32 = u32::MAX;

/// One place of the table; it is taken only if it has the generation in force.
#[derive(Clone, Copy, Default)]
struct SlotEntry {
    id: u64,
    slot: u32,
    generation: u32,
}

/// Open addressing over a power of two of places, at most half of them taken.
#[derive(Default)]
pub(crate) struct Slots {
    table: Vec<SlotEntry>,
    taken: usize,
    /// Counts the tapes that used the table; 0 is that of places never written.
    generation: u32,
}

/// Places of the smallest table.
const LEAST: usize = 64;

impl Slots {
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// The place of an id, or the free one where it would go. The table is not empty.
    #[inline]
    fn place(&self, id: u64) -> usize {
        let mask = self.table.len() - 1;
        // Ids mostly follow each other: one multiplication spreads them evenly over the upper bits.
        let mut at = (id.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        while self.table[at].generation == self.generation && self.table[at].id != id {
            at = (at + 1) & mask;
        }
        at
    }

    /// The slot of an id, or [`UNTRACKED`].
    #[inline]
    pub fn find(&self, id: u64) -> u32 {
        if self.taken == 0 {
            return UNTRACKED;
        }
        let place = &self.table[self.place(id)];
        if place.generation == self.generation { place.slot } else { UNTRACKED }
    }

    /// The slot of an id; `fresh` becomes its slot if it has none.
    #[inline]
    pub fn find_or(&mut self, id: u64, fresh: u32) -> u32 {
        if self.taken * 2 >= self.table.len() {
            self.grow();
        }
        let at = self.place(id);
        let place = &mut self.table[at];
        if place.generation != self.generation {
            *place = SlotEntry { id, slot: fresh, generation: self.generation };
            self.taken += 1;
        }
        place.slot
    }

    #[cold]
    fn grow(&mut self) {
        self.generation = self.generation.max(1);
        let larger = vec![SlotEntry::default(); (self.table.len() * 2).max(LEAST)];
        let old = std::mem::replace(&mut self.table, larger);
        for place in old.into_iter().filter(|p| p.generation == self.generation) {
            let at = self.place(place.id);
            self.table[at] = place;
        }
    }

    /// Forgets the slots from `first` on.
    pub fn forget_from(&mut self, first: u32) {
        let old = self.table.clone();
        self.table.fill(SlotEntry::default());
        self.taken = 0;
        for place in old.into_iter().filter(|p| p.generation == self.generation && p.slot < first) {
            let at = self.place(place.id);
            self.table[at] = place;
            self.taken += 1;
        }
    }

    /// Forgets all slots. The table stays unless it is much larger than what was in it.
    pub fn clear(&mut self) {
        if self.table.len() > 16 * self.taken + 4096 {
            self.table = Vec::new();
        }
        self.taken = 0;
        self.generation = match self.generation.checked_add(1) {
            Some(next) => next,
            None => {
                self.table.fill(SlotEntry::default());
                1
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{SlotEntry, Slots, UNTRACKED};

    #[test]
    fn ids_keep_their_first_slot_through_growth() {
        let mut slots = Slots::default();
        assert!(slots.is_empty() && slots.find(7) == UNTRACKED);
        // Runs of ids from several threads, which agree in their lower bits.
        let ids = (0..4000u64).map(|i| ((i % 4) << 20) | (i / 4));
        for (slot, id) in (0..).zip(ids.clone()) {
            assert_eq!((slots.find(id), slots.find_or(id, slot), slots.find_or(id, 9999)), (UNTRACKED, slot, slot));
        }
        assert!((0..).zip(ids).all(|(slot, id)| slots.find(id) == slot));
    }

    #[test]
    fn slots_that_are_forgotten_leave_the_others() {
        let mut slots = Slots::default();
        slots.forget_from(0);
        (0..1000).for_each(|slot| _ = slots.find_or(u64::from(slot) * 3, slot));
        slots.forget_from(400);
        assert_eq!(slots.taken, 400);
        assert!((0..1000).all(|slot| slots.find(u64::from(slot) * 3) == if slot < 400 { slot } else { UNTRACKED }));
        assert_eq!((slots.find_or(1200, 7), slots.find_or(0, 7)), (7, 0));
    }

    #[test]
    fn an_emptied_table_knows_nothing_of_before_also_when_generations_run_out() {
        let mut slots = Slots::default();
        for _ in 0..3 {
            slots.find_or(1, 5);
            slots.clear();
            assert!(slots.is_empty() && slots.find(1) == UNTRACKED);
        }
        slots.generation = u32::MAX;
        slots.find_or(2, 6);
        slots.clear();
        assert_eq!((slots.find(2), slots.generation), (UNTRACKED, 1));
        slots.find_or(3, 1);
        assert_eq!((slots.find(2), slots.find(3)), (UNTRACKED, 1));
        assert!(slots.table.len() * size_of::<SlotEntry>() <= 4096);
    }
}
