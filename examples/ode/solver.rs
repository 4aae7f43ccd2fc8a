//! An adaptive solver of ordinary differential equations: Bogacki and Shampine's pair of orders 3 and 2, as one loop of the
//! graph whose number of rounds only the error decides.

use eagerflow as tf;
use tf::{Nest, Tensor, tf_function};

/// The parameters of growth with a limit.
#[derive(Nest)]
pub struct Growth {
    pub rate: Tensor,
    pub capacity: Tensor,
}

impl Growth {
    fn slope(&self, y: &Tensor) -> Tensor {
        &self.rate * y * (1.0 - y / &self.capacity)
    }
}

const TOLERANCE: f64 = 1e-9;

/// The solution after some time, with the numbers of steps that were taken and refused. Differentiable by everything
/// that it is given: the gradient walks back through the steps that were taken.
#[tf_function]
pub fn grow(growth: &Growth, start: &Tensor, time: &Tensor) -> (Tensor, Tensor, Tensor) {
    let (mut y, mut t) = (start.clone(), tf::zeros_like(time));
    let mut step = time * 0.1;
    let (mut taken, mut refused) = (tf::constant(0), tf::constant(0));
    let mut slope = growth.slope(&y);
    while &t < time {
        let h = tf::minimum(&step, time - &t);
        let k1 = &slope;
        let k2 = growth.slope(&(&y + &h * 0.5 * k1));
        let k3 = growth.slope(&(&y + &h * 0.75 * &k2));
        let next = &y + &h * (k1 * 2.0 + &k2 * 3.0 + &k3 * 4.0) / 9.0;
        let k4 = growth.slope(&next);
        let error = (&h * (k1 * -5.0 / 72.0 + &k2 / 12.0 + &k3 / 9.0 - &k4 / 8.0)).abs();

        if error <= TOLERANCE {
            (y, slope, t) = (next, k4, t + &h);
            taken = taken + 1;
        } else {
            refused = refused + 1;
        }
        // The next step is as long as the error allows; how it was found is no part of the solution.
        let factor = (TOLERANCE / (error + 1e-30)).pow(1.0 / 3.0) * 0.9;
        step = tf::stop_gradient(&(h * tf::clip_by_value(&factor, 0.2, 5.0)));
    }
    (y, taken, refused)
}
