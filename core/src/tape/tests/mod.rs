//! Tests of the tapes, by topic; TensorFlow's behaviour is the measure where it has one.

mod custom;
