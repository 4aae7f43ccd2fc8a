//! Writes the bundle, the state file and the safetensors file that `tests/python/read_bundles.py` reads with real TensorFlow.
//! `cargo run -p eagerflow-formats --example write_bundle -- <folder>`

use eagerflow_formats::bundle::{self, Entry, Source};
use eagerflow_formats::files::Options;
use eagerflow_formats::messages::DataType;
use eagerflow_formats::safetensors::{self, Tensor};
use eagerflow_formats::state::CheckpointState;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::path::Path;

/// 0, 1, 2, …: elements of a type, as many as the shape has, little-endian.
fn counted(dtype: DType, count: u16) -> Vec<u8> {
    let element = |i: u16| match dtype {
        DType::F32 => f32::from(i).to_le_bytes().to_vec(),
        DType::F64 => f64::from(i).to_le_bytes().to_vec(),
        DType::BF16 => f32::from(i).to_le_bytes()[2..].to_vec(),
        DType::Bool => vec![(i % 2) as u8],
        // Of these few numbers, a half has its bits from a table.
        DType::F16 => [0u16, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500][usize::from(i)].to_le_bytes().to_vec(),
        integer => u64::from(i).to_le_bytes()[..integer.size()].to_vec(),
    };
    (0..count).flat_map(element).collect()
}

fn main() -> Result<()> {
    let folder = std::env::args().nth(1);
    let folder = folder.ok_or_else(|| Error::invalid_argument("write_bundle", "the folder to write to is missing"))?;
    let folder = Path::new(&folder);
    let options = Options::default();

    let values = DType::ALL.map(|dtype| (format!("types/{dtype}"), dtype, counted(dtype, 6)));
    let mut entries: Vec<Entry<'_>> = values
        .iter()
        .map(|(key, dtype, bytes)| Entry {
            key,
            dtype: (*dtype).into(),
            shape: vec![2, 3],
            source: Source::Bytes(bytes),
        })
        .collect();
    let strings = [b"".to_vec(), "ü".as_bytes().to_vec(), vec![b'x'; 300], vec![0, 255]];
    entries.push(Entry {
        key: "strings",
        dtype: DataType::String,
        shape: vec![2, 2],
        source: Source::Strings(&strings),
    });
    entries.push(Entry { key: "empty", dtype: DataType::Float, shape: vec![0, 3], source: Source::Bytes(&[]) });
    let large = counted(DType::F32, u16::MAX).repeat(100);
    let shape = vec![100, u64::from(u16::MAX)];
    entries.push(Entry { key: "large", dtype: DataType::Float, shape, source: Source::Bytes(&large) });
    let many: Vec<String> = (0..7000).map(|i| format!("many/layers/{i}/kernel/.ATTRIBUTES/VARIABLE_VALUE")).collect();
    let numbers: Vec<[u8; 4]> = (0..7000i32).map(i32::to_le_bytes).collect();
    let scalar = |(key, bytes)| Entry { key, dtype: DataType::Int32, shape: vec![], source: Source::Bytes(bytes) };
    entries.extend(many.iter().map(String::as_str).zip(numbers.iter().map(|bytes| &bytes[..])).map(scalar));
    bundle::write(&folder.join("ck-1"), &entries, &options)?;

    let state = CheckpointState {
        model_checkpoint_path: "ck-1".into(),
        all_model_checkpoint_paths: vec!["ck-1".into()],
        all_model_checkpoint_timestamps: vec![1_700_000_000.5],
        last_preserved_timestamp: Some(1.0),
    };
    state.write(&folder.join("checkpoint"), &options)?;

    let tensor = |(key, dtype, bytes)| Tensor { name: key, dtype, shape: vec![2, 3], source: Source::Bytes(bytes) };
    let tensors: Vec<Tensor<'_>> =
        values.iter().map(|(key, dtype, bytes)| tensor((&**key, *dtype, &**bytes))).collect();
    safetensors::write(&folder.join("model.safetensors"), &tensors, &Default::default(), &options)
}
