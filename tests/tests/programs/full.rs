//! The programs as long as `run.py` runs those in Python: `cargo test --test programs -- --ignored --nocapture` prints what comes out.
//! Keras's figures stand in `tests/programs/README.md`.

use super::{dcgan, images, lstm, ode_fit, reinforce, transformer, vae};

#[test]
#[ignore = "takes half a minute"]
fn as_long_as_in_keras() {
    let (first, last, _) = vae::run(10);
    println!("vae: loss {first:.2}, then {last:.2}");
    assert!(last < 29.0);

    let (accuracy, row) = transformer::run(8);
    println!("transformer: accuracy {accuracy:.4}, {row:?}");
    assert!(accuracy > 0.97);

    let (falls, great, moved) = lstm::run(10);
    println!("lstm: accuracies {falls:.4} and {great:.4}, moved by padding {moved}");
    assert!(falls > 0.98 && great > 0.98);

    let (first, last) = reinforce::run(30, 8);
    println!("reinforce: {first:.1} steps, then {last:.1}");
    assert!(last > 80.0);

    let (first, last, rates) = ode_fit::run(150);
    println!("ode_fit: loss {first:.5}, then {last:.5}, rates {rates:.3?}");
    assert!(last < 0.002);

    let (d_loss, g_loss, before, after) = dcgan::run(20);
    println!("dcgan: losses {d_loss:.3} and {g_loss:.3}, distance {before:.3}, then {after:.3}");
    assert!(after < 0.6 * before);

    let folder = images::folder("full");
    let (accuracy, epochs) = images::run(10, &folder.join("best"));
    println!("images: accuracy {accuracy:.3} after {epochs} epochs");
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(accuracy > 0.8);
}
