//! [`Rows`]: the compact form of a list whose items are numbers, packs of numbers, and such lists again.
//! The machine pushes and pops rows of bytes; everybody else sees them through [`List`] as tensors.

use super::layout::{Form, Layout, Leaf, Parts};
use crate::lists::List;
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::vector;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::sync::Arc;

/// A list in rows. Rows of one list lie behind each other, so that pushing seldom allocates and nothing is copied twice.
#[derive(Clone)]
pub(crate) struct Rows {
    pub(crate) layout: Arc<Layout>,
    pub(crate) len: usize,
    pub(crate) bytes: Vec<u8>,
    /// The lists of all rows, `layout.lists` for each; moved in and out, never copied.
    pub(crate) lists: Vec<Rows>,
    /// Before the first row there are others without end, all missing: the cotangent of a list through which nothing flows.
    pub(crate) open: bool,
}

/// One leaf of a value.
#[derive(Clone)]
pub(crate) enum Cell {
    Word(u64),
    List(Rows),
}

impl Rows {
    pub fn new(layout: Arc<Layout>, open: bool) -> Self {
        Self { layout, len: 0, bytes: Vec::new(), lists: Vec::new(), open }
    }

    /// The number of items, where it is known.
    pub fn len(&self) -> Option<usize> {
        (!self.open).then_some(self.len)
    }

    /// Makes it an empty list, in the memory it has.
    pub(crate) fn renew(&mut self, layout: &Arc<Layout>, open: bool) {
        if !Arc::ptr_eq(&self.layout, layout) {
            self.layout = layout.clone();
        }
        self.bytes.clear();
        self.lists.clear();
        (self.len, self.open) = (0, open);
    }

    /// The list, with an empty one left in its place.
    pub(crate) fn give_up(&mut self) -> Self {
        let empty = Self::new(self.layout.clone(), true);
        std::mem::replace(self, empty)
    }

    /// Room for `more` bytes at least.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow(&mut self, more: usize) {
        self.bytes.reserve(more.max(56));
    }

    /// The lists of a missing row.
    pub(crate) fn push_missing_lists(&mut self) {
        let layout = self.layout.clone();
        for leaf in &layout.leaves {
            if let Leaf::List(inner) = leaf {
                self.lists.push(Self::new(inner.clone(), true));
            }
        }
    }

    /// The value of the cells of an item.
    fn item(&self, cells: Vec<Cell>) -> Result<Option<Tensor>> {
        tensor_of(&self.layout.item, &mut cells.into_iter())
    }

    /// The last item as a tensor; an error if there is none.
    pub fn pop(&mut self) -> Result<Option<Tensor>> {
        if self.len == 0 {
            return if self.open { Ok(None) } else { Err(empty()) };
        }
        let cells = self.take_row();
        self.item(cells)
    }

    /// Item number `index` of a list that knows its length.
    pub fn get(&self, index: usize) -> Result<Option<Tensor>> {
        let row = &self.bytes[index * self.layout.bytes..][..self.layout.bytes];
        let lists = &self.lists[index * self.layout.lists..][..self.layout.lists];
        self.item(cells_of(&self.layout, row, lists.iter().cloned()))
    }

    /// All items as tensors.
    pub fn into_list(mut self) -> Result<List> {
        let mut items = Vec::with_capacity(self.len);
        while self.len > 0 {
            items.push(self.pop()?);
        }
        items.reverse();
        Ok(if self.open { List::Last(items) } else { List::Full(items) })
    }

    fn take_row(&mut self) -> Vec<Cell> {
        self.len -= 1;
        let lists = self.lists.split_off(self.len * self.layout.lists);
        let at = self.len * self.layout.bytes;
        let cells = cells_of(&self.layout, &self.bytes[at..], lists.into_iter());
        self.bytes.truncate(at);
        cells
    }

    fn push_row(&mut self, cells: Vec<Cell>) {
        for (leaf, cell) in self.layout.leaves.iter().zip(cells) {
            match cell {
                Cell::Word(bits) => self.bytes.extend_from_slice(&bits.to_le_bytes()[..leaf.size()]),
                Cell::List(rows) => self.lists.push(rows),
            }
        }
        self.len += 1;
    }

    /// The list in rows, if all items have the form of the layout; see [`fits`].
    fn from_list(layout: &Arc<Layout>, list: List) -> Result<Self> {
        let (items, open) = match list {
            List::Compact(rows) if rows.layout == *layout => return Ok(rows),
            List::Compact(rows) => (Vec::new(), rows.open),
            List::Full(items) => (items, false),
            List::Last(items) => (items, true),
            List::Few { .. } | List::First(_) => return Err(Error::internal("while", "a list of few items in rows")),
        };
        let mut rows = Self::new(layout.clone(), open);
        for item in items {
            let mut cells = Vec::new();
            cells_from(&layout.item, item, &mut cells)?;
            rows.push_row(cells);
        }
        Ok(rows)
    }
}

#[cold]
pub(crate) fn empty() -> Error {
    Error::out_of_range("list_pop", "the list is empty")
}

fn cells_of(layout: &Layout, row: &[u8], lists: impl Iterator<Item = Rows>) -> Vec<Cell> {
    let mut lists = lists;
    let mut cells = Vec::with_capacity(layout.leaves.len());
    for (leaf, &at) in layout.leaves.iter().zip(&layout.places) {
        match leaf {
            Leaf::Word(dtype) => {
                let mut bits = [0; 8];
                bits[..dtype.size()].copy_from_slice(&row[at..at + dtype.size()]);
                cells.push(Cell::Word(u64::from_le_bytes(bits)));
            }
            Leaf::List(_) => cells.extend(lists.next().map(Cell::List)),
        }
    }
    cells
}

