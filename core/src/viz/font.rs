//! A font of strokes for the printable characters of ASCII, so that pictures look the same on machines without fonts.
//! Pens ask for the lines of a text; charts ask how wide it will be.

/// A point of a glyph or a picture.
type Point = (f64, f64);

/// Strokes of a character, parted by spaces: pairs of digits for column 0 to 6 and row 0 to 9, with the base line at row 2, small
/// letters up to row 7, and capitals up to row 9. Each stroke is a polygon whose corners are cut until it is round; a doubled
/// point stays sharp. One that begins with `o` is closed. None for a character that the font lacks.
fn strokes(character: char) -> Option<&'static str> {
    Some(match character {
        ' ' | '\t' | '\n' | '\r' => "",
        '!' => "0904 0202",
        '"' => "0907 2927",
        '#' => "1912 3932 0747 0444",
        '$' => "4849090645420203 2921",
        '%' => "o07272909 o32525434 5902",
        '&' => "521719393704024255",
        '\'' => "0907",
        '(' => "29070421",
        ')' => "09272401",
        '*' => "2824 0745 4705",
        '+' => "2723 0545",
        ',' => "1300",
        '-' | '\u{2212}' | '\u{2013}' => "0535",
        '.' => "0202",
        '/' => "4901",
        ':' => "0202 0606",
        ';' => "1616 1300",
        '<' => "4804 0442",
        '=' => "0646 0444",
        '>' => "0844 4402",
        '?' => "080949462624 2222",
        '@' => "520209696444 o24444727",
        '[' => "2909 0901 0121",
        '\\' => "0941",
        ']' => "0929 2921 2101",
        '^' => "0629 2946",
        '_' => "0141",
        '`' => "0917",
        '{' => "39191605 05141131",
        '|' => "0901",
        '}' => "09292635 35242101",
        '~' => "05163445",
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
        'A' => "0229 2942 1434",
        'B' => "0902 09494606 06464202",
        'C' => "484909024243",
        'D' => "0902 09494202",
        'E' => "0902 0949 0636 0242",
        'F' => "0902 0949 0636",
        'G' => "484909024245 4525",
        'H' => "0902 4942 0646",
        'I' => "0902",
        'J' => "39320203",
        'K' => "0902 4905 1642",
        'L' => "0902 0242",
        'M' => "0902 0934 3469 6962",
        'N' => "0902 0942 4249",
        'O' => "o02525909",
        'P' => "0902 09494505",
        'Q' => "o02525909 3451",
        'R' => "0902 09494505 2542",
        'S' => "4849090645420203",
        'T' => "0949 2922",
        'U' => "09024249",
        'V' => "0922 2249",
        'W' => "0922 2238 3842 4269",
        'X' => "0942 4902",
        'Y' => "0925 4925 2522",
        'Z' => "0949 4902 0242",
        'a' => "o02424707 4742",
        'b' => "0902 o02424707",
        'c' => "464707024243",
        'd' => "4942 o02424707",
        'e' => "0444 444707024243",
        'f' => "39191712 0737",
        'g' => "o02424707 47400001",
        'h' => "0902 05074742",
        'i' => "0702 0909",
        'j' => "27212000 2929",
        'k' => "0902 4704 1542",
        'l' => "0902",
        'm' => "0702 05073732 35376762",
        'n' => "0702 05074742",
        'o' => "o02424707",
        'p' => "0700 o02424707",
        'q' => "4740 o02424707",
        'r' => "0702 050737",
        's' => "4647070544420203",
        't' => "191232 0737",
        'u' => "07024245 4742",
        'v' => "0722 2247",
        'w' => "0722 2236 3642 4267",
        'x' => "0742 4702",
        'y' => "0722 471000",
        'z' => "0747 4702 0242",
        _ => return None,
    })
}

/// What stands for a character that the font lacks: an empty box.
const BOX: &str = "0902 0949 4942 0242";

/// The control points of a character's strokes, and whether each is closed.
fn polygons(character: char) -> Vec<(bool, Vec<Point>)> {
    let polygon = |text: &str| {
        let closed = text.starts_with('o');
        let digits: Vec<f64> = text.chars().filter_map(|c| c.to_digit(10)).map(f64::from).collect();
        (closed, digits.chunks_exact(2).map(|p| (p[0], p[1] - 2.0)).collect())
    };
    strokes(character).unwrap_or(BOX).split_whitespace().map(polygon).collect()
}

/// The space behind a character, in columns of the font's grid.
const GAP: f64 = 2.2;

/// The width of a character with the space behind it, in columns of the font's grid.
fn advance(polygons: &[(bool, Vec<Point>)]) -> f64 {
    if polygons.is_empty() {
        return 4.0;
    }
    let points = polygons.iter().flat_map(|(_, points)| points);
    points.map(|(x, _)| *x).fold(0.0, f64::max) + GAP
}

/// The width of a text whose capitals are `height` pixels high.
pub fn width(text: &str, height: f64) -> f64 {
    (text.chars().map(|c| advance(&polygons(c))).sum::<f64>() - GAP).max(0.0) * height / 7.0
}

/// A text that fits into `room` pixels: whole, or its beginning with two dots behind it.
pub fn fitted(text: &str, height: f64, room: f64) -> String {
    if width(text, height) <= room {
        return text.to_owned();
    }
    let mut left = room * 7.0 / height - width("..", height) * 7.0 / height - GAP;
    let fits = |c: &char| {
        left -= advance(&polygons(*c));
        left >= 0.0
    };
    format!("{}..", text.chars().take_while(fits).collect::<String>())
}

/// The lines of a text whose capitals are `height` pixels high. The left end of its base line is at (0, 0), and y grows upwards.
pub fn lines(text: &str, height: f64) -> Vec<Vec<Point>> {
    let unit = height / 7.0;
    let (mut lines, mut from) = (Vec::new(), 0.0);
    for character in text.chars() {
        let polygons = polygons(character);
        let next = from + advance(&polygons);
        for (closed, points) in polygons {
            lines.push(rounded(points, closed).into_iter().map(|(x, y)| ((from + x) * unit, y * unit)).collect());
        }
        from = next;
    }
    lines
}

/// Cuts the corners of a polygon three times, by Chaikin's rule.
fn rounded(mut points: Vec<Point>, closed: bool) -> Vec<Point> {
    let between = |(ax, ay): Point, (bx, by): Point, t: f64| (ax + (bx - ax) * t, ay + (by - ay) * t);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_character_has_strokes_of_its_own() {
        let all: Vec<&str> =
            ('!'..='~').map(|c| strokes(c).unwrap_or_else(|| panic!("no strokes for {c:?}"))).collect();
        let mut apart = all.clone();
        apart.sort_unstable();
        apart.dedup();
        // Only the capital I and the small l look alike, as they do in most fonts without serifs.
        assert_eq!(apart.len(), all.len() - 1);
        assert!(all.iter().all(|text| text.split(' ').all(|stroke| stroke.trim_start_matches('o').len() % 2 == 0)));
        assert!(strokes('\u{e9}').is_none() && !lines("\u{e9}", 10.0).is_empty());
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(fitted("loss", 10.0, 200.0), "loss");
        let cut = fitted("sparse_categorical_accuracy", 10.0, 80.0);
        assert!(cut.starts_with("spar") && cut.ends_with("..") && width(&cut, 10.0) <= 80.0, "{cut}");
        assert_eq!(fitted("loss", 10.0, 0.0), "..");
    }
}
