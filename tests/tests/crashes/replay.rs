//! What the writer asks of the file system is recorded, and a crash played after every step of it: of the process, and of the machine,
//! which loses what was not synced, all of it or any part. The directory then names the checkpoint before or the new one, whole.

use super::model::{Folder, Model, files, newest, restored, saves_as_before};
use eagerflow as tf;
use eagerflow_formats::files::recording::{Recording, Step, files_in};
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};
use tf::train::{Checkpoint, CheckpointManager};

const SIZES: [usize; 3] = [3, 1, 6];

/// Files by name.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What was done to names, in order; files are known by number.
#[derive(Clone)]
enum Naming {
    Link(PathBuf, usize),
    Rename(PathBuf, PathBuf, usize),
    Remove(PathBuf),
}

impl Naming {
    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Self::Link(path, file) => drop(names.insert(path.clone(), *file)),
            Self::Rename(from, to, file) => {
                names.remove(from);
                names.insert(to.clone(), *file);
            }
            Self::Remove(path) => drop(names.remove(path)),
        }
    }
}

/// A disk with a directory: what programs see of it, and what is on it for certain.
#[derive(Default)]
struct Disk {
    seen: Vec<Vec<u8>>,
    synced: Vec<Vec<u8>>,
    seen_names: BTreeMap<PathBuf, usize>,
    synced_names: BTreeMap<PathBuf, usize>,
    /// What was done to names since the directory was synced.
    pending: Vec<Naming>,
    numbers: BTreeMap<usize, usize>,
}

impl Disk {
    fn of(files: Files) -> Self {
        let mut disk = Self::default();
        for (path, bytes) in files {
            disk.seen_names.insert(path, disk.seen.len());
            disk.seen.push(bytes);
        }
        (disk.synced, disk.synced_names) = (disk.seen.clone(), disk.seen_names.clone());
        disk
    }

    fn name(&mut self, naming: Naming) {
        naming.apply(&mut self.seen_names);
        self.pending.push(naming);
    }

    fn take(&mut self, step: &Step) {
        let name = |path: &Path| PathBuf::from(path.file_name().expect("a file"));
        match step {
            Step::Create { file, path } => {
                self.numbers.insert(*file, self.seen.len());
                self.name(Naming::Link(name(path), self.seen.len()));
                self.seen.push(Vec::new());
                self.synced.push(Vec::new());
            }
            Step::Write { file, bytes, offset } => {
                let data = &mut self.seen[self.numbers[file]];
                let (from, to) = (*offset as usize, *offset as usize + bytes.len());
                data.resize(data.len().max(to), 0);
                data[from..to].copy_from_slice(bytes);
            }
            Step::Sync { file } => {
                let at = self.numbers[file];
                self.synced[at] = self.seen[at].clone();
            }
            Step::Rename { from, to } => {
                let file = self.seen_names[&name(from)];
                self.name(Naming::Rename(name(from), name(to), file));
            }
            Step::Remove { path } => self.name(Naming::Remove(name(path))),
            Step::SyncDirectory { .. } => {
                self.synced_names = self.seen_names.clone();
                self.pending.clear();
            }
        }
    }

    /// What is left when the process is killed now.
    fn seen(&self) -> Files {
        self.seen_names.iter().map(|(name, &file)| (name.clone(), self.seen[file].clone())).collect()
    }

