//! The rows of the matrix products, convolutions, pools and biases.
//! `rows::all` collects them.

use super::{Call, Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;
use tf::Padding;

/// The `padding` attribute: a name, or the rows and columns before and after.
fn padding(c: &Call<'_>) -> Padding {
    match c.a.raw("padding").as_str() {
        Some("SAME") => Padding::Same,
        Some(_) => Padding::Valid,
        None => {
            let pairs = c.a.pairs("padding");
            let of = |axis: usize| [pairs[axis].0 as usize, pairs[axis].1 as usize];
            Padding::Explicit([of(1), of(2)])
        }
    }
}

/// Two numbers of an attribute.
fn pair(c: &Call<'_>, name: &str) -> [usize; 2] {
    let sizes = c.a.sizes(name);
    [sizes[0], sizes[1]]
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("conv2d", Bound::sums(2.0, 16.0), |c| {
            let (strides, dilations) = (pair(c, "strides"), pair(c, "dilations"));
            one(tf::try_conv2d_dilated(&c.x[0], &c.x[1], strides, padding(c), dilations))
        }),
        Row::new("max_pool2d", Bound::EQUAL, |c| {
            one(tf::try_max_pool2d(&c.x[0], pair(c, "ksize"), pair(c, "strides"), padding(c)))
        })
        .except(&[Exception {
            case: "edges",
            dtypes: &["float32", "float64"],
            elements: 3,
            why: "a nan shows in the result and a window of -inf is -inf; TensorFlow's CPU kernel skips both",
        }]),
        Row::new("avg_pool2d", Bound::sums(2.0, 2.0), |c| {
            one(tf::try_avg_pool2d(&c.x[0], pair(c, "ksize"), pair(c, "strides"), padding(c)))
        }),
        Row::new("bias_add", Bound::EXACT, |c| match c.a.text("data_format") {
            "NCHW" => one(tf::try_bias_add_format(&c.x[0], &c.x[1], tf::DataFormat::ChannelsFirst)),
            _ => one(tf::try_bias_add(&c.x[0], &c.x[1])),
        }),
    ]
}
