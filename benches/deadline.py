"""Wall time from command to prompt at several budgets, and the share of slot time spent training at 60 s.

Two shares: that of training itself, steps of epochs that were reported, and that of legs, which includes scoring,
checkpoints, forks and epochs that the clock cut. Standard library only; the table is the embedded adult. Exits 1 when a
run ends later than budget + 1 s, or when legs had less than 90 % of the slot time at 60 s. Time nothing while another
job loads the cores.

usage: deadline.py [--autotune BIN] [--budgets 5,10,30,60,120] [--dataset adult]
"""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def shares(run, slots, budget):
    """(training, legs): seconds over slots x budget; from the run's database."""
    base = sqlite3.connect(f"file:{run}/run.sqlite?mode=ro", uri=True)
    (legs,) = base.execute("SELECT COALESCE(SUM(ended_ms - began_ms), 0) / 1000.0 FROM legs").fetchone()
    (steps,) = base.execute("SELECT COALESCE(SUM(train_ms), 0) / 1000.0 FROM reports").fetchone()
    return steps / (slots * budget), legs / (slots * budget)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--autotune", default=os.path.join(HERE, "..", "target", "release", "autotune"))
    parser.add_argument("--budgets", default="5,10,30,60,120")
    parser.add_argument("--dataset", default="adult")
    args = parser.parse_args()
    slots = len(os.sched_getaffinity(0))
    late = False
    with tempfile.TemporaryDirectory() as out:
        for budget in map(int, args.budgets.split(",")):
            start = time.monotonic()
            done = subprocess.run([args.autotune, "run", "--dataset", args.dataset, "--budget", f"{budget}s", "--quiet",
                                   "--output", out, "--name", f"b{budget}"], capture_output=True, text=True)
            wall = time.monotonic() - start
            training, legs = shares(f"{out}/b{budget}", slots, budget) if done.returncode == 0 else (0.0, 0.0)
            row = {"budget_s": budget, "wall_s": round(wall, 2), "over_s": round(wall - budget, 2),
                   "exit": done.returncode, "training_share": round(training, 3), "leg_share": round(legs, 3)}
            late |= wall > budget + 1 or done.returncode != 0 or (budget == 60 and legs < 0.9)
            print(json.dumps(row), flush=True)
            if done.returncode:
                print(done.stderr[-400:], file=sys.stderr)
    sys.exit(1 if late else 0)


main()
