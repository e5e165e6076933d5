//! From a dataset's name, path or URL to a local file.
