//! Whole training steps of nine sample networks, eager and traced: `steps_peers.py` times them in turns with PyTorch, JAX and TensorFlow,
//! compares losses, measures memory, and records the table of a processor.
//!
//! `cargo bench -p eagerflow --bench steps` alone prints our times, eager and traced in turns, and their ratio; words behind `--` are names
//! of networks, `--profile` prints where the traced steps' time goes instead, and `--cuts` how evenly their work is cut for 2 to 16 threads.
//! The driver starts one process for each network, batch and way:
//!
//!     cargo bench -p eagerflow --bench steps --no-run        # prints where the program lies
//!     python core/benches/steps_peers.py PROGRAM --record
//!
//! With `--serve NETWORK BATCH eager|traced` it says that it is there, makes the network on the first line of its input and answers the losses
//! of the first steps, and answers each further line with the milliseconds of one step.

#[path = "support/cuts.rs"]
mod cuts;
#[path = "steps/gru_vae_mixer.rs"]
mod gru_vae_mixer;
#[allow(dead_code, reason = "results are compared by losses here")]
#[path = "shapes/inputs.rs"]
mod inputs;
#[path = "steps/network.rs"]
mod network;
#[path = "steps/resnet_mobilenet.rs"]
mod resnet_mobilenet;
#[path = "steps/transformers.rs"]
mod transformers;
#[path = "steps/vgg_unet.rs"]
mod vgg_unet;

use cuts::Cuts;
use eagerflow as tf;
use network::Step;
use std::io::BufRead;
use std::time::Instant;

/// A network's step, of so many examples.
type Make = fn(usize) -> Step;

/// The networks by name, and their batches; `steps/networks.py` has the same.
const NETWORKS: [(&str, Make, [usize; 2]); 9] = [
    ("vgg", vgg_unet::vgg, [8, 32]),
    ("resnet", resnet_mobilenet::resnet, [8, 32]),
    ("unet", vgg_unet::unet, [2, 8]),
    ("mobilenet", resnet_mobilenet::mobilenet, [8, 32]),
    ("bert", transformers::bert, [8, 32]),
    ("gpt", transformers::gpt, [4, 16]),
    ("gru", gru_vae_mixer::gru, [16, 64]),
    ("vae", gru_vae_mixer::vae, [128, 512]),
    ("mixer", gru_vae_mixer::mixer, [8, 32]),
];

/// How many first losses are compared.
const LOSSES: usize = 5;
/// How many samples each way has when nobody asks for them one by one.
const SAMPLES: usize = 15;

/// The loss of a step and its milliseconds, until the loss is known.
fn timed(step: &Step) -> (f32, f64) {
    let start = Instant::now();
    let loss = (step.run)().item::<f32>();
    (loss, start.elapsed().as_secs_f64() * 1e3)
}

fn serve(name: &str, batch: &str, way: &str) {
    let (_, make, _) = NETWORKS.iter().find(|(known, ..)| *known == name).expect("a name of a network");
    let batch = batch.parse().expect("the size of a batch");
    tf::config::run_functions_eagerly(way == "eager");
    println!("{{\"version\": \"{}\"}}", env!("CARGO_PKG_VERSION"));
    let mut made = None;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match (&made, line.as_str()) {
            (None, _) => {
                let step = made.insert(make(batch));
                let losses: Vec<f32> = (0..LOSSES).map(|_| timed(step).0).collect();
                println!("{{\"losses\": {losses:?}}}");
            }
            (Some(step), _) => println!("{}", timed(step).1),
        }
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Both ways in turns, for each network and batch that is wanted.
fn table(wanted: impl Fn(&str) -> bool) {
    println!("{:<18} {:>12} {:>12} {:>14}", "milliseconds", "eager", "traced", "of eager");
    for (name, make, batches) in NETWORKS.iter().filter(|(name, ..)| wanted(name)) {
        for batch in batches {
            let (steps, mut times) = ([(); 2].map(|()| make(*batch)), [Vec::new(), Vec::new()]);
            for round in 0..SAMPLES + 3 {
                for ((way, step), times) in steps.iter().enumerate().zip(&mut times) {
                    tf::config::run_functions_eagerly(way == 0);
                    let (loss, time) = timed(step);
                    assert!(loss.is_finite(), "the loss of {name} is {loss}");
                    times.extend((round >= 3).then_some(time));
                }
            }
            let [eager, traced] = times.each_mut().map(|times| median(times));
            let workload = format!("{name} {batch}");
            println!("{workload:<18} {eager:>12.3} {traced:>12.3} {:>14.3}", traced / eager);
        }
    }
}

/// Where the time of traced steps goes.
fn profile(wanted: impl Fn(&str) -> bool) {
    for (name, make, batches) in NETWORKS.iter().filter(|(name, ..)| wanted(name)) {
        for batch in batches {
            let step = make(*batch);
            let several = |count: usize| (0..count).for_each(|_| assert!(timed(&step).0.is_finite()));
            several(3);
            tf::profile(|| several(SAMPLES));
            println!("{name} {batch}\n{}", (step.plan)());
        }
    }
}

/// What more threads would make of traced steps.
fn cut_table(wanted: impl Fn(&str) -> bool) {
    println!("{}\n{}", cuts::overhead(), Cuts::head());
    for (name, make, batches) in NETWORKS.iter().filter(|(name, ..)| wanted(name)) {
        for batch in batches {
            let step = make(*batch);
            (0..3).for_each(|_| assert!(timed(&step).0.is_finite()));
            println!("{}", Cuts::of(|| timed(&step)).row(&format!("{name} {batch}")));
        }
    }
}

fn main() {
    let all: Vec<String> = std::env::args().skip(1).collect();
    if let [option, name, batch, way] = all.as_slice()
        && option == "--serve"
    {
        return serve(name, batch, way);
    }
    let words: Vec<&String> = all.iter().filter(|word| !word.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| *word == name);
    let asked = |name: &str| all.iter().any(|option| option == name);
    match (asked("--profile"), asked("--cuts")) {
        (true, _) => profile(wanted),
        (false, true) => cut_table(wanted),
        (false, false) => table(wanted),
    }
}
