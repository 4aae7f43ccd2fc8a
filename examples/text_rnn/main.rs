//! TensorFlow's tutorial "Text generation with an RNN": `cargo run --release --example text_rnn`.

mod model;

use eagerflow as tf;
use eagerflow_examples::command_line::{self, Given};
use eagerflow_examples::text::{ALICE, Text};
use model::Rnn;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tf::Module;
use tf::losses::SparseCategoricalCrossentropy;
use tf::optim::Adam;
use tf::training::{Compile, Fit, History};

const USAGE: &str = "\
Trains a GRU on a text, character by character, and lets it write.

usage: cargo run --release --example text_rnn [-- OPTIONS]

  --text FILE      what it learns from (default: eight chapters of Alice's Adventures in Wonderland)
  --epochs N       passes over the text (default: 30)
  --seed N         seed of the first weights, the order of the windows and what is written (default: 7)
  --prompt TEXT    what it goes on from (default: `Alice `)
  --length N       how many characters it writes (default: 600)
  --temperature T  below 1 likely characters come more often, above 1 less often (default: 0.7)
  --help           this text
";

struct Options {
    text: PathBuf,
    epochs: usize,
    seed: i64,
    prompt: String,
    length: usize,
    temperature: f32,
}

fn read(given: &mut Given) -> Result<Options, String> {
    let options = Options {
        text: given.value("--text", ALICE.into())?,
        epochs: given.value("--epochs", 30)?,
        seed: given.value("--seed", 7)?,
        prompt: given.value("--prompt", "Alice ".to_owned())?,
        length: given.value("--length", 600)?,
        temperature: given.value("--temperature", 0.7)?,
    };
    match options.temperature > 0.0 {
        true => Ok(options),
        false => Err("`--temperature` must be above 0".to_owned()),
    }
}

/// How many characters a window has. The gradient goes back as far.
const WINDOW: usize = 100;

fn train(model: &Rnn, text: &Text, window: usize, epochs: usize, verbose: u8) -> tf::Result<History> {
    let (from, end) = (text.held_out(), text.codes.len());
    let (x, y) = text.windows(0..from, window, window)?;
    let (held_x, held_y) = text.windows(from..end, window, window)?;
    let loss = SparseCategoricalCrossentropy::new().from_logits(true);
    let fit = Fit::new().try_epochs(epochs)?.batch_size(32).validation_data((&held_x, &held_y)).verbose(verbose);
    model.compile(Adam::new(3e-3), loss).metrics(["accuracy"]).try_fit((&x, &y), fit)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    tf::random::set_seed(options.seed);
    let text = Text::read(&options.text)?;
    let prompt = text.encode(&options.prompt)?;
    println!("{text}");

    let model = Rnn::new(text.symbols.len(), 64, 256);
    let begin = Instant::now();
    train(&model, &text, WINDOW, options.epochs, 2)?;
    println!("{} parameters, trained in {:.0} s\n", model.count_params().total(), begin.elapsed().as_secs_f64());

    let begin = Instant::now();
    let mut written = options.prompt.clone();
    model::write(&model, &prompt, options.length, options.temperature, |code| written.push(text.symbol(code)));
    let ms = begin.elapsed().as_secs_f64() * 1e3 / options.length.max(1) as f64;
    println!("{written}\n\n{ms:.2} ms a character, traces made: {}", tf::function(model::next).trace_count());
    Ok(())
}

fn main() -> ExitCode {
    command_line::main(USAGE, read, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text that repeats is learned, and goes on, by one trace for prompts and texts of any length.
    #[test]
    fn it_learns_to_go_on() {
        tf::random::set_seed(1);
        let text = Text::new(&"never odd or even; ".repeat(60));
        let model = Rnn::new(text.symbols.len(), 16, 32);
        let history = train(&model, &text, 20, 40, 0).unwrap();
        assert!(history["val_loss"][39] < 0.3, "{:?}", &history["val_loss"]);
        for (prompt, length, expected) in [("never odd o", 9, "r even; n"), ("or ev", 4, "en; ")] {
            let mut written = String::new();
            let tell = |code| written.push(text.symbol(code));
            model::write(&model, &text.encode(prompt).unwrap(), length, 0.1, tell);
            assert_eq!(written, expected);
        }
        assert_eq!(tf::function(model::next).trace_count(), 1, "{:?}", tf::function(model::next).reasons());
    }

    #[test]
    fn mistakes_are_named() {
        let read = |line: &str| command_line::options(line.split(' ').map(str::to_owned), read).err().unwrap();
        assert!(read("--temperature 0").contains("above 0"));
        assert!(read("--epochs ten").contains("`--epochs` cannot be `ten`"));
    }
}
