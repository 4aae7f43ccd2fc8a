//! The rows of the operations that turn cells into entries of the batch or into channels, and back.
//! `rows::all` collects them.

use super::{Call, Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;

fn around(c: &Call<'_>) -> Vec<[isize; 2]> {
    c.a.pairs("around").into_iter().map(|(before, after)| [before, after]).collect()
}

fn format(c: &Call<'_>) -> tf::DataFormat {
    if c.a.text("data_format") == "NCHW" { tf::DataFormat::ChannelsFirst } else { tf::DataFormat::ChannelsLast }
}

pub(super) fn rows() -> Vec<Row> {
    let exact = |name, call| Row::new(name, Bound::EXACT, call);
    let flags = || {
        Exception::elements("refused", &["bool"], 0, "blocks are moved, whatever their dtype, as those of channels are")
    };
    vec![
        exact("space_to_batch", |c| one(tf::try_space_to_batch(&c.x[0], c.a.sizes("block"), around(c))))
            .except([flags()]),
        exact("batch_to_space", |c| one(tf::try_batch_to_space(&c.x[0], c.a.sizes("block"), around(c))))
            .except([flags()]),
        exact("required_space_to_batch_paddings", |c| {
            let (paddings, crops) = tf::try_required_space_to_batch_paddings(&c.x[0], &c.x[1], c.x.get(2))?;
            Ok(vec![paddings, crops])
        }),
        exact("space_to_depth", |c| one(tf::try_space_to_depth(&c.x[0], c.a.int("block") as i64, format(c)))),
        exact("depth_to_space", |c| one(tf::try_depth_to_space(&c.x[0], c.a.int("block") as i64, format(c)))),
    ]
}
