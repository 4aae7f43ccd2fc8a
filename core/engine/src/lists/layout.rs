//! What the values of a scalar loop are made of: numbers, lists and packs, and how the items of a list lie in a row.
//! The compiler spreads a value over registers by its [`Form`]; [`Rows`](super::rows::Rows) keep items by their [`Layout`].

use kernels::dtype::DType;
use std::sync::Arc;

/// The structure of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Number(DType),
    Variant(Parts),
}

/// What a value of dtype `variant` may be. Branches may give different packs; which one it is says a tag.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Parts {
    /// A list of items of one form.
    pub list: Option<Arc<Layout>>,
    /// Packs of different item dtypes.
    pub packs: Vec<Vec<Form>>,
    /// Instead of a pack it may be missing, as the cotangent of a branch that did not run.
    pub optional: bool,
}

/// One register's worth of a value.
#[derive(Clone, Debug)]
pub(crate) enum Leaf {
    Word(DType),
    List(Arc<Layout>),
}

impl Leaf {
    /// Bytes of a word.
    pub fn size(&self) -> usize {
        match self {
            Self::Word(dtype) => dtype.size(),
            Self::List(_) => 0,
        }
    }
}

impl Parts {
    /// Whether a tag, 0 for a missing value and else one more than the part's number, comes before the leaves.
    pub fn tagged(&self) -> bool {
        self.packs.len() + usize::from(self.list.is_some() || self.optional) > 1
    }

    /// Whether a missing value of this structure can be told from one that is there. A missing list is an open one.
    pub fn takes_missing(&self) -> bool {
        (self.packs.is_empty() || self.tagged()) && self.list.as_ref().is_none_or(|list| list.item.takes_missing())
    }

    /// The tag of the list, if there is a tag.
    pub fn list_tag(&self) -> u64 {
        1
    }

    /// The tag of pack number `index`.
    pub fn pack_tag(&self, index: usize) -> u64 {
        index as u64 + 1 + u64::from(self.list.is_some())
    }

    /// Where the leaves of the list begin.
    pub fn list_start(&self) -> usize {
        usize::from(self.tagged())
    }

    /// Where the leaves of pack number `index` begin.
    pub fn pack_start(&self, index: usize) -> usize {
        let before: usize = self.packs[..index].iter().flatten().map(Form::width).sum();
        self.list_start() + usize::from(self.list.is_some()) + before
    }
}

impl Form {
    /// The number of leaves.
    pub fn width(&self) -> usize {
        match self {
            Self::Number(_) => 1,
            Self::Variant(parts) => {
                let packs: usize = parts.packs.iter().flatten().map(Self::width).sum();
                parts.list_start() + usize::from(parts.list.is_some()) + packs
            }
        }
    }

    /// Whether a missing value of this form can be told from one that is there, where that matters.
    pub fn takes_missing(&self) -> bool {
        match self {
            Self::Number(_) => true,
            Self::Variant(parts) => parts.takes_missing(),
        }
    }

    /// The leaves, in order.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut all = Vec::new();
        self.collect(&mut all);
        all
    }

    fn collect(&self, all: &mut Vec<Leaf>) {
        match self {
            Self::Number(dtype) => all.push(Leaf::Word(*dtype)),
            Self::Variant(parts) => {
                all.extend(parts.tagged().then_some(Leaf::Word(DType::U8)));
                all.extend(parts.list.iter().cloned().map(Leaf::List));
                parts.packs.iter().flatten().for_each(|form| form.collect(all));
            }
        }
    }
}

/// How the items of a list lie: a row of bytes each, and as many lists as an item holds.
#[derive(Debug)]
pub(crate) struct Layout {
    pub item: Form,
    pub leaves: Vec<Leaf>,
    /// For each leaf, where it lies in the row; for a list, its number.
    pub places: Vec<usize>,
    /// Bytes of a row.
    pub bytes: usize,
    /// Lists of a row.
    pub lists: usize,
}

impl Layout {
    pub fn new(item: Form) -> Arc<Self> {
        let leaves = item.leaves();
        let (mut bytes, mut lists) = (0, 0);
        let places = leaves.iter().map(|leaf| {
            let counter = if let Leaf::List(_) = leaf { &mut lists } else { &mut bytes };
            let at = *counter;
            *counter += leaf.size().max(usize::from(matches!(leaf, Leaf::List(_))));
            at
        });
        let places = places.collect();
        Arc::new(Self { item, leaves, places, bytes, lists })
    }
}

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.item == other.item
    }
}

impl Eq for Layout {}
