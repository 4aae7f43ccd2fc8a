//! A small GPT: `cargo run --release --example transformer`. It learns from eight chapters of Alice's Adventures in Wonderland,
//! character by character, and then writes a page of its own.
//!
//! # What it shows
//!
//! - A model of blocks (`model.rs`): each block is a struct with `#[derive(Module)]`, the whole is one with `#[tf::model]`. The blocks
//!   are a `Vec`, attention is `MultiHeadAttention` with a causal mask, and the table of `Embedding` is the head too.
//! - Training by `compile` and `fit`, with AdamW, whose rate rises in the first steps and then falls along a cosine, with decay for
//!   matrices alone, and with gradients that are clipped.
//! - Writing (`sample.rs`): one traced function draws the next character from the `--top-k` likeliest ones, made bolder or duller by
//!   `--temperature`. It takes a window of fixed size and the place of the last character as a tensor, so that texts of all lengths
//!   are one trace; the program prints the number of traces at its end.
//! - `--weights FILE` keeps what was learned, and goes on from there the next time: `--weights gpt.safetensors --prompt "The Queen "`.
//!
//! # What it prints
//!
//! On two cores of an AMD EPYC that much other work kept busy; with less of it, training took 234 s and had the same losses:
//!
//! ```text
//! 97139 characters of 66 kinds, 5461 windows of 64
//! Epoch 1/12
//! 171/171 - 38s - 226ms/step - loss: 2.7006 - accuracy: 0.2678 - val_loss: 2.1794 - val_accuracy: 0.3779
//! ...
//! Epoch 4/12
//! 171/171 - 37s - 217ms/step - loss: 1.6059 - accuracy: 0.5167 - val_loss: 1.5879 - val_accuracy: 0.5303
//! ...
//! Epoch 10/12
//! 171/171 - 37s - 219ms/step - loss: 1.2211 - accuracy: 0.6151 - val_loss: 1.4908 - val_accuracy: 0.5753
//! ...
//! Epoch 12/12
//! 171/171 - 24s - 141ms/step - loss: 1.1634 - accuracy: 0.6309 - val_loss: 1.5016 - val_accuracy: 0.5763
//! 611712 parameters, trained in 448 s
//!
//! Alice could be a little with one
//! sort of the was not cats much and the things--to say you mean to do you know.'
//!
//! `Sure,' said the Mouse I'm very considering to Alice; `but I'll great
//! what I shouldn't be make the best the seam when I must be thing of the sworth the might to the baby her way I hadn't know the bring of his face was the little
//! contemper than her heads to make to see when she could her felt at the words of this, and
//! looked up the passage and of the little should that it was a long to
//! be a little way of the right it words, and was to herself to might began to
//! the puppy for the children sh
//!
//! 2.7 ms a character, traces made: 1
//! ```
//!
//! # What to learn from it
//!
//! - The loss of one who knows nothing is ln 66 = 4.19, and that of one who knows how frequent each character is 3.16. What is
//!   held out (the last tenth) tells how far a text of 97 kB carries: its loss stops falling at about 1.5, while that of the text
//!   learned from goes on.
//! - With `--temperature 0.2` it repeats itself ("one of the could be a little of the party of the room of the"), with `1.5` it
//!   invents words ("eskescop", "crathere").
//! - More is not better: with windows of 128 characters in place of 64 the loss of what is held out was 1.52 at best.

mod model;
mod sample;

use eagerflow as tf;
use eagerflow_examples::command_line::{self, Given};
use eagerflow_examples::text::{ALICE, Text};
use model::{Gpt, Sizes};
use sample::Drawing;
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tf::losses::SparseCategoricalCrossentropy;
use tf::optim::AdamW;
use tf::optim::schedules::CosineDecay;
use tf::training::{Compile, Fit, History};
use tf::{Module, Tensor};

const USAGE: &str = "\
Trains a small GPT on a text, character by character, and lets it write.

