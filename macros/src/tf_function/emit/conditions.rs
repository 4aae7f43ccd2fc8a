//! Comparisons, `&&` and `||`, and conditions that Rust itself decides.
//! The walk over expressions calls it; what is surely a value of the host keeps Rust's own operator.

use super::super::analyse::truth::is_truth;
use super::*;

impl Emit<'_> {
    pub(super) fn compare(&self, node: &Compare) -> TokenStream {
        let (left, right) = (self.expr(&node.left), self.expr(&node.right));
        let op = &node.op;
        let vars = &self.function.vars;
        if host::surely(&node.left, vars) && host::surely(&node.right, vars) || self.is_open(node) {
            return quote!(#left #op #right);
        }
        let name = match op {
            syn::BinOp::Eq(_) => "eq",
            syn::BinOp::Ne(_) => "ne",
            syn::BinOp::Lt(_) => "lt",
            syn::BinOp::Le(_) => "le",
            syn::BinOp::Gt(_) => "gt",
            _ => "ge",
        };
        let rt = &self.rt;
        // The user's line and the operator's column.
        let method = Ident::new(name, op.span());
        let call = quote_spanned!(op.span()=> #method());
        let left = quote_spanned!(node.left.span=> &(#left));
        let right = quote_spanned!(node.right.span=> &(#right));
        quote_spanned!(shown_at(op.span())=> (&&&#rt::Cmp(#left, #right)).#call)
    }

    /// Whether the types of an operand are not known where it stands, because a closure's parameter is without one.
    fn is_open(&self, node: &Compare) -> bool {
        let open = |expr: &Expr| match &expr.inner().kind {
            Kind::Var(var, _) => self.function.vars[*var].open,
            Kind::Plain(Syntax::Unary(_) | Syntax::Reference(_) | Syntax::Field(_), parts) => {
                matches!(parts[0].inner().kind, Kind::Var(var, _) if self.function.vars[var].open)
            }
            _ => false,
        };
        open(&node.left) || open(&node.right)
    }

    pub(super) fn logic(&self, node: &Logic, wanted: &Wanted) -> TokenStream {
        let op = &node.op;
        let host = |expr: &Expr| host::surely(expr, &self.function.vars);
        if contains_let(&node.left) || contains_let(&node.right) || host(&node.left) && host(&node.right) {
            let (left, right) = (self.host_condition(&node.left), self.host_condition(&node.right));
            return quote!(#left #op #right);
        }
        let vars = &self.function.vars;
        let has_flag = self.has_flag(&node.left) || self.has_flag(&node.right);
        let typed = wanted.flag && has_flag && is_truth(&node.left, vars) && is_truth(&node.right, vars);
        let operand = Wanted { flag: typed, ..Wanted::default() };
        let (left, right) = (self.expr_for(&node.left, &operand), self.expr_for(&node.right, &operand));
        let open = if matches!(op, syn::BinOp::And(_)) { "and" } else { "or" };
        let (open, at) = (Ident::new(open, op.span()), self.rt_at(op.span()));
        let (logic, value) = (hidden("logic"), hidden_at("left", node.left.span));
        let left = quote_spanned!(node.left.span=> &(#left));
        let right = quote_spanned!(node.right.span=> &(#right));
        if typed {
            let open = quote_spanned!(op.span()=> #at::Logic::#open(#value));
            return quote!({
                let #value = #left;
                let mut #logic = #open;
                if #logic.open() { #logic.close_flag(#value, #right) } else { #logic.short() }
            });
        }
        let open = quote_spanned!(op.span()=> #at::Logic::#open(#left));
        quote!({
            let mut #logic = #open;
            if #logic.open() { #logic.close(#right) } else { #logic.short() }
        })
    }

    /// A condition that Rust itself decides, because patterns stand beside it.
    pub(super) fn host_condition(&self, cond: &Expr) -> TokenStream {
        let tokens = self.expr(cond);
        if host::surely(cond, &self.function.vars) || contains_let(cond) {
            return tokens;
        }
        let (rt, value) = (&self.rt, hidden_at("condition", cond.span));
        quote!({ let #value = #tokens; #rt::guard(#value) })
    }

    /// A condition that Rust itself decides, because it chooses what is lent by `&mut`.
    pub(super) fn lending_condition(&self, cond: &Expr) -> TokenStream {
        let tokens = self.expr(cond);
        if host::surely(cond, &self.function.vars) {
            return tokens;
        }
        let (rt, value) = (&self.rt, hidden_at("condition", cond.span));
        quote!({ let #value = #tokens; #rt::lending(#value) })
    }
}

/// Whether a condition matches patterns.
fn contains_let(expr: &Expr) -> bool {
    match &expr.inner().kind {
        Kind::Let(..) => true,
        Kind::Logic(node) => contains_let(&node.left) || contains_let(&node.right),
        _ => false,
    }
}
