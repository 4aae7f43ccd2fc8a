//! Windows of an image at random: one trial of `sample_distorted_bounding_box`, and the random words that it takes.
//! `distorted.rs` calls it. Every rounding is that of TensorFlow's kernel, since the numbers are to be the same.

/// A window in pixels.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

impl Window {
    pub fn area(self) -> f32 {
        (self.right - self.left) as f32 * (self.bottom - self.top) as f32
    }

    /// The area that both have.
    pub fn shared(self, other: Self) -> f32 {
        let (left, top) = (self.left.max(other.left), self.top.max(other.top));
        let (right, bottom) = (self.right.min(other.right), self.bottom.min(other.bottom));
        if right < left || bottom < top { 0.0 } else { Self { left, top, right, bottom }.area() }
    }
}

/// Random words, of which the last ones come again should they be used up.
pub(super) struct Words<'a> {
    all: &'a [u32],
    next: usize,
}

impl<'a> Words<'a> {
    pub fn new(all: &'a [u32]) -> Self {
        Self { all, next: 0 }
    }

    fn word(&mut self) -> u32 {
        let word = self.all[self.next % self.all.len()];
        self.next += 1;
        word
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f32 {
        f32::from_bits(127 << 23 | self.word() & 0x7f_ffff) - 1.0
    }

    /// Below a number, each with the same probability: words that would favour the small ones are passed over.
    fn below(&mut self, count: u32) -> i32 {
        if count.is_power_of_two() {
            return (self.word() & (count - 1)) as i32;
        }
        let skipped = u32::MAX % count + 1;
        // Bounded, as words come again.
        for _ in 0..self.all.len() {
            let word = self.word();
            if word >= skipped {
                return (word % count) as i32;
            }
        }
        0
    }
}

/// A window of this ratio, unless none of these areas is within the image.
pub(super) fn window(
    words: &mut Words<'_>,
    [height, width]: [i32; 2],
    ratio: f32,
    areas: (f64, f64),
) -> Option<Window> {
    let whole = |x: f32| x.round_ties_even() as i32;
    // The product goes from left to right, as TensorFlow's.
    let least = areas.0 as f32 * width as f32 * height as f32;
    let most = areas.1 as f32 * width as f32 * height as f32;
    let mut rows = whole((least / ratio).sqrt());
    let mut most_rows = whole((most / ratio).sqrt());
    if whole(most_rows as f32 * ratio) > width {
        most_rows = ((f64::from(width) + 0.5 - f64::from(0.000_000_1_f32)) / f64::from(ratio)) as i32;
        if whole(most_rows as f32 * ratio) > width {
            most_rows -= 1;
        }
    }
    most_rows = most_rows.min(height);
    rows = rows.min(most_rows);
    if rows < most_rows {
        rows += words.below((most_rows - rows + 1) as u32);
    }
    let mut columns = whole(rows as f32 * ratio);
    let area = |rows: i32, columns: i32| columns as f32 * rows as f32;
    // What rounding has made too small or too large gets another row, or one less.
    if area(rows, columns) < least {
        rows = rows.saturating_add(1);
        columns = whole(rows as f32 * ratio);
    }
    if area(rows, columns) > most {
        rows -= 1;
        columns = whole(rows as f32 * ratio);
    }
    let fits =
        (least..=most).contains(&area(rows, columns)) && (1..=width).contains(&columns) && (1..=height).contains(&rows);
    if !fits {
        return None;
    }
    let top = if rows < height { words.below((height - rows) as u32) } else { 0 };
    let left = if columns < width { words.below((width - columns) as u32) } else { 0 };
    Some(Window { left, top, right: left + columns, bottom: top + rows })
}
