"""Finds or fetches the libtorch that the build links, and prints its folder.

Order: `LIBTORCH` if it is set; a Python with torch of the wanted version; the user's cache; the
wheel on PyPI, of which only the CPU part is unpacked. Needs Python 3.8 or later and, for the last
step alone, pip. Idempotent: a finished folder is marked and reused, an unfinished one is redone.

usage: python3 tools/libtorch.py [--lib]      (--lib: the folder the libraries are loaded from)
"""
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

VERSION = "2.13.0"
WHEELS = [
    # package, pip platforms that its wheel is tagged with
    (f"torch=={VERSION}", ["manylinux_2_28_x86_64"]),
    ("nvidia-cuda-cupti==13.0.*", ["manylinux_2_25_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"]),
    ("nvidia-cuda-runtime==13.0.*", ["manylinux_2_25_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"]),
]
# What a CPU build needs. `libtorch_cpu.so` does not load without cupti and cudart.
LIBRARIES = {"libtorch_cpu.so", "libc10.so", "libgomp.so.1", "libcupti.so.13", "libcudart.so.13"}


def say(text):
    print(f"libtorch: {text}", file=sys.stderr, flush=True)


def fail(text, hint):
    say(f"error: {text}")
    say(f"hint: {hint}")
    sys.exit(4)


def cache_dir():
    base = os.environ.get("AUTOTUNE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "autotune")
    return pathlib.Path(base)


def from_environment():
    """The folder that LIBTORCH names, checked; None when it is not set."""
    root = os.environ.get("LIBTORCH")
    if not root:
        return None
    lib = pathlib.Path(root) / "lib"
    if not (lib / "libtorch_cpu.so").exists():
        fail(f"LIBTORCH is {root}, but {lib}/libtorch_cpu.so does not exist",
             f"point it at an unpacked libtorch {VERSION}, or unset it to let the set-up fetch one")
    return pathlib.Path(root)


def from_python():
    """The torch package of the python3 in PATH, when its version is the wanted one."""
    ask = "import torch, pathlib; print(torch.__version__.split('+')[0]); print(pathlib.Path(torch.__file__).parent)"
    try:
        out = subprocess.run(["python3", "-c", ask], capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = out.stdout.split("\n")
    if out.returncode == 0 and lines[0].strip() == VERSION:
        return pathlib.Path(lines[1].strip())
    return None


def download(spec, platforms, into):
    cmd = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
           "--python-version", "3.12", "--dest", str(into)]
    for platform in platforms:
        cmd += ["--platform", platform]
    say(f"fetching {spec} from PyPI")
    if subprocess.run(cmd + [spec], stdout=sys.stderr).returncode != 0:
        fail(f"pip could not download {spec}",
             f"check the network, or unpack libtorch {VERSION} yourself and set LIBTORCH to its folder")


def unpack(wheel, root):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            name = member.filename
            base = name.rsplit("/", 1)[-1]
            if base in LIBRARIES:
                out = root / "lib" / base
            elif name.startswith("torch/include/") and not name.endswith("/"):
                out = root / name[len("torch/"):]
            else:
                continue
            out.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as src, open(out, "wb") as dst:
                shutil.copyfileobj(src, dst, 1 << 20)


def fetched(root):
    """The CPU part of the wheel in the cache, fetched now when it is not there."""
    if (root / "complete").exists():
        return root
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        fail(f"no prebuilt libtorch is known for {sys.platform} on {os.uname().machine}",
             f"install libtorch {VERSION} and set LIBTORCH to its folder")
    root.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(root.parent).free
    if free < 3 << 30:
        fail(f"{root.parent} has {free >> 20} MiB free, and 3 GiB are needed",
             "free some space, or set AUTOTUNE_CACHE to a folder on another disk")
    with tempfile.TemporaryDirectory(dir=root.parent, prefix="libtorch-") as work:
        work = pathlib.Path(work)
        stage = work / "stage"
        for spec, platforms in WHEELS:
            download(spec, platforms, work)
        for wheel in glob.glob(str(work / "*.whl")):
            unpack(wheel, stage)
        missing = sorted(n for n in LIBRARIES if not (stage / "lib" / n).exists())
        if missing:
            fail(f"the wheels do not hold {', '.join(missing)}", "report this with the version of pip")
        # torch-sys links `-ltorch`; a linker script stands in, so that no CUDA library is linked.
        (stage / "lib" / "libtorch.so").write_text("INPUT(libtorch_cpu.so)\n")
        (stage / "build-version").write_text(VERSION + "\n")
        (stage / "complete").write_text("")
        shutil.rmtree(root, ignore_errors=True)
        stage.rename(root)
    return root


def cpu_view(root):
    """A folder beside the cache that shows only the CPU part of a libtorch installed elsewhere.

    torch-sys links CUDA wherever it sees `libtorch_cuda.so`, and a process that has CUDA loaded must
    not fork. Linker scripts point at the installed libraries; `lib-dir` names where they are at run time.
    """
    if not (root / "lib" / "libtorch_cuda.so").exists():
        return root
    view = cache_dir() / f"libtorch-{VERSION}-view"
    shutil.rmtree(view, ignore_errors=True)
    (view / "lib").mkdir(parents=True)
    (view / "include").symlink_to(root / "include")
    for name in ["libtorch_cpu.so", "libc10.so"]:
        (view / "lib" / name).write_text(f"INPUT({root / 'lib' / name})\n")
    (view / "lib" / "libtorch.so").write_text("INPUT(libtorch_cpu.so)\n")
    (view / "build-version").write_text(VERSION + "\n")
    (view / "lib-dir").write_text(str(root / "lib") + "\n")
    return view


def main():
    installed = from_environment() or from_python()
    root = cpu_view(installed) if installed else fetched(cache_dir() / f"libtorch-{VERSION}-cpu")
    say(f"using {installed or root}")
    where = root / "lib-dir"
    lib = where.read_text().strip() if where.exists() else root / "lib"
    print(lib if "--lib" in sys.argv[1:] else root)


main()
