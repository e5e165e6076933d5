//! The verbs of `autotune`: arguments in, exit code out.
