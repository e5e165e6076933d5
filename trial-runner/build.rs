//! Tells the linker where the binary and the tests find libtorch when they run, so that nobody needs
//! `LD_LIBRARY_PATH`. A build script of a dependency does not reach our binaries, hence this one.

fn main() {
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    // The tree that `make install` lays out: bin/autotune-trial beside lib/autotune/.
    println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib/autotune");
    // The folder this build was linked against, as `torch-sys` found it.
    let lib = std::env::var("DEP_TCH_LIBTORCH_LIB")
        .or_else(|_| std::env::var("LIBTORCH").map(|root| format!("{root}/lib")));
    if let Ok(lib) = lib {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{lib}");
    }
}