usage: cargo run --release --example transformer [-- OPTIONS]

  --text FILE      what it learns from (default: eight chapters of Alice's Adventures in Wonderland)
  --epochs N       passes over the text (default: 12)
  --seed N         seed of the first weights, the order of the windows, the dropout and what is written (default: 7)
  --prompt TEXT    what it goes on from (default: `Alice `)
  --weights FILE   where the weights are kept: read and not trained if the file is there, else written (default: none)
  --length N       how many characters it writes (default: 600)
  --temperature T  below 1 likely characters come more often, above 1 less often (default: 0.5)
  --top-k N        it draws from so many of the likeliest characters (default: 20)
  --help           this text
";

struct Options {
    text: PathBuf,
    epochs: usize,
    seed: i64,
    prompt: String,
    weights: Option<PathBuf>,
    length: usize,
    drawing: Drawing,
}

fn read(given: &mut Given) -> Result<Options, String> {
    let options = Options {
        text: given.value("--text", ALICE.into())?,
        epochs: given.value("--epochs", 12)?,
        seed: given.value("--seed", 7)?,
        prompt: given.value("--prompt", "Alice ".to_owned())?,
        weights: Some(given.value("--weights", PathBuf::new())?).filter(|path| path != Path::new("")),
        length: given.value("--length", 600)?,
        drawing: Drawing { temperature: given.value("--temperature", 0.5)?, top_k: given.value("--top-k", 20)? },
    };
    match options.drawing {
        Drawing { temperature, .. } if temperature.is_nan() || temperature <= 0.0 => {
            Err("`--temperature` must be above 0".to_owned())
        }
        Drawing { top_k: 0, .. } => Err("`--top-k` must be above 0".to_owned()),
        _ => Ok(options),
    }
}

/// Windows to learn from and to be tried on.
struct Windows {
    train: (Tensor, Tensor),
    held_out: (Tensor, Tensor),
}

impl Windows {
    /// Windows for learning overlap, so that each character is seen at several places.
    fn new(text: &Text, context: usize) -> tf::Result<Self> {
        let (from, end) = (text.held_out(), text.codes.len());
        let train = text.windows(0..from, context, context / 4)?;
        Ok(Self { train, held_out: text.windows(from..end, context, context)? })
    }
}

const BATCH: usize = 32;

fn train(model: &Gpt, windows: &Windows, epochs: usize, verbose: u8) -> tf::Result<History> {
    let (x, y) = &windows.train;
    let steps = epochs * x.shape()[0].div_ceil(BATCH);
    let warm_up = steps / 20;
    let rate = CosineDecay::new(0.0, (steps - warm_up).max(1)).warmup_target(3e-3).warmup_steps(warm_up).alpha(0.05);
    let optimizer = AdamW::new(rate)
        .weight_decay(0.05)
        .exclude_from_weight_decay(&[], &["bias", "gamma", "beta"])
        .global_clipnorm(1.0);
    let loss = SparseCategoricalCrossentropy::new().from_logits(true);
    let (held_x, held_y) = &windows.held_out;
    let fit = Fit::new().try_epochs(epochs)?.batch_size(BATCH).validation_data((held_x, held_y)).verbose(verbose);
    model.compile(optimizer, loss).metrics(["accuracy"]).try_fit((x, y), fit)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    tf::random::set_seed(options.seed);
    let text = Text::read(&options.text)?;
    let prompt = text.encode(&options.prompt)?;
    let sizes = Sizes { symbols: text.symbols.len(), context: 64, width: 128, heads: 4, blocks: 3 };
    let windows = Windows::new(&text, sizes.context)?;
    println!("{text}, {} windows of {}", windows.train.0.dim(0), sizes.context);

    let model = Gpt::new(sizes);
    match &options.weights {
        Some(path) if path.exists() => {
            tf::train::load_weights(&model, path)?;
        }
        path => {
            let begin = Instant::now();
            train(&model, &windows, options.epochs, 2)?;
            println!("{} parameters, trained in {:.0} s", model.count_params().total(), begin.elapsed().as_secs_f64());
            path.iter().try_for_each(|path| tf::train::save_weights(&model, path))?;
        }
    }

    let begin = Instant::now();
    print!("\n{}", options.prompt);
    let drawing = Drawing { top_k: options.drawing.top_k.min(text.symbols.len()), ..options.drawing };
    sample::sample(&model, sizes.context, &prompt, options.length, drawing, |code| {
        print!("{}", text.symbol(code));
        let _ = std::io::stdout().flush();
    });
    let ms = begin.elapsed().as_secs_f64() * 1e3 / options.length.max(1) as f64;
    println!("\n\n{ms:.1} ms a character, traces made: {}", tf::function(sample::next).trace_count());
    Ok(())
}

fn main() -> ExitCode {
    command_line::main(USAGE, read, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Sizes = Sizes { symbols: 0, context: 16, width: 32, heads: 2, blocks: 2 };

    /// A text that repeats is learned, and goes on past the end of the window, by one trace for prompts and texts of any length.
    /// It is trained until the right character is far ahead, as the last bits of a product differ between processors.
    #[test]
    fn it_learns_to_go_on() {
        tf::random::set_seed(1);
        let text = Text::new(&"never odd or even; ".repeat(60));
        let model = Gpt::new(Sizes { symbols: text.symbols.len(), ..SMALL });
        let history = train(&model, &Windows::new(&text, SMALL.context).unwrap(), 24, 0).unwrap();
        assert!(history["val_loss"][23] < 0.2, "{:?}", &history["val_loss"]);
        for (prompt, length, expected) in [("never odd o", 22, "r even; never odd or e"), ("or ev", 4, "en; ")] {
            let mut written = String::new();
            let tell = |code| written.push(text.symbol(code));
            let drawing = Drawing { temperature: 0.05, top_k: 3 };
            sample::sample(&model, SMALL.context, &text.encode(prompt).unwrap(), length, drawing, tell);
            assert_eq!(written, expected);
        }
        assert_eq!(tf::function(sample::next).trace_count(), 1, "{:?}", tf::function(sample::next).reasons());
    }

    /// Weights that were kept are those of another network, built or not.
    #[test]
    fn weights_come_back() {
        let path = std::env::temp_dir().join(format!("eagerflow-gpt-{}.safetensors", std::process::id()));
        let sizes = Sizes { symbols: 9, ..SMALL };
        let (model, other, codes) = (Gpt::new(sizes), Gpt::new(sizes), tf::constant([[1, 2, 3]]));
        let logits = model.call(&codes).to_vec::<f32>();
        tf::train::save_weights(&model, &path).unwrap();
        tf::train::load_weights(&other, &path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(other.call(&codes).to_vec::<f32>(), logits);
    }

    /// What comes later changes nothing before it.
    #[test]
    fn the_future_is_hidden() {
        let model = Gpt::new(Sizes { symbols: 9, ..SMALL });
        let logits = |codes: [i32; 4]| model.call(&tf::constant([codes])).at(tf::s![0, ..3]).to_vec::<f32>();
        assert_eq!(logits([1, 2, 3, 4]), logits([1, 2, 3, 8]));
        assert_ne!(logits([1, 2, 3, 4]), logits([5, 2, 3, 4]));
    }

    #[test]
    fn mistakes_are_named() {
        let read = |line: &str| command_line::options(line.split(' ').map(str::to_owned), read).err().unwrap();
        assert!(read("--temperature -1").contains("above 0"));
        assert!(read("--top-k 0").contains("`--top-k` must be above 0"));
        assert!(read("--top-k many").contains("`--top-k` cannot be `many`"));
    }
}
