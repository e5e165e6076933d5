"""Milliseconds that the quick verbs take to answer, without libtorch within reach.

Runs a copy of the `autotune` binary alone in an empty folder, so that neither `autotune-trial` nor libtorch is
there. Median of 20; exits 1 when one is 50 ms or more. Standard library only.

usage: start_up.py [--autotune BIN]
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--autotune", default=os.path.join(HERE, "..", "target", "release", "autotune"))
    args = parser.parse_args()
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        exe = shutil.copy(args.autotune, folder)
        table = os.path.join(folder, "small.csv")
        with open(table, "w") as out:
            out.write("age,city,joined,class\n")
            out.writelines(f"{20 + i % 50},city{i % 7},2024-01-{1 + i % 28:02},{'yes' if i % 3 else 'no'}\n" for i in range(500))
        env = {"PATH": "/usr/bin:/bin", "HOME": folder, "NO_COLOR": "1"}
        for verb in [["--help"], ["list", "--output", folder], ["profile", "--dataset", table, "--target", "class"]]:
            times = []
            for _ in range(20):
                start = time.perf_counter()
                done = subprocess.run([exe, *verb], env=env, cwd=folder, capture_output=True, text=True)
                times.append((time.perf_counter() - start) * 1000)
                if done.returncode:
                    sys.exit(f"{verb[0]} failed: {done.stderr}")
            median = statistics.median(times)
            slow |= median >= 50
            print(f"{verb[0]:10} {median:6.1f} ms (min {min(times):.1f}, max {max(times):.1f})")
    sys.exit(1 if slow else 0)


main()
