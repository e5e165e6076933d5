"""Values of all metrics by scikit-learn, with ties, weights, and cases at the edge.

usage: python3 metrics.py > metrics.json
"""
import json
import sys
import warnings

import numpy as np
import sklearn
from sklearn import metrics as m

warnings.filterwarnings("ignore")
rng = np.random.default_rng(1)


def floats(values):
    return [float(v) for v in np.asarray(values, dtype=np.float64).ravel()]


def binary(name, y, p, w, threshold=0.5):
    p = np.asarray(p, dtype=np.float32)
    guess = (p > threshold).astype(int)
    kw = {"sample_weight": w}
    return {
        "name": name, "kind": "binary", "truth": floats(y), "predictions": floats(p), "threshold": threshold,
        "weights": None if w is None else floats(w),
        "scores": {
            "roc_auc": m.roc_auc_score(y, p, **kw),
            "average_precision": m.average_precision_score(y, p, **kw),
            "log_loss": m.log_loss(y, p, labels=[0, 1], **kw),
            **of_classes(y, guess, kw, "binary"),
        },
    }


def category(name, y, p, w):
    p = np.asarray(p, dtype=np.float32)
    k = p.shape[1]
    guess = p.argmax(1)
    kw = {"sample_weight": w}
    each_auc, each_ap = [], []
    for c in range(k):
        positive = (y == c).astype(int)
        if 0 < positive.sum() < len(y):
            each_auc.append(m.roc_auc_score(positive, p[:, c], **kw))
            each_ap.append(m.average_precision_score(positive, p[:, c], **kw))
    if len(each_auc) == k and w is None:
        assert abs(np.mean(each_auc) - m.roc_auc_score(y, p, multi_class="ovr", average="macro")) < 1e-6
    return {
        "name": name, "kind": "category", "truth": floats(y), "predictions": floats(p), "n_classes": k,
        "weights": None if w is None else floats(w),
        "scores": {
            "roc_auc": float(np.mean(each_auc)), "average_precision": float(np.mean(each_ap)),
            "log_loss": m.log_loss(y, p, labels=list(range(k)), **kw),
            **of_classes(y, guess, kw, "macro"),
        },
    }


def of_classes(y, guess, kw, average):
    more = {"average": average, "zero_division": 0, **kw}
    return {
        "accuracy": m.accuracy_score(y, guess, **kw),
        "balanced_accuracy": m.balanced_accuracy_score(y, guess, **kw),
        "f1": m.f1_score(y, guess, **more),
        "f_beta_2": m.fbeta_score(y, guess, beta=2, **more),
        "f_beta_0.5": m.fbeta_score(y, guess, beta=0.5, **more),
        "precision": m.precision_score(y, guess, **more),
        "recall": m.recall_score(y, guess, **more),
        "mcc": m.matthews_corrcoef(y, guess, **kw),
    }


def number(name, y, p, w):
    y, p = np.asarray(y, dtype=np.float32).astype(np.float64), np.asarray(p, dtype=np.float32).astype(np.float64)
    kw = {"sample_weight": w}
    log = np.log1p(np.maximum(y, 0)), np.log1p(np.maximum(p, 0))
    return {
        "name": name, "kind": "number", "truth": floats(y), "predictions": floats(p),
        "weights": None if w is None else floats(w),
        "scores": {
            "root_mean_squared_error": m.root_mean_squared_error(y, p, **kw),
            "mean_squared_error": m.mean_squared_error(y, p, **kw),
            "mean_absolute_error": m.mean_absolute_error(y, p, **kw),
            "root_mean_squared_log_error": m.root_mean_squared_error(*log, **kw),
            "mean_absolute_percentage_error": m.mean_absolute_percentage_error(y, p, **kw),
            "r2": m.r2_score(y, p, **kw),
            "pinball_0.5": m.mean_pinball_loss(y, p, alpha=0.5, **kw),
            "pinball_0.9": m.mean_pinball_loss(y, p, alpha=0.9, **kw),
        },
    }


def cases():
    n = 60
    weights = rng.integers(0, 5, n).astype(np.float32) + np.float32(0.25)
    y = rng.integers(0, 2, n)
    p = np.round(np.clip(0.5 * y + rng.random(n) * 0.6, 0, 1), 1)  # many ties, also exact 0 and 1
    yield binary("ties", y, p, None)
    yield binary("ties with weights", y, p, weights)
    yield binary("a threshold", y, p, None, 0.25)
    yield binary("perfect", [0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], None)
    yield binary("reversed", [0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1], None)
    yield binary("all the same score", [0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5], None)
    yield binary("certain and wrong", [1, 0], [0.0, 1.0], None)
    y = rng.integers(0, 4, n)
    z = rng.normal(size=(n, 4)) + 1.5 * np.eye(4)[y]
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    yield category("four classes", y, p, None)
    yield category("four classes with weights", y, p, weights)
    y = np.where(y == 3, 1, y)
    yield category("a class that is absent", y, p, None)
    y = rng.normal(size=n) * 10 + 5
    yield number("numbers", y, y + rng.normal(size=n) * 3, None)
    yield number("numbers with weights", y, y + rng.normal(size=n) * 3, weights)
    yield number("a zero in the truth", [0.0, 1.0, 2.0], [0.5, 1.0, 2.5], None)
    yield number("a constant truth", [2.0, 2.0], [2.0, 3.0], None)
    yield number("a constant truth, right", [2.0, 2.0], [2.0, 2.0], None)


json.dump({"made_by": f"scikit-learn {sklearn.__version__}", "cases": list(cases())}, sys.stdout, indent=1)
