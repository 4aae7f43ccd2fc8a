//! How the kernels of a `ConvLSTM` slide: sizes, strides, padding, dilation, and where the channels lie.
//! The layers' options set it, and their cell convolves with it.

use engine::{DataFormat, Padding, Sliding, Tensor};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// A number for each spatial axis: one for all, or one for each.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no size for {N} spatial axes",
    label = "neither a number nor {N} of them"
)]
pub trait IntoEach<const N: usize> {
    /// The numbers.
    fn each(self) -> [usize; N];
}

impl<const N: usize> IntoEach<N> for usize {
    fn each(self) -> [usize; N] {
        [self; N]
    }
}

impl<const N: usize> IntoEach<N> for [usize; N] {
    fn each(self) -> Self {
        self
    }
}

impl IntoEach<2> for (usize, usize) {
    fn each(self) -> [usize; 2] {
        [self.0, self.1]
    }
}

impl IntoEach<3> for (usize, usize, usize) {
    fn each(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}

/// The windows of a layer, a number for each spatial axis.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Window {
    pub kernel: Vec<usize>,
    strides: Vec<usize>,
    dilations: Vec<usize>,
    padding: Padding,
    pub format: DataFormat,
}

impl Window {
    pub fn new(owner: &str, kernel: Vec<usize>) -> Result<Self> {
        let ones = vec![1; kernel.len()];
        let kernel = positive(owner, "kernel_size", kernel)?;
        let (padding, format) = (Padding::Valid, DataFormat::ChannelsLast);
        Ok(Self { kernel, strides: ones.clone(), dilations: ones, padding, format })
    }

    pub fn padding(self, owner: &str, padding: Padding) -> Result<Self> {
        match padding {
            Padding::Explicit(_) => {
                Err(Error::invalid_argument(owner, "`padding` of other kinds is not for this layer")
                    .got(format!("{padding:?}"))
                    .expected("Padding::Valid or Padding::Same"))
            }
            _ => Ok(Self { padding, ..self }),
        }
    }

    pub fn strides(self, owner: &str, strides: Vec<usize>) -> Result<Self> {
        Self { strides: positive(owner, "strides", strides)?, ..self }.checked(owner)
    }

    pub fn dilations(self, owner: &str, dilations: Vec<usize>) -> Result<Self> {
        Self { dilations: positive(owner, "dilation_rate", dilations)?, ..self }.checked(owner)
    }

    fn checked(self, owner: &str) -> Result<Self> {
        if self.strides.iter().any(|&n| n > 1) && self.dilations.iter().any(|&n| n > 1) {
            return Err(Error::invalid_argument(owner, "`strides` and `dilation_rate` do not go together")
                .got(format!("strides {:?}, dilation {:?}", self.strides, self.dilations))
                .expected("one of them to be 1"));
        }
        Ok(self)
    }

    /// The axis of the channels among so many axes.
    pub fn channels(&self, rank: usize) -> usize {
        match self.format {
            DataFormat::ChannelsLast => rank - 1,
            DataFormat::ChannelsFirst => 1,
        }
    }

    /// The convolution of inputs.
    #[track_caller]
    pub fn of_inputs(&self, x: &Tensor, kernel: &Tensor) -> Result<Tensor> {
        self.slid(x, kernel, &self.strides, &self.dilations, self.padding)
    }

    /// The convolution of states, which keep their size.
    #[track_caller]
    pub fn of_states(&self, h: &Tensor, kernel: &Tensor) -> Result<Tensor> {
        let ones = vec![1; self.kernel.len()];
        self.slid(h, kernel, &ones, &ones, Padding::Same)
    }

    #[track_caller]
    fn slid(
        &self,
        x: &Tensor,
        kernel: &Tensor,
        strides: &[usize],
        dilations: &[usize],
        padding: Padding,
    ) -> Result<Tensor> {
        macro_rules! of_axes {
            ($($n:literal $conv:path),*) => {
                match self.kernel.len() {
                    $($n => {
                        let each = |numbers: &[usize]| -> [usize; $n] { std::array::from_fn(|at| numbers[at]) };
                        let how = Sliding::new(each(strides), padding).dilations(each(dilations)).data_format(self.format);
                        $conv(x, kernel, how)
                    })*
                    _ => Err(Error::internal("ConvLSTM", "there are one to three spatial axes")),
                }
            };
        }
        of_axes!(1 engine::try_conv1d_with, 2 engine::try_conv2d_with, 3 engine::try_conv3d_with)
    }

    /// The shape of what a step gives for an input of a shape, with so many channels.
    pub fn output(&self, x: &Shape, filters: usize) -> Result<Shape> {
        let channels = self.channels(x.rank());
        let mut sizes = x.sizes().to_vec();
        sizes[channels] = Dim::known(filters);
        let spatial = (1..x.rank()).filter(|&axis| axis != channels);
        for (at, axis) in spatial.enumerate() {
            let size = sizes[axis];
            let cover = (self.kernel[at] - 1) * self.dilations[at];
            sizes[axis] = match self.padding {
                Padding::Same => size.ceil_div(self.strides[at]),
                _ if size.known_value().is_some_and(|n| n <= cover) => Dim::ZERO,
                _ => (size - Dim::known(cover + 1)).floor_div(self.strides[at]) + 1,
            };
        }
        Shape::from_dims(&sizes)
    }
}

fn positive(owner: &str, what: &str, numbers: Vec<usize>) -> Result<Vec<usize>> {
    match numbers.iter().all(|&n| n > 0) {
        true => Ok(numbers),
        false => Err(Error::invalid_argument(owner, format!("`{what}` is out of range"))
            .got(format!("{numbers:?}"))
            .expected("numbers of at least 1")),
    }
}
