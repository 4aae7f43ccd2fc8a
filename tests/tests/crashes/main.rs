//! Saves that are cut short: by a kill at any moment, by a loss of power after any write, by a full disk, by whatever fails, and by
//! another process that saves beside. What the directory names is whole every time, and no older than what was reported as saved.

mod disk;
mod faults;
mod kills;
mod model;
mod replay;
mod together;
