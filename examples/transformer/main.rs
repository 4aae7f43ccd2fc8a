//! A small GPT: `cargo run --release --example transformer`.

mod model;
mod sample;

use eagerflow as tf;
use eagerflow_examples::command_line::{self, Given};
use eagerflow_examples::text::{ALICE, Text};
use model::{Gpt, Sizes};
use sample::Drawing;
use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
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
  --length N       how many characters it writes (default: 600)
  --temperature T  below 1 likely characters come more often, above 1 less often (default: 0.8)
  --top-k N        it draws from so many of the likeliest characters (default: 20)
  --help           this text
";

struct Options {
    text: PathBuf,
    epochs: usize,
    seed: i64,
    prompt: String,
    length: usize,
    drawing: Drawing,
}

fn read(given: &mut Given) -> Result<Options, String> {
    let options = Options {
        text: given.value("--text", ALICE.into())?,
        epochs: given.value("--epochs", 12)?,
        seed: given.value("--seed", 7)?,
        prompt: given.value("--prompt", "Alice ".to_owned())?,
        length: given.value("--length", 600)?,
        drawing: Drawing { temperature: given.value("--temperature", 0.8)?, top_k: given.value("--top-k", 20)? },
    };
    match options.drawing.temperature > 0.0 {
        true => Ok(options),
        false => Err("`--temperature` must be above 0".to_owned()),
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
    let begin = Instant::now();
    train(&model, &windows, options.epochs, 2)?;
    println!("{} parameters, trained in {:.0} s\n", model.count_params().total(), begin.elapsed().as_secs_f64());

    let begin = Instant::now();
    print!("{}", options.prompt);
    let drawing = Drawing { top_k: options.drawing.top_k.clamp(1, text.symbols.len()), ..options.drawing };
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
    #[test]
    fn it_learns_to_go_on() {
        tf::random::set_seed(1);
        let text = Text::new(&"never odd or even; ".repeat(60));
        let model = Gpt::new(Sizes { symbols: text.symbols.len(), ..SMALL });
        let history = train(&model, &Windows::new(&text, SMALL.context).unwrap(), 12, 0).unwrap();
        assert!(history["val_loss"][11] < 0.5, "{:?}", &history["val_loss"]);
        for (prompt, length, expected) in [("never odd o", 22, "r even; never odd or e"), ("or ev", 4, "en; ")] {
            let mut written = String::new();
            let tell = |code| written.push(text.symbol(code));
            let drawing = Drawing { temperature: 0.1, top_k: 3 };
            sample::sample(&model, SMALL.context, &text.encode(prompt).unwrap(), length, drawing, tell);
            assert_eq!(written, expected);
        }
        assert_eq!(tf::function(sample::next).trace_count(), 1, "{:?}", tf::function(sample::next).reasons());
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
        assert!(read("--top-k many").contains("`--top-k` cannot be `many`"));
    }
}
