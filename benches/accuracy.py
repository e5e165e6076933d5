"""Accuracy at a budget: each table's figure beside its goal, its linear baseline and its tuned default.

Needs a Python with pandas and scikit-learn. Tables that are not in the repository come from --data DIR
(NAME.csv.gz); one that is not there is skipped loudly. A line of JSON a run goes to --log, and a table that
stands there already is not run again.

usage: accuracy.py --autotune BIN --data DIR [--only adult,mushroom] [--log FILE] [--seed-split N]
"""
import argparse
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "peers"))
from ours import run  # noqa: E402
from split import split  # noqa: E402

#        table              target            task          budget  metric                      scored by   goal
GOALS = [
    ("adult",              "class",           "binary",     60,  "roc_auc",                 "roc_auc",  0.915),
    ("mushroom",           "class",           "binary",     30,  "roc_auc",                 "accuracy", 1.0),
    ("california_housing", "MedHouseVal",     "regression", 60,  "root_mean_squared_error", "r2",       0.81),
    ("covertype_100k",     "cover_type",      "multiclass", 120, "accuracy",                "accuracy", 0.88),
    ("traffic_volume",     "traffic_volume",  "regression", 60,  "root_mean_squared_error", "r2",       0.925),
    ("womens_reviews",     "Recommended IND", "binary",     60,  "roc_auc",                 "roc_auc",  0.945),
]


def source(data, table):
    """The table's file: from --data, else the one embedded in the repository, else None."""
    for folder in [data, os.path.join(HERE, "..", "datasets", "data")]:
        path = os.path.join(folder, f"{table}.csv.gz") if folder else ""
        if os.path.exists(path):
            return path
    return None


def verdict(row, by, goal):
    """The row's figures beside what they must exceed, as one line of text."""
    if "error" in row:
        return f"{row['table']:20} FAILED ({row['error']}): {row.get('stderr', '').strip()[-200:]}"
    linear, default = row["linear"].get(by), row["tuned_default"].get(by)
    text = f"{row['table']:20} {by} {row[by]:.4f} (goal {goal}: {'met' if row[by] >= goal else 'MISSED'})"
    text += f"  linear {linear if linear is not None else 'none'}  tuned default {default if default is not None else 'none'}"
    return text + f"  wall {row['wall_s']:.1f} s of {row['budget_s']:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--autotune", default=os.path.join(HERE, "..", "target", "release", "autotune"))
    parser.add_argument("--data", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--log", default="accuracy.jsonl")
    parser.add_argument("--seed-split", type=int, default=0)
    args = parser.parse_args()
    done = {}
    if os.path.exists(args.log):
        with open(args.log) as log:
            done = {row["table"]: row for row in map(json.loads, log)}
    skipped = 0
    for table, target, task, budget, metric, by, goal in GOALS:
        if args.only and table not in args.only.split(","):
            continue
        row = done.get(table)
        if row is None:
            path = source(args.data, table)
            if path is None:
                print(f"{table:20} SKIPPED: no {table}.csv.gz in --data {args.data or '(not given)'}", flush=True)
                skipped += 1
                continue
            with tempfile.TemporaryDirectory() as folder:
                split(path, target, task, folder, args.seed_split)
                row = {"table": table, **run(args.autotune, folder, target, task, budget, parts=True, metric=metric)}
            with open(args.log, "a") as log:
                log.write(json.dumps(row) + "\n")
        print(verdict(row, by, goal), flush=True)
    if skipped:
        print(f"{skipped} tables were SKIPPED: give --data DIR with their files", file=sys.stderr)
        sys.exit(3)


main()
