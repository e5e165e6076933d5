"""Cuts a CSV (or .csv.gz) into train.csv and test.csv, 80 to 20.

Classes are stratified; tables in time order are cut by time; ids and near-copies of the target are
dropped; a test row whose features stand in the training part too goes there.

usage: split.py IN.csv TARGET TASK OUTDIR [SEED]   (seed 0 by default; 1 to 3 for development, 4 to 6 sealed)
"""
import pathlib
import sys

import pandas as pd
from sklearn.model_selection import train_test_split

IGNORE = {
    "telco_churn": ["customerID"], "womens_reviews": ["Rating"], "ames_housing": ["Order", "PID"],
    "fraud_transactions": ["id"], "census_income_kdd": ["instance_weight"], "bank_marketing": ["id"],
    "beijing_pm25": ["No"], "protein_homology": ["block_id", "example_id"], "fine_foods_text": ["product"],
    "spam_email_text": ["group"],
}
IN_TIME = {"traffic_volume", "beijing_pm25", "appliance_energy", "rossmann_top100"}


def split(source, target, task, out, seed=0):
    """Writes OUT/train.csv and OUT/test.csv; returns their row counts."""
    name = pathlib.Path(source).name.split(".")[0]
    df = pd.read_csv(source, dtype=object, keep_default_na=False).drop(columns=IGNORE.get(name, []))
    df = df[df[target].str.strip() != ""]
    if name in IN_TIME:  # Seeds move the window a little.
        cut = int(len(df) * (0.8 - 0.05 * seed / 10))
        train, test = df.iloc[:cut], df.iloc[cut:min(len(df), cut + len(df) // 5)]
    else:
        stratify = df[target] if task != "regression" and df[target].value_counts().min() >= 2 else None
        train, test = train_test_split(df, test_size=0.2, random_state=20261130 + seed, stratify=stratify)
        def key(part):
            return pd.util.hash_pandas_object(part.drop(columns=target), index=False)
        seen = key(test).isin(set(key(train))).to_numpy()
        train, test = pd.concat([train, test[seen]]), test[~seen]
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    train.to_csv(folder / "train.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    return len(train), len(test)


if __name__ == "__main__":
    source, target, task, out = sys.argv[1:5]
    print(*split(source, target, task, out, int(sys.argv[5]) if len(sys.argv) > 5 else 0))
