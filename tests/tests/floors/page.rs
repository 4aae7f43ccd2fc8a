//! The table of floors in the architecture page: which module of which crate lies on which floor.
//! The test reads it, so that the page cannot say anything else than the code.

/// The heading that the table follows.
const HEADING: &str = "## The floors";

/// A floor: a crate's row of the table. The first row is the top.
#[derive(Debug)]
pub struct Floor {
    pub krate: String,
    pub name: String,
    /// Modules by path; those below belong to them, unless a row names them itself.
    pub modules: Vec<String>,
}

/// Reads the table.
pub fn floors(page: &str) -> Vec<Floor> {
    let from = page.find(HEADING).unwrap_or_else(|| panic!("the page has the heading `{HEADING}`"));
    let mut floors: Vec<Floor> = Vec::new();
    let rows = page[from..].lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    for row in rows.skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [krate, name, modules, _] = cells[..] else { panic!("four columns in `{row}`") };
        let krate = match krate.trim_matches('`') {
            "" => floors.last().expect("the first row names its crate").krate.clone(),
            krate => krate.to_owned(),
        };
        let modules = modules.split(',').map(|m| m.trim().trim_matches('`').to_owned()).collect();
        floors.push(Floor { krate, name: name.to_owned(), modules });
    }
    assert!(floors.len() > 3, "the table below `{HEADING}` has rows");
    floors
}

/// The floor of a module: the one that names it, or the nearest module above it. Counted from the bottom.
pub fn floor_of(floors: &[Floor], krate: &str, module: &str) -> Option<usize> {
    let mut path = module;
    loop {
        let here = |floor: &Floor| floor.krate == krate && floor.modules.iter().any(|m| m == path);
        if let Some(at) = floors.iter().position(here) {
            return Some(floors.len() - at);
        }
        path = path.rsplit_once("::")?.0;
    }
}
