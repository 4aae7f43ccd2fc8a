//! Collatz chains, all in one graph: `cargo run --release --example collatz`. From a number go to its half if it is even,
//! to three times itself plus one if it is odd, until 1 is reached; which start below a limit takes the most steps?

use eagerflow as tf;
use std::time::Instant;
use tf::{Tensor, tf_function};

/// How many steps there are from `n` to 1: a loop of the graph, as the number of rounds depends on a tensor.
#[tf_function(input_signature = [i64[]])]
fn steps(n: &Tensor) -> Tensor {
    let mut n = n.clone();
    let mut steps = tf::constant(0);
    while n != 1 {
        n = if &n % 2 == 0 { n / 2 } else { n * 3 + 1 };
        steps = steps + 1;
    }
    steps
}

/// The start below `limit` with the longest chain, and its steps. `steps` is recorded in place: one graph, two loops.
#[tf_function(input_signature = [i64[]])]
fn longest(limit: &Tensor) -> (Tensor, Tensor) {
    let (mut start, mut most) = (Tensor::from(1i64), tf::constant(0));
    for n in tf::range(1i64, limit, 1i64) {
        let count = steps(&n);
        if count > most {
            (start, most) = (n, count);
        }
    }
    (start, most)
}

/// Prints a chain from inside the graph, eight numbers to a line, and gives its highest number.
#[tf_function]
fn show(n: &Tensor) -> Tensor {
    let (mut n, mut highest, mut column) = (n.clone(), n.clone(), tf::constant(0));
    loop {
        print!("{n:>8}");
        highest = tf::maximum(&highest, &n);
        if n == 1 {
            println!();
            break highest;
        }
        column = (column + 1) % 8;
        if column == 0 {
            println!();
        }
        n = if &n % 2 == 0 { n / 2 } else { n * 3 + 1 };
    }
}

fn main() {
    println!("   below    start   steps        time");
    let mut champion = Tensor::from(1i64);
    for limit in [10i64, 100, 1_000, 10_000, 100_000] {
        let begin = Instant::now();
        let (start, most) = longest(&Tensor::from(limit));
        let seconds = begin.elapsed().as_secs_f64();
        println!("{limit:>8} {:>8} {:>7} {:>8.2} ms", start.item::<i64>(), most.item::<i32>(), seconds * 1e3);
        if limit <= 1_000 {
            champion = start;
        }
    }

    println!("\nthe chain of {champion}:");
    let highest = show(&champion);
    println!("it climbs to {highest}");

    let limit = Tensor::from(300i64);
    let time = |run: &dyn Fn() -> (Tensor, Tensor)| {
        let begin = Instant::now();
        let most = run().1.item::<i32>();
        (most, begin.elapsed().as_secs_f64() * 1e3)
    };
    let graph = time(&|| longest(&limit));
    let eager = time(&|| tf::config::with_eager_functions(|| longest(&limit)));
    assert_eq!(graph.0, eager.0);
    println!("\nbelow 300: {:.2} ms as a graph, {:.2} ms operation by operation", graph.1, eager.1);
    println!("traces made: {}", tf::function(longest).trace_count());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_chains_and_the_whole() {
        for (limit, start, most) in [(10, 9, 19), (1_000, 871, 178), (10_000, 6_171, 261)] {
            let (n, count) = longest(&Tensor::from(limit as i64));
            assert_eq!((n.item::<i64>(), count.item::<i32>()), (start, most));
        }
        assert_eq!(tf::function(longest).trace_count(), 1);
        assert_eq!(steps(&Tensor::from(27i64)).item::<i32>(), 111);
        assert_eq!(show(&Tensor::from(27i64)).item::<i64>(), 9_232);
        main();
    }
}
