//! The operations on items of lists: pack and unpack, push and pop, get and set.
//! Push and pop are each other's gradient, so a loop backwards is an ordinary loop with the same operations.

use super::list_op::{
    Typed, cotangent_dtype, cotangent_type, give_only, index_of, list_op, list_output, present, visit_types,
};
use super::whole::NothingLike;
use super::{List, READ, WRITE};
use crate::execute::execute;
use crate::ir::sizes::Sizes;
use crate::op::{Attr, ControlOp, Gradient, Infer, Kind, Lookup, Op, OpRef, Operands, Outputs, Saves};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use smallvec::smallvec;
use std::sync::Arc;

/// Several values as one list. Input `i` is item `items[i]`; the others are missing.
#[derive(Clone)]
pub(crate) struct Pack {
    pub items: Vec<u32>,
    /// The dtypes of all items, missing ones too: they tell packs of different bundles apart.
    pub dtypes: Vec<DType>,
}

/// The values of a list, which has these types.
#[derive(Clone)]
pub(crate) struct Unpack {
    pub types: Arc<[TensorType]>,
}

/// A list with one more item; a missing one unless it is given.
#[derive(Clone)]
pub(crate) struct Push {
    pub present: bool,
}

/// A list without its last item, and that item.
#[derive(Clone)]
pub(crate) struct Pop {
    pub item: TensorType,
}

/// Item `index` of a list.
#[derive(Clone)]
pub(crate) struct Get {
    pub item: TensorType,
}

/// A list with another item `index`; a missing one unless it is given. Growing lists grow up to it.
#[derive(Clone)]
pub(crate) struct Set {
    pub present: bool,
    pub grows: bool,
}

impl Typed for Unpack {
    fn types_mut(&mut self) -> &mut [TensorType] {
        Arc::make_mut(&mut self.types)
    }
}

list_op!(Pack, "pack", this,
    attributes: |visit| {
        visit("len", Attr::Int(this.dtypes.len() as i64));
        let items: Vec<i64> = this.items.iter().map(|&i| i64::from(i)).collect();
        visit("items", Attr::Ints(&items));
        let missing = (0..this.dtypes.len()).filter(|&i| !this.items.contains(&(i as u32)));
        missing.for_each(|i| visit("missing", Attr::DType(this.dtypes[i])));
    },
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        let mut items = vec![None; this.dtypes.len()];
        this.items.iter().zip(inputs).for_each(|(&i, value)| items[i as usize] = Some(value));
        Ok(smallvec![List::Full(items).into_tensor()])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        // The list may be longer than the inputs that need something; they are taken by their numbers.
        if let Some(dy) = g.dy_or_none(0).cloned() {
            for input in 0..g.len() {
                if g.needs(input) {
                    let item = cotangent_type(g.input_type(input));
                    let dtypes = this.dtypes.iter().map(|&dtype| cotangent_dtype(dtype)).collect();
                    let dx = execute(&Nth { index: this.items[input], dtypes, item }, &[&dy])?.remove(0);
                    g.give(input, dx);
                }
            }
        }
    }
);

/// Item number `index` of a list of items of these dtypes.
#[derive(Clone)]
pub(crate) struct Nth {
    pub index: u32,
    pub dtypes: Vec<DType>,
    pub item: TensorType,
}

list_op!(Nth, "list_item", this,
    attributes: |visit| {
        visit("index", Attr::Int(i64::from(this.index)));
        this.dtypes.iter().for_each(|&dtype| visit("of", Attr::DType(dtype)));
        visit_types(std::slice::from_ref(&this.item), visit);
    },
    infer: |cx| cx.output(this.item.dtype, this.item.shape),
    host: |inputs, sizes| {
        let item = match List::of(&inputs[0], "list_item")? {
            // The last items of all.
            List::Last(items) => {
                let at = (items.len() + this.index as usize).checked_sub(this.dtypes.len());
                at.and_then(|i| items[i].clone())
            }
            list => list.get(this.index as usize)?,
        };
        Ok(smallvec![present(item, &this.item, sizes)?])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let dy = g.dy(0)?;
        let dlist = execute(&Pack { items: vec![this.index], dtypes: this.dtypes.clone() }, &[&dy])?.remove(0);
        g.give(0, dlist);
    }
);

