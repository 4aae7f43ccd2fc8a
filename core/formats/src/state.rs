//! Stub.
use crate::files::Options;
use kernels::error::{Error, Result};
use std::path::Path;
/// S
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckpointState {
    /// S
    pub model_checkpoint_path: String,
    /// S
    pub all_model_checkpoint_paths: Vec<String>,
    /// S
    pub all_model_checkpoint_timestamps: Vec<f64>,
    /// S
    pub last_preserved_timestamp: Option<f64>,
}
impl CheckpointState {
    /// S
    pub fn read(path: &Path) -> Result<Self> {
        let t = std::fs::read_to_string(path).map_err(|e| crate::files::error(path, "x", e))?;
        let mut s = Self::default();
        for l in t.lines() {
            let Some((k, v)) = l.split_once(": ") else { return Err(Error::data_loss("s", "x")) };
            match k {
                "model_checkpoint_path" => s.model_checkpoint_path = v.trim_matches('"').into(),
                "all_model_checkpoint_paths" => s.all_model_checkpoint_paths.push(v.trim_matches('"').into()),
                "all_model_checkpoint_timestamps" => s.all_model_checkpoint_timestamps.push(v.parse().unwrap()),
                _ => s.last_preserved_timestamp = Some(v.parse().unwrap()),
            }
        }
        Ok(s)
    }
    /// S
    pub fn write(&self, path: &Path, options: &Options<'_>) -> Result<()> {
        let mut t = format!("model_checkpoint_path: {:?}\n", self.model_checkpoint_path);
        for p in &self.all_model_checkpoint_paths {
            t += &format!("all_model_checkpoint_paths: {p:?}\n");
        }
        for p in &self.all_model_checkpoint_timestamps {
            t += &format!("all_model_checkpoint_timestamps: {p:?}\n");
        }
        if let Some(p) = self.last_preserved_timestamp {
            t += &format!("last_preserved_timestamp: {p:?}\n");
        }
        crate::files::replace(path, t.as_bytes(), options)
    }
}
