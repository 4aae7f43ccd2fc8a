//! What a crash leaves after every step of a write, of the process or of the machine: the old bundle or the new one, never another.

use super::*;
use crate::files::recording::{Crash, Files, Recording, Step, files_in, left_by, put};
use crate::files::{Disk, is_temporary};
use kernels::error::Error;

const OLD: &[u8] = b"old value";
const NEW: &[u8] = b"new one";

/// The value of the bundle that there is, if there is one.
fn value(prefix: &Path) -> Option<Vec<u8>> {
    match Bundle::open(prefix) {
        Ok(bundle) => {
            let keys: Vec<&str> = bundle.entries().iter().map(Stored::key).collect();
            bundle.verify(&keys, 1).unwrap();
            Some(bundle.read_bytes("w").unwrap())
        }
        Err(Error::NotFound(_)) => None,
        Err(other) => panic!("{other}"),
    }
}

fn entries_of(bytes: &[u8]) -> [Entry<'_>; 2] {
    [plain("w", bytes), plain("other", b"the same in both")]
}

/// Writes the new bundle; gives the files before, and the steps.
fn recorded(folder: &Folder, over_another: bool, sync: bool) -> (Files, Vec<Step>) {
    let prefix = folder.join("ck");
    if over_another {
        write(&prefix, &entries_of(OLD), &Options::default()).unwrap();
    }
    let before = files_in(folder.path()).unwrap();
    let storage = Recording::default();
    write(&prefix, &entries_of(NEW), &Options { sync, threads: 1, storage: &storage }).unwrap();
    (before, storage.steps())
}

#[test]
fn after_a_crash_at_any_point_there_is_the_old_bundle_or_the_new_one() {
    for over_another in [false, true] {
        let folder = Folder::new();
        let prefix = folder.join("ck");
        let (before, steps) = recorded(&folder, over_another, true);
        assert!(steps.len() == 10 + usize::from(over_another), "{steps:?}");
        let old = over_another.then(|| OLD.to_vec());
        for crash in Crash::ALL {
            let mut seen = Vec::new();
            for count in 0..=steps.len() {
                put(folder.path(), &left_by(crash, &before, &steps[..count])).unwrap();
                let found = value(&prefix);
                assert!(found == old || found.as_deref() == Some(NEW), "{crash:?} after {count}: {found:?}");
                // Tidying changes nothing of that, and leaves nothing else.
                tidy(folder.path(), &Disk).unwrap();
                assert_eq!(value(&prefix), found, "{crash:?} after {count}, tidied");
                assert!(files_in(folder.path()).unwrap().keys().all(|path| !is_temporary(path)));
                // And TensorFlow, which knows no temporary names, sees the same.
                if found.is_some() {
                    assert_eq!(
                        Bundle::open_by(&prefix, &names::index(&prefix)).unwrap().read_bytes("w").unwrap(),
                        found.clone().unwrap()
                    );
                }
                seen.push(found);
            }
            assert_eq!(seen[0], old);
            assert_eq!(seen.last().unwrap().as_deref(), Some(NEW));
        }
    }
}

#[test]
fn without_syncs_a_process_may_crash_at_any_point() {
    let folder = Folder::new();
    let (before, steps) = recorded(&folder, true, false);
    assert!(!steps.iter().any(|step| matches!(step, Step::Sync { .. } | Step::SyncDirectory { .. })));
    for count in 0..=steps.len() {
        put(folder.path(), &left_by(Crash::OfProcess, &before, &steps[..count])).unwrap();
        let found = value(&folder.join("ck")).unwrap();
        assert!(found == OLD || found == NEW, "{count}");
    }
}

