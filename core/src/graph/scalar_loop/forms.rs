//! Finds the [`Form`] of every value of a loop: whether it is a number, what the items of a list are, which packs meet.
//! Packs say what is in them where they are made, where they are taken apart, or through the list that comes in.

use super::layout::{Form, Layout, Parts};
use crate::dtype::DType;
use crate::graph::control::list::List;
use crate::graph::control::list_ops::ListOp;
use crate::graph::ir::{Graph, Node, Value};
use crate::op::{Flow, Kind};
use crate::scalar::program_of;
use crate::tensor::TensorType;
use smallvec::SmallVec;

/// The number of an unknown.
pub(super) type Id = usize;

enum Content {
    /// Nothing was said yet; at the end, a missing value.
    Unknown,
    Number(DType),
    Variant {
        list: Option<Id>,
        packs: Vec<Pack>,
    },
    Same(Id),
}

#[derive(Clone)]
struct Pack {
    /// The dtypes of the items; `None` for an item that was left out.
    key: Vec<Option<DType>>,
    items: Vec<Id>,
    /// An item was left out in one of the packs that are taken for the same.
    partial: bool,
}

/// One use of a graph, with the unknowns of its values and the uses of graphs inside it.
pub(super) struct Scope<'g> {
    pub graph: &'g Graph,
    pub ids: Vec<Id>,
    /// For each node, its bodies.
    pub inner: Vec<Vec<Scope<'g>>>,
}

/// Collects what is known. Every method answers `None` where a loop cannot be one over numbers.
#[derive(Default)]
pub(super) struct Forms {
    contents: Vec<Content>,
    /// Items taken out of packs by their number: pack, number, dtype, item.
    taken: Vec<(Id, usize, DType, Id)>,
}

/// Loops nested deeper, or packs in packs, are no longer worth unrolling into registers.
const MOST_DEPTH: usize = 12;
/// Nodes of all bodies together.
const MOST_NODES: usize = 4000;

impl Forms {
    fn fresh(&mut self, content: Content) -> Id {
        self.contents.push(content);
        self.contents.len() - 1
    }

    fn find(&self, mut id: Id) -> Id {
        while let Content::Same(next) = self.contents[id] {
            id = next;
        }
        id
    }

    /// The unknown of a new value.
    pub fn of_type(&mut self, ty: &TensorType) -> Option<Id> {
        let content = match ty.dtype {
            DType::Variant => Content::Variant { list: None, packs: Vec::new() },
            DType::Resource => return None,
            _ if ty.shape.rank() == 0 => Content::Number(ty.dtype),
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
                    Pack { key: pack.iter().map(|item| Some(dtype(item))).collect(), items, partial: false }
                });
                let packs = packs.collect();
                self.fresh(Content::Variant { list, packs })
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
                let Content::Variant { list, packs } = std::mem::replace(&mut self.contents[b], Content::Same(a))
                else {
                    return None;
                };
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

