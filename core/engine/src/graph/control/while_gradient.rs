//! The gradient of a loop: a loop backwards over what the forward one has collected, an ordinary `while` whose body is the
//! gradient of the body. So the gradient of that gradient is the same algorithm again.

use super::gradient::{cotangent_types, unpack, variant};
use super::while_loop::While;
use crate::builder::Builder;
use crate::execute::execute;
use crate::graph::differentiate::{Pair, replay};
use crate::graph::passes::sums::sums;
use crate::ir::Graph;
use crate::ir::opened;
use crate::lists::items::Pop;
use crate::lists::list_op::cotangent_type;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::ops;
use crate::tape::{Backward, Unseen};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use std::sync::Arc;

/// Where the saved values of a loop's body are: those that are the same in each round are not collected.
#[derive(Clone)]
pub(super) struct Saved {
    /// For each saved value of the pair, the input of the loop that it is.
    input: Vec<Option<usize>>,
}

impl Saved {
    pub fn of(pair: &Pair, carried: usize) -> Self {
        let graph = &pair.forward;
        let input = graph.results[pair.results..].iter().map(|value| {
            let at = graph.params.iter().position(|p| p == value);
            at.filter(|&i| i >= carried)
        });
        Self { input: input.collect() }
    }

    /// The saved values that differ from round to round.
    pub fn varying(&self) -> impl Iterator<Item = usize> {
        self.input.iter().enumerate().filter(|(_, i)| i.is_none()).map(|(at, _)| at)
    }

    /// The inputs that are saved as they are.
    pub fn fixed(&self) -> impl Iterator<Item = usize> {
        self.input.iter().flatten().copied()
    }
}

/// How a loop is differentiated. Outputs: a bundle of the number of rounds, the list of what they saved and the fixed
/// values; then the carried values at the end.
#[derive(Clone)]
pub(super) struct WhileRule {
    pub pair: Arc<Pair>,
    pub saved: Saved,
    pub carried: usize,
}

impl Op for WhileRule {
    identity!("while", kept);

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn infer(&self, _: &mut Infer<'_>) -> Result<()> {
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::outputs(&[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let second = g.dy_or_none(0).is_some();
        let given = &self.pair.way(second).given;
        let inner = cotangent_types(&self.pair.forward);
        // Values that stay get the sum over the rounds.
        let sums: Vec<usize> = (self.carried..given.len()).filter(|&i| given[i].is_some()).collect();
        let fixed: Vec<TensorType> = self.saved.fixed().map(|i| *g.input_type(i)).collect();
        let bundle = g.output(0)?.clone();
        let mut types = vec![TensorType::scalar(DType::I64), variant()];
        types.extend(&fixed);
        let parts = unpack(&bundle, &types[..].into())?;
        let dparts = match g.dy_or_none(0).cloned() {
            Some(dbundle) => Some(unpack(&dbundle, &types.iter().map(cotangent_type).collect())?),
            None => None,
        };
        let mut operands = vec![parts[0].clone(), parts[1].clone()];
        operands.extend(dparts.as_ref().map(|d| d[1].clone()));
        for &i in &self.pair.dys {
            operands.push(g.dy(1 + i)?);
        }
        for &i in &sums {
            operands.push(ops::zeros_of(&inner[i])?);
        }
        let carried = operands.len();
        // A size that changes from round to round is another one for the cotangent, which comes from the round behind.
        let dys: Vec<TensorType> = self.pair.dys.iter().map(|&i| opened(&inner[i])).collect::<Result<_>>()?;
        let shape = Shape { second, dys, sums: &sums, inner: &inner, fixed: &fixed };
        let op = While::new(self.cond(&shape)?, self.body(&shape)?, carried);
        operands.extend_from_slice(&parts[2..]);
        let operands: Vec<&Tensor> = operands.iter().collect();
        let results = execute(&op, &operands)?;
        let results = &results[carried - self.pair.dys.len() - sums.len()..];
        for (at, &i) in self.pair.dys.iter().enumerate() {
            if g.needs(i) {
                g.give(i, results[at].clone());
            }
        }
        for (at, &i) in sums.iter().enumerate() {
            let mut dx = results[self.pair.dys.len() + at].clone();
            // The saved copies of a value that stays have cotangents of their own.
            let copies = self.saved.fixed().enumerate().filter(|(_, input)| *input == i);
            if let Some(dparts) = &dparts {
                for (k, _) in copies.filter(|_| inner[i].dtype.is_differentiable()) {
                    dx = ops::functions::try_add(&dx, &dparts[2 + k])?;
                }
            }
            if g.needs(i) {
                g.give(i, dx);
            }
        }
        Ok(())
    }
}

/// What the loop backwards carries.
struct Shape<'a> {
    second: bool,
    dys: Vec<TensorType>,
    sums: &'a [usize],
    inner: &'a [TensorType],
    fixed: &'a [TensorType],
}

impl Shape<'_> {
    /// Symbols for all parameters: round, list, its cotangent, cotangents, sums; then the fixed values.
    fn params(&self, builder: &Builder) -> (Vec<Tensor>, Vec<Tensor>) {
        let mut types = vec![TensorType::scalar(DType::I64), variant()];
        types.extend(self.second.then(variant));
        types.extend(&self.dys);
        types.extend(self.sums.iter().map(|&i| self.inner[i]));
        let carried = types.iter().map(|ty| builder.param(ty)).collect();
        (carried, self.fixed.iter().map(|ty| builder.param(ty)).collect())
    }
}

