//! The state file against TensorFlow's own, and against text of every kind.

use super::*;
use crate::testing::{Folder, Random, golden, mutated};
use kernels::error::Error;

#[test]
fn the_text_is_tensorflows() {
    for name in ["state", "state_odd"] {
        let text = std::fs::read_to_string(golden(name)).unwrap();
        let state = CheckpointState::read(&golden(name)).unwrap();
        assert_eq!(state.text(), text, "{name}");
        let folder = Folder::new();
        state.write(&folder.join("checkpoint"), &Options::default()).unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("checkpoint")).unwrap(), text);
    }
    let state = CheckpointState::read(&golden("state")).unwrap();
    assert_eq!(state.model_checkpoint_path, "ck-2");
    assert_eq!(state.all_model_checkpoint_paths, ["ck-1", "ck-2"]);
    assert_eq!(state.all_model_checkpoint_timestamps, [1_700_000_000.0, 1_700_000_060.25]);
    assert_eq!(state.last_preserved_timestamp, Some(1_699_999_999.0));
    let odd = CheckpointState::read(&golden("state_odd")).unwrap();
    assert_eq!(odd.model_checkpoint_path, "a\"b'c\\d\te\nfüg\u{1}h?\u{7f}\r€");
}

#[test]
fn the_text_may_be_written_by_hand() {
    let text = br#"
        # comments, any order, other fields
        last_preserved_timestamp: 2 ; unknown: 5
        all_model_checkpoint_timestamps: [1, 2.5f,
            -inf], all_model_checkpoint_paths: ['a' "b", "\303\274\x41\u00fc"]
        all_model_checkpoint_paths:'c' model_checkpoint_path: "\101\a\b\f\v\?" unknown: ["x"] all_model_checkpoint_paths: []"#;
    let state = CheckpointState::parse(text).unwrap();
    assert_eq!(state.last_preserved_timestamp, Some(2.0));
    assert_eq!(state.all_model_checkpoint_timestamps, [1.0, 2.5, f64::NEG_INFINITY]);
    assert_eq!(state.all_model_checkpoint_paths, ["ab", "üAü", "c"]);
    assert_eq!(state.model_checkpoint_path, "A\x07\x08\x0c\x0b?");
}

#[test]
fn what_is_no_state_is_refused_with_its_line() {
    let wrong = [
        "model_checkpoint_path: \"ck",
        "model_checkpoint_path \"ck\"",
        "model_checkpoint_path: ck",
        "model_checkpoint_path:",
        "model_checkpoint_path: \"\\q\"",
        "model_checkpoint_path: \"\\777\"",
        "model_checkpoint_path: \"\\377\"",
        "model_checkpoint_path: \"\\x\"",
        "model_checkpoint_path: \"\\ud800\"",
        "model_checkpoint_path: \"\\u12\"",
        "all_model_checkpoint_timestamps: \"1\"",
        "all_model_checkpoint_timestamps: one",
        "all_model_checkpoint_timestamps: [1 2]",
        "{}",
        "\0",
    ];
    for text in wrong {
        let error = CheckpointState::parse(format!("# a\n{text}").as_bytes()).unwrap_err();
        assert!(matches!(error, Error::DataLoss(_)) && error.to_string().contains("line 2"), "{text}: {error}");
    }
    let folder = Folder::new();
    let error = CheckpointState::read(&folder.join("checkpoint")).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)) && error.to_string().contains("checkpoint"), "{error}");
}

#[test]
fn no_text_is_too_much() {
    let texts = [std::fs::read(golden("state")).unwrap(), std::fs::read(golden("state_odd")).unwrap()];
    let mut random = Random(1);
    let mut refused = 0;
    for round in 0..20_000 {
        let text = mutated(&texts[round % 2], &mut random);
        match CheckpointState::parse(&text) {
            // What was read is what is written.
            Ok(state) => {
                let again = CheckpointState::parse(state.text().as_bytes()).unwrap();
                assert_eq!(again.text(), state.text());
            }
            Err(Error::DataLoss(_)) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 1000, "{refused}");
}
