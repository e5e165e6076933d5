"""Runs autotune on DIR/train.csv, scores it on DIR/test.csv, prints one JSON line.

With --parts the linear baseline (trial 0) and the tuned default (trial 1) are scored on the same rows.

usage: ours.py AUTOTUNE DIR TARGET TASK BUDGET_S [--parts] [autotune flags...]
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import pandas as pd

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from score import score  # noqa: E402

METRIC = {"binary": "roc_auc", "multiclass": "log_loss", "regression": "root_mean_squared_error"}


def predicted(exe, model, rows, target, task, y, out):
    """Scores of one model folder on rows without the target column."""
    done = subprocess.run([exe, "predict", "--model", model, "--dataset", rows, "--output", out, "--quiet"],
                          capture_output=True, text=True)
    if done.returncode:
        return {"error": done.returncode, "stderr": done.stderr[-400:]}
    text = task != "regression"
    frame = pd.read_csv(out, dtype=object if text else None, keep_default_na=not text)
    proba = classes = None
    if text:
        prefix = f"{target}_probabilities_"
        columns = [c for c in frame.columns if c.startswith(prefix)]
        proba, classes = frame[columns].astype(float).values, [c[len(prefix):] for c in columns]
    scores = score(task, y, frame[f"{target}_predictions"], proba, classes)
    return {name: round(value, 6) for name, value in scores.items()}


def run(exe, folder, target, task, budget, extra=(), parts=False, metric=None):
    """One run and its scores as a dict; `error` in it when the run failed."""
    out = tempfile.mkdtemp(prefix="autotune-bench-")
    row = {"system": "autotune", "data": os.path.basename(folder.rstrip("/")), "budget_s": float(budget)}
    start = time.time()
    done = subprocess.run(
        [exe, "run", "--dataset", f"{folder}/train.csv", "--target", target, "--budget", f"{budget}s",
         "--metric", metric or METRIC[task], "--seed", "1", "--no-test", "--output", out, "--name", "bench",
         "--quiet", *extra], capture_output=True, text=True)
    row["wall_s"] = round(time.time() - start, 2)
    row["rss_mb"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    row["run"] = f"{out}/bench"
    if done.returncode:
        return {**row, "error": done.returncode, "stderr": done.stderr[-400:]}
    test = pd.read_csv(f"{folder}/test.csv", dtype=object, keep_default_na=False)
    y = test.pop(target)
    rows = f"{out}/rows.csv"
    test.to_csv(rows, index=False)
    start = time.time()
    row.update(predicted(exe, f"{out}/bench", rows, target, task, y, f"{out}/predictions.csv"))
    row["predict_s"] = round(time.time() - start, 2)
    if parts:
        for name, trial in [("linear", 0), ("tuned_default", 1)]:
            model = f"{out}/bench/trials/{trial}/model"
            row[name] = predicted(exe, model, rows, target, task, y, f"{out}/{name}.csv")
    return row


if __name__ == "__main__":
    args = [a for a in sys.argv[1:] if a != "--parts"]
    result = run(*args[:5], extra=args[5:], parts="--parts" in sys.argv)
    print(json.dumps(result), flush=True)
    sys.exit(1 if "error" in result else 0)
