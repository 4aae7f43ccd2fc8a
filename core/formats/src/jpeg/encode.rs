//! The encoder: baseline pictures with the standard's tables, the bytes that libjpeg writes for the same settings.
//! `tf::io::encode_jpeg` calls it.

use super::forward;
use super::markers::ZIGZAG;
use kernels::error::{Error, Result};

/// How to encode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// From 0, the smallest file, to 100.
    pub quality: u8,
    /// Whether colours are stored at half the resolution.
    pub chroma_downsampling: bool,
    /// The unit of densities: 0 for none, 1 for inches, 2 for centimetres.
    pub density_unit: u8,
    /// Pixels per unit, across and down.
    pub density: (u16, u16),
    /// Metadata that is written as it is; empty for none.
    pub xmp_metadata: Vec<u8>,
}

impl Default for Encoding {
    fn default() -> Self {
        Self { quality: 95, chroma_downsampling: true, density_unit: 1, density: (300, 300), xmp_metadata: Vec::new() }
    }
}

/// The standard's steps of quantization at quality 50, for brightness and for colours, in natural order.
const STEPS: [[u16; 64]; 2] = [
    [
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29,
        51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121,
        120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
    ],
    [
        17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99,
    ],
];

/// The standard's codes: numbers of each length, and symbols, of DC coefficients.
const DC: [[u8; 16]; 2] =
    [[0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]];
const DC_SYMBOLS: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
/// The same of AC coefficients.
const AC: [[u8; 16]; 2] =
    [[0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d], [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77]];
const AC_SYMBOLS: [[u8; 162]; 2] = [
    [
        0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
        0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
        0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
        0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
        0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
        0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
        0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
        0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
        0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
    ],
    [
        0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
        0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
        0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36,
        0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
        0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a,
        0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a,
        0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba,
        0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
        0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
    ],
];

/// Samples of a component, with as many rows and columns as its blocks have.
struct Component {
    samples: Vec<u8>,
    /// Blocks with pixels, side by side and above each other.
    across: usize,
    down: usize,
    /// Blocks of a unit in both directions.
    sampling: usize,
    /// Which tables.
    tables: usize,
    last_dc: i16,
}

/// Codes of a table by symbol: their bits and lengths.
fn codes(counts: &[u8; 16], symbols: &[u8]) -> [(u32, u32); 256] {
    let (mut codes, mut code, mut symbols) = ([(0, 0); 256], 0, symbols.iter());
    for (length, &count) in (1..).zip(counts) {
        for &symbol in symbols.by_ref().take(usize::from(count)) {
            codes[usize::from(symbol)] = (code, length);
            code += 1;
        }
        code <<= 1;
    }
    codes
}

/// Bits on their way into a file, with a zero stuffed behind each byte of FF.
struct Writer<'a> {
    out: &'a mut Vec<u8>,
    held: u64,
    count: u32,
}

impl Writer<'_> {
    fn put(&mut self, bits: u32, count: u32) {
        self.held = self.held << count | u64::from(bits);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.held >> self.count) as u8;
            self.out.push(byte);
            if byte == 0xff {
                self.out.push(0);
            }
        }
    }

    /// The bits of a number whose size has been written.
    fn value(&mut self, value: i16, size: u32) {
        let bits = if value < 0 { i32::from(value) - 1 } else { i32::from(value) };
        self.put(bits as u32 & ((1 << size) - 1), size);
    }
}

fn size_of(value: i16) -> u32 {
    16 - value.unsigned_abs().leading_zeros()
}

