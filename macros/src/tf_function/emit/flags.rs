//! Operators on truth values: what is copied outside of the attribute is copied inside, and a flag, whose type may be inferred from
//! a later line, is handed to functions, because rustc looks for operators and methods where they stand.
//! The emission of plain expressions and of state calls it.

use super::super::analyse::lists::several;
use super::super::analyse::truth::joins;
use super::lists::copy;
use super::*;
use syn::{BinOp, UnOp};

/// Whether an operator joins truth values, and uses its operand number `index` by value.
pub fn joins_value(syntax: &Syntax, index: usize) -> bool {
    match syntax {
        Syntax::Unary(node) => matches!(node.op, UnOp::Not(_)),
        Syntax::Binary(node) => joins(&node.op) && (index > 0 || !host::assigns(&node.op)),
        _ => false,
    }
}

impl Emit<'_> {
    /// Whether an expression names a flag.
    pub fn is_flag(&self, expr: &Expr) -> bool {
        matches!(expr.inner().kind, Kind::Var(var, _) if self.function.vars[var].truth.flag)
    }

    /// An operand of `!`, `&`, `|` or `^`. Nothing is moved out of a list or reference, so that it is a `bool` outside of the
    /// attribute, or a number, which Rust copies; inside it may be a tensor.
    pub fn copied(&self, expr: &Expr, wanted: &Wanted) -> TokenStream {
        match &expr.inner().kind {
            Kind::Plain(Syntax::Unary(node), _) if matches!(node.op, UnOp::Deref(_)) => {
                copy(&self.expr_for(expr, wanted), expr)
            }
            _ => self.begun(expr, wanted),
        }
    }

    /// What a variable begins with: as [`copied`](Self::copied), but that a value may be moved out of a box.
    pub fn begun(&self, expr: &Expr, wanted: &Wanted) -> TokenStream {
        let is_part = match &expr.inner().kind {
            Kind::Plain(Syntax::Index(_), _) => true,
            Kind::Plain(Syntax::Unary(node), parts) if matches!(node.op, UnOp::Deref(_)) => {
                matches!(parts[0].inner().kind, Kind::Var(var, _) if self.function.vars[var].hint == Hint::Shared)
            }
            _ => false,
        };
        match is_part {
            true => copy(&self.expr_for(expr, wanted), expr),
            false => self.value_for(expr, wanted),
        }
    }

    /// The values of a `let` of several variables, of which some are flags.
    pub fn let_flags(&self, node: &Let) -> Option<TokenStream> {
        let parts = several(node)?;
        if !parts.iter().any(|(var, _)| self.function.vars[*var].truth.flag) {
            return None;
        }
        let values = parts.into_iter().map(|(var, init)| {
            let truth = self.function.vars[var].truth.flag;
            self.value_for(init, &Wanted { truth, ..Wanted::default() })
        });
        Some(quote!((#(#values),*)))
    }

    /// Whether the type of an expression is that of a flag in it.
    pub fn has_flag(&self, expr: &Expr) -> bool {
        match &expr.inner().kind {
            Kind::Logic(node) => self.has_flag(&node.left) || self.has_flag(&node.right),
            Kind::Plain(Syntax::Unary(node), parts) => matches!(node.op, UnOp::Not(_)) && self.has_flag(&parts[0]),
            Kind::Plain(Syntax::Binary(node), parts) => joins(&node.op) && parts.iter().any(|part| self.has_flag(part)),
            _ => self.is_flag(expr),
        }
    }

    /// What a flag is given: of its own type, if nothing else tells that.
    pub fn given(&self, flag: &Expr) -> Wanted {
        let told = matches!(flag.inner().kind, Kind::Var(var, _) if self.function.vars[var].truth.alone);
        Wanted { truth: self.is_copied(flag), flag: self.is_flag(flag) && !told, ..Wanted::default() }
    }

    /// `!done`, `done | c`, `done |= c` of flags.
    pub fn of_flag(&self, syntax: &Syntax, parts: &[Expr], wanted: &Wanted) -> Option<TokenStream> {
        let first = parts.first()?;
        match syntax {
            Syntax::Unary(node) if matches!(node.op, UnOp::Not(_)) && self.has_flag(first) => {
                let span = node.op.span();
                let (rt, value) = (self.rt_at(span), self.copied(first.inner(), wanted));
                if !wanted.flag && !self.is_flag(first) {
                    let call = quote_spanned!(span=> not(#value));
                    return Some(quote_spanned!(shown_at(span)=> ::core::ops::Not::#call));
                }
                let call = quote_spanned!(span=> flag_not(#value));
                Some(quote_spanned!(shown_at(span)=> #rt::#call))
            }
            Syntax::Binary(node) if host::assigns(&node.op) && joins(&node.op) && self.is_flag(first) => {
                if matches!(parts[1].inner().kind, Kind::Plain(Syntax::Reference(_), _)) {
                    return None;
                }
                let given = self.given(first);
                let right = self.copied(parts[1].inner(), &given);
                let joined = self.joined(&node.op, self.copied(first.inner(), &given), right, given.flag);
                let left = self.expr(first);
                Some(quote!(#left = #joined))
            }
            Syntax::Binary(node) if joins(&node.op) && parts.iter().any(|part| self.has_flag(part)) => {
                if !wanted.flag && !self.has_flag(first) {
                    return None;
                }
                let [left, right] = [first, &parts[1]].map(|part| self.copied(part.inner(), wanted));
                Some(self.joined(&node.op, left, right, wanted.flag))
            }
            _ => None,
        }
    }

    fn joined(&self, op: &BinOp, left: TokenStream, right: TokenStream, typed: bool) -> TokenStream {
        let (at, rt) = (shown_at(op.span()), self.rt_at(op.span()));
        let (of, name, flag) = match op {
            BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => ("BitAnd", "bitand", "flag_and"),
            BinOp::BitOr(_) | BinOp::BitOrAssign(_) => ("BitOr", "bitor", "flag_or"),
            _ => ("BitXor", "bitxor", "flag_xor"),
        };
        let of = Ident::new(of, at);
        let name = Ident::new(if typed { flag } else { name }, op.span());
        let call = quote_spanned!(op.span()=> #name(#left, #right));
        if typed { quote_spanned!(at=> #rt::#call) } else { quote_spanned!(at=> ::core::ops::#of::#call) }
    }

    /// The table of a place.
    pub fn table(&self, place: &Place, at: Span) -> TokenStream {
        let (rt, tokens) = (&self.rt, place.tokens(&self.function.vars, at));
        match self.is_flag_place(place) {
            true => quote!(#rt::flag_table(&#tokens)),
            false => quote!((&&&&&&#rt::Probe(&#tokens)).table()),
        }
    }

    /// A copy of a place for another branch, `needed` if there is one.
    pub fn saved(&self, place: &Place, tokens: &TokenStream, needed: &TokenStream) -> TokenStream {
        let (rt, name) = (&self.rt, place.name(&self.function.vars));
        match self.is_flag_place(place) {
            true => quote!(#rt::save_flag(&#tokens, #name, #needed)),
            false => quote!((&&&&#rt::Save(&#tokens)).save(#name, #needed)),
        }
    }

    fn is_flag_place(&self, place: &Place) -> bool {
        place.path.is_empty() && self.function.vars[place.root].truth.flag
    }
}
