//! Hyperparameters: which a run has, and which there are in all runs, for TensorBoard's table of runs.
//! Programs call `hparams` once for each run, in the folder of the run.

use super::encode::{event, metadata, now, numbers, value};
use super::state::with_writer;
use engine::library::OrFail;
use formats::events::{
    Experiment, HParamInfo, HParamsKind, HParamsPluginData, HParamsValue, HParamsValueKind, Interval, MetricInfo,
    MetricName, SessionEndInfo, SessionStartInfo,
};
use formats::messages::{DataType, Message};
use kernels::error::{Error, Result};
use std::collections::BTreeMap;
use std::panic::Location;

/// The value of a hyperparameter: a number, a text or a truth value.
#[derive(Clone, PartialEq, Debug)]
pub enum HParam {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A truth value.
    Bool(bool),
}

macro_rules! numbers_of_rust {
    ($($t:ty),*) => {$(
        impl From<$t> for HParam {
            #[allow(clippy::cast_lossless, reason = "the same for all")]
            fn from(number: $t) -> Self {
                Self::Number(number as f64)
            }
        }
    )*};
}

numbers_of_rust!(f32, f64, i32, i64, u32, u64, usize);

impl From<bool> for HParam {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for HParam {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for HParam {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// The hyperparameters of a run.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-hparams-page-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// tf::summary::hparams(tf::summary::HParams::new().with("learning_rate", 1e-3).with("optimizer", "adam"));
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HParams {
    values: BTreeMap<String, HParam>,
    trial: Option<String>,
}

impl HParams {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more, in place of one with this name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<HParam>) -> Self {
        self.values.insert(name.into(), value.into());
        self
    }

    /// What runs have in common that are one row of the table; without it, runs with the same hyperparameters are.
    #[must_use]
    pub fn trial_id(mut self, id: impl Into<String>) -> Self {
        self.trial = Some(id.into());
        self
    }

    /// The name of the row, which two runs share just if they have the same values.
    fn group(&self) -> String {
        self.trial.clone().unwrap_or_else(|| {
            let words: Vec<String> = self.values.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
            let text = words.join(",");
            format!("{:08x}{:08x}", formats::checksum::of(text.as_bytes()), text.len())
        })
    }
}

/// Writes the hyperparameters of a run, at step 0 of the default writer; without one it does nothing. In a traced function it is done
/// while it is traced. TensorBoard's `hparams.api.hparams`.
///
/// # Panics
/// As [`try_hparams`] fails, at the caller's line.
#[track_caller]
pub fn hparams(hparams: HParams) {
    try_hparams(hparams).or_fail();
}

/// Writes the hyperparameters of a run.
///
/// # Errors
/// FailedPrecondition for a writer that is closed.
#[track_caller]
pub fn try_hparams(hparams: HParams) -> Result<()> {
    let (here, group_name) = (Location::caller(), hparams.group());
    let kind = |value| match value {
        HParam::Number(number) => HParamsValueKind::Number(number),
        HParam::Text(text) => HParamsValueKind::Text(text),
        HParam::Bool(value) => HParamsValueKind::Bool(value),
    };
    let values = hparams.values.into_iter();
    let hparams = values.map(|(name, value)| (name, HParamsValue { kind: Some(kind(value)) })).collect();
    let start = SessionStartInfo { hparams, group_name, start_time_secs: now() };
    write("_hparams_/session_start_info", HParamsKind::SessionStartInfo(start)).map_err(|e| e.at(here))
}

/// Writes that a run has ended, so that TensorBoard's table shows how: with success or not.
///
/// # Panics
/// As [`try_hparams`] fails, at the caller's line.
#[track_caller]
pub fn hparams_end(success: bool) {
    let here = Location::caller();
    let end = SessionEndInfo { status: if success { 1 } else { 2 }, end_time_secs: now() };
    let written = write("_hparams_/session_end_info", HParamsKind::SessionEndInfo(end));
    written.map_err(|e| e.at(here)).or_fail();
}

/// Which hyperparameters and results the runs of an experiment have, for the columns of TensorBoard's table.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-hparams-config-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// let columns = tf::summary::HParamsConfig::new().number("learning_rate", Some((1e-4, 1e-2))).text("optimizer");
/// tf::summary::hparams_config(columns.metric("epoch_accuracy", "validation", "accuracy"));
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HParamsConfig {
    infos: Vec<HParamInfo>,
    metrics: Vec<MetricInfo>,
}

impl HParamsConfig {
    /// No columns yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn info(mut self, name: impl Into<String>, r#type: i32, domain: Option<(f64, f64)>) -> Self {
        let domain_interval = domain.map(|(min_value, max_value)| Interval { min_value, max_value });
        self.infos.push(HParamInfo { name: name.into(), r#type, domain_interval, ..HParamInfo::default() });
        self
    }

    /// A hyperparameter that is a number, perhaps between two.
    #[must_use]
    pub fn number(self, name: impl Into<String>, range: Option<(f64, f64)>) -> Self {
        self.info(name, 3, range)
    }

    /// A hyperparameter that is a text.
    #[must_use]
    pub fn text(self, name: impl Into<String>) -> Self {
        self.info(name, 1, None)
    }

    /// A hyperparameter that is true or false.
    #[must_use]
    pub fn bool(self, name: impl Into<String>) -> Self {
        self.info(name, 2, None)
    }

    /// A result: a scalar's tag, the folder below the run's where it is (such as `validation`, or nothing), and the name that is shown.
    #[must_use]
    pub fn metric(mut self, tag: impl Into<String>, group: impl Into<String>, display_name: impl Into<String>) -> Self {
        let name = MetricName { group: group.into(), tag: tag.into() };
        self.metrics.push(MetricInfo { name: Some(name), display_name: display_name.into() });
        self
    }
}

/// Writes which hyperparameters and results there are, at step 0 of the default writer, which lies in the folder of all runs; without one
/// it does nothing. TensorBoard's `hparams.api.hparams_config`.
///
/// # Panics
/// As [`try_hparams_config`] fails, at the caller's line.
#[track_caller]
pub fn hparams_config(config: HParamsConfig) {
    try_hparams_config(config).or_fail();
}

/// Writes which hyperparameters and results there are.
///
/// # Errors
/// FailedPrecondition for a writer that is closed.
#[track_caller]
pub fn try_hparams_config(config: HParamsConfig) -> Result<()> {
    let here = Location::caller();
    let HParamsConfig { infos: hparam_infos, metrics: metric_infos } = config;
    let experiment = Experiment { time_created_secs: now(), hparam_infos, metric_infos };
    write("_hparams_/experiment", HParamsKind::Experiment(experiment)).map_err(|e| e.at(here))
}

fn write(tag: &str, kind: HParamsKind) -> Result<()> {
    let written = with_writer(|writer, _| {
        let Some(queue) = writer.queue() else { return Ok(()) };
        let content = HParamsPluginData { version: 0, data: Some(kind) }.encode_to_vec();
        let nothing = numbers(DataType::Float, Vec::new(), &[0]);
        let event_of = value(now(), 0, tag.to_owned(), metadata("hparams", content, ""), nothing);
        let make = move |frames: &mut Vec<u8>| -> Result<(), Error> {
            event(frames, &event_of);
            Ok(())
        };
        queue.push_later(1024, Box::new(make))
    });
    written.map(drop)
}