/// Encodes rows of pixels of 1 or 3 bytes.
///
/// # Errors
/// InvalidArgument for other numbers of channels, sides of 0 or above 65,500, or a quality above 100.
pub fn encode(pixels: &[u8], (height, width): (usize, usize), channels: usize, how: &Encoding) -> Result<Vec<u8>> {
    let op = "encode_jpeg";
    if !matches!(channels, 1 | 3) || how.quality > 100 || how.density_unit > 2 {
        return Err(Error::invalid_argument(
            op,
            "a JPEG picture has 1 or 3 channels, a quality up to 100, and a unit up to 2",
        )
        .got(format!("{channels} channels, quality {}, unit {}", how.quality, how.density_unit)));
    }
    if !(1..=65_500).contains(&height) || !(1..=65_500).contains(&width) || pixels.len() != height * width * channels {
        return Err(Error::invalid_argument(op, "a JPEG picture has from 1 to 65500 rows and columns")
            .got(format!("{height} rows, {width} columns, {} bytes", pixels.len())));
    }
    if how.xmp_metadata.len() > 65_502 {
        return Err(Error::invalid_argument(op, "the metadata do not fit into a segment").got(how.xmp_metadata.len()));
    }
    let steps = STEPS.map(|table| table.map(|step| scaled(step, how.quality)));
    let mut components = split(pixels, (height, width), channels, how.chroma_downsampling);
    let mut out = Vec::with_capacity(pixels.len() / 4 + 1024);
    out.extend_from_slice(&[0xff, 0xd8]);
    headers(&mut out, (height, width), &components, &steps, how);
    let most = components.iter().map(|c| c.sampling).max().unwrap_or(1);
    let tables = [0, 1].map(|i| (codes(&DC[i], &DC_SYMBOLS), codes(&AC[i], &AC_SYMBOLS[i])));
    let mut writer = Writer { out: &mut out, held: 0, count: 0 };
    let (units_across, units_down) = match channels {
        1 => (width.div_ceil(8), height.div_ceil(8)),
        _ => (width.div_ceil(8 * most), height.div_ceil(8 * most)),
    };
    for y in 0..units_down {
        for x in 0..units_across {
            for c in &mut components {
                for at in 0..c.sampling * c.sampling {
                    let place = (y * c.sampling + at / c.sampling, x * c.sampling + at % c.sampling);
                    let coefficients = c.block(place, &steps[c.tables]);
                    block(&mut writer, &coefficients, &tables[c.tables], &mut c.last_dc);
                }
            }
        }
    }
    // The last byte is filled up with ones.
    let (missing, ones) = ((8 - writer.count % 8) % 8, 0x7f);
    writer.put(ones & ((1 << missing) - 1), missing);
    out.extend_from_slice(&[0xff, 0xd9]);
    Ok(out)
}

fn scaled(step: u16, quality: u8) -> u16 {
    let quality = u32::from(quality.max(1));
    let percent = if quality < 50 { 5000 / quality } else { 200 - quality * 2 };
    ((u32::from(step) * percent + 50) / 100).clamp(1, 255) as u16
}

impl Component {
    /// The coefficients of a block. One behind the picture's edge repeats the value of the one before it.
    fn block(&self, (row, column): (usize, usize), steps: &[u16; 64]) -> [i16; 64] {
        if row >= self.down || column >= self.across {
            let mut flat = [0; 64];
            flat[0] = self.last_dc;
            return flat;
        }
        let stride = self.across * 8;
        let mut samples = [[0; 8]; 8];
        for (y, line) in samples.iter_mut().enumerate() {
            line.copy_from_slice(&self.samples[(row * 8 + y) * stride + column * 8..][..8]);
        }
        forward::coefficients(&samples, steps)
    }
}

