"""Memory of four trials at once on one table: the sum of PSS of all processes of a run, once a second.

PSS counts a page shared by n processes as 1/n in each, so that the sum counts the data once. Prints the peak
sum beside the sum of RSS and the size of the prepared arrays. Standard library only.

usage: shared_memory.py --data DIR [--autotune BIN] [--table covertype_100k] [--target cover_type] [--budget 30]
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def children(pid):
    """All live descendants of a process, itself included."""
    found, queue = [], [pid]
    while queue:
        pid = queue.pop()
        found.append(pid)
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as names:
                    queue += [int(name) for name in names.read().split()]
        except OSError:
            continue
    return found


def memory_mib(pid):
    """(PSS, RSS) of one process in MiB; zero when it is gone."""
    pss = rss = 0
    try:
        with open(f"/proc/{pid}/smaps_rollup") as lines:
            for line in lines:
                if line.startswith("Pss:"):
                    pss = int(line.split()[1]) / 1024
                elif line.startswith("Rss:"):
                    rss = int(line.split()[1]) / 1024
    except OSError:
        pass
    return pss, rss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--autotune", default=os.path.join(HERE, "..", "target", "release", "autotune"))
    parser.add_argument("--data", required=True)
    parser.add_argument("--table", default="covertype_100k")
    parser.add_argument("--target", default="cover_type")
    parser.add_argument("--budget", type=int, default=30)
    args = parser.parse_args()
    table = os.path.join(args.data, f"{args.table}.csv.gz")
    if not os.path.exists(table):
        sys.exit(f"SKIPPED: {table} is not there")
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.Popen([args.autotune, "run", "--dataset", table, "--target", args.target, "--slots", "4",
                                "--budget", f"{args.budget}s", "--quiet", "--output", out, "--name", "memory"])
        peak = (0, 0, 0)
        while run.poll() is None:
            each = [memory_mib(pid) for pid in children(run.pid)]
            peak = max(peak, (sum(p for p, _ in each), sum(r for _, r in each), len(each)))
            time.sleep(1)
    pss, rss, n = peak
    print(f"{n} processes at the peak: sum of PSS {pss:.0f} MiB, sum of RSS {rss:.0f} MiB")
    sys.exit(run.returncode)


main()
