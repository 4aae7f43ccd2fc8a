//! Tests of attention by blocks against its definition, on every processor path.

use super::*;
use crate::backend::cpu::view::Work;

fn numbers(seed: usize, count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i * 7919 + seed * 104_729) % 211) as f64 / 70.0 - 1.5).collect()
}

fn view(data: &[f64], dims: &[usize]) -> View {
    View::dense(data.as_ptr().cast_mut().cast(), DType::F64, dims)
}

fn all(work: Work, mut run: impl FnMut(*mut u8, usize, usize)) {
    let mut scratch = vec![[0_u64; 8]; work.scratch.div_ceil(64) + 1];
    let base = scratch.as_mut_ptr().cast::<u8>();
    let base = base.wrapping_add(base.align_offset(64));
    for (phase, &chunks) in work.phases.iter().enumerate() {
        (0..chunks).for_each(|chunk| run(base, phase, chunk));
    }
}

/// Results and the cotangents of queries, keys and values, by the definition.
fn by_definition(p: &Attention<'_>, data: [&[f64]; 4], hidden: &dyn Fn(usize, usize, usize) -> bool) -> [Vec<f64>; 4] {
    let (s, [q, k, v, g]) = (p.sizes(), data);
    let scale = p.scale();
    let mut out = vec![0.0; s.heads * s.queries * s.width];
    let [mut dq, mut dk, mut dv] = [q.len(), k.len(), v.len()].map(|n| vec![0.0; n]);
    for h in 0..s.heads {
        let kh = h / s.group;
        for i in 0..s.queries {
            let at = (h * s.queries + i) * s.depth;
            let score = |j: usize| -> f64 {
                let dot: f64 = (0..s.depth).map(|d| q[at + d] * k[(kh * s.keys + j) * s.depth + d]).sum();
                if hidden(h, i, j) { f64::NEG_INFINITY } else { dot * scale }
            };
            let e: Vec<f64> = (0..s.keys).map(|j| score(j).exp()).collect();
            let sum: f64 = e.iter().sum();
            if sum == 0.0 {
                continue;
            }
            let own = (h * s.queries + i) * s.width;
            let dp: Vec<f64> = (0..s.keys)
                .map(|j| (0..s.width).map(|d| g[own + d] * v[(kh * s.keys + j) * s.width + d]).sum())
                .collect();
            let mean: f64 = (0..s.keys).map(|j| e[j] / sum * dp[j]).sum();
            for j in 0..s.keys {
                let p = e[j] / sum;
                for d in 0..s.width {
                    let place = (kh * s.keys + j) * s.width + d;
                    out[own + d] += p * v[place];
                    dv[place] += p * g[own + d];
                }
                let slope = p * (dp[j] - mean) * scale;
                for d in 0..s.depth {
                    let place = (kh * s.keys + j) * s.depth + d;
                    dq[at + d] += slope * k[place];
                    dk[place] += slope * q[at + d];
                }
            }
        }
    }
    [out, dq, dk, dv]
}

#[test]
fn blocks_give_what_the_definition_gives() {
    let cases = [
        ([2, 2, 5, 7, 3, 4], false, false),
        ([2, 1, 70, 130, 8, 5], true, false),
        ([4, 2, 65, 64, 16, 16], false, true),
        ([1, 1, 2, 150, 20, 20], false, true),
        ([3, 3, 200, 90, 4, 1], true, true),
        ([2, 1, 3, 0, 4, 2], false, false),
        ([2, 1, 0, 3, 4, 2], false, false),
    ];
    for ([heads, key_heads, queries, keys, depth, width], causal, masked) in cases {
        let (q, k) = (numbers(1, heads * queries * depth), numbers(2, key_heads * keys * depth));
        let (v, g) = (numbers(3, key_heads * keys * width), numbers(4, heads * queries * width));
        // The first query of each head sees nothing at all.
        let flags: Vec<u8> = (0..queries * keys).map(|i| u8::from(i >= keys && (i * 31) % 7 != 0)).collect();
        let mask = View::dense(flags.as_ptr().cast_mut(), DType::Bool, &[queries, keys]);
        let (qv, kv, vv) = (
            view(&q, &[heads, queries, depth]),
            view(&k, &[key_heads, keys, depth]),
            view(&v, &[key_heads, keys, width]),
        );
        for isa in Isa::available() {
            let mask = masked.then_some(&mask);
            let p = Attention { query: &qv, key: &kv, value: &vv, mask, causal, scale: None, dropout: None, isa };
            let hidden = |_: usize, i: usize, j: usize| causal && j > i || masked && flags[i * keys + j] == 0;
            let want = by_definition(&p, [&q, &k, &v, &g], &hidden);
            let mut got = want.each_ref().map(|w| vec![f64::NAN; w.len()]);
            let mut logs = vec![0.0; heads * queries];
            let logs = View::dense(logs.as_mut_ptr().cast(), DType::F64, &[heads, queries]);
            let outputs = got.each_mut().map(|w| View::dense(w.as_mut_ptr().cast(), DType::F64, &[w.len()]));
            let out = View::dense(outputs[0].ptr, DType::F64, &[heads, queries, width]);
            // SAFETY: all views have the sizes that are told, and scratch memory is what the work says.
            all(forward_work(&p), |scratch, _, chunk| unsafe { forward(&p, &out, &logs, scratch, chunk) });
            let owed = view(&g, &[heads, queries, width]);
            let [_, query, key, value] = &outputs;
            let gradients = Gradients { out: &out, logs: &logs, owed: &owed, query, key, value };
            all(backward_work(&p), |scratch, phase, chunk| {
                // SAFETY: as above.
                unsafe { backward(&p, &gradients, scratch, phase, chunk) }
            });
            for (name, (got, want)) in ["out", "dq", "dk", "dv"].iter().zip(got.iter().zip(&want)) {
                for (i, (got, want)) in got.iter().zip(want).enumerate() {
                    assert!((got - want).abs() < 1e-11, "{isa:?} {heads} {queries} {keys} {name} {i}: {got} {want}");
                }
            }
        }
    }
}