impl WhileRule {
    fn cond(&self, shape: &Shape<'_>) -> Result<Arc<Graph>> {
        let _unseen = Unseen::start();
        let builder = Builder::standalone("while_gradient_cond");
        let (carried, _) = shape.params(&builder);
        builder.record_in(|| {
            let zero = crate::constant::try_constant_of(0i64, DType::I64)?;
            let more = ops::functions::try_greater(&carried[0], &zero)?;
            Ok(Arc::new(builder.finish(&[more])?.graph))
        })
    }

    fn body(&self, shape: &Shape<'_>) -> Result<Arc<Graph>> {
        let _unseen = Unseen::start();
        let builder = Builder::standalone("while_gradient");
        let (carried, fixed) = shape.params(&builder);
        builder.record_in(|| {
            let one = crate::constant::try_constant_of(1i64, DType::I64)?;
            let mut results = vec![ops::functions::try_subtract(&carried[0], &one)?];
            let mut rest = carried[1..].iter();
            let mut next = || rest.next().cloned().ok_or_else(|| crate::Error::internal("while", "a value is missing"));
            let saved = self.pop(&next()?, &mut results, false)?;
            let dsaved = if shape.second { Some(self.pop(&next()?, &mut results, true)?) } else { None };
            let dys = shape.dys.iter().map(|_| next()).collect::<Result<Vec<_>>>()?;
            let arguments = self.arguments(&dys, &saved, dsaved.as_deref(), &fixed)?;
            let way = self.pair.way(shape.second);
            let given = replay(&way.graph, &arguments)?;
            for &i in &self.pair.dys {
                results.push(match way.given[i] {
                    Some(at) => given[at].clone(),
                    None => ops::zeros_of(&shape.inner[i])?,
                });
            }
            for &i in shape.sums {
                let sum = next()?;
                results.push(match way.given[i] {
                    Some(at) => add(&sum, &given[at])?,
                    None => sum,
                });
            }
            Ok(Arc::new(sums(&builder.finish(&results)?.graph)?))
        })
    }

    /// What one round saved, taken from the list; in a cotangent, scalars stand for what has none.
    fn pop(&self, list: &Tensor, results: &mut Vec<Tensor>, cotangent: bool) -> Result<Vec<Tensor>> {
        let mut popped = execute(&Pop { item: variant() }, &[list])?;
        let bundle = popped.remove(1);
        results.push(popped.remove(0));
        let own = |i: usize| if cotangent { cotangent_type(&self.pair.saved[i]) } else { self.pair.saved[i] };
        let types = self.saved.varying().map(own);
        unpack(&bundle, &types.collect())
    }

    /// The operands of the body's way back: cotangents, those of the saved values, and the saved values.
    fn arguments(
        &self,
        dys: &[Tensor],
        saved: &[Tensor],
        dsaved: Option<&[Tensor]>,
        fixed: &[Tensor],
    ) -> Result<Vec<Tensor>> {
        let places: Vec<usize> = self.saved.varying().collect();
        let place = |i: usize| places.iter().position(|&p| p == i);
        let mut arguments = dys.to_vec();
        if let Some(dsaved) = dsaved {
            for &i in &self.pair.saved_dys {
                arguments.push(match place(i) {
                    Some(at) => dsaved[at].clone(),
                    None => ops::zeros_of(&self.pair.saved[i])?,
                });
            }
        }
        let mut fixed = fixed.iter();
        for i in 0..self.pair.saved.len() {
            arguments.extend(match place(i) {
                Some(at) => Some(saved[at].clone()),
                None => fixed.next().cloned(),
            });
        }
        Ok(arguments)
    }
}

fn add(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.dtype() == DType::Variant {
        return crate::execute::execute1(&crate::lists::whole::AddLists, &[a, b]);
    }
    ops::functions::try_add(a, b)
}