    /// What may be left when the machine stops now: any part of what was done to names, and of each file that is not synced all bytes,
    /// none, a half, or zeros.
    fn left(&self) -> Vec<Files> {
        let count = self.pending.len();
        assert!(count < 12, "{count} names are not synced");
        let lost: Vec<usize> = (0..self.seen.len()).filter(|&file| self.seen[file] != self.synced[file]).collect();
        let mut left = Vec::new();
        for subset in 0..1u32 << count {
            let mut names = self.synced_names.clone();
            let taken = self.pending.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
            taken.for_each(|(_, naming)| naming.apply(&mut names));
            let with = |bytes: &dyn Fn(usize) -> Vec<u8>| -> Files {
                names.iter().map(|(name, &file)| (name.clone(), bytes(file))).collect()
            };
            left.push(with(&|file| self.synced[file].clone()));
            left.push(with(&|file| self.seen[file].clone()));
            for &one in lost.iter().filter(|file| names.values().any(|named| named == *file)) {
                let seen = &self.seen[one];
                for damaged in [self.synced[one].clone(), seen[..seen.len() / 2].to_vec(), vec![0; seen.len()]] {
                    left.push(with(&|file| if file == one { damaged.clone() } else { self.seen[file].clone() }));
                }
            }
        }
        left
    }
}

/// Saves of a program, in order: what was there before them, what each asked, and the steps of the checkpoints.
struct Recorded {
    before: Files,
    steps: Vec<Step>,
    /// For each checkpoint that the directory may name: its step, and how much had been asked when it was reported.
    reported: Vec<(u64, usize)>,
}

impl Recorded {
    fn new(folder: &Folder, there: Option<u64>) -> Self {
        let before = files_in(folder.as_ref()).unwrap();
        let before = before.into_iter().map(|(path, bytes)| (path.file_name().unwrap().into(), bytes)).collect();
        Self { before, steps: Vec::new(), reported: vec![(there.unwrap_or(0), 0)] }
    }

    fn note(&mut self, step: u64, recording: &Recording) {
        self.steps = recording.steps();
        self.reported.push((step, self.steps.len()));
    }

    /// The steps that may be found after so much of what was asked: the last that was reported, and the one under way.
    fn allowed(&self, done: usize) -> &[(u64, usize)] {
        let last = self.reported.iter().rposition(|(_, at)| *at <= done).expect("the first is at 0");
        &self.reported[last..self.reported.len().min(last + 2)]
    }

    /// Plays all crashes, and has `find` tell the step of what is left.
    fn check(&self, durable: bool, find: impl Fn(&Path, &str) -> u64, kept: bool) {
        let folder = Folder::new();
        let mut disk = Disk::of(self.before.clone());
        let (mut tried, mut crashes) = (HashSet::new(), 0);
        for done in 0..=self.steps.len() {
            if let Some(at) = done.checked_sub(1) {
                disk.take(&self.steps[at]);
            }
            let machine = if durable { disk.left() } else { Vec::new() };
            let process = std::iter::once((disk.seen(), true));
            for (files, of_process) in process.chain(machine.into_iter().map(|files| (files, false))) {
                let allowed = self.allowed(done);
                if !tried.insert((files.clone(), allowed[0].0, of_process)) {
                    continue;
                }
                crashes += 1;
                let told: Vec<String> =
                    files.iter().map(|(name, bytes)| format!("{}: {}", name.display(), bytes.len())).collect();
                let when = format!(
                    "after {done} steps, a process: {of_process}, of {:?}: {told:?}",
                    done.checked_sub(1).map(|at| name_of(&self.steps[at]))
                );
                put(folder.as_ref(), &files);
                let found = find(folder.as_ref(), &when);
                assert!(allowed.iter().any(|(step, _)| *step == found), "{when}: {found}, not one of {allowed:?}");
                if of_process && kept {
                    saves_as_before(folder.as_ref(), &SIZES, &when);
                }
            }
        }
        assert!(crashes * 2 > self.steps.len(), "{crashes} crashes in {} steps", self.steps.len());
        println!("{} steps, {crashes} different crashes", self.steps.len());
    }
}

fn name_of(step: &Step) -> String {
    match step {
        Step::Write { file, bytes, .. } => format!("writing {} bytes to {file}", bytes.len()),
        other => format!("{other:?}"),
    }
}

