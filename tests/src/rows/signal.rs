//! The rows of operations on signals: Fourier and cosine transforms, frames, windows and mel spectrograms.
//! `rows::all` collects them. Transforms of complex numbers are called with their parts too, so that they have real inputs.

use super::{Answer, Call, Row, one};
use crate::compare::Bound;
use eagerflow as tf;
use tf::signal::{Dct, DctType, FftNd, FftNorm, Framing, Mdct, MelBands, Stft, Window};
use tf::{Dim, Result, Shape, Tensor};

/// Algorithms differ in the order of sums.
const SUMS: Bound = Bound::sums(8.0, 16.0);

/// Formulas of which TensorFlow rounds each step.
const FORMULA: Bound = Bound::sums(16.0, 4.0).absolute(8.0).half(16.0);

fn length(c: &Call<'_>) -> Option<Shape> {
    let sizes = c.a.ints("fft_length")?;
    Some(Shape::new(&sizes.iter().map(|&n| n as usize).collect::<Vec<_>>()).expect("few sizes"))
}

fn of_parts(c: &Call<'_>) -> Answer {
    let (z, length) = (tf::try_complex(&c.x[0], &c.x[1])?, length(c));
    one(match (c.a.text("transform"), length) {
        ("fft", _) => tf::try_fft(&z),
        ("ifft", _) => tf::try_ifft(&z),
        ("fft2d", _) => tf::try_fft2d(&z),
        ("ifft2d", _) => tf::try_ifft2d(&z),
        ("fft3d", _) => tf::try_fft3d(&z),
        ("ifft3d", _) => tf::try_ifft3d(&z),
        ("irfft", None) => tf::try_irfft(&z),
        ("irfft", Some(length)) => tf::try_irfft_with(&z, length),
        ("irfft2d", None) => tf::try_irfft2d(&z),
        ("irfft2d", Some(length)) => tf::try_irfft2d_with(&z, length),
        (_, None) => tf::try_irfft3d(&z),
        (_, Some(length)) => tf::try_irfft3d_with(&z, length),
    })
}

fn along_axes(c: &Call<'_>) -> Answer {
    let norm = match c.a.text("norm") {
        "forward" => FftNorm::Forward,
        "ortho" => FftNorm::Ortho,
        _ => FftNorm::Backward,
    };
    let how = FftNd { fft_length: length(c), axes: c.a.ints("axes"), norm };
    let z = || tf::try_complex(&c.x[0], &c.x[1]);
    one(match c.a.text("transform") {
        "fftnd" => tf::try_fftnd_with(z()?, &how),
        "ifftnd" => tf::try_ifftnd_with(z()?, &how),
        "rfftnd" => tf::try_rfftnd_with(&c.x[0], &how),
        _ => tf::try_irfftnd_with(z()?, &how),
    })
}

fn frame(c: &Call<'_>) -> Answer {
    let (length, step) = (c.a.int("frame_length"), c.a.int("frame_step"));
    let value = c.a.int_or_none("pad_value").map(|value| Tensor::from(value as i64).try_cast(c.x[0].dtype()));
    let how = Framing { pad_end: c.a.flag("pad_end"), pad_value: value.transpose()?, axis: c.a.int("axis") };
    one(tf::try_frame_with(&c.x[0], length, step, &how))
}

fn window(c: &Call<'_>) -> Answer {
    let (length, dtype) = (c.a.int("length"), c.a.dtype("dtype"));
    let (periodic, beta) = (c.a.flag("periodic"), c.a.float("beta"));
    one(match c.a.text("of") {
        "hann" => tf::try_hann_window_with(length, periodic, dtype),
        "hamming" => tf::try_hamming_window_with(length, periodic, dtype),
        "kaiser" => tf::try_kaiser_window_with(length, beta, dtype),
        "vorbis" => tf::try_vorbis_window_with(length, dtype),
        _ => tf::try_kaiser_bessel_derived_window_with(length, beta, dtype),
    })
}

fn weights(c: &Call<'_>) -> Window {
    match c.a.text("window") {
        "none" => Window::none(),
        "hann" => Window::hann(),
        "hamming" => Window::hamming(),
        "kaiser" => Window::kaiser(12.0),
        "vorbis" => Window::vorbis(),
        _ => Window::kaiser_bessel_derived(12.0),
    }
}

fn size(c: &Call<'_>, name: &str) -> Option<Dim> {
    c.a.int_or_none(name).map(Dim::from)
}

fn stft(c: &Call<'_>) -> Answer {
    let how = Stft { fft_length: size(c, "fft_length"), window: weights(c), pad_end: c.a.flag("pad_end") };
    one(tf::try_stft_with(&c.x[0], c.a.int("frame_length"), c.a.int("frame_step"), &how))
}

