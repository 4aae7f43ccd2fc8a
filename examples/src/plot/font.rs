//! A small font of strokes: the digits and the lowercase letters that the pictures use.
//! Each stroke is a polygon of control points whose corners are cut until it is round; a doubled point stays sharp.

use super::{Canvas, stroke};
use plotters::style::RGBColor;
use std::error::Error;

/// Strokes of a character, parted by spaces: pairs of digits for column 0 to 6 and row 0 to 9, with the base line at
/// row 2 and capitals up to row 9. A stroke that begins with `o` is closed.
fn strokes(character: char) -> &'static str {
    match character {
        '0' => "o02424909",
        '1' => "072929 2922",
        '2' => "070949460202 0242",
        '3' => "0819494626 2646420203",
        '4' => "32393904 0444",
        '5' => "4909 0905 05064642 46420203",
        '6' => "48490904 o02424606",
        '7' => "0949 4912",
        '8' => "o02424606 o06464909",
        '9' => "47420203 o05454909",
        '.' => "0202",
        'a' => "o02424707 4742",
        'b' => "0902 o02424707",
        'c' => "464707024243",
        'd' => "4942 o02424707",
        'e' => "0444 444707024243",
        'g' => "o02424707 47400001",
        'h' => "0902 05074742",
        'i' => "0702 0909",
        'l' => "0902",
        'm' => "0702 05073732 35376762",
        'n' => "0702 05074742",
        'o' => "o02424707",
        'p' => "0700 o02424707",
        'r' => "0702 050737",
        's' => "4647070544420203",
        't' => "191232 0737",
        'u' => "07024245 4742",
        'y' => "0722 471000",
        _ => "",
    }
}

/// The control points of a character's strokes, and whether each is closed.
fn polygons(character: char) -> Vec<(bool, Vec<(f64, f64)>)> {
    let polygon = |text: &str| {
        let closed = text.starts_with('o');
        let digits: Vec<f64> = text.chars().filter_map(|c| c.to_digit(10)).map(f64::from).collect();
        (closed, digits.chunks_exact(2).map(|p| (p[0], p[1] - 2.0)).collect())
    };
    strokes(character).split(' ').map(polygon).collect()
}

/// The width of a character with the space behind it, in rows of the font's grid.
fn advance(character: char) -> f64 {
    if character == ' ' {
        return 4.0;
    }
    let points = polygons(character).into_iter().flat_map(|(_, points)| points);
    points.map(|(x, _)| x).fold(0.0, f64::max) + 2.2
}

/// The width of a text whose capitals are `height` pixels high.
pub fn width(text: &str, height: f64) -> f64 {
    (text.chars().map(advance).sum::<f64>() - 2.2).max(0.0) * height / 7.0
}

/// Writes a text from the left end of its base line on.
pub fn write(
    canvas: &Canvas<'_>,
    text: &str,
    (mut x, y): (f64, f64),
    height: f64,
    color: RGBColor,
) -> Result<(), Box<dyn Error>> {
    let unit = height / 7.0;
    for character in text.chars() {
        for (closed, points) in polygons(character) {
            let line: Vec<(f64, f64)> =
                rounded(points, closed).into_iter().map(|(px, py)| (x + px * unit, y - py * unit)).collect();
            stroke(canvas, &line, height * 0.13, color)?;
        }
        x += advance(character) * unit;
    }
    Ok(())
}

/// Cuts the corners of a polygon three times, by Chaikin's rule.
fn rounded(mut points: Vec<(f64, f64)>, closed: bool) -> Vec<(f64, f64)> {
    let between = |(ax, ay): (f64, f64), (bx, by): (f64, f64), t: f64| (ax + (bx - ax) * t, ay + (by - ay) * t);
    if points.len() < 3 {
        return points;
    }
    for _ in 0..3 {
        let mut cut = Vec::with_capacity(2 * points.len());
        let (first, last) = (points[0], points[points.len() - 1]);
        if closed {
            points.push(first);
        } else {
            cut.push(first);
        }
        for pair in points.windows(2) {
            cut.extend([between(pair[0], pair[1], 0.25), between(pair[0], pair[1], 0.75)]);
        }
        if !closed {
            cut.push(last);
        }
        points = cut;
    }
    if closed {
        points.push(points[0]);
    }
    points
}
