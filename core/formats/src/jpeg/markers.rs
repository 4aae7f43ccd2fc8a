//! The marker segments of a JPEG file: tables are kept as they come, frame and scan headers are checked and handed out.
//! `jpeg::decode` asks for one segment after the other.

use super::bad;
use super::frame::{Component, Frame};
use super::huffman::Table;
use kernels::error::Result;

/// The natural place of the n-th coefficient in the file's zigzag order.
pub(super) const ZIGZAG: [u8; 64] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
];

/// Scans of a file: more are an attack, not a picture.
const MOST_SCANS: usize = 500;

/// One component's part of a scan header.
#[derive(Clone, Copy, Debug)]
pub(super) struct InScan {
    /// Index of the component in the frame.
    pub component: usize,
    /// Which table of DC coefficients.
    pub dc: usize,
    /// Which table of AC coefficients.
    pub ac: usize,
}

/// A scan header.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    pub components: Vec<InScan>,
    /// The first and the last coefficient, in zigzag order.
    pub band: (usize, usize),
    /// The bit that was sent last before this scan, and the one it sends.
    pub high: u32,
    pub low: u32,
}

/// What a segment was.
pub(super) enum Segment {
    Frame(Frame),
    Scan(Scan),
    Other,
    End,
}

/// What the segments so far have said, and where the next begins.
pub(super) struct Markers<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    /// Tables of quantization, in natural order.
    pub quantization: [Option<[u16; 64]>; 4],
    pub dc: [Option<Box<Table>>; 4],
    pub ac: [Option<Box<Table>>; 4],
    /// Units between restart markers; 0 for none.
    pub restart: usize,
    pub jfif: bool,
    /// The colour transform that Adobe's marker names.
    pub adobe: Option<u8>,
    ids: Vec<u8>,
    is_progressive: bool,
    scans: usize,
}

