//! Which variable a name means at a place of the text.

use super::ast::Var;

/// The names in scope, the innermost last.
pub struct Scopes {
    names: Vec<(String, Var)>,
    starts: Vec<usize>,
}

impl Scopes {
    pub fn new() -> Self {
        Self { names: Vec::new(), starts: Vec::new() }
    }

    pub fn open(&mut self) {
        self.starts.push(self.names.len());
    }

    pub fn close(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.names.truncate(start);
        }
    }

    pub fn add(&mut self, name: String, var: Var) {
        self.names.push((name, var));
    }

    /// Pairs of variables in scope of one name, of which the second one hides the first.
    pub fn hidden(&self) -> Vec<(Var, Var)> {
        let hides = |(i, (name, var)): (usize, &(String, Var))| {
            let later = self.names[i + 1..].iter().filter(|(other, _)| other == name).map(|(_, other)| (*var, *other));
            later.collect::<Vec<_>>()
        };
        self.names.iter().enumerate().flat_map(hides).collect()
    }

    pub fn find(&self, name: &str) -> Option<Var> {
        self.names.iter().rev().find(|(n, _)| n == name).map(|(_, var)| *var)
    }
}
