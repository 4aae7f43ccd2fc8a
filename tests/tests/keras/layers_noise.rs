//! Layers that disturb their input: against Keras where they do not, by their laws where they do, and what they add to a loss.
//! Which random numbers come is the library's own; mean, deviation and what is dropped together are Keras's.

use crate::layer_rows::check;
use crate::numbers::{file, near, tensor};
use eagerflow as tf;
use tf::layers::{
    ActivityRegularization, AlphaDropout, Dense, GaussianDropout, GaussianNoise, SpatialDropout1D, SpatialDropout2D,
    SpatialDropout3D, with_losses,
};
use tf::{DataFormat, Duplicate, Module, Tensor};

#[test]
fn as_they_are_used() {
    let rows = file("layers_noise");
    let first = DataFormat::ChannelsFirst;
    check(&rows["spatial_dropout1d"], "spatial_dropout1d", &SpatialDropout1D::new(0.4), 0.0);
    check(&rows["spatial_dropout2d"], "spatial_dropout2d", &SpatialDropout2D::new(0.4), 0.0);
    check(&rows["spatial_dropout2d_first"], "2d first", &SpatialDropout2D::new(0.4).data_format(first), 0.0);
    check(&rows["spatial_dropout3d"], "spatial_dropout3d", &SpatialDropout3D::new(0.4), 0.0);
    check(&rows["spatial_dropout3d_first"], "3d first", &SpatialDropout3D::new(0.4).data_format(first), 0.0);
    check(&rows["alpha_dropout"], "alpha_dropout", &AlphaDropout::new(0.4), 0.0);
    check(&rows["alpha_dropout_none"], "alpha_dropout_none", &AlphaDropout::new(0.0), 0.0);
    check(&rows["gaussian_noise"], "gaussian_noise", &GaussianNoise::new(0.4), 0.0);
    check(&rows["gaussian_noise_none"], "gaussian_noise_none", &GaussianNoise::new(0.0), 0.0);
    check(&rows["gaussian_dropout"], "gaussian_dropout", &GaussianDropout::new(0.4), 0.0);
    check(&rows["gaussian_dropout_none"], "gaussian_dropout_none", &GaussianDropout::new(0.0), 0.0);
    let activity = ActivityRegularization::new(0.1, 0.2);
    check(&rows["activity_regularization"], "activity_regularization", &activity, 0.0);
}

/// Mean and standard deviation of all elements.
fn moments(x: &Tensor) -> (f32, f32) {
    let (mean, variance) = tf::moments(x, ());
    (mean.item::<f32>(), variance.item::<f32>().sqrt())
}

#[test]
fn laws_of_the_noise() {
    let ones = tf::ones([20_000]);
    let (mean, deviation) = moments(&GaussianNoise::new(0.3).seed(1).call_training(&ones, true));
    assert!((mean - 1.0).abs() < 0.01 && (deviation - 0.3).abs() < 0.01, "{mean} {deviation}");
    let twice = &ones * 2.0;
    let (mean, deviation) = moments(&GaussianDropout::new(0.2).seed(2).call_training(&twice, true));
    assert!((mean - 2.0).abs() < 0.03 && (deviation - 1.0).abs() < 0.03, "{mean} {deviation}");
    let normal = tf::random::stateless_normal([20_000], [3, 4], 0.0, 1.0);
    let y = AlphaDropout::new(0.3).seed(3).call_training(&normal, true);
    let (mean, deviation) = moments(&y);
    assert!(mean.abs() < 0.04 && (deviation - 1.0).abs() < 0.04, "{mean} {deviation}");
    let values = y.to_vec::<f32>();
    let least = AlphaDropout::new(0.3).seed(3).call_training(tf::zeros([20_000]), true).to_vec::<f32>();
    let dropped = least.iter().filter(|v| **v < 0.0).count();
    assert!((5700..6300).contains(&dropped), "{dropped} of 20000 dropped");
    assert!(values.iter().zip(&least).all(|(y, least)| *least > 0.0 || y == least), "the dropped have one value");
}