list_op!(Unpack, "unpack", this,
    attributes: |visit| visit_types(&this.types, visit),
    infer: |cx| this.types.iter().for_each(|ty| cx.output(ty.dtype, ty.shape)),
    host: |inputs, sizes| {
        let mut list = List::take(inputs.remove(0), "unpack")?;
        let mut outputs = Outputs::new();
        // From the last to the first: a cotangent may lack the first ones.
        for ty in this.types.iter().rev() {
            let item = list.pop()?;
            outputs.push(present(item, ty, sizes)?);
        }
        outputs.reverse();
        Ok(outputs)
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let mut items = Vec::new();
        let mut values: Vec<Tensor> = Vec::new();
        for i in 0..this.types.len() {
            if let Some(dy) = g.dy_or_none(i) {
                items.push(i as u32);
                values.push(dy.clone());
            }
        }
        let refs: Vec<&Tensor> = values.iter().collect();
        let dtypes = this.types.iter().map(|ty| cotangent_type(ty).dtype).collect();
        let dlist = execute(&Pack { items, dtypes }, &refs)?.remove(0);
        g.give(0, dlist);
    }
);

list_op!(Push, "list_push", this,
    attributes: |visit| visit("present", Attr::Bool(this.present)),
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        let item = if this.present { inputs.pop() } else { None };
        let mut list = List::take(inputs.remove(0), "list_push")?;
        list.push(item)?;
        Ok(smallvec![list.into_tensor()])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let dlist = g.dy(0)?;
        let item = match this.present {
            true => cotangent_type(g.input_type(1)),
            false => TensorType::scalar(DType::F32),
        };
        let mut popped = execute(&Pop { item }, &[&dlist])?;
        if this.present && g.needs(1) {
            g.give(1, popped.remove(1));
        }
        if g.needs(0) {
            g.give(0, popped.remove(0));
        }
    }
);

list_op!(Pop, "list_pop", this,
    attributes: |visit| visit_types(std::slice::from_ref(&this.item), visit),
    infer: |cx| {
        list_output(cx);
        cx.output(this.item.dtype, this.item.shape);
    },
    host: |inputs, sizes| {
        let mut list = List::take(inputs.remove(0), "list_pop")?;
        let item = list.pop()?;
        let item = present(item, &this.item, sizes)?;
        Ok(smallvec![list.into_tensor(), item])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let dlist = g.dy(0)?;
        let pushed = match g.dy_or_none(1) {
            Some(dx) => execute(&Push { present: true }, &[&dlist, dx])?,
            None => execute(&Push { present: false }, &[&dlist])?,
        };
        give_only(g, pushed);
    }
);

list_op!(Get, "list_get", this,
    attributes: |visit| visit_types(std::slice::from_ref(&this.item), visit),
    infer: |cx| cx.output(this.item.dtype, this.item.shape),
    host: |inputs, sizes| {
        let item = List::of(&inputs[0], "list_get")?.get(index_of(&inputs[1], READ)?)?;
        Ok(smallvec![present(item, &this.item, sizes)?])
    },
    gradient: Gradient::Rule, saves: Saves::inputs(&[0, 1]),
    backward: |g| {
        let (dy, list, at) = (g.dy(0)?, g.input(0)?.clone(), g.input(1)?.clone());
        let none = execute(&NothingLike, &[&list])?.remove(0);
        let dlist = execute(&Set { present: true, grows: false }, &[&none, &at, &dy])?;
        give_only(g, dlist);
    }
);

list_op!(Set, "list_set", this,
    attributes: |visit| {
        visit("present", Attr::Bool(this.present));
        visit("grows", Attr::Bool(this.grows));
    },
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        let item = if this.present { inputs.pop() } else { None };
        let index = index_of(&inputs[1], WRITE)?;
        let mut list = List::take(inputs.swap_remove(0), "list_set")?;
        list.set(index, item, this.grows)?;
        Ok(smallvec![list.into_tensor()])
    },
    gradient: Gradient::Rule, saves: Saves::inputs(&[1]),
    backward: |g| {
        let (dlist, at) = (g.dy(0)?, g.input(1)?.clone());
        if this.present && g.needs(2) {
            let item = cotangent_type(g.input_type(2));
            let dx = execute(&Get { item }, &[&dlist, &at])?.remove(0);
            g.give(2, dx);
        }
        if g.needs(0) {
            let rest = execute(&Set { present: false, grows: false }, &[&dlist, &at])?;
            give_only(g, rest);
        }
    }
);
