//! Which part of the program is which node of a file: by the names that lead to them.
//! A restore begins with it, and the status of one asks again when the program has grown.

use super::Restoration;
use crate::train::aliases;
use engine::library::{Object, ObjectGraph};
use kernels::error::{Error, Result};

impl Restoration {
    /// By part of the program: its node in the file. Both are walked level by level from the root, by the names of their edges.
    pub fn matched(&self, objects: &ObjectGraph) -> Result<Vec<Option<usize>>> {
        let filled = self.graph.filled();
        let mut matched = vec![None; objects.objects.len()];
        let mut order = vec![0];
        matched[0] = Some(0);
        let mut next = 0;
        while let Some(&at) = order.get(next) {
            next += 1;
            let Some(node) = matched[at] else { continue };
            for child in &objects.objects[at].children {
                let Some(found) = aliases::child(&self.graph, node, &child.name, &child.former) else { continue };
                match matched[child.object] {
                    None => {
                        matched[child.object] = Some(found);
                        order.push(child.object);
                    }
                    Some(before) if before != found && filled[before] && filled[found] => {
                        return Err(self.ambiguous(&objects.objects[child.object], before, found));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(matched)
    }

    #[cold]
    fn ambiguous(&self, object: &Object, first: usize, second: usize) -> Error {
        let paths = [first, second].map(|node| self.graph.spoken(node));
        Error::failed_precondition(
            self.file(),
            "one part of the program is two in the checkpoint, with values of their own",
        )
        .got(format!("`{}` and `{}` in the checkpoint for `{}`", paths[0], paths[1], object.path))
        .expected("parts that are shared in the program to be shared in the checkpoint")
        .help("restore into a program that does not share them, or restore one of the two alone")
    }
}
