//! The convolutions of the grid: whole, depthwise and transposed, forward and their gradients by images and filters.
//! `shapes.rs` asks for one by its line.

use crate::inputs::numbers;
use crate::work::{Amount, Spec, Work};
use eagerflow as tf;
use tf::{GradientOptions, GradientTape, Padding, Tensor};

/// A convolution without its operands.
#[derive(Clone, Copy)]
enum Convolution {
    Whole { stride: usize, margin: usize },
    Depthwise { stride: usize, margin: usize },
    Transposed { stride: usize, output: [usize; 4] },
}

impl Convolution {
    fn call(self, x: &Tensor, filters: &Tensor) -> Tensor {
        let around = |margin| Padding::Explicit([[margin; 2]; 2]);
        match self {
            Self::Whole { stride, margin } => tf::conv2d(x, filters, stride, around(margin)),
            Self::Depthwise { stride, margin } => tf::depthwise_conv2d(x, filters, stride, around(margin)),
            Self::Transposed { stride, output } => tf::conv2d_transpose(x, filters, output, stride, Padding::Same),
        }
    }

    /// The gradient by one of the operands; of the rest, a trace keeps what that needs.
    fn gradient(self, x: &[Tensor], by: usize) -> Tensor {
        let mut tape = GradientTape::new();
        tape.watch(&x[by]);
        let y = self.call(&x[0], &x[1]);
        tape.gradient_with(&y, &x[by], &GradientOptions::new().output_gradients([x[2].clone()]))
    }
}

pub fn work(spec: &Spec<'_>) -> Work {
    let images = spec.sizes(1);
    let [batch, rows, columns, channels] = images[..] else { panic!("`{}` has no images", spec.name) };
    let [kernel, filters, stride] = [2, 3, 4].map(|index| spec.number(index));
    let margin = kernel / 2;
    let down = |size: usize| (size + 2 * margin - kernel) / stride + 1;
    let forward = [batch, down(rows), down(columns), filters];
    let (call, weights, output) = match spec.kind() {
        "conv" => (Convolution::Whole { stride, margin }, [kernel, kernel, channels, filters], forward),
        "depthwise" => (Convolution::Depthwise { stride, margin }, [kernel, kernel, channels, 1], forward),
        "transposed" => {
            let output = [batch, stride * rows, stride * columns, filters];
            (Convolution::Transposed { stride, output }, [kernel, kernel, filters, channels], output)
        }
        kind => panic!("`{kind}` is no kind of convolution"),
    };
    // Each product of the sum over windows is two operations; a transposed one has its windows at the input.
    let windows: usize =
        if spec.kind() == "transposed" { images[..3].iter().product() } else { output[..3].iter().product() };
    let amount = Amount::Operations(2.0 * windows as f64 * weights.iter().product::<usize>() as f64);
    let mut operands = vec![numbers(1, &images), numbers(2, &weights)];
    let by = match spec.word(5) {
        "forward" => return Work::new(spec, amount, operands, move |x| vec![call.call(&x[0], &x[1])]),
        "input" => 0,
        "filter" => 1,
        direction => panic!("`{direction}` is no direction"),
    };
    operands.push(numbers(9, &output));
    Work::new(spec, amount, operands, move |x| vec![call.gradient(x, by)])
}
