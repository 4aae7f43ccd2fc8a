//! Convolutions kept in checkpoints: a model of every kind that has variables is saved and restored into another of other numbers.
//! Layers that the restoring model has not built yet take their values when they are.

use eagerflow as tf;
use tf::layers::{
    Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, DepthwiseConv1D, DepthwiseConv2D,
    Flatten, MaxPooling2D, SeparableConv1D, SeparableConv2D, UpSampling2D,
};
use tf::train::Checkpoint;
use tf::{Duplicate, Module, Tensor};

#[derive(Module, Duplicate)]
struct All {
    line: (Conv1D, DepthwiseConv1D, SeparableConv1D, Conv1DTranspose),
    image: (Conv2D, DepthwiseConv2D, SeparableConv2D, Conv2DTranspose),
    volume: (Conv3D, Conv3DTranspose),
    bare: (MaxPooling2D, UpSampling2D, Flatten),
}

impl All {
    fn new() -> Self {
        Self {
            line: (
                Conv1D::new(4, 3).padding("causal"),
                DepthwiseConv1D::new(2),
                SeparableConv1D::new(3, 2),
                Conv1DTranspose::new(2, 3).strides(2),
            ),
            image: (
                Conv2D::new(4, 3).groups(2).padding("same"),
                DepthwiseConv2D::new(2).depth_multiplier(2),
                SeparableConv2D::new(3, 2),
                Conv2DTranspose::new(2, 3).strides(2).use_bias(false),
            ),
            volume: (Conv3D::new(2, 2), Conv3DTranspose::new(2, 2)),
            bare: (MaxPooling2D::new(2), UpSampling2D::new(2), Flatten::new()),
        }
    }

    fn call(&self) -> Vec<Tensor> {
        let x = |sizes: &[usize]| {
            let count: usize = sizes.iter().product();
            tf::reshape(tf::range(0.0, count as f64, 1.0), sizes.to_vec()).cast(tf::DType::F32) / count as f32
        };
        let (a, b, c, d) = &self.line;
        let line = d.call(c.call(b.call(a.call(x(&[1, 6, 2])))));
        let (a, b, c, d) = &self.image;
        let image = d.call(c.call(b.call(a.call(x(&[1, 5, 5, 2])))));
        let volume = self.volume.1.call(self.volume.0.call(x(&[1, 3, 3, 3, 2])));
        let (a, b, c) = &self.bare;
        vec![line, c.call(b.call(a.call(&image))), volume]
    }
}

fn same(a: &[Tensor], b: &[Tensor]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_vec::<f32>() == b.to_vec::<f32>())
}

#[test]
fn checkpoints_hold_all_weights() {
    let folder = std::env::temp_dir().join(format!("eagerflow-layers-conv-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let saved = All::new();
    let outputs = saved.call();
    assert_eq!(saved.variables().len(), 21);
    let path = Checkpoint::new().with("net", &saved).write(folder.join("all")).unwrap();
    let (built, later) = (All::new(), All::new());
    assert!(!same(&built.call(), &outputs), "other initial numbers");
    for (net, what) in [(&built, "built"), (&later, "built later")] {
        Checkpoint::new().with("net", net).read(&path).unwrap();
        assert!(same(&net.call(), &outputs), "{what}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn copies_have_their_own_weights() {
    let net = All::new();
    let outputs = net.call();
    let (copy, early) = (net.duplicate(), All::new().duplicate());
    assert!(same(&copy.call(), &outputs));
    early.call();
    net.variables().iter().for_each(|variable| variable.assign(variable.value() * 2.0 + 1.0));
    assert!(same(&copy.call(), &outputs) && !same(&net.call(), &outputs));
}