/// A scalar tensor of these bits.
pub(crate) fn number(dtype: DType, bits: u64) -> Result<Tensor> {
    let out = Tensor::uninit(&TensorType::scalar(dtype))?;
    // SAFETY: a fresh scalar of this dtype.
    unsafe { vector::fill(dtype.size(), out.data(), bits, 1) };
    Ok(out)
}

/// The value of these cells, or none if it is missing.
pub(crate) fn tensor_of(form: &Form, cells: &mut impl Iterator<Item = Cell>) -> Result<Option<Tensor>> {
    let parts = match form {
        Form::Number(dtype) => {
            return match cells.next() {
                Some(Cell::Word(bits)) => number(*dtype, bits).map(Some),
                _ => Err(Error::internal("while", "a number is missing")),
            };
        }
        Form::Variant(parts) => parts,
    };
    let mut tag = 1;
    if parts.tagged()
        && let Some(Cell::Word(bits)) = cells.next()
    {
        // The rest of the register may be of another value.
        tag = bits & 0xff;
    }
    let mut value = None;
    if parts.list.is_some()
        && let Some(Cell::List(rows)) = cells.next()
    {
        value = (tag == parts.list_tag()).then(|| List::Compact(rows));
    }
    for (i, pack) in parts.packs.iter().enumerate() {
        let mut items = Vec::new();
        for item in pack {
            items.push(tensor_of(item, cells)?);
        }
        if tag == parts.pack_tag(i) {
            value = Some(List::Full(items));
        }
    }
    Ok(value.map(List::into_tensor))
}

/// Whether a value can be spread over the cells of a form.
pub(crate) fn fits(form: &Form, item: Option<&Tensor>) -> bool {
    let Some(tensor) = item else { return form.takes_missing() };
    match form {
        Form::Number(dtype) => {
            tensor.dtype() == *dtype && tensor.rank() == 0 && !tensor.is_symbol() && !tensor.is_away()
        }
        Form::Variant(parts) => tensor.as_object::<List>().is_some_and(|list| part_of(parts, list).is_some()),
    }
}

/// Which part of a variant a list is.
enum Part {
    List,
    Pack(usize),
    Missing,
}

fn part_of(parts: &Parts, list: &List) -> Option<Part> {
    let items = match list {
        List::Compact(rows) => {
            let same = |layout: &Arc<Layout>| {
                (rows.len == 0 || rows.layout == *layout) && (!rows.open || layout.item.takes_missing())
            };
            return parts.list.as_ref().is_some_and(same).then_some(Part::List);
        }
        List::Few { .. } | List::First(_) => return None,
        List::Last(items) if items.is_empty() => return parts.takes_missing().then_some(Part::Missing),
        List::Full(items) | List::Last(items) => items,
    };
    let exact = matches!(list, List::Full(_));
    let holds =
        |l: &Arc<Layout>| (exact || l.item.takes_missing()) && items.iter().all(|item| fits(&l.item, item.as_ref()));
    let as_list = parts.list.as_ref().is_some_and(holds);
    let is_pack = |pack: &&Vec<Form>| {
        let mut pairs = pack.iter().rev().zip(items.iter().rev());
        (pack.len() == items.len() || (!exact && items.len() < pack.len())) && pairs.all(|(f, i)| fits(f, i.as_ref()))
    };
    let mut packs = (0..parts.packs.len()).filter(|&i| is_pack(&&parts.packs[i]));
    match (as_list, packs.next(), packs.next()) {
        (true, None, None) => Some(Part::List),
        (false, Some(i), None) => Some(Part::Pack(i)),
        _ => None,
    }
}

/// Spreads a value over the cells of its form.
pub(crate) fn cells_from(form: &Form, item: Option<Tensor>, cells: &mut Vec<Cell>) -> Result<()> {
    let parts = match (form, &item) {
        (Form::Number(dtype), Some(tensor)) => {
            // SAFETY: a scalar of this dtype, as `fits` saw.
            cells.push(Cell::Word(unsafe { vector::load_bits(dtype.size(), tensor.data()) }));
            return Ok(());
        }
        (Form::Number(_), None) => {
            cells.push(Cell::Word(0));
            return Ok(());
        }
        (Form::Variant(parts), _) => parts,
    };
    let list = item.map(|tensor| List::take(tensor, "while")).transpose()?;
    let part = match &list {
        None => Part::Missing,
        Some(list) => part_of(parts, list).ok_or_else(|| Error::internal("while", "a list of another form"))?,
    };
    if parts.tagged() {
        cells.push(Cell::Word(match part {
            Part::List => parts.list_tag(),
            Part::Pack(i) => parts.pack_tag(i),
            Part::Missing => 0,
        }));
    }
    let mut list = list;
    if let Some(layout) = &parts.list {
        cells.push(Cell::List(match (&part, list.take_if(|_| matches!(part, Part::List))) {
            (Part::List, Some(list)) => Rows::from_list(layout, list)?,
            _ => Rows::new(layout.clone(), true),
        }));
    }
    for (i, pack) in parts.packs.iter().enumerate() {
        let mut items = match (&part, list.take_if(|_| matches!(part, Part::Pack(n) if n == i))) {
            (Part::Pack(_), Some(List::Full(items) | List::Last(items))) => items,
            _ => Vec::new(),
        };
        let absent = pack.len().saturating_sub(items.len());
        drop(items.splice(0..0, std::iter::repeat_n(None, absent)));
        for (form, item) in pack.iter().zip(items) {
            cells_from(form, item, cells)?;
        }
    }
    Ok(())
}