impl<'a> Markers<'a> {
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        if !bytes.starts_with(&[0xff, 0xd8]) {
            return Err(bad("the data are no JPEG picture: they do not begin with FF D8"));
        }
        Ok(Self {
            bytes,
            at: 2,
            quantization: [None; 4],
            dc: [const { None }; 4],
            ac: [const { None }; 4],
            restart: 0,
            jfif: false,
            adobe: None,
            ids: Vec::new(),
            is_progressive: false,
            scans: 0,
        })
    }

    /// Reads the next segment. Bytes between segments that belong to none are passed over, as libjpeg does.
    pub fn next(&mut self) -> Result<Segment> {
        let marker = self.marker()?;
        match marker {
            0xd9 => return Ok(Segment::End),
            0x01 | 0xd0..=0xd8 => return Ok(Segment::Other),
            _ => {}
        }
        let body = self.body()?;
        match marker {
            0xc0..=0xc2 => return self.frame(marker == 0xc2, body).map(Segment::Frame),
            0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Err(bad("this kind of JPEG is not decoded")
                    .got(format!("frame marker FF {marker:02X}"))
                    .expected("baseline, extended or progressive with Huffman codes"));
            }
            0xc4 => self.huffman(body)?,
            0xda => return self.scan(body).map(Segment::Scan),
            0xdb => self.quantization(body)?,
            0xdd => match body {
                [high, low] => self.restart = usize::from(u16::from_be_bytes([*high, *low])),
                _ => return Err(bad("the restart interval's segment has another length than 4")),
            },
            0xe0 => self.jfif |= body.starts_with(b"JFIF\0"),
            0xee if body.len() >= 12 && body.starts_with(b"Adobe") => self.adobe = Some(body[11]),
            _ => {}
        }
        Ok(Segment::Other)
    }

    /// Finds the next marker.
    fn marker(&mut self) -> Result<u8> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(skip) = rest.windows(2).position(|pair| pair[0] == 0xff && pair[1] != 0 && pair[1] != 0xff) else {
            self.at = self.bytes.len();
            return Err(bad("the data end before the picture does").help("the file may be truncated"));
        };
        self.at += skip + 2;
        Ok(rest[skip + 1])
    }

    /// The bytes of the segment that begins here, without its length.
    fn body(&mut self) -> Result<&'a [u8]> {
        let ends = || bad("the data end within a header").help("the file may be truncated");
        let length = self.bytes.get(self.at..self.at + 2).ok_or_else(ends)?;
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        if length < 2 {
            return Err(bad("a segment says that it is shorter than its own length"));
        }
        let body = self.bytes.get(self.at + 2..self.at + length).ok_or_else(ends)?;
        self.at += length;
        Ok(body)
    }

    fn frame(&mut self, is_progressive: bool, body: &[u8]) -> Result<Frame> {
        let &[precision, h1, h0, w1, w0, count, ref rest @ ..] = body else {
            return Err(bad("the frame header is too short"));
        };
        let (height, width) = (usize::from(u16::from_be_bytes([h1, h0])), usize::from(u16::from_be_bytes([w1, w0])));
        if precision != 8 {
            return Err(bad("samples of other than 8 bits are not decoded").got(precision));
        }
        if height == 0 || width == 0 {
            return Err(bad("the picture has no pixels").got(format!("{height} rows, {width} columns")));
        }
        if !matches!(count, 1 | 3 | 4) || rest.len() != usize::from(count) * 3 {
            return Err(bad("a picture has 1, 3 or 4 components").got(count));
        }
        let components = rest.chunks_exact(3).map(|c| Component::new(c[0], c[1], c[2])).collect::<Result<Vec<_>>>()?;
        self.ids = components.iter().map(|c| c.id).collect();
        self.is_progressive = is_progressive;
        Ok(Frame { height, width, components, is_progressive })
    }

    fn scan(&mut self, body: &[u8]) -> Result<Scan> {
        self.scans += 1;
        let &[count, ref rest @ ..] = body else { return Err(bad("the scan header is too short")) };
        let count = usize::from(count);
        if !(1..=4).contains(&count) || rest.len() != count * 2 + 3 || self.scans > MOST_SCANS {
            return Err(bad("a scan header is damaged").got(format!("{count} components in scan {}", self.scans)));
        }
        let mut components = Vec::with_capacity(count);
        for pair in rest[..count * 2].chunks_exact(2) {
            let component = self.ids.iter().position(|&id| id == pair[0]);
            let component = component.ok_or_else(|| bad("a scan names a component that the frame has not"))?;
            let (dc, ac) = (usize::from(pair[1] >> 4), usize::from(pair[1] & 15));
            if dc > 3 || ac > 3 || components.iter().any(|c: &InScan| c.component == component) {
                return Err(bad("a scan header is damaged"));
            }
            components.push(InScan { component, dc, ac });
        }
        let [first, last, bits] = [rest[count * 2], rest[count * 2 + 1], rest[count * 2 + 2]];
        let band = (usize::from(first), usize::from(last));
        let (high, low) = (u32::from(bits >> 4), u32::from(bits & 15));
        let is_dc = band == (0, 0);
        let is_ac = band.0 >= 1 && band.0 <= band.1 && band.1 <= 63 && count == 1;
        let band_fits = !self.is_progressive || is_dc || is_ac;
        let bits_fit = low <= 13 && (high == 0 || high == low + 1);
        if !band_fits || !bits_fit {
            return Err(bad("the parameters of a scan contradict each other"));
        }
        Ok(Scan { components, band, high, low })
    }

    fn huffman(&mut self, mut body: &[u8]) -> Result<()> {
        while let [kind, rest @ ..] = body {
            let counts = rest.first_chunk::<16>().ok_or_else(|| bad("a table of codes is too short"))?;
            let total: usize = counts.iter().map(|&n| usize::from(n)).sum();
            let symbols = rest.get(16..16 + total).ok_or_else(|| bad("a table of codes is too short"))?;
            let (class, index) = (kind >> 4, usize::from(kind & 15));
            if class > 1 || index > 3 || total > 256 {
                return Err(bad("a table of codes is damaged"));
            }
            let table = Some(Box::new(Table::new(counts, symbols, class == 1)?));
            match class {
                0 => self.dc[index] = table,
                _ => self.ac[index] = table,
            }
            body = &rest[16 + total..];
        }
        Ok(())
    }

    fn quantization(&mut self, mut body: &[u8]) -> Result<()> {
        while let [kind, rest @ ..] = body {
            let (wide, index) = (kind >> 4, usize::from(kind & 15));
            let bytes = if wide == 0 { 64 } else { 128 };
            let values = rest.get(..bytes).filter(|_| wide < 2 && index < 4);
            let values = values.ok_or_else(|| bad("a table of quantization is damaged"))?;
            let mut table = [0; 64];
            for (n, &place) in ZIGZAG.iter().enumerate() {
                table[usize::from(place)] = match wide {
                    0 => u16::from(values[n]),
                    _ => u16::from_be_bytes([values[n * 2], values[n * 2 + 1]]),
                };
            }
            self.quantization[index] = Some(table);
            body = &rest[bytes..];
        }
        Ok(())
    }
}