    /// `list` may be a list of `item`s.
    fn list_of(&mut self, list: Id, item: Id) -> Option<()> {
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
                self.contents[list] = Content::Variant { list: Some(item), packs: Vec::new() };
                Some(())
            }
            _ => None,
        }
    }

    /// The items of the list `list`.
    fn item_of(&mut self, list: Id) -> Option<Id> {
        let item = self.fresh(Content::Unknown);
        self.list_of(list, item)?;
        Some(item)
    }

    /// `id` may be this pack.
    fn pack_of(&mut self, id: Id, pack: Pack) -> Option<()> {
        let id = self.find(id);
        if let Content::Unknown = self.contents[id] {
            self.contents[id] = Content::Variant { list: None, packs: Vec::new() };
        }
        let Content::Variant { packs, .. } = &mut self.contents[id] else { return None };
        let mut same = (0..packs.len()).filter(|&i| meet(&packs[i].key, &pack.key));
        match (same.next(), same.next()) {
            (None, _) => {
                let partial = pack.partial || pack.key.contains(&None);
                packs.push(Pack { partial, ..pack });
                Some(())
            }
            (Some(i), None) => {
                let known = &mut packs[i];
                known.partial |= pack.partial || known.key != pack.key;
                known.key.iter_mut().zip(&pack.key).for_each(|(a, b)| *a = a.or(*b));
                let items = known.items.clone();
                items.into_iter().zip(pack.items).try_for_each(|(a, b)| self.unify(a, b))
            }
            _ => None,
        }
    }

    /// One use of a graph on parameters.
    pub fn enter<'g>(&mut self, graph: &'g Graph, params: &[Id], depth: usize) -> Option<Scope<'g>> {
        if depth > MOST_DEPTH || self.contents.len() > MOST_NODES {
            return None;
        }
        let mut ids = vec![usize::MAX; graph.types.len()];
        graph.params.iter().zip(params).for_each(|(v, &id)| ids[v.index()] = id);
        for (value, constant) in &graph.constants {
            ids[value.index()] = match constant.as_object::<List>() {
                None => self.of_type(constant.ty())?,
                // Lists that begin empty: a loop's own, and cotangents of nothing.
                Some(List::Full(items)) if items.is_empty() => {
                    let list = self.of_type(constant.ty())?;
                    self.item_of(list)?;
                    list
                }
                Some(List::Last(items)) if items.is_empty() => self.of_type(constant.ty())?,
                Some(_) => return None,
            };
        }
        let mut scope = Scope { graph, ids, inner: Vec::with_capacity(graph.nodes.len()) };
        for node in &graph.nodes {
            let inner = self.node(&mut scope, node, depth)?;
            scope.inner.push(inner);
        }
        Some(scope)
    }

    fn node<'g>(&mut self, scope: &mut Scope<'g>, node: &'g Node, depth: usize) -> Option<Vec<Scope<'g>>> {
        let graph = scope.graph;
        let inputs: SmallVec<[Id; 4]> = node.inputs.iter().map(|v| scope.ids[v.index()]).collect();
        if inputs.contains(&usize::MAX) {
            return None;
        }
        let mut set = |value: &Value, id: Id| scope.ids[value.index()] = id;
        if let Some(op) = node.op.list_op() {
            let outputs = self.list_op(op, &inputs, graph, node)?;
            node.outputs.iter().zip(outputs).for_each(|(v, id)| set(v, id));
            return Some(Vec::new());
        }
        let bodies = node.op.bodies();
        match node.op.flow() {
            None if bodies.is_empty() => {
                for value in &node.outputs {
                    let id = self.of_type(graph.ty(*value))?;
                    set(value, id);
                }
                is_number_op(graph, node).then(Vec::new)
            }
            None | Some(Flow::Call) => {
                let body = self.enter(graph_of(node, 0)?, &inputs, depth + 1)?;
                node.outputs.iter().zip(&body.graph.results).for_each(|(v, r)| set(v, body.ids[r.index()]));
                Some(vec![body])
            }
            Some(Flow::Branch) => {
                let then = self.enter(graph_of(node, 0)?, &inputs[1..], depth + 1)?;
                let otherwise = self.enter(graph_of(node, 1)?, &inputs[1..], depth + 1)?;
                for (i, value) in node.outputs.iter().enumerate() {
                    let (a, b) = (then.result(i)?, otherwise.result(i)?);
                    self.unify(a, b)?;
                    set(value, a);
                }
                Some(vec![then, otherwise])
            }
            Some(Flow::Loop { carried }) => {
                let test = self.enter(graph_of(node, 0)?, &inputs, depth + 1)?;
                let body = self.enter(graph_of(node, 1)?, &inputs, depth + 1)?;
                for (i, value) in node.outputs.iter().enumerate().take(carried) {
                    self.unify(inputs[i], body.result(i)?)?;
                    set(value, inputs[i]);
                }
                Some(vec![test, body])
            }
        }
    }

    fn list_op(&mut self, op: ListOp<'_>, inputs: &[Id], graph: &Graph, node: &Node) -> Option<SmallVec<[Id; 2]>> {
        let mut outputs = SmallVec::new();
        for value in &node.outputs {
            outputs.push(self.of_type(graph.ty(*value))?);
        }
        match op {
            ListOp::Pack(op) => {
                let mut pack = Pack { key: vec![None; op.len as usize], items: Vec::new(), partial: false };
                pack.items = (0..op.len).map(|_| self.fresh(Content::Unknown)).collect();
                for ((&at, &input), value) in op.items.iter().zip(inputs).zip(&node.inputs) {
                    pack.key[at as usize] = Some(graph.ty(*value).dtype);
                    pack.items[at as usize] = input;
                }
                self.pack_of(outputs[0], pack)?;
            }
            ListOp::Unpack(op) => {
                let key = op.types.iter().map(|ty| Some(ty.dtype)).collect();
                self.pack_of(inputs[0], Pack { key, items: outputs.to_vec(), partial: false })?;
            }
            ListOp::Push(op) => {
                self.unify(outputs[0], inputs[0])?;
                let item = self.item_of(inputs[0])?;
                if op.present {
                    self.unify(item, inputs[1])?;
                }
            }
            ListOp::Pop(_) => {
                self.unify(outputs[0], inputs[0])?;
                self.list_of(inputs[0], outputs[1])?;
            }
            ListOp::Nth(op) => self.taken.push((inputs[0], op.index as usize, op.item.dtype, outputs[0])),
            ListOp::Len(_) => {
                self.item_of(inputs[0])?;
            }
            ListOp::NothingLike(_) => {}
            _ => return None,
        }
        Some(outputs)
    }

    /// Joins items taken by number with the packs they come from.
    pub fn finish(&mut self) -> Option<()> {
        for (pack, index, dtype, item) in std::mem::take(&mut self.taken) {
            let pack = self.find(pack);
            let Content::Variant { packs, .. } = &mut self.contents[pack] else { continue };
            let holds = |p: &&mut Pack| p.key.get(index).is_some_and(|d| d.is_none_or(|d| d == dtype));
            let mut found = packs.iter_mut().filter(holds);
            if let Some(from) = found.next() {
                let known = from.items[index];
                from.key[index] = Some(dtype);
                if found.next().is_some() {
                    return None;
                }
                self.unify(known, item)?;
            }
        }
        Some(())
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
            Content::Variant { list, packs } => {
                let list = match list {
                    Some(item) => Some(Layout::new(self.form_at(*item, depth + 1)?)),
                    None => None,
                };
                // With an item left out, it is not sure which of several packs of this length is meant.
                let unsure =
                    |p: &Pack| p.partial && packs.iter().filter(|other| other.items.len() == p.items.len()).count() > 1;
                if packs.iter().any(unsure) {
                    return None;
                }
                let mut sorted: Vec<&Pack> = packs.iter().collect();
                sorted.sort_by_key(|pack| sort_key(&pack.key));
                let forms = |pack: &&Pack| pack.items.iter().map(|&item| self.form_at(item, depth + 1)).collect();
                let packs = sorted.iter().map(forms).collect::<Option<Vec<Vec<Form>>>>()?;
                Some(Form::Variant(Parts { list, packs }))
            }
        }
    }

    /// The number of the pack of these dtypes among a variant's, as [`Forms::form`] sorts them.
    pub fn pack_index(&self, id: Id, key: &[Option<DType>]) -> Option<usize> {
        let Content::Variant { packs, .. } = &self.contents[self.find(id)] else { return None };
        let mut sorted: Vec<&Pack> = packs.iter().collect();
        sorted.sort_by_key(|pack| sort_key(&pack.key));
        sorted.iter().position(|pack| meet(&pack.key, key))
    }

    /// The number of the pack that has an item of this dtype at `index`.
    pub fn pack_with(&self, id: Id, index: usize, dtype: DType) -> Option<usize> {
        let Content::Variant { packs, .. } = &self.contents[self.find(id)] else { return None };
        let mut sorted: Vec<&Pack> = packs.iter().collect();
        sorted.sort_by_key(|pack| sort_key(&pack.key));
        sorted.iter().position(|pack| pack.key.get(index).is_some_and(|d| *d == Some(dtype)))
    }
}

