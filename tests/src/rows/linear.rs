//! The rows of the matrix products, convolutions, pools and biases.
//! `rows::all` collects them.

use super::{Answer, Call, Exception, Row, one};
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

fn matmul(c: &Call<'_>) -> Answer {
    one(tf::try_matmul_transposed(&c.x[0], c.a.flag("transpose_a"), &c.x[1], c.a.flag("transpose_b")))
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("matmul", Bound::sums(2.0, 16.0), matmul).except([Exception::elements(
            "refused",
            &["int16"],
            0,
            "TensorFlow takes int16 for batches of products only",
        )]),
        Row::new("batch_matmul", Bound::sums(2.0, 16.0), matmul).of("matmul"),
        Row::new("einsum", Bound::sums(2.0, 16.0), |c| one(tf::try_einsum(c.a.text("equation"), c.x))),
        Row::new("tensordot", Bound::sums(2.0, 16.0), |c| match c.a.raw("axes").as_u64() {
            Some(count) => one(tf::try_tensordot(&c.x[0], &c.x[1], count as usize)),
            None => {
                let list = |i: usize| c.a.raw("axes")[i].as_array().into_iter().flatten().filter_map(|v| v.as_i64());
                let [a, b] = [0, 1].map(|i| list(i).map(|v| v as isize).collect::<Vec<_>>());
                one(tf::try_tensordot(&c.x[0], &c.x[1], (a, b)))
            }
        }),
        Row::new("conv2d", Bound::sums(2.0, 16.0), |c| {
            let (strides, dilations) = (pair(c, "strides"), pair(c, "dilations"));
            one(tf::try_conv2d_dilated(&c.x[0], &c.x[1], strides, padding(c), dilations))
        })
        .except([Exception::elements(
            "kernel_too_large",
            &[],
            0,
            "a window larger than the images is an error, as in TensorFlow's graphs; its eager kernel gives an empty image",
        )]),
        Row::new("max_pool2d", Bound::EQUAL, |c| {
            one(tf::try_max_pool2d(&c.x[0], pair(c, "ksize"), pair(c, "strides"), padding(c)))
        })
        .except([Exception::elements(
            "edges",
            &["float32", "float64"],
            3,
            "a nan shows in the result and a window of -inf is -inf; TensorFlow's CPU kernel skips both",
        )]),
        Row::new("avg_pool2d", Bound::sums(2.0, 2.0), |c| {
            one(tf::try_avg_pool2d(&c.x[0], pair(c, "ksize"), pair(c, "strides"), padding(c)))
        }),
        Row::new("bias_add", Bound::EXACT, |c| match c.a.text("data_format") {
            "NCHW" => one(tf::try_bias_add_format(&c.x[0], &c.x[1], tf::DataFormat::ChannelsFirst)),
            _ => one(tf::try_bias_add(&c.x[0], &c.x[1])),
        }),
    ]
}
