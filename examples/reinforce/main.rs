//! REINFORCE with a baseline (Williams, 1992) balances a pole on a cart: `cargo run --release --example reinforce`.
//!
//! It shows a loop of one's own around two traced functions: one draws an action at each step of the world, the other one trains on
//! whole episodes, of any length, with one trace. The agent knows nothing of the world but what it sees. It plays, and makes those
//! actions more likely behind which more came than it had expected; what it expects, the baseline, is learnt along with it.
//!
//! An episode ends when the pole leans by more than twelve degrees, when the cart leaves its track, or after 500 steps; its return is the
//! number of its steps. The problem counts as solved at a mean return of 475 over 100 episodes. Here the agent takes the likelier action in
//! these, in place of drawing one. On two cores of an x86-64 processor it printed
//!
//! ```text
//! episode   80  mean return  19.6  baseline 0.0209  0.02 s
//! episode  160  mean return  28.8  baseline 0.0147  0.04 s
//! ...
//! episode  560  mean return 241.6  baseline 0.0736  0.11 s
//! ...
//! episode  880  mean return 393.8  baseline 0.0528  0.27 s
//!
//! mean return of 100 episodes: 499.1 of 500
//! traces of the step: 1
//! ```
//!
//! `cargo run --release --example reinforce -- 5` starts from the random numbers of another seed.

mod agent;
mod cart_pole;

use agent::{Agent, Choice, Played, drawn, likelier, train};
use cart_pole::{CartPole, LIMIT};
use eagerflow as tf;
use std::time::Instant;
use tf::optim::Adam;

/// How much less a step counts than the one before it.
const GAMMA: f32 = 0.99;
/// Episodes for each step of training.
const EPISODES: usize = 16;
/// Steps of training for each line that is told.
const TOLD: usize = 5;

/// Lets the agent play until the pole falls or time is up, and answers the return.
fn episode(agent: &Agent, world: &mut CartPole, choose: Choice, played: &mut Played) -> f32 {
    let (mut seen, mut fell, mut steps) = (world.reset(), false, 0);
    while !fell && steps < LIMIT {
        let action = choose(agent, &tf::constant(seen)).item();
        played.observations.push(seen);
        played.actions.push(action);
        (seen, fell) = world.step(action);
        steps += 1;
    }
    played.returns.extend(to_come(steps));
    steps as f32
}

/// What comes from each step of an episode on, where each gives 1 and later ones count less: as a share of what would come if it never
/// ended.
fn to_come(steps: usize) -> impl Iterator<Item = f32> {
    (0..steps).map(move |step| 1.0 - GAMMA.powi((steps - step) as i32))
}

/// The mean return of so many episodes.
fn play(agent: &Agent, world: &mut CartPole, choose: Choice, episodes: usize, played: &mut Played) -> f32 {
    let sum: f32 = (0..episodes).map(|_| episode(agent, world, choose, played)).sum();
    sum / episodes as f32
}

/// Trains until the episodes of a step come to `enough`, at most so many steps.
fn learn(agent: &Agent, world: &mut CartPole, enough: f32, steps: usize) {
    let (optimizer, begin) = (Adam::new(0.01), Instant::now());
    let (mut sum, mut wrong) = (0.0, 0.0);
    for step in 1..=steps {
        let mut played = Played::default();
        let mean = play(agent, world, drawn, EPISODES, &mut played);
        sum += mean;
        wrong += train(agent, &optimizer, &played);
        if step % TOLD == 0 {
            let (mean_return, baseline, seconds) =
                (sum / TOLD as f32, wrong / TOLD as f32, begin.elapsed().as_secs_f64());
            let episodes = step * EPISODES;
            println!("episode {episodes:>4}  mean return {mean_return:>5.1}  baseline {baseline:.4}  {seconds:.2} s");
            (sum, wrong) = (0.0, 0.0);
        }
        if mean >= enough {
            break;
        }
    }
}

fn main() {
    let seed = match std::env::args().nth(1).map(|text| text.parse()) {
        None => 1,
        Some(Ok(seed)) => seed,
        Some(Err(_)) => {
            eprintln!("usage: cargo run --release --example reinforce [-- SEED]");
            std::process::exit(2);
        }
    };
    tf::random::set_seed(seed);
    let (agent, mut world) = (Agent::new(), CartPole::default());
    learn(&agent, &mut world, 0.99 * LIMIT as f32, 200);
    let mean = play(&agent, &mut world, likelier, 100, &mut Played::default());
    println!("\nmean return of 100 episodes: {mean:.1} of {LIMIT}");
    println!("traces of the step: {}", agent::traces());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of the way: the whole of it takes longer without an optimised library.
    #[test]
    fn it_learns_to_balance() {
        tf::random::set_seed(1);
        let (agent, mut world) = (Agent::new(), CartPole::default());
        let before = play(&agent, &mut world, drawn, 20, &mut Played::default());
        learn(&agent, &mut world, 250.0, 80);
        let after = play(&agent, &mut world, likelier, 10, &mut Played::default());
        assert!(before < 60.0 && after > 195.0, "{before} {after}");
        assert_eq!(agent::traces(), 1);
    }

    #[test]
    fn later_steps_count_less() {
        let shares: Vec<f32> = to_come(3).collect();
        let expected = [1.0 + GAMMA + GAMMA * GAMMA, 1.0 + GAMMA, 1.0].map(|sum| sum * (1.0 - GAMMA));
        assert!(shares.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{shares:?}");
    }
}
