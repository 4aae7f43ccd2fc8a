//! Files that are cut off, damaged or say more than they hold: errors that name the line, and no more memory than the data can fill.

use super::conformance::{files, recorded, string};
use eagerflow as tf;
use tf::io::{ImageDecoding, JpegDecoding};

#[test]
fn what_is_cut_off_is_an_error() {
    let recorded = recorded();
    for (name, file) in files(&recorded) {
        // The last bytes of a GIF say only that it ends, and a BMP's may be padding.
        let needed = if name.starts_with("gif") { file.len() / 2 } else { file.len() - 16 };
        for length in [0, 1, 4, 10, 25, needed / 2, needed] {
            let cut = string(&file[..length.min(needed)]);
            let error = tf::io::try_decode_image(&cut, 0).expect_err(name).to_string();
            assert!(error.contains("tests/images/damage.rs:"), "{name} {length}: {error}");
        }
    }
}

#[test]
fn what_is_changed_is_an_error_or_an_image() {
    let recorded = recorded();
    let mut state = 1_u64;
    let mut draw = |most: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % most
    };
    for (_, file) in files(&recorded) {
        for _ in 0..60 {
            let mut file = file.clone();
            for _ in 0..1 + draw(3) {
                let at = draw(file.len());
                file[at] = draw(256) as u8;
            }
            let _ = tf::io::try_decode_image(string(&file), ImageDecoding::new().expand_animations(draw(2) == 0));
            let _ = tf::io::try_decode_jpeg(
                string(&file),
                JpegDecoding::new().ratio(1 << draw(4)).try_recover_truncated(true),
            );
        }
    }
}

#[test]
fn truncated_files_are_filled_up_with_gray() {
    let recorded = recorded();
    let file = &files(&recorded)["jpeg large"];
    let half = string(&file[..file.len() * 3 / 4]);
    let whole = tf::io::decode_jpeg(string(file), 3).to_vec::<u8>();
    let error = tf::io::try_decode_jpeg(&half, 3).unwrap_err().to_string();
    assert!(error.contains("try_recover_truncated"), "{error}");
    let recovered = tf::io::decode_jpeg(&half, JpegDecoding::new().try_recover_truncated(true));
    assert_eq!(recovered.shape(), [50, 70, 3]);
    let recovered = recovered.to_vec::<u8>();
    assert_eq!(recovered[..70 * 3 * 14], whole[..70 * 3 * 14]);
    assert_eq!(recovered[recovered.len() - 3..], [128; 3]);
}

#[test]
fn options_out_of_range_are_errors_where_they_are_written() {
    for error in [
        tf::io::JpegDecoding::new().try_channels(2).unwrap_err(),
        tf::io::JpegDecoding::new().try_ratio(3).unwrap_err(),
        tf::io::PngDecoding::new().try_dtype(tf::float32).unwrap_err(),
        tf::io::JpegEncoding::new().try_quality(101).unwrap_err(),
        tf::io::try_decode_jpeg("", 4).unwrap_err(),
        tf::io::try_decode_bmp("", 2).unwrap_err(),
        tf::io::try_encode_png(tf::zeros([2, 2])).unwrap_err(),
        tf::io::try_encode_jpeg(tf::zeros([2, 2, 3]), 90).unwrap_err(),
        tf::io::try_decode_png(tf::constant(["a", "b"]), 0).unwrap_err(),
        tf::io::try_decode_and_crop_jpeg("", tf::constant([1, 2, 3]), 0).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(text.contains("tests/images/damage.rs:") && text.contains("got"), "{text}");
    }
}