fn inverse_stft(c: &Call<'_>) -> Answer {
    let z = tf::try_complex(&c.x[0], &c.x[1])?;
    let (length, step) = (c.a.int("frame_length"), c.a.int("frame_step"));
    let mut window = weights(c);
    if c.a.flag("undone") {
        window = tf::try_inverse_stft_window_fn(step, &window)?;
    }
    one(tf::try_inverse_stft_with(
        &z,
        length,
        step,
        &Stft { fft_length: size(c, "fft_length"), window, pad_end: false },
    ))
}

fn undoing(c: &Call<'_>) -> Answer {
    let window = tf::try_inverse_stft_window_fn(c.a.int("frame_step"), &weights(c))?;
    let made = window.weights(c.a.int("length"), c.a.dtype("dtype"))?;
    Ok(made.into_iter().collect())
}

fn ortho(c: &Call<'_>) -> bool {
    c.a.raw("norm").as_str() == Some("ortho")
}

fn cosines(c: &Call<'_>) -> Dct {
    let kind = match c.a.int("type") {
        1 => DctType::I,
        2 => DctType::II,
        3 => DctType::III,
        _ => DctType::IV,
    };
    Dct { kind, n: size(c, "n"), ortho: ortho(c) }
}

fn modified(c: &Call<'_>) -> Mdct {
    Mdct { window: weights(c), pad_end: c.a.flag("pad_end"), ortho: ortho(c) }
}

fn mel(c: &Call<'_>) -> Result<Tensor> {
    tf::try_linear_to_mel_weight_matrix(&MelBands {
        num_mel_bins: c.a.int("bands") as usize,
        num_spectrogram_bins: c.a.int("bins") as usize,
        sample_rate: c.a.float("rate"),
        lower_edge_hertz: c.a.float("lower"),
        upper_edge_hertz: c.a.float("upper"),
        dtype: c.a.dtype("dtype"),
    })
}

/// Those without a transform in them, which run on a GPU.
fn without_transforms() -> Vec<Row> {
    vec![
        Row::new("frame", Bound::EXACT, frame),
        Row::new("overlap_and_add", Bound::sums(2.0, 4.0), |c| {
            one(tf::try_overlap_and_add(&c.x[0], c.a.int("frame_step")))
        }),
        Row::new("window", FORMULA, window).of("hann_window"),
        Row::new("inverse_stft_window_fn", FORMULA, undoing),
        Row::new("linear_to_mel_weight_matrix", FORMULA.absolute(64.0), |c| one(mel(c))),
        Row::new("fftshift", Bound::EXACT, |c| one(tf::try_fftshift(&c.x[0], c.a.ints("axes")))),
        Row::new("ifftshift", Bound::EXACT, |c| one(tf::try_ifftshift(&c.x[0], c.a.ints("axes")))),
    ]
}

/// Those with a transform in them, which run on the CPU alone.
pub(super) fn with_transforms() -> Vec<Row> {
    let real = |name, call| Row::new(name, SUMS, call);
    vec![
        real("fft", |c| one(tf::try_fft(&c.x[0]))),
        real("ifft", |c| one(tf::try_ifft(&c.x[0]))),
        real("fft2d", |c| one(tf::try_fft2d(&c.x[0]))),
        real("ifft2d", |c| one(tf::try_ifft2d(&c.x[0]))),
        real("fft3d", |c| one(tf::try_fft3d(&c.x[0]))),
        real("ifft3d", |c| one(tf::try_ifft3d(&c.x[0]))),
        real("transform_of_parts", of_parts).of("fft"),
        real("rfft", |c| match length(c) {
            None => one(tf::try_rfft(&c.x[0])),
            Some(length) => one(tf::try_rfft_with(&c.x[0], length)),
        }),
        real("rfft2d", |c| match length(c) {
            None => one(tf::try_rfft2d(&c.x[0])),
            Some(length) => one(tf::try_rfft2d_with(&c.x[0], length)),
        }),
        real("rfft3d", |c| match length(c) {
            None => one(tf::try_rfft3d(&c.x[0])),
            Some(length) => one(tf::try_rfft3d_with(&c.x[0], length)),
        }),
        real("fftnd", along_axes),
        real("stft", stft),
        real("inverse_stft", inverse_stft),
        real("dct", |c| one(tf::try_dct_with(&c.x[0], cosines(c)))),
        real("idct", |c| one(tf::try_idct_with(&c.x[0], cosines(c)))),
        real("mdct", |c| one(tf::try_mdct_with(&c.x[0], c.a.int("frame_length"), &modified(c)))),
        real("inverse_mdct", |c| one(tf::try_inverse_mdct_with(&c.x[0], &modified(c)))),
        real("mfccs_from_log_mel_spectrograms", |c| one(tf::try_mfccs_from_log_mel_spectrograms(&c.x[0]))),
    ]
}

pub(super) fn rows() -> Vec<Row> {
    let mut all = without_transforms();
    all.extend(with_transforms());
    all
}
