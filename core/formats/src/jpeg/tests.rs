//! Decoding what the encoder writes, in whole and in part, and the arithmetic of lanes on both kinds of machine.

use super::*;

fn picture(height: usize, width: usize, channels: usize) -> Vec<u8> {
    let at = |y: usize, x: usize, c: usize| ((x * 5 + y * 3 + c * 40 + (x * y) % 17 * 4) % 256) as u8;
    (0..height * width * channels).map(|i| at(i / channels / width, i / channels % width, i % channels)).collect()
}

#[test]
fn a_part_is_what_the_whole_has_there() {
    for chroma_downsampling in [true, false] {
        for channels in [1, 3] {
            let how = Encoding { chroma_downsampling, quality: 80, ..Encoding::default() };
            let file = encode(&picture(45, 70, channels), (45, 70), channels, &how).unwrap();
            let whole = decode(&file, &Decoding::default()).unwrap();
            assert_eq!((whole.height, whole.width, whole.channels), (45, 70, channels));
            for (y, x, height, width) in
                [(0, 0, 45, 70), (17, 15, 20, 33), (16, 16, 16, 16), (44, 69, 1, 1), (3, 40, 9, 30)]
            {
                let crop = Some(Rectangle { y, x, height, width });
                let part = decode(&file, &Decoding { crop, ..Decoding::default() }).unwrap();
                let rows = whole.pixels.chunks(70 * channels).skip(y).take(height);
                let expected: Vec<u8> =
                    rows.flat_map(|row| row[x * channels..(x + width) * channels].to_vec()).collect();
                assert!(part.pixels == expected, "{y} {x} {height} {width}, {channels} channels");
            }
        }
    }
}

#[test]
fn smaller_pictures_have_the_rounded_size() {
    let file = encode(&picture(45, 70, 3), (45, 70), 3, &Encoding::default()).unwrap();
    for ratio in [2, 4, 8] {
        let small = decode(&file, &Decoding { ratio, ..Decoding::default() }).unwrap();
        assert_eq!((small.height, small.width), (45_usize.div_ceil(ratio), 70_usize.div_ceil(ratio)));
    }
}

#[test]
fn what_is_missing_is_an_error_or_gray() {
    let file = encode(&picture(64, 64, 3), (64, 64), 3, &Encoding::default()).unwrap();
    let whole = decode(&file, &Decoding::default()).unwrap();
    let half = &file[..file.len() * 2 / 3];
    assert!(decode(half, &Decoding::default()).unwrap_err().to_string().contains("end before"));
    let how = Decoding { recover_truncated: true, ..Decoding::default() };
    let recovered = decode(half, &how).unwrap();
    assert_eq!(recovered.pixels[..64 * 3 * 10], whole.pixels[..64 * 3 * 10]);
    assert_eq!(recovered.pixels[64 * 3 * 63..], [128; 64 * 3]);
    (0..file.len().min(700)).for_each(|end| assert!(decode(&file[..end], &Decoding::default()).is_err()));
}

#[test]
fn a_header_that_says_too_much_takes_no_memory() {
    let mut file = encode(&picture(16, 16, 3), (16, 16), 3, &Encoding::default()).unwrap();
    let frame = file.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    file[frame + 5..frame + 9].copy_from_slice(&[0x20, 0, 0x20, 0]);
    assert!(decode(&file, &Decoding::default()).unwrap_err().to_string().contains("end before"));
    file[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    assert!(decode(&file, &Decoding::default()).unwrap_err().to_string().contains("too large"));
}

#[test]
fn lanes_compute_alike_everywhere() {
    use super::lanes::{Lanes, of_any};
    let rows: [[i16; 8]; 8] =
        std::array::from_fn(|i| std::array::from_fn(|j| ((i * 8 + j) as i32 * 7919 % 65536 - 32768) as i16));
    let (a, b) = (rows[1], rows[5]);
    macro_rules! results {
        ($kind:ty) => {{
            let (a, b) = (<$kind>::of(&a), <$kind>::of(&b));
            let turned = <$kind>::transposed(rows.map(|row| <$kind>::of(&row)));
            let mut out: Vec<u8> = Vec::new();
            let all = [
                a.plus(b),
                a.minus(b),
                a.times(b),
                a.high_times(-14942),
                a.left::<2>(),
                a.right::<5>(),
                a.right::<7>().weighed(-22554, b.right::<7>(), 18734),
                <$kind>::splat(-3).plus(<$kind>::of_bytes(&[1, 2, 255, 4, 5, 128, 7, 8])),
            ];
            for x in all.into_iter().chain(turned) {
                // Both bytes of each number, each raised from what keeps its sign.
                let low = x.left::<4>().left::<4>().right::<8>();
                let (low, high) = low.raised(x.right::<8>());
                out.extend(low);
                out.extend(high);
            }
            out.extend(<$kind>::pixels(a.right::<6>(), b.right::<6>(), a.right::<7>()));
            out
        }};
    }
    assert_eq!(results!(Lanes), results!(of_any::Lanes));
}
