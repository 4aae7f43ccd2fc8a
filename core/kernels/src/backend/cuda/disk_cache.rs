//! Compiled programs on the disk, found again by each kernel in them: a file per program with its binary, and one per
//! kernel that names the program. `program.rs` looks here before it asks the compiler; a damaged file counts as none.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What a file is called: the hash of everything that its contents depend on.
pub(super) type Key = u128;

/// Where a kernel lies: the program, and the kernel's name there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CachedKernel {
    pub program: Key,
    pub name: String,
}

/// The folder: `EAGERFLOW_CUDA_CACHE` (`off` for none), else one in the user's folder for caches.
pub(super) fn folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            if let Some(asked) = std::env::var_os("EAGERFLOW_CUDA_CACHE") {
                return (asked != "off").then(|| PathBuf::from(asked));
            }
            let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
            let base = base.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))?;
            Some(base.join("eagerflow").join("cuda"))
        })
        .as_ref()
}

/// The key of texts. A collision would load another kernel, so it has 128 bits.
pub(super) fn key(parts: &[&str]) -> Key {
    fnv(parts.iter().flat_map(|p| p.bytes().chain([0xff])))
}

/// Where the kernel of this key lies, if it was kept.
pub(super) fn find(folder: &Path, kernel: Key) -> Option<CachedKernel> {
    let body = read(&kernel_file(folder, kernel))?;
    let (program, name) = body.split_first_chunk()?;
    Some(CachedKernel { program: Key::from_le_bytes(*program), name: String::from_utf8(name.to_vec()).ok()? })
}

/// The binary of a program, if it was kept.
pub(super) fn binary(folder: &Path, program: Key) -> Option<Vec<u8>> {
    read(&program_file(folder, program))
}

/// Keeps a program and says of its kernels that they lie there.
pub(super) fn keep<'a>(
    folder: &Path,
    program: Key,
    binary: &[u8],
    kernels: impl Iterator<Item = (Key, &'a str)>,
) -> std::io::Result<()> {
    // The program first: a kernel's file must not name one that is not there.
    write(&program_file(folder, program), binary)?;
    for (key, name) in kernels {
        write(&kernel_file(folder, key), &[&program.to_le_bytes(), name.as_bytes()].concat())?;
    }
    Ok(())
}

fn program_file(folder: &Path, key: Key) -> PathBuf {
    folder.join(format!("{key:032x}.cubin"))
}

fn kernel_file(folder: &Path, key: Key) -> PathBuf {
    folder.join(format!("{key:032x}.kernel"))
}

const MAGIC: &[u8; 8] = b"EFCUBIN2";

/// What a file holds, unless it is damaged.
fn read(place: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(place).ok()?;
    let body = bytes.strip_prefix(MAGIC)?;
    let (check, body) = body.split_at_checked(16)?;
    (check == check_of(body)).then(|| body.to_vec())
}

/// Written beside its place and then renamed, so that nobody reads half a file.
fn write(place: &Path, body: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let beside = place.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&beside, [MAGIC, &check_of(body)[..], body].concat())?;
    std::fs::rename(&beside, place)
}

fn check_of(body: &[u8]) -> [u8; 16] {
    fnv(body.iter().copied()).to_le_bytes()
}

/// 128 bits of FNV-1a.
fn fnv(bytes: impl Iterator<Item = u8>) -> u128 {
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damaged(whole: &[u8], file: &Path, check: impl Fn()) {
        for cut in 0..whole.len() {
            std::fs::write(file, &whole[..cut]).unwrap();
            check();
            let mut changed = whole.to_vec();
            changed[cut] ^= 1;
            std::fs::write(file, &changed).unwrap();
            check();
        }
        std::fs::write(file, whole).unwrap();
    }

    #[test]
    fn damaged_files_are_not_read() {
        let folder = std::env::temp_dir().join(format!("eagerflow-cubin-{}", std::process::id()));
        let (program, kernel) = (key(&["program"]), key(&["kernel", "float"]));
        assert_ne!(kernel, key(&["kernelf", "loat"]));
        keep(&folder, program, b"binary", [(kernel, "fused_k3")].into_iter()).unwrap();
        let place = CachedKernel { program, name: "fused_k3".into() };
        assert_eq!(find(&folder, kernel).as_ref(), Some(&place));
        assert_eq!(binary(&folder, program).as_deref(), Some(&b"binary"[..]));
        assert_eq!((find(&folder, program), binary(&folder, kernel)), (None, None));
        let (file, other) = (program_file(&folder, program), kernel_file(&folder, kernel));
        damaged(&std::fs::read(&file).unwrap(), &file, || assert_eq!(binary(&folder, program), None));
        damaged(&std::fs::read(&other).unwrap(), &other, || assert_eq!(find(&folder, kernel), None));
        assert_eq!(find(&folder, kernel), Some(place));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
