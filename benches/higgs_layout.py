"""A seeded table in the layout of Higgs, read, profiled and prepared, beside pandas reading it alone.

Runs `higgs_layout` (which writes the table, 739 bytes a row) and pandas with its C and its pyarrow engine, each in a
process of its own, in turns, and prints the best time of each and the peak memory. Then a whole run on the same file:
the peak of the process that reads and profiles, and of the one that prepares. Goals: at most 3 times pandas, at most
1.2 GB for a million rows, and for three million rows at most 1.2 times the memory.

usage: higgs_layout.py [--rows 1000000 3000000] [--dir DIR] [--turns 3]      needs: pandas, pyarrow
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RELEASE = os.path.join(HERE, "..", "target", "release")
PANDAS = """
import resource, sys, time
import pandas
start = time.monotonic()
table = pandas.read_csv(sys.argv[1], header=None, engine=sys.argv[2])
took = time.monotonic() - start
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(table), pandas.__version__)
"""


def ours(rows, folder, release):
    """(seconds together, peak MB) of one turn of the bench, which writes the table on its first."""
    out = subprocess.run([os.path.join(release, "higgs_layout"), str(rows), "--dir", folder],
                         check=True, capture_output=True, text=True).stdout
    seconds, peak = re.search(r"together\s+([\d.]+) s\s+peak (\d+) MB", out).groups()
    return float(seconds), float(peak)


def pandas(file, engine):
    """(seconds, peak MB, version) of pandas reading the table in a process of its own."""
    out = subprocess.run([sys.executable, "-c", PANDAS, file, engine], check=True, capture_output=True, text=True)
    seconds, peak, _, version = out.stdout.split()
    return float(seconds), float(peak), version


def peaks_of_a_run(file, release):
    """Peak memory in MB that is the process's own (anonymous), by what the process does, over one short run."""
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.Popen([os.path.join(release, "autotune"), "run", "--dataset", file, "--target",
                                "column_1", "--budget", "60s", "--quiet", "--output", folder],
                               env={**os.environ, "AUTOTUNE_CACHE": os.path.join(folder, "cache")})
        while run.poll() is None:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/cmdline", "rb") as command, open(f"/proc/{pid}/status") as status:
                        words = command.read().split(b"\0")
                        own = re.search(r"RssAnon:\s+(\d+)", status.read())
                except OSError:
                    continue
                does = {b"__profile", b"prepare", b"launcher"}.intersection(words[1:3])
                if own and does:
                    name = does.pop().decode()
                    peaks[name] = max(peaks.get(name, 0), int(own[1]) / 1024)
            time.sleep(0.02)
    return run.returncode, peaks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 3_000_000])
    parser.add_argument("--dir", default=os.path.join(tempfile.gettempdir(), "autotune-benches"))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--release", default=RELEASE, help="folder of the built programs")
    args = parser.parse_args()
    for rows in args.rows:
        file = os.path.join(args.dir, f"higgs-{rows}.csv")
        took = {"ours": [], "c": [], "pyarrow": []}
        for _ in range(args.turns):
            took["ours"].append(ours(rows, args.dir, args.release))
            for engine in ("c", "pyarrow"):
                took[engine].append(pandas(file, engine))
        best = {name: min(turns) for name, turns in took.items()}
        for engine in ("c", "pyarrow"):
            seconds, peak, version = best[engine]
            print(f"{rows} rows: pandas {version}, engine {engine}: read alone {seconds:.2f} s, {peak:.0f} MB; ours, read, "
                  f"profiled and prepared: {best['ours'][0]:.2f} s, {best['ours'][1]:.0f} MB; "
                  f"ratio {best['ours'][0] / seconds:.2f}", flush=True)
        code, peaks = peaks_of_a_run(file, args.release)
        print(f"{rows} rows, a run of 60 s (exit {code}): own memory at its peak, MB: "
              + ", ".join(f"{name} {peak:.0f}" for name, peak in peaks.items()), flush=True)


main()