#[test]
fn channels_are_dropped_as_a_whole() {
    let share = |y: &Tensor, inner: &[isize]| {
        let (low, high) = (tf::reduce_min(y, inner), tf::reduce_max(y, inner));
        assert_eq!(low.to_vec::<f32>(), high.to_vec::<f32>(), "a channel is dropped in part");
        let kept = low.to_vec::<f32>();
        assert!(kept.iter().all(|v| *v == 0.0 || (*v - 2.0).abs() < 1e-6));
        kept.iter().filter(|v| **v == 0.0).count()
    };
    let half = 400..600;
    let y = SpatialDropout1D::new(0.5).seed(4).call_training(tf::ones([10, 3, 100]), true);
    assert!(half.contains(&share(&y, &[1])));
    let y = SpatialDropout2D::new(0.5).seed(5).call_training(tf::ones([10, 2, 2, 100]), true);
    assert!(half.contains(&share(&y, &[1, 2])));
    let first = SpatialDropout2D::new(0.5).data_format(DataFormat::ChannelsFirst).seed(6);
    assert!(half.contains(&share(&first.call_training(tf::ones([10, 100, 2, 2]), true), &[2, 3])));
    let y = SpatialDropout3D::new(0.5).seed(7).call_training(tf::ones([10, 2, 2, 2, 100]), true);
    assert!(half.contains(&share(&y, &[1, 2, 3])));
    let first = SpatialDropout3D::new(0.5).data_format(DataFormat::ChannelsFirst).seed(8);
    assert!(half.contains(&share(&first.call_training(tf::ones([10, 100, 2, 2, 2]), true), &[2, 3, 4])));
    let rows = AlphaDropout::new(0.5).noise_shape([None, Some(1)]).seed(9);
    let y = rows.call_training(tf::zeros([100, 4]), true);
    assert_eq!(tf::reduce_min(&y, 1).to_vec::<f32>(), tf::reduce_max(&y, 1).to_vec::<f32>());
}

#[test]
fn each_layer_has_a_state_of_its_own() {
    let x = tf::ones([2, 3, 4]);
    /// Whether calls differ, and a copy goes on alike.
    macro_rules! states {
        ($($layer:expr),*) => {$(
            let layer = $layer;
            let copy = layer.duplicate();
            let draws = [layer.call_training(&x, true).to_vec::<f32>(), layer.call_training(&x, true).to_vec::<f32>()];
            assert_ne!(draws[0], draws[1]);
            assert_eq!(copy.call_training(&x, true).to_vec::<f32>(), draws[0]);
            assert!(layer.named_variables().iter().any(|(path, _)| path.contains("seed_generator")));
            assert!(layer.trainable_variables().is_empty());
        )*};
    }
    states!(GaussianNoise::new(0.5), GaussianDropout::new(0.5), AlphaDropout::new(0.5).seed(11));
    states!(SpatialDropout1D::new(0.5).seed(21));
    let seeds = tf::random::SeedGenerator::new(5);
    let (a, b) = (GaussianNoise::new(0.5).seed_generator(seeds.clone()), GaussianNoise::new(0.5).seed_generator(seeds));
    assert_ne!(a.call_training(&x, true).to_vec::<f32>(), b.call_training(&x, true).to_vec::<f32>());
}

#[test]
fn activity_is_added_to_the_loss() {
    let rows = file("layers_noise");
    let compare = |name: &str, losses: Vec<Tensor>| {
        let right = rows[name]["losses"].as_array().expect("losses");
        assert_eq!(losses.len(), right.len(), "{name}");
        losses.iter().zip(right).for_each(|(ours, keras)| near(name, ours, keras, 2e-6));
    };
    let x = tensor(&rows["losses_l1"]["input"]);
    compare("losses_l1", with_losses(|| ActivityRegularization::new(0.3, 0.0).call(&x)).1);
    compare("losses_l2", with_losses(|| ActivityRegularization::new(0.0, 0.3).call(&x)).1);
    let dense = Dense::new(2).kernel_initializer("ones").activity_regularizer("l2");
    compare("losses_of_dense", with_losses(|| dense.call(&x)).1);
    assert!(with_losses(|| Dense::new(2).call(&x)).1.is_empty());
}

#[test]
fn refusals_name_the_option() {
    for text in [
        GaussianNoise::try_new(1.5).unwrap_err().to_string(),
        GaussianDropout::try_new(-0.5).unwrap_err().to_string(),
        AlphaDropout::try_new(f64::NAN).unwrap_err().to_string(),
        SpatialDropout2D::try_new(2.0).unwrap_err().to_string(),
    ] {
        assert!(text.contains("a number from 0 to 1"), "{text}");
    }
    assert!(ActivityRegularization::try_new(-1.0, 0.0).unwrap_err().to_string().contains("l1"));
    let text = SpatialDropout1D::new(0.5).name("sd").try_call(tf::ones([2, 3]), true).unwrap_err().to_string();
    assert!(text.contains("sd") && text.contains("[batch, steps, channels]"), "{text}");
    let text = GaussianNoise::new(0.5).name("gn").try_call(tf::constant([1]), true).unwrap_err().to_string();
    assert!(text.contains("gn") && text.contains("int32[1]"), "{text}");
}
