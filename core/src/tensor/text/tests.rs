use crate as tf;
#[test]
fn p() {
    assert_eq!(tf::constant(1.0).to_string(), "1.0");
}
