//! A file of plain numbers, mapped into memory read-only. The one home of the crate's unsafe code.
//!
//! The files are written by this program and replaced by rename, never changed in place, which is
//! what makes a shared mapping sound.
#![expect(
    unsafe_code,
    reason = "mapping a file and viewing its bytes as numbers cannot be said in safe Rust"
)]

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::path::Path;

use memmap2::{Mmap, UncheckedAdvice};

mod sealed {
    /// Types for which every bit pattern is a value.
    ///
    /// # Safety
    /// An implementor has no padding and no invalid bit pattern.
    pub unsafe trait Plain: Copy {}
    // SAFETY: primitive numbers have no padding and no invalid bit pattern.
    unsafe impl Plain for u8 {}
    // SAFETY: as above.
    unsafe impl Plain for u32 {}
    // SAFETY: as above.
    unsafe impl Plain for u64 {}
    // SAFETY: as above.
    unsafe impl Plain for i64 {}
    // SAFETY: as above.
    unsafe impl Plain for f32 {}
    // SAFETY: as above.
    unsafe impl Plain for f64 {}
}
pub use sealed::Plain;

/// A read-only view of a file of little-endian numbers. An empty file is an empty slice.
#[derive(Debug)]
pub struct Mapped<T> {
    map: Option<Mmap>,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Plain> Mapped<T> {
    /// Maps the file at `path`. A length that is no multiple of the number's size is `InvalidData`.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let bytes = usize::try_from(file.metadata()?.len()).map_err(|_| too_large(path))?;
        if bytes % size_of::<T>() != 0 {
            let message = format!(
                "{} has {bytes} bytes, not a multiple of {}",
                path.display(),
                size_of::<T>()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        // SAFETY: the file is never changed in place (see the head of this module).
        let map = if bytes == 0 {
            None
        } else {
            Some(unsafe { Mmap::map(&file)? })
        };
        Ok(Self {
            map,
            len: bytes / size_of::<T>(),
            of: PhantomData,
        })
    }

    /// Gives the pages of these elements back to the system; they are read again when next touched.
    /// Keeps the resident memory of one long pass over a large file small.
    pub fn release(&self, elements: Range<usize>) {
        let Some(map) = &self.map else { return };
        let (from, to) = (
            elements.start * size_of::<T>(),
            elements.end.min(self.len) * size_of::<T>(),
        );
        if from < to {
            // SAFETY: the mapping is file-backed and read-only: dropped pages come back with the same content.
            // Failure only means that the memory stays resident.
            let _ =
                unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, from, to - from) };
        }
    }
}

impl<T: Plain> Deref for Mapped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.map {
            None => &[],
            // SAFETY: the mapping is page-aligned, holds `len` elements, lives as long as `self`, and `T` is plain.
            Some(map) => unsafe { std::slice::from_raw_parts(map.as_ptr().cast::<T>(), self.len) },
        }
    }
}

/// The bytes of a slice of plain numbers, as they are written to a file.
pub fn bytes_of<T: Plain>(numbers: &[T]) -> &[u8] {
    // SAFETY: `T` is plain: it has no padding, so each of its bytes is initialised.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast::<u8>(), size_of_val(numbers)) }
}

fn too_large(path: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{} is too large for this machine", path.display()),
    )
}

#[cfg(not(target_endian = "little"))]
compile_error!("table files are little-endian; this machine is not");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_mapped_back_also_after_its_pages_were_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("numbers");
        let numbers: Vec<f64> = (0..10_000).map(f64::from).collect();
        std::fs::write(&path, bytes_of(&numbers)).unwrap();
        let mapped = Mapped::<f64>::open(&path).unwrap();
        assert_eq!(&*mapped, numbers.as_slice());
        mapped.release(0..5_000);
        assert_eq!(&*mapped, numbers.as_slice());
    }

    #[test]
    fn an_empty_file_is_an_empty_slice_and_a_cut_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("numbers");
        std::fs::write(&path, []).unwrap();
        assert!(Mapped::<u32>::open(&path).unwrap().is_empty());
        std::fs::write(&path, [0; 7]).unwrap();
        assert!(Mapped::<u32>::open(&path).is_err());
    }
}