fn sort_key(key: &[Option<DType>]) -> (usize, Vec<u8>) {
    (key.len(), key.iter().map(|d| d.map_or(u8::MAX, |d| d as u8)).collect())
}

/// Whether two packs may be the same.
fn meet(a: &[Option<DType>], b: &[Option<DType>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_none() || b.is_none() || a == b)
}

impl Scope<'_> {
    /// The unknown of a result.
    pub fn result(&self, index: usize) -> Option<Id> {
        Some(self.ids[self.graph.results.get(index)?.index()])
    }
}

/// Body number `index` of a node.
fn graph_of(node: &Node, index: usize) -> Option<&Graph> {
    node.op.bodies().get(index).map(|body| &***body)
}

/// Whether an operation without bodies is one on numbers.
fn is_number_op(graph: &Graph, node: &Node) -> bool {
    let number = |v: &Value| graph.ty(*v).dtype.size() > 0 && graph.ty(*v).shape.rank() == 0;
    if !node.inputs.iter().chain(&node.outputs).all(number) || node.outputs.len() != 1 {
        return false;
    }
    let result = graph.ty(node.outputs[0]).dtype;
    match node.op.kind() {
        Kind::Elementwise { .. } => {
            let dtypes: SmallVec<[DType; 4]> = node.inputs.iter().map(|&v| graph.ty(v).dtype).collect();
            program_of(&*node.op, &dtypes).outputs[0] == result
        }
        // A view of one number is that number.
        Kind::View => graph.ty(node.inputs[0]).dtype == result,
        _ => node.inputs.is_empty() && node.op.repeats().is_some(),
    }
}
