//! `draw_bounding_boxes`: the outlines of boxes on images. No gradient flows, as in TensorFlow.
//! Users call it under `tf::image`; the drawing is work on the host.

use super::super::operand::{at_least_an_image, image_fn, misfit};
use super::check_boxes;
use crate::io::host::Work;
use engine::library::{Typed, cast_to};
use engine::{AsTensor, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;

/// Yellow, blue, red, lime, purple, olive, maroon, navy, aqua and fuchsia: TensorFlow's colours of boxes, one after the other.
const COLOURS: [[f32; 4]; 10] = [
    [1.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 1.0, 1.0],
    [1.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, 0.0, 1.0],
    [0.5, 0.0, 0.5, 1.0],
    [0.5, 0.5, 0.0, 1.0],
    [0.5, 0.0, 0.0, 1.0],
    [0.0, 0.0, 0.5, 1.0],
    [0.0, 1.0, 1.0, 1.0],
    [1.0, 0.0, 1.0, 1.0],
];

/// Draws on the host.
fn drawn(images: &Tensor, boxes: &Tensor, colours: &[Vec<f32>]) -> Result<Tensor> {
    let (&[batch, height, width, channels], &[own, count, 4]) = (images.shape().dims(), boxes.shape().dims()) else {
        return Err(misfit("these are no boxes", boxes, "[batch, boxes, 4]"));
    };
    if own != batch {
        return Err(misfit("there must be boxes for each image", boxes, &format!("[{batch}, boxes, 4]")));
    }
    let mut pixels = images.try_to_vec::<f32>()?;
    let edges = boxes.try_to_vec::<f32>()?;
    let (rows, columns) = (height as i64, width as i64);
    for (number, edge) in edges.chunks_exact(4).enumerate() {
        let place = |share: f32, size: i64| (share * (size - 1) as f32) as i64;
        let (top, bottom) = (place(edge[0], rows), place(edge[2], rows));
        let (left, right) = (place(edge[1], columns), place(edge[3], columns));
        let is_seen = bottom >= 0 && top < rows && right >= 0 && left < columns;
        if top > bottom || left > right || !is_seen || edge.iter().any(|edge| edge.is_nan()) {
            continue;
        }
        let colour = &colours[number % count % colours.len()];
        let image = number / count * height;
        let mut dot = |y: i64, x: i64| {
            let at = ((image + y as usize) * width + x as usize) * channels;
            pixels[at..at + channels].copy_from_slice(colour);
        };
        for x in left.max(0)..=right.min(columns - 1) {
            [top, bottom].into_iter().filter(|y| (0..rows).contains(y)).for_each(|y| dot(y, x));
        }
        for y in top.max(0)..=bottom.min(rows - 1) {
            [left, right].into_iter().filter(|x| (0..columns).contains(x)).for_each(|x| dot(y, x));
        }
    }
    Tensor::try_from_vec(pixels, [batch, height, width, channels])
}

/// The colours of boxes, as many channels each as the images have.
fn palette(colours: Option<&Tensor>, channels: usize) -> Result<Vec<Vec<f32>>> {
    if !matches!(channels, 1 | 3 | 4) {
        return Err(Error::invalid_argument("", "images of 1, 3 or 4 channels are drawn on")
            .got(format!("{channels} channels")));
    }
    // On gray images all are white.
    let own =
        || COLOURS.iter().map(|colour| if channels == 1 { vec![1.0] } else { colour[..channels].to_vec() }).collect();
    let Some(colours) = colours else { return Ok(own()) };
    match colours.shape().dims() {
        [_, width] if *width >= channels => {}
        _ => {
            return Err(misfit("a colour needs a number for each channel", colours, &format!("[colours, {channels}]")));
        }
    }
    let numbers = colours.try_to_vec::<f32>()?;
    let width = colours.shape().dims()[1];
    let given: Vec<Vec<f32>> = numbers.chunks_exact(width).map(|colour| colour[..channels].to_vec()).collect();
    Ok(if given.is_empty() { own() } else { given })
}

image_fn! {
    /// Images `[batch, height, width, 1, 3 or 4]` of floats with the outlines of boxes, `[batch, n, 4]` as shares of the image. Box `i` has
    /// colour `i` of `colors`, `[count, channels]`, which begin anew behind the last; `None` for TensorFlow's ten. TensorFlow's
    /// `tf.image.draw_bounding_boxes`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let boxes = tf::constant([[[0.0, 0.0, 1.0, 1.0]]]);
    /// let y = tf::image::draw_bounding_boxes(tf::zeros([1, 3, 3, 1]), &boxes, Some(&tf::constant([[0.5]])));
    /// assert_eq!(y.to_vec::<f32>(), [0.5, 0.5, 0.5, 0.5, 0.0, 0.5, 0.5, 0.5, 0.5]);
    /// ```
    pub fn draw_bounding_boxes, try_draw_bounding_boxes(images: impl AsTensor, boxes: impl AsTensor, colors: Option<&Tensor>) -> Tensor {
        let (images, boxes) = (images.as_tensor(), boxes.as_tensor());
        if images.rank() != 4 || !images.dtype().is_floating() {
            return Err(misfit("a batch of images of floats is needed", &images, "[batch, height, width, channels]"));
        }
        at_least_an_image(&images)?;
        check_boxes(&boxes, 3)?;
        if let Some(colours) = colors && (colours.rank() != 2 || !colours.dtype().is_floating()) {
            return Err(misfit("colours are a matrix", colours, "floats [colours, channels]"));
        }
        let types = |inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim| Ok(vec![*inputs[0]]);
        let run = |inputs: &[&Tensor]| {
            let channels = inputs[0].shape().dims().last().copied().unwrap_or(0);
            Ok(vec![drawn(inputs[0], inputs[1], &palette(inputs.get(2).copied(), channels)?)?])
        };
        let (canvas, boxes) = (cast_to(&images, DType::F32)?, cast_to(&boxes, DType::F32)?);
        let colours = colors.map(|colours| cast_to(colours, DType::F32)).transpose()?;
        let operands: Vec<&Tensor> = [Some(&canvas), Some(&boxes), colours.as_ref()].into_iter().flatten().collect();
        let drawn = Work::new("draw_bounding_boxes", String::new(), types, run).call1(&operands)?;
        cast_to(&drawn, Typed::ty(&*images).dtype)
    }
}
