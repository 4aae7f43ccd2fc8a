//! What the gradients of calls, branches and loops share: the bundle of saved values, and a [`Pair`]'s way back as a body.
//! Their rules run it through `execute`, so that it is recorded and differentiated again like any operation.

use crate::builder::Builder;
use crate::execute::execute;
use crate::graph::differentiate::{Backward, Pair, replay};
use crate::graph::passes::sums;
use crate::ir::Graph;
use crate::lists::items::{Pack, Unpack};
use crate::lists::list_op::cotangent_type;
use crate::ops;
use crate::tape;
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::Shape;

/// Saved values as one.
pub(super) fn pack(values: &[Tensor]) -> Result<Tensor> {
    let op = Pack { items: (0..values.len() as u32).collect(), dtypes: values.iter().map(Tensor::dtype).collect() };
    let values: Vec<&Tensor> = values.iter().collect();
    Ok(execute(&op, &values)?.remove(0))
}

/// The values of a bundle.
pub(super) fn unpack(bundle: &Tensor, types: &std::sync::Arc<[TensorType]>) -> Result<Vec<Tensor>> {
    if types.is_empty() {
        return Ok(Vec::new());
    }
    Ok(execute(&Unpack { types: types.clone() }, &[bundle])?.into_vec())
}

pub(super) fn variant() -> TensorType {
    TensorType::new(kernels::dtype::DType::Variant, Shape::SCALAR)
}

impl Pair {
    /// The way back from the cotangents of the results in [`Pair::dys`], a bundle of saved values, and if there is one the
    /// cotangent of that bundle.
    pub fn way_back(&self, dys: &[Tensor], bundle: &Tensor, dbundle: Option<&Tensor>) -> Result<Vec<Option<Tensor>>> {
        let mut arguments = dys.to_vec();
        // First, because it tells the sizes that the cotangents have.
        let saved = unpack(bundle, &self.saved)?;
        let way = match dbundle {
            None => &self.first,
            Some(dbundle) => {
                let items = unpack(dbundle, &self.saved_cotangents())?;
                arguments.extend(self.saved_dys.iter().map(|&i| items[i].clone()));
                &self.second
            }
        };
        arguments.extend(saved);
        let results = replay(&way.graph, &arguments)?;
        Ok(way.given.iter().map(|at| at.map(|i| results[i].clone())).collect())
    }

    /// The types of the items of a bundle's cotangent: scalars stand where nothing flows.
    fn saved_cotangents(&self) -> std::sync::Arc<[TensorType]> {
        self.saved.iter().map(cotangent_type).collect()
    }

    pub fn way(&self, second: bool) -> &Backward {
        if second { &self.second } else { &self.first }
    }

    /// The types of the cotangents [`Pair::dys`].
    pub fn dy_types(&self) -> Vec<TensorType> {
        self.dys.iter().map(|&i| *self.forward.ty(self.forward.results[i])).collect()
    }

    /// Whether the cotangent of parameter `index` is nothing but parts laid into zeros.
    pub fn gives_parts(&self, second: bool, index: usize) -> bool {
        let way = self.way(second);
        way.given[index].is_some_and(|at| sums::is_parts(&way.graph, way.graph.results[at]))
    }

    /// [`Pair::way_back`] as a graph: parameters are cotangents, bundle, its cotangent if `second`, and a sum for each of `wanted`
    /// that has one; results are the cotangents of the parameters in `wanted`, added to their sums, zeros where nothing flows.
    pub fn body(
        &self,
        name: &str,
        second: bool,
        wanted: &[usize],
        types: &[TensorType],
        summed: &[bool],
    ) -> Result<Graph> {
        let _unseen = tape::Unseen::start();
        let builder = Builder::standalone(name);
        let dys: Vec<Tensor> = self.dy_types().iter().map(|ty| builder.param(ty)).collect();
        let bundle = builder.param(&variant());
        let dbundle = second.then(|| builder.param(&variant()));
        let before: Vec<Option<Tensor>> =
            types.iter().zip(summed).map(|(ty, &summed)| summed.then(|| builder.param(ty))).collect();
        builder.record_in(|| {
            let given = self.way_back(&dys, &bundle, dbundle.as_ref())?;
            let mut results = Vec::new();
            for ((&i, ty), before) in wanted.iter().zip(types).zip(before) {
                results.push(match (&given[i], before) {
                    (Some(dx), Some(sum)) => ops::functions::try_add(&sum, dx)?,
                    (Some(dx), None) => dx.clone(),
                    (None, Some(sum)) => sum,
                    (None, None) => ops::zeros_of(ty)?,
                });
            }
            sums::sums(&builder.finish(&results)?.graph)
        })
    }
}

/// The types of the cotangents of a graph's parameters: their own, or for a resource that of its value.
pub(super) fn cotangent_types(graph: &Graph) -> Vec<TensorType> {
    graph.params.iter().map(|&v| graph.resource(v).map_or(*graph.ty(v), |r| r.value)).collect()
}