fn put(folder: &Path, all: &Files) {
    for name in files(folder) {
        std::fs::remove_file(folder.join(name)).unwrap();
    }
    // A program that starts after the crash takes them for what they are: older than itself.
    let before = SystemTime::now() - Duration::from_secs(60);
    for (name, bytes) in all {
        std::fs::write(folder.join(name), bytes).unwrap();
        File::options().write(true).open(folder.join(name)).unwrap().set_modified(before).unwrap();
    }
}

fn newest_of(folder: &Path, when: &str) -> u64 {
    newest(folder, &SIZES, when)
}

/// Five saves of a manager that keeps two.
fn managed(recording: &'static Recording, durable: bool, asynchronous: bool) -> Recorded {
    let folder = Folder::new();
    let mut recorded = Recorded::new(&folder, None);
    let model = Model::new(&SIZES);
    let checkpoint = Checkpoint::new().with("model", &model).durable(durable).__storage(recording);
    let manager = CheckpointManager::new(&checkpoint, &folder, 2).unwrap();
    for step in 1..=5 {
        model.set(step);
        if asynchronous {
            let saving = manager.save_async().unwrap();
            model.set(step + 100);
            saving.wait().unwrap();
        } else {
            manager.save().unwrap();
        }
        recorded.note(step, recording);
    }
    recorded
}

#[test]
fn a_crash_at_any_point_of_a_managers_saves() {
    static RECORDING: LazyLock<Recording> = LazyLock::new(Recording::default);
    managed(&RECORDING, true, false).check(true, newest_of, true);
}

#[test]
fn a_crash_at_any_point_of_saves_in_the_background() {
    static RECORDING: LazyLock<Recording> = LazyLock::new(Recording::default);
    managed(&RECORDING, true, true).check(true, newest_of, true);
}

#[test]
fn without_syncs_the_process_may_be_killed_at_any_point() {
    static RECORDING: LazyLock<Recording> = LazyLock::new(Recording::default);
    managed(&RECORDING, false, false).check(false, newest_of, true);
}

/// A program that begins anew in a directory with checkpoints: its files take the places of older ones.
fn anew(recording: &'static Recording, there: u64) {
    let folder = Folder::new();
    let model = Model::new(&SIZES);
    let before = Checkpoint::new().with("model", &model);
    for step in 1..=there {
        model.set(step);
        before.save(folder.join("ckpt")).unwrap();
    }
    let mut recorded = Recorded::new(&folder, Some(there));
    let checkpoint = Checkpoint::new().with("model", &model).__storage(recording);
    for step in 11..=13 {
        model.set(step);
        let path = checkpoint.save(folder.join("ckpt")).unwrap();
        assert!(path.ends_with(format!("ckpt-{}", step - 10)), "{}", path.display());
        recorded.note(step, recording);
    }
    recorded.check(true, newest_of, false);
}

#[test]
fn a_crash_where_the_newest_checkpoint_itself_is_replaced() {
    static RECORDING: LazyLock<Recording> = LazyLock::new(Recording::default);
    anew(&RECORDING, 1);
}

#[test]
fn a_crash_where_older_checkpoints_are_replaced() {
    static RECORDING: LazyLock<Recording> = LazyLock::new(Recording::default);
    anew(&RECORDING, 3);
}

#[test]
fn a_crash_while_a_checkpoint_is_written_over_another() {
    static RECORDING: LazyLock<Recording> = LazyLock::new(Recording::default);
    let folder = Folder::new();
    let model = Model::new(&SIZES);
    model.set(1);
    Checkpoint::new().with("model", &model).write(folder.join("state")).unwrap();
    let mut recorded = Recorded::new(&folder, Some(1));
    let checkpoint = Checkpoint::new().with("model", &model).__storage(&*RECORDING);
    for step in 2..=4 {
        model.set(step);
        checkpoint.write(folder.join("state")).unwrap();
        recorded.note(step, &RECORDING);
    }
    recorded.check(true, |folder, when| restored(&folder.join("state"), &SIZES, when), false);
}
