//! The way of a scan through the picture: unit by unit, block by block, and over restart markers.
//! `jpeg::decode` calls it for each scan of a file.

use super::bits::{Bits, Stretches};
use super::huffman::Table;
use super::inverse::Inverse;
use super::markers::{Markers, Scan};
use super::planes::{Plane, Planes, truncated};
use super::{bad, blocks, progressive};
use kernels::error::Result;
use std::ops::Range;

/// What a scan needs of one of its components.
struct Part<'a> {
    component: usize,
    /// Blocks of a unit.
    h: usize,
    v: usize,
    dc: Option<&'a Table>,
    ac: Option<&'a Table>,
    last_dc: i16,
}

impl Planes {
    /// Reads a scan, whose data begin where the markers stand.
    pub fn scan(&mut self, markers: &mut Markers<'_>, scan: &Scan) -> Result<()> {
        let (stretches, end) = Stretches::new(markers.bytes, markers.at);
        markers.at = end;
        self.make(markers, stretches.len())?;
        let mut parts = Vec::new();
        for c in &scan.components {
            let frame = &self.frame.components[c.component];
            let (h, v) = if scan.components.len() == 1 { (1, 1) } else { (frame.h, frame.v) };
            let (dc, ac) = (markers.dc[c.dc].as_deref(), markers.ac[c.ac].as_deref());
            parts.push(Part { component: c.component, h, v, dc, ac, last_dc: 0 });
            let (how, Some(plane)) = (self.how, self.planes.get_mut(c.component)) else { continue };
            if plane.inverse.is_none() {
                let steps = markers.quantization[frame.table].as_ref();
                let steps = steps.ok_or_else(|| bad("a component uses a table of quantization that was not sent"))?;
                plane.inverse = Some(Inverse::new(steps, plane.block, how.transform));
            }
            plane.is_seen = true;
        }
        if scan.components.iter().map(|c| self.frame.components[c.component]).map(|c| c.h * c.v).sum::<usize>() > 10
            && parts.len() > 1
        {
            return Err(bad("a unit has more blocks than ten"));
        }
        let restart = markers.restart;
        self.units(scan, &mut parts, &stretches, restart)
    }

    /// Walks over the units of a scan.
    fn units(&mut self, scan: &Scan, parts: &mut [Part<'_>], data: &Stretches, restart: usize) -> Result<()> {
        let ((across, down), rows, columns) = match parts {
            // The units of a scan of one component are its blocks.
            [one] => {
                let c = self.frame.components[one.component];
                let (rows, columns) = (&self.rows, &self.columns);
                (
                    self.frame.blocks(one.component),
                    rows.start * c.v..rows.end * c.v,
                    columns.start * c.h..columns.end * c.h,
                )
            }
            _ => (self.frame_units(), self.rows.clone(), self.columns.clone()),
        };
        let last = if self.frame.is_progressive { down } else { down.min(rows.end) };
        let (mut stretch, mut left, mut blocks_of_zeros) = (0, restart, 0);
        let mut bits = data.bits(0);
        let mut is_over = false;
        for y in 0..last {
            for x in 0..across {
                if restart > 0 && left == 0 {
                    if bits.is_over() && !self.how.recover_truncated {
                        return Err(truncated(y, down));
                    }
                    (stretch, left, blocks_of_zeros) = (stretch + 1, restart, 0);
                    bits = data.bits(stretch);
                    is_over = false;
                    parts.iter_mut().for_each(|part| part.last_dc = 0);
                }
                left = left.wrapping_sub(1);
                if self.how.recover_truncated {
                    is_over |= bits.is_over();
                    if is_over {
                        continue;
                    }
                }
                let is_wanted = rows.contains(&y) && columns.contains(&x);
                let done = match self.frame.is_progressive {
                    true => self.progressive_unit(scan, parts, &mut bits, &mut blocks_of_zeros, (y, x)),
                    false => self.baseline_unit(parts, &mut bits, (y, x), is_wanted),
                };
                match done {
                    // What comes after data that make no sense is as good as missing.
                    Err(_) if self.how.recover_truncated => is_over = true,
                    done => done?,
                }
            }
            if bits.is_over() && !self.how.recover_truncated {
                return Err(truncated(y, down));
            }
        }
        Ok(())
    }

    #[inline]
    fn baseline_unit(
        &mut self,
        parts: &mut [Part<'_>],
        bits: &mut Bits<'_>,
        (y, x): (usize, usize),
        is_wanted: bool,
    ) -> Result<()> {
        for part in parts {
            let (Some(dc), Some(ac)) = (part.dc, part.ac) else {
                return Err(bad("a scan uses a table that was not sent"));
            };
            for down in 0..part.v {
                for across in 0..part.h {
                    let plane = self.planes.get_mut(part.component).filter(|_| is_wanted);
                    let Some(Plane { samples, stride, first, block, inverse: Some(inverse), .. }) = plane else {
                        blocks::pass_over(bits, (dc, ac), &mut part.last_dc)?;
                        continue;
                    };
                    let mut coefficients = [0; 64];
                    let only_dc = blocks::read(bits, (dc, ac), &mut part.last_dc, &mut coefficients)?;
                    let (row, column) = ((y * part.v + down) * *block, (x * part.h + across) * *block);
                    let at = (row - first.0) * *stride + column - first.1;
                    inverse.block(&coefficients, only_dc, &mut samples[at..], *stride);
                }
            }
        }
        Ok(())
    }

    fn progressive_unit(
        &mut self,
        scan: &Scan,
        parts: &mut [Part<'_>],
        bits: &mut Bits<'_>,
        blocks_of_zeros: &mut u32,
        (y, x): (usize, usize),
    ) -> Result<()> {
        let (units, _) = self.frame_units();
        let mut unused = [0; 64];
        for part in parts {
            let wide = units * self.frame.components[part.component].h;
            let rows: Range<usize> = y * part.v..(y + 1) * part.v;
            for row in rows {
                for column in x * part.h..(x + 1) * part.h {
                    let plane = self.planes.get_mut(part.component);
                    let block = plane.and_then(|plane| plane.coefficients.get_mut(row * wide + column));
                    let block = block.unwrap_or(&mut unused);
                    if scan.band.0 == 0 {
                        progressive::dc(bits, scan, part.dc, &mut part.last_dc, block)?;
                        continue;
                    }
                    let table = part.ac.ok_or_else(|| bad("a scan uses a table that was not sent"))?;
                    progressive::ac(bits, scan, table, blocks_of_zeros, block)?;
                }
            }
        }
        Ok(())
    }
}
