//! Finds the [`Form`] of every value of a loop: whether it is a number, what the items of a list are, which packs meet.
//! Packs say what is in them where they are made, where they are taken apart, or through the list that comes in.

use crate::lists::layout::{Form, Layout, Parts};
use crate::tensor::TensorType;
use kernels::dtype::DType;

/// The number of an unknown.
pub(super) type Id = usize;

pub(super) enum Content {
    /// Nothing was said yet; at the end, a missing value.
    Unknown,
    Number(DType),
    /// `optional` if it may be missing.
    Variant {
        list: Option<Id>,
        packs: Vec<Pack>,
        optional: bool,
    },
    Same(Id),
}

#[derive(Clone)]
pub(super) struct Pack {
    /// The dtypes of the items, by which packs are told apart.
    pub key: Vec<DType>,
    pub items: Vec<Id>,
}

/// Collects what is known. Every method answers `None` where a loop cannot be one over numbers.
#[derive(Default)]
pub(super) struct Forms {
    pub(super) contents: Vec<Content>,
    /// Items taken out of packs by their number: pack, number, dtype, item.
    pub(super) taken: Vec<(Id, usize, DType, Id)>,
}

/// Loops nested deeper, or packs in packs, are no longer worth unrolling into registers.
pub(super) const MOST_DEPTH: usize = 12;
/// Nodes of all bodies together.
pub(super) const MOST_NODES: usize = 4000;

impl Forms {
    pub(super) fn fresh(&mut self, content: Content) -> Id {
        self.contents.push(content);
        self.contents.len() - 1
    }

    fn find(&self, mut id: Id) -> Id {
        while let Content::Same(next) = self.contents[id] {
            id = next;
        }
        id
    }

    /// The unknown of an item that may be missing.
    pub fn of_dtype(&mut self, dtype: DType) -> Id {
        self.fresh(match dtype {
            DType::Variant => Content::Variant { list: None, packs: Vec::new(), optional: true },
            _ => Content::Number(dtype),
        })
    }

    /// The unknown of a new value.
    pub fn of_type(&mut self, ty: &TensorType) -> Option<Id> {
        let content = match ty.dtype {
            DType::Variant => Content::Variant { list: None, packs: Vec::new(), optional: false },
            DType::Resource | DType::String => return None,
            // Registers hold one real number each.
            _ if ty.shape.rank() == 0 && !ty.dtype.is_complex() => Content::Number(ty.dtype),
            _ => return None,
        };
        Some(self.fresh(content))
    }

    /// The unknown of a value that comes in, of which the layout is known if it is a list.
    pub fn of_form(&mut self, form: &Form) -> Id {
        match form {
            Form::Number(dtype) => self.fresh(Content::Number(*dtype)),
            Form::Variant(parts) => {
                let list = parts.list.as_ref().map(|layout| self.of_form(&layout.item));
                let packs = parts.packs.iter().map(|pack| {
                    let items: Vec<Id> = pack.iter().map(|item| self.of_form(item)).collect();
                    let dtype = |item: &Form| match item {
                        Form::Number(dtype) => *dtype,
                        Form::Variant(_) => DType::Variant,
                    };
                    Pack { key: pack.iter().map(dtype).collect(), items }
                });
                let packs = packs.collect();
                self.fresh(Content::Variant { list, packs, optional: parts.optional })
            }
        }
    }

