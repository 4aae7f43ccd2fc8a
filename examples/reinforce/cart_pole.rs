//! The cart-pole: a pole stands on a cart, which is pushed to the left or to the right at each step. Numbers and equations are those
//! of Barto, Sutton and Anderson (1983), as Gymnasium's `CartPole-v1` has them.

use eagerflow as tf;

/// What is seen of the world: the cart's place and speed, the pole's angle and how fast it turns.
pub type Observation = [f32; 4];

/// The most steps of an episode.
pub const LIMIT: usize = 500;

const GRAVITY: f32 = 9.8;
const CART: f32 = 1.0;
const POLE: f32 = 0.1;
/// Half of the pole.
const LENGTH: f32 = 0.5;
const FORCE: f32 = 10.0;
/// Seconds from step to step.
const TICK: f32 = 0.02;
/// How far the cart may go, and how far the pole may lean: twelve degrees.
const WIDTH: f32 = 2.4;
const LEAN: f32 = 12.0 * std::f32::consts::PI / 180.0;

#[derive(Default)]
pub struct CartPole {
    state: Observation,
}

impl CartPole {
    /// Begins an episode, near the upright position.
    pub fn reset(&mut self) -> Observation {
        let around = tf::random::uniform([4], -0.05, 0.05).to_vec::<f32>();
        self.state.copy_from_slice(&around);
        self.state
    }

    /// Pushes to the right for 1 and to the left for 0; answers what is seen then, and whether the pole has fallen or the cart is gone.
    pub fn step(&mut self, action: i64) -> (Observation, bool) {
        let [place, speed, angle, turn] = self.state;
        let (sin, cos) = angle.sin_cos();
        let force = if action == 1 { FORCE } else { -FORCE };
        let push = (force + POLE * LENGTH * turn * turn * sin) / (CART + POLE);
        let turning = (GRAVITY * sin - cos * push) / (LENGTH * (4.0 / 3.0 - POLE * cos * cos / (CART + POLE)));
        let pull = push - POLE * LENGTH * turning * cos / (CART + POLE);
        self.state = [place + TICK * speed, speed + TICK * pull, angle + TICK * turn, turn + TICK * turning];
        (self.state, self.state[0].abs() > WIDTH || self.state[2].abs() > LEAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pushed to one side alone, the pole falls to the other, after as many steps as Gymnasium's.
    #[test]
    fn it_falls() {
        let mut world = CartPole::default();
        let steps = (1..).find(|_| world.step(1).1).unwrap();
        assert!(steps == 9 && (world.state[2] + 0.215_186).abs() < 1e-5, "{steps} {:?}", world.state);
    }

    /// The equations, against Gymnasium's numbers after one push from a leaning position.
    #[test]
    fn equations_are_gymnasium_s() {
        let mut world = CartPole { state: [0.01, -0.02, 0.03, 0.04] };
        let (seen, fell) = world.step(1);
        let expected = [0.0096, 0.174_679_19, 0.0308, -0.243_068_72];
        assert!(seen.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6) && !fell, "{seen:?}");
    }
}