#[test]
fn files_are_synced_before_they_take_their_names() {
    let folder = Folder::new();
    let (_, steps) = recorded(&folder, true, true);
    let at = |wanted: &dyn Fn(&Step) -> bool| steps.iter().position(wanted).unwrap();
    let renamed = |end: &'static str| move |step: &Step| matches!(step, Step::Rename { to, .. } if to.to_str().unwrap().ends_with(end));
    let (data, index) = (at(&renamed(".data-00000-of-00001")), at(&renamed(".index")));
    assert!(data < index);
    assert_eq!(steps[..data].iter().filter(|step| matches!(step, Step::Sync { .. })).count(), 2);
    let directory = Step::SyncDirectory { path: folder.path().into() };
    assert!(steps[data..index].contains(&directory) && steps[index..].contains(&directory));
    let wrote = steps.iter().rposition(|step| matches!(step, Step::Write { .. })).unwrap();
    assert!(wrote < data);
}

/// What the page of [`super::super`] says of TensorFlow between the two renames.
#[test]
fn between_the_renames_the_old_index_finds_what_has_changed() {
    let folder = Folder::new();
    let prefix = folder.join("ck");
    let (before, steps) = recorded(&folder, true, true);
    let renamed = steps.iter().position(|step| matches!(step, Step::Rename { .. })).unwrap();
    put(folder.path(), &left_by(Crash::OfProcess, &before, &steps[..=renamed])).unwrap();
    let index = names::index(&prefix);
    // The new values are shorter here: already the length tells.
    assert!(matches!(Bundle::open_by(&prefix, &index), Err(Error::DataLoss(_))));
    let folder = Folder::new();
    let prefix = folder.join("ck");
    write(&prefix, &[plain("same", b"12"), plain("w", b"old")], &UNSYNCED).unwrap();
    let old = std::fs::read(names::index(&prefix)).unwrap();
    write(&prefix, &[plain("same", b"12"), plain("w", b"new")], &UNSYNCED).unwrap();
    std::fs::write(names::index(&prefix), old).unwrap();
    let bundle = Bundle::open(&prefix).unwrap();
    bundle.verify(&["same"], 0).unwrap();
    assert!(matches!(bundle.verify(&["w"], 0), Err(Error::DataLoss(_))));
}

#[test]
fn a_leftover_that_does_not_match_is_not_taken() {
    let folder = Folder::new();
    let prefix = folder.join("ck");
    let (before, steps) = recorded(&folder, true, true);
    let renamed = steps.iter().position(|step| matches!(step, Step::Rename { .. })).unwrap();
    put(folder.path(), &left_by(Crash::OfProcess, &before, &steps[..=renamed])).unwrap();
    assert_eq!(value(&prefix).unwrap(), NEW);
    // Another program, which does not know of it, writes the bundle anew.
    let elsewhere = Folder::new();
    write(&elsewhere.join("ck"), &entries_of(b"by another"), &UNSYNCED).unwrap();
    for (path, bytes) in files_in(elsewhere.path()).unwrap() {
        std::fs::write(folder.join(path.file_name().unwrap().to_str().unwrap()), bytes).unwrap();
    }
    assert_eq!(files_in(folder.path()).unwrap().len(), 3);
    assert_eq!(value(&prefix).unwrap(), b"by another");
    tidy(folder.path(), &Disk).unwrap();
    assert_eq!(value(&prefix).unwrap(), b"by another");
    assert_eq!(files_in(folder.path()).unwrap().len(), 2);
}

#[test]
fn what_is_not_committed_is_removed() {
    let folder = Folder::new();
    let prefix = folder.join("ck");
    write(&prefix, &entries_of(OLD), &UNSYNCED).unwrap();
    let written = write_temporary(&prefix, &entries_of(NEW), &UNSYNCED).unwrap();
    assert_eq!(files_in(folder.path()).unwrap().len(), 4);
    assert_eq!(value(&prefix).unwrap(), OLD);
    drop(written);
    assert_eq!(files_in(folder.path()).unwrap().len(), 2);
    write_temporary(&prefix, &entries_of(NEW), &UNSYNCED).unwrap().commit().unwrap();
    assert_eq!(value(&prefix).unwrap(), NEW);
}
