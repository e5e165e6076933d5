"""The one scorer for every system: binary by ROC AUC, multiclass by log loss, regression by RMSE."""
import numpy as np
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error, r2_score, roc_auc_score


def score(task, y_true, labels=None, proba=None, classes=None):
    """Scores of one set of predictions. TASK: binary, multiclass, regression; `proba` has a column a class."""
    if task == "regression":
        y, p = np.asarray(y_true, float), np.asarray(labels, float)
        return {"rmse": float(np.sqrt(mean_squared_error(y, p))), "r2": float(r2_score(y, p))}
    y = np.asarray(y_true).astype(str)
    out = {"accuracy": float(accuracy_score(y, np.asarray(labels).astype(str)))}
    if proba is not None:
        classes = np.asarray(classes).astype(str)
        order = np.argsort(classes)
        probabilities = np.clip(np.asarray(proba, float)[:, order], 1e-15, 1)
        probabilities /= probabilities.sum(1, keepdims=True)
        out["log_loss"] = float(log_loss(y, probabilities, labels=classes[order]))
        if task == "binary":
            out["roc_auc"] = float(roc_auc_score(y == classes[order][1], probabilities[:, 1]))
    return out
