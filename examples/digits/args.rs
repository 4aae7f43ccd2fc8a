//! The options of the command line.
//! Everything that is not understood is an error that says what would be.

use std::path::PathBuf;

pub const USAGE: &str = "\
Trains a classifier of handwritten digits and prints its accuracy on images it has not seen.

usage: cargo run --release --example digits [-- OPTIONS]

  --data DIR       folder with the four IDX files of MNIST, plain or gzip (default: the digits that come along)
  --model NAME     `default` (two convolutions, pooling, dropout, dense) or `guide` (TensorFlow's eager guide)
  --graph          train by a traced function: one graph per step (default)
  --eager          train operation by operation
  --fit            train the default network by `compile` and `fit`, with a progress bar
  --epochs N       passes over the training images (default: 20)
  --seed N         seed of the first weights, the order of the images and the dropout (default: 7)
  --picture FILE   where the curves go, a PNG (default: digits-loss.png)
  --logdir DIR     folder for TensorBoard: scalars, weights, images, graph, settings and a curve (default: none is written)
  --save DIR       folder for checkpoints, of which one is saved after every epoch (default: none is saved)
  --resume         go on from the newest checkpoint of that folder (default: digits-checkpoints), if there is one
  --help           this text
";

/// Which network is trained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    Default,
    Guide,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub data: PathBuf,
    pub model: Model,
    pub graph: bool,
    /// Whether `fit` trains in place of the loop here.
    pub fit: bool,
    pub epochs: usize,
    pub seed: i64,
    pub picture: PathBuf,
    /// The folder for TensorBoard, if anything is written for it.
    pub logdir: Option<PathBuf>,
    /// The folder for checkpoints, where any are saved.
    pub save: Option<PathBuf>,
    pub resume: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data: eagerflow_examples::digits::folder(),
            model: Model::Default,
            graph: true,
            fit: false,
            epochs: 20,
            seed: 7,
            picture: PathBuf::from("digits-loss.png"),
            logdir: None,
            save: None,
            resume: false,
        }
    }
}

/// What the user wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    Run(Options),
    Help,
}

/// Reads the options, as `--name value` or `--name=value`.
pub fn parse(args: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut options = Options::default();
    let mut args = args;
    while let Some(arg) = args.next() {
        if arg == "--help" || arg == "-h" {
            return Ok(Command::Help);
        }
        if arg == "--graph" || arg == "--eager" {
            options.graph = arg == "--graph";
            continue;
        }
        if arg == "--fit" {
            options.fit = true;
            continue;
        }
        if arg == "--resume" {
            options.resume = true;
            continue;
        }
        let (name, given) = match arg.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (arg, None),
        };
        if !["--data", "--model", "--epochs", "--seed", "--picture", "--logdir", "--save"].contains(&&*name) {
            return Err(format!("unknown option `{name}`"));
        }
        let value = given.or_else(|| args.next()).ok_or_else(|| format!("`{name}` needs a value"))?;
        match &*name {
            "--data" => options.data = value.into(),
            "--picture" => options.picture = value.into(),
            "--logdir" => options.logdir = Some(value.into()),
            "--save" => options.save = Some(value.into()),
            "--model" => options.model = model(&value)?,
            "--epochs" => options.epochs = number(&name, &value, "a number of 0 or more")?,
            _ => options.seed = number(&name, &value, "an integer of 64 bits")?,
        }
    }
    if options.fit && (options.save.is_some() || options.resume || options.model != Model::Default || !options.graph) {
        return Err("`--fit` trains the default network as a graph and saves nothing; leave out `--save`, `--resume`, `--model` and `--eager`".to_owned());
    }
    if options.resume {
        options.save.get_or_insert_with(|| PathBuf::from("digits-checkpoints"));
    }
    Ok(Command::Run(options))
}

fn model(value: &str) -> Result<Model, String> {
    match value {
        "default" => Ok(Model::Default),
        "guide" => Ok(Model::Guide),
        other => Err(format!("`--model` is `default` or `guide`, not `{other}`")),
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str, expected: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`{name}` takes {expected}, not `{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn options_in_both_forms() {
        assert_eq!(read(""), Ok(Command::Run(Options::default())));
        let right = Options { model: Model::Guide, epochs: 3, seed: -1, data: "mnist".into(), ..Options::default() };
        assert_eq!(read("--model guide --epochs 3 --seed=-1 --data=mnist"), Ok(Command::Run(right)));
        assert_eq!(read("--epochs 3 --help"), Ok(Command::Help));
        assert_eq!(read("--eager"), Ok(Command::Run(Options { graph: false, ..Options::default() })));
        let resumed = |save: &str| Options { resume: true, save: Some(save.into()), ..Options::default() };
        assert_eq!(read("--resume"), Ok(Command::Run(resumed("digits-checkpoints"))));
        assert_eq!(read("--resume --save there"), Ok(Command::Run(resumed("there"))));
        assert_eq!(
            read("--logdir logs"),
            Ok(Command::Run(Options { logdir: Some("logs".into()), ..Options::default() }))
        );
        assert_eq!(read("--eager --graph"), Ok(Command::Run(Options::default())));
    }

    #[test]
    fn mistakes_are_named() {
        let refused = |line: &str, words: &str| {
            let message = read(line).unwrap_err();
            assert!(message.contains(words), "{message}");
        };
        refused("--epoch 3", "unknown option `--epoch`");
        refused("mnist", "unknown option `mnist`");
        refused("--epochs", "`--epochs` needs a value");
        refused("--epochs -3", "0 or more, not `-3`");
        refused("--seed x", "64 bits, not `x`");
        refused("--fit --resume", "leave out `--save`");
        refused("--model resnet", "`default` or `guide`, not `resnet`");
    }
}