/// The components of pixels, filled up to whole blocks with the last row and column.
fn split(pixels: &[u8], (height, width): (usize, usize), channels: usize, halve: bool) -> Vec<Component> {
    let plane = |sampling: usize, tables: usize, side: usize, sample: &dyn Fn(usize, usize) -> u8| {
        let (rows, columns) = (height.div_ceil(side), width.div_ceil(side));
        let (across, down) = (columns.div_ceil(8), rows.div_ceil(8));
        let mut samples = Vec::with_capacity(across * down * 64);
        for y in 0..down * 8 {
            samples.extend((0..across * 8).map(|x| sample(y.min(rows - 1), x)));
        }
        Component { samples, across, down, sampling, tables, last_dc: 0 }
    };
    if channels == 1 {
        return vec![plane(1, 0, 1, &|y, x| pixels[y * width + x.min(width - 1)])];
    }
    let mixed = |y: usize, x: usize, [r, g, b]: [i32; 3], more: i32| {
        let at = (y.min(height - 1) * width + x.min(width - 1)) * 3;
        let sum = i32::from(pixels[at]) * r + i32::from(pixels[at + 1]) * g + i32::from(pixels[at + 2]) * b;
        (sum + more) >> 16
    };
    let middle = (128 << 16) + (1 << 15) - 1;
    let luma = |y, x| mixed(y, x, [19595, 38470, 7471], 1 << 15) as u8;
    let colours = [[-11059, -21709, 32768], [32768, -27439, -5329]];
    let mut all = vec![plane(if halve { 2 } else { 1 }, 0, 1, &luma)];
    all.extend(colours.map(|weights| match halve {
        false => plane(1, 1, 1, &|y, x| mixed(y, x, weights, middle) as u8),
        true => plane(1, 1, 2, &|y, x| {
            let at = |dy: usize, dx: usize| mixed(y * 2 + dy, x * 2 + dx, weights, middle);
            // Rounded down and up in turns.
            ((at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1) + 1 + (x as i32 & 1)) >> 2) as u8
        }),
    }));
    all
}

fn headers(
    out: &mut Vec<u8>,
    (height, width): (usize, usize),
    components: &[Component],
    steps: &[[u16; 64]; 2],
    how: &Encoding,
) {
    let mut segment = |marker: u8, parts: &[&[u8]]| {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        out.extend_from_slice(&[0xff, marker]);
        out.extend_from_slice(&(length as u16 + 2).to_be_bytes());
        parts.iter().for_each(|part| out.extend_from_slice(part));
    };
    let tables = if components.len() == 1 { 1 } else { 2 };
    let (x, y) = (how.density.0.to_be_bytes(), how.density.1.to_be_bytes());
    segment(0xe0, &[b"JFIF\0\x01\x01", &[how.density_unit], &x, &y, &[0, 0]]);
    if !how.xmp_metadata.is_empty() {
        segment(0xe1, &[b"http://ns.adobe.com/xap/1.0/\0", &how.xmp_metadata]);
    }
    for (index, steps) in (0..).zip(&steps[..tables]) {
        let steps: Vec<u8> = ZIGZAG.iter().map(|&place| steps[usize::from(place)] as u8).collect();
        segment(0xdb, &[&[index], &steps]);
    }
    let mut frame = vec![8];
    frame.extend_from_slice(&(height as u16).to_be_bytes());
    frame.extend_from_slice(&(width as u16).to_be_bytes());
    frame.push(components.len() as u8);
    let mut scan = vec![components.len() as u8];
    for (id, c) in (1..).zip(components) {
        frame.extend_from_slice(&[id, (c.sampling << 4 | c.sampling) as u8, c.tables as u8]);
        scan.extend_from_slice(&[id, (c.tables << 4 | c.tables) as u8]);
    }
    segment(0xc0, &[&frame]);
    for index in 0..tables {
        segment(0xc4, &[&[index as u8], &DC[index], &DC_SYMBOLS]);
        segment(0xc4, &[&[0x10 | index as u8], &AC[index], &AC_SYMBOLS[index]]);
    }
    segment(0xda, &[&scan, &[0, 63, 0]]);
}

type Codes = ([(u32, u32); 256], [(u32, u32); 256]);

fn block(writer: &mut Writer<'_>, coefficients: &[i16; 64], (dc, ac): &Codes, last_dc: &mut i16) {
    let difference = coefficients[0] - *last_dc;
    *last_dc = coefficients[0];
    let size = size_of(difference);
    let (code, length) = dc[size as usize];
    writer.put(code, length);
    writer.value(difference, size);
    let mut zeros = 0;
    for &place in &ZIGZAG[1..] {
        let value = coefficients[usize::from(place)];
        if value == 0 {
            zeros += 1;
            continue;
        }
        while zeros > 15 {
            writer.put(ac[0xf0].0, ac[0xf0].1);
            zeros -= 16;
        }
        let size = size_of(value);
        let (code, length) = ac[zeros << 4 | size as usize];
        writer.put(code, length);
        writer.value(value, size);
        zeros = 0;
    }
    if zeros > 0 {
        writer.put(ac[0].0, ac[0].1);
    }
}
