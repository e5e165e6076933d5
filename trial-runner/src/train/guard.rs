//! Panics of libtorch calls as errors, so that a lack of memory is an outcome and no crash.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result};

/// Runs `body`. tch panics where libtorch throws: that becomes an error here, a lack of memory one of its
/// own kind. What `body` worked on is not to be used afterwards.
pub fn guarded<R>(body: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("a panic without a message");
        Err(match message.split_once("Torch(\"") {
            Some((_, said)) => Error::from_torch_message(&said.replace("\\n", "\n")),
            None => Error::Bug(message.to_owned()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_operation_and_a_lack_of_memory_become_errors() {
        let refused = guarded(|| Ok(tch::Tensor::zeros([2], tch::kind::FLOAT_CPU).view([3])));
        assert!(matches!(refused, Err(Error::Torch(_))), "{refused:?}");
        let too_large = guarded(|| Ok(tch::Tensor::empty([1 << 50], tch::kind::FLOAT_CPU)));
        assert!(
            matches!(too_large, Err(Error::OutOfMemory(_))),
            "{too_large:?}"
        );
        let fault = guarded(|| -> Result<()> { panic!("of our own") });
        assert!(matches!(fault, Err(Error::Bug(_))), "{fault:?}");
    }
}
