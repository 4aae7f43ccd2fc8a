//! Headers as NumPy writes them, and headers that nobody wrote; what is cut off or damaged is an error.

use super::*;

fn header(text: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

#[test]
fn headers_are_numpys() {
    let parsed = |text: &str| Header::parse("a.npy", &header(text));
    let one = parsed("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n").unwrap();
    assert_eq!((one.kind, one.big_endian, one.fortran, &one.shape[..]), (Kind::Float(8), false, false, &[3, 4][..]));
    let two = parsed("{'shape': (5L,), 'descr': \">U3\", 'fortran_order': True}").unwrap();
    assert_eq!((two.kind, two.big_endian, two.fortran, &two.shape[..]), (Kind::Text(3), true, true, &[5][..]));
    assert_eq!(two.data_size("a.npy", two.start as u64 + 60).unwrap(), 60);
    assert!(matches!(two.data_size("a.npy", two.start as u64 + 59), Err(Error::DataLoss(_))));
    assert_eq!(parsed("{'descr': '|b1', 'fortran_order': False, 'shape': (), }").unwrap().count(), 1);
    for wrong in [
        "",
        "{}",
        "{'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}",
        "{'descr' '<f8'}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} and more",
    ] {
        assert!(matches!(parsed(wrong), Err(Error::InvalidArgument(_))), "{wrong}");
    }
    for other in ["'<f16'", "'|O'", "'<M8[s]'", "'f4'", "[('a', '<f4'), ('b', '<i4', (2,))]"] {
        let text = format!("{{'descr': {other}, 'fortran_order': False, 'shape': (1,), }}");
        assert!(matches!(parsed(&text), Err(Error::Unimplemented(_))), "{other}");
    }
}

#[test]
fn what_is_written_is_read() {
    for (kind, shape) in
        [(Kind::Float(4), vec![2, 3]), (Kind::Bool, vec![]), (Kind::Bytes(7), vec![5]), (Kind::Complex(16), vec![0, 1])]
    {
        let bytes = Header::bytes(kind, &shape);
        assert_eq!(bytes.len() % 64, 0);
        let read = Header::parse("a.npy", &bytes).unwrap();
        assert_eq!((read.kind, read.big_endian, read.shape, read.start), (kind, false, shape, bytes.len()));
        for cut in 1..bytes.len() {
            assert!(Header::parse("a.npy", &bytes[..cut]).is_err());
        }
    }
}

#[test]
fn numbers_are_turned_around() {
    let mut bytes = [1, 2, 3, 4, 5, 6, 7, 8];
    swap(&mut bytes, 4);
    assert_eq!(bytes, [4, 3, 2, 1, 8, 7, 6, 5]);
    swap(&mut bytes, 1);
    assert_eq!(bytes, [4, 3, 2, 1, 8, 7, 6, 5]);
}
