"""Rows a second of the training loop beside a plain PyTorch loop: the same network (28-256-256-1, ReLU), batch
256, one thread, float32, AdamW (PyTorch's fused one). Goal: a ratio of at least 1.

Predicted: 210,000 rows a second, since matrix products were thought to be nine tenths of a step. Measured on one core
of a busy 2-core Xeon (time on the core): 354,000 against PyTorch's 202,000, later 252,000 against 128,000: what is not
a matrix product (autograd, allocation, bias and activation as passes of their own) is nearly half of PyTorch's step.

usage: python3 benches/train_speed.py      needs: torch in this Python, and `cargo build --release --workspace --examples`
"""
import os
import subprocess
import time

import torch

BATCH, ROWS = 256, 65536


def ours():
    program = os.path.join(os.path.dirname(__file__), "..", "target", "release", "examples", "train_speed")
    return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


def plain():
    torch.set_num_threads(1)
    x, y = torch.randn(ROWS, 28), torch.randint(0, 2, (ROWS, 1)).float()
    relu, linear = torch.nn.ReLU, torch.nn.Linear
    model = torch.nn.Sequential(linear(28, 256), relu(), linear(256, 256), relu(), linear(256, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    loss_of, best = torch.nn.BCEWithLogitsLoss(), 0.0
    for _ in range(5):
        start, seen = time.thread_time(), 0
        while time.thread_time() - start < 1:
            order = torch.randperm(ROWS)
            for at in range(0, ROWS, BATCH):
                rows = order[at:at + BATCH]
                optimizer.zero_grad(set_to_none=True)
                loss_of(model(x[rows]), y[rows]).backward()
                optimizer.step()
                seen += BATCH
        best = max(best, seen / (time.thread_time() - start))
    return best


a, b = ours(), plain()
print(f"rows a second of one core: ours {a:,.0f}, PyTorch {torch.__version__} with fused AdamW {b:,.0f}, ratio {a / b:.2f}")
