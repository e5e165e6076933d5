//! Tells the linker where the binary and the tests find libtorch when they run, so that nobody needs
//! `LD_LIBRARY_PATH`. A build script of a dependency does not reach our binaries, hence this one.

fn main() {
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    // The tree that `make install` lays out: bin/autotune-trial beside lib/autotune/.
    println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib/autotune");
    // The folder this build was linked against, or the one that it stands for (`tools/libtorch.py`).
    if let Ok(root) = std::env::var("LIBTORCH") {
        let lib = std::fs::read_to_string(format!("{root}/lib-dir"))
            .map_or_else(|_| format!("{root}/lib"), |lib| lib.trim().to_owned());
        println!("cargo::rustc-link-arg=-Wl,-rpath,{lib}");
    }
}
