//! The operations on signals with all sizes unknown, lengths and steps among them.
//! `super` records them, forward and with gradients of both orders.

use super::{Sample, Sizes, one, x};
use eagerflow as tf;
use eagerflow::{Result, Tensor};
use tf::signal::{Dct, DctType, FftNd, FftNorm, Framing, Mdct, Stft, Window};

fn cells(s: Sizes) -> Vec<Tensor> {
    vec![x(&[s.a, s.b, s.c]), x(&[s.a, s.b, s.c])]
}

/// A signal that is longer than `s.a` and `s.b`, which are sizes of the others.
fn signal(s: Sizes) -> Vec<Tensor> {
    vec![x(&[s.c, s.a + 3 * s.b]), x(&[s.a, s.b])]
}

fn z(x: &[Tensor]) -> Result<Tensor> {
    tf::try_complex(&x[0], &x[1])
}

/// The parts of complex numbers side by side.
fn parts(z: Result<Tensor>) -> Result<Vec<Tensor>> {
    let z = z?;
    Ok(vec![tf::try_real(&z)?, tf::try_imag(&z)?])
}

pub fn samples() -> Vec<Sample> {
    let mut all = vec![
        Sample::new("fft", cells, |x| parts(tf::try_fft(&z(x)?))),
        Sample::new("ifft", cells, |x| parts(tf::try_ifft(&z(x)?))),
        Sample::new("fft2d", cells, |x| parts(tf::try_fft2d(&z(x)?))),
        Sample::new("ifft2d", cells, |x| parts(tf::try_ifft2d(&z(x)?))),
        Sample::new("fft3d", cells, |x| parts(tf::try_fft3d(&z(x)?))),
        Sample::new("ifft3d", cells, |x| parts(tf::try_ifft3d(&z(x)?))),
        Sample::new("rfft", cells, |x| parts(tf::try_rfft(&x[0]))),
        Sample::new("rfft_with", cells, |x| parts(tf::try_rfft_with(&x[0], x[1].dim(1)))),
        Sample::new("rfft2d", cells, |x| parts(tf::try_rfft2d(&x[0]))),
        Sample::new("rfft2d_with", cells, |x| parts(tf::try_rfft2d_with(&x[0], (x[0].dim(2), x[0].dim(0))))),
        Sample::new("rfft3d", cells, |x| parts(tf::try_rfft3d(&x[0]))),
        Sample::new("rfft3d_with", cells, |x| {
            parts(tf::try_rfft3d_with(&x[0], (x[0].dim(1), x[0].dim(0), x[0].dim(1) + 1)))
        }),
        Sample::new("irfft", cells, |x| one(tf::try_irfft(&z(x)?))),
        Sample::new("irfft_with", cells, |x| one(tf::try_irfft_with(&z(x)?, x[0].dim(1)))),
        Sample::new("irfft2d", cells, |x| one(tf::try_irfft2d(&z(x)?))),
        Sample::new("irfft2d_with", cells, |x| one(tf::try_irfft2d_with(&z(x)?, (x[0].dim(0), x[0].dim(1))))),
        Sample::new("irfft3d", cells, |x| one(tf::try_irfft3d(&z(x)?))),
        Sample::new("irfft3d_with", cells, |x| {
            one(tf::try_irfft3d_with(&z(x)?, (x[0].dim(1), x[0].dim(0), x[0].dim(1) + 1)))
        }),
        Sample::new("frame", signal, |x| one(tf::try_frame(&x[0], x[1].dim(0), x[1].dim(1)))),
        Sample::new("frame_with", signal, |x| {
            let how = Framing { pad_end: true, ..Framing::default() };
            one(tf::try_frame_with(&x[0], x[1].dim(1), x[1].dim(0), &how))
        }),
        Sample::new("overlap_and_add", cells, |x| {
            Ok(vec![tf::try_overlap_and_add(&x[0], x[0].dim(0))?, tf::try_overlap_and_add(&x[1], 2)?])
        }),
        Sample::new("stft", signal, |x| parts(tf::try_stft(&x[0], 6, x[1].dim(1)))),
        Sample::new("stft_with", signal, |x| {
            let how = Stft { fft_length: Some(x[1].dim(0) + 1), window: Window::hamming(), pad_end: true };
            parts(tf::try_stft_with(&x[0], x[1].dim(0) * 2, x[1].dim(1), &how))
        }),
        Sample::new("inverse_stft", cells, |x| one(tf::try_inverse_stft(&z(x)?, (x[0].dim(2) - 1) * 2, x[0].dim(1)))),
        Sample::new("inverse_stft_with", cells, |x| {
            let step = x[0].dim(1);
            let window = tf::try_inverse_stft_window_fn(step, &Window::hann())?;
            let how = Stft { fft_length: Some(x[0].dim(2)), window, ..Stft::default() };
            one(tf::try_inverse_stft_with(&z(x)?, x[0].dim(2) + 1, step, &how))
        }),
        Sample::new("window_functions", cells, |x| {
            let n = x[0].dim(2);
            Ok(vec![
                tf::try_hann_window(n)?,
                tf::try_hamming_window_with(n, false, tf::float64)?,
                tf::try_kaiser_window(n)?,
                tf::try_kaiser_bessel_derived_window(n)?,
                tf::try_vorbis_window(n)?,
            ])
        }),
        Sample::new("mfccs_from_log_mel_spectrograms", cells, |x| one(tf::try_mfccs_from_log_mel_spectrograms(&x[0]))),
        Sample::new("mdct", |s| vec![x(&[s.a, s.b * 11]), x(&[s.c, 1])], |x| one(tf::try_mdct(&x[0], x[1].dim(0) * 4))),
        Sample::new("mdct_with", cells, |x| {
            let how = Mdct { window: Window::none(), pad_end: true, ortho: true };
            one(tf::try_mdct_with(&x[0], x[0].dim(1) * 4, &how))
        }),
        Sample::new("inverse_mdct", |s| vec![x(&[s.a, s.b, 2 * s.b])], |x| one(tf::try_inverse_mdct(&x[0]))),
        Sample::new(
            "inverse_mdct_with",
            |s| vec![x(&[s.a, s.b, 2 * s.c])],
            |x| one(tf::try_inverse_mdct_with(&x[0], &Mdct { ortho: true, ..Mdct::default() })),
        ),
        Sample::new("fftshift", cells, |x| one(tf::try_fftshift(&x[0], ()))),
        Sample::new("ifftshift", cells, |x| one(tf::try_ifftshift(&x[0], [0_isize, -1]))),
    ];
    for (name, norm) in
        [("fftnd", FftNorm::Backward), ("fftnd_forward", FftNorm::Forward), ("fftnd_ortho", FftNorm::Ortho)]
    {
        all.push(Sample::new(name, cells, move |x| {
            let lengths = tf::Shape::from_dims(&[x[0].dim(2), x[0].dim(1) + 1])?;
            let how = FftNd { fft_length: Some(lengths), axes: Some(vec![1, 0]), norm };
            let mut y = parts(tf::try_fftnd_with(&z(x)?, &how))?;
            y.extend(parts(tf::try_ifftnd_with(&z(x)?, &how))?);
            y.extend(parts(tf::try_rfftnd_with(&x[0], &how))?);
            y.push(tf::try_irfftnd_with(&z(x)?, &how)?);
            y.extend([tf::try_irfftnd(&z(x)?)?, tf::try_real(tf::try_rfftnd(&x[1])?)?]);
            Ok(y)
        }));
    }
    for (name, kind) in [("dct", DctType::I), ("dct_2", DctType::II), ("dct_3", DctType::III), ("dct_4", DctType::IV)] {
        all.push(Sample::new(name, cells, move |x| {
            let how = Dct { kind, n: Some(x[0].dim(1) + 1), ortho: kind != DctType::I };
            Ok(vec![tf::try_dct_with(&x[0], how)?, tf::try_idct_with(&x[1], Dct { kind, ..Dct::default() })?])
        }));
    }
    all
}