    pub fn unify(&mut self, a: Id, b: Id) -> Option<()> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Some(());
        }
        match (&self.contents[a], &self.contents[b]) {
            (Content::Unknown, _) => self.contents[a] = Content::Same(b),
            (_, Content::Unknown) => self.contents[b] = Content::Same(a),
            (Content::Number(x), Content::Number(y)) if x == y => self.contents[b] = Content::Same(a),
            (Content::Variant { .. }, Content::Variant { .. }) => {
                let Content::Variant { list, packs, optional } =
                    std::mem::replace(&mut self.contents[b], Content::Same(a))
                else {
                    return None;
                };
                if optional {
                    self.may_miss(a);
                }
                if let Some(item) = list {
                    self.list_of(a, item)?;
                }
                for pack in packs {
                    self.pack_of(a, pack)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// The value may be missing; answers whether that is news of a variant.
    pub(super) fn may_miss(&mut self, id: Id) -> bool {
        let id = self.find(id);
        match &mut self.contents[id] {
            Content::Variant { optional, .. } => !std::mem::replace(optional, true),
            _ => false,
        }
    }

    /// `list` may be a list of `item`s.
    pub(super) fn list_of(&mut self, list: Id, item: Id) -> Option<()> {
        let list = self.find(list);
        match &mut self.contents[list] {
            Content::Variant { list: Some(known), .. } => {
                let known = *known;
                self.unify(known, item)
            }
            Content::Variant { list, .. } => {
                *list = Some(item);
                Some(())
            }
            Content::Unknown => {
                self.contents[list] = Content::Variant { list: Some(item), packs: Vec::new(), optional: false };
                Some(())
            }
            _ => None,
        }
    }

    /// The items of the list `list`.
    pub(super) fn item_of(&mut self, list: Id) -> Option<Id> {
        let item = self.fresh(Content::Unknown);
        self.list_of(list, item)?;
        Some(item)
    }

    /// `id` may be this pack.
    pub(super) fn pack_of(&mut self, id: Id, pack: Pack) -> Option<()> {
        let id = self.find(id);
        if let Content::Unknown = self.contents[id] {
            self.contents[id] = Content::Variant { list: None, packs: Vec::new(), optional: false };
        }
        let Content::Variant { packs, .. } = &mut self.contents[id] else { return None };
        match packs.iter().find(|known| known.key == pack.key) {
            None => {
                packs.push(pack);
                Some(())
            }
            Some(known) => {
                let items = known.items.clone();
                items.into_iter().zip(pack.items).try_for_each(|(a, b)| self.unify(a, b))
            }
        }
    }

    /// Joins items taken by number with the packs they come from.
    pub fn finish(&mut self) -> Option<()> {
        for (pack, index, dtype, item) in std::mem::take(&mut self.taken) {
            let pack = self.find(pack);
            let Content::Variant { packs, .. } = &self.contents[pack] else { continue };
            let mut found = packs.iter().filter(|p| p.key.get(index) == Some(&dtype));
            if let Some(from) = found.next() {
                let known = from.items[index];
                if found.next().is_some() {
                    return None;
                }
                self.unify(known, item)?;
            } else {
                self.may_miss(item);
            }
        }
        self.spread_missing();
        Some(())
    }

    /// What is in a missing value is missing.
    fn spread_missing(&mut self) {
        loop {
            let mut inside: Vec<Id> = Vec::new();
            for content in &self.contents {
                if let Content::Variant { list, packs, optional: true } = content {
                    inside.extend(list.iter().chain(packs.iter().flat_map(|pack| &pack.items)));
                }
            }
            if !inside.into_iter().fold(false, |news, id| self.may_miss(id) | news) {
                break;
            }
        }
    }

    /// The form of a value, when all is known.
    pub fn form(&self, id: Id) -> Option<Form> {
        self.form_at(id, 0)
    }

    fn form_at(&self, id: Id, depth: usize) -> Option<Form> {
        if depth > MOST_DEPTH {
            return None;
        }
        match &self.contents[self.find(id)] {
            Content::Unknown | Content::Same(_) => Some(Form::Variant(Parts::default())),
            Content::Number(dtype) => Some(Form::Number(*dtype)),
            // A list that began as a pack of items: its registers would be neither's.
            Content::Variant { list: Some(_), packs, .. } if !packs.is_empty() => None,
            Content::Variant { list, packs, optional } => {
                let list = match list {
                    Some(item) => Some(Layout::new(self.form_at(*item, depth + 1)?)),
                    None => None,
                };
                let mut sorted: Vec<&Pack> = packs.iter().collect();
                sorted.sort_by_key(|pack| sort_key(&pack.key));
                let forms = |pack: &&Pack| pack.items.iter().map(|&item| self.form_at(item, depth + 1)).collect();
                let packs = sorted.iter().map(forms).collect::<Option<Vec<Vec<Form>>>>()?;
                let optional = *optional && !packs.is_empty();
                Some(Form::Variant(Parts { list, packs, optional }))
            }
        }
    }

    /// The number of the pack of these dtypes among a variant's, as [`Forms::form`] sorts them.
    pub fn pack_index(&self, id: Id, key: &[DType]) -> Option<usize> {
        let Content::Variant { packs, .. } = &self.contents[self.find(id)] else { return None };
        let mut sorted: Vec<&Pack> = packs.iter().collect();
        sorted.sort_by_key(|pack| sort_key(&pack.key));
        sorted.iter().position(|pack| pack.key == key)
    }

    /// The number of the pack that has an item of this dtype at `index`.
    pub fn pack_with(&self, id: Id, index: usize, dtype: DType) -> Option<usize> {
        let Content::Variant { packs, .. } = &self.contents[self.find(id)] else { return None };
        let mut sorted: Vec<&Pack> = packs.iter().collect();
        sorted.sort_by_key(|pack| sort_key(&pack.key));
        sorted.iter().position(|pack| pack.key.get(index) == Some(&dtype))
    }
}

fn sort_key(key: &[DType]) -> (usize, Vec<u8>) {
    (key.len(), key.iter().map(|&d| d as u8).collect())
}
