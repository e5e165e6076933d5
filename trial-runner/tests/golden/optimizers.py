"""What PyTorch's optimizers and schedulers do.

usage: python3 optimizers.py > optimizers.json
"""
import json
import math
import sys

import torch

torch.manual_seed(2)
N, STEPS = 20, 12
START = torch.randn(N)
GRADIENTS = torch.randn(STEPS, N) * torch.logspace(-3, 1, N)
GRADIENTS[3] = 0.0

CASES = [
    ("sgd", {}), ("sgd", {"momentum": 0.9, "dampening": 0.1}), ("sgd", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("adam", {}), ("adam", {"betas": (0.9, 0.95), "eps": 1e-6, "weight_decay": 0.1}), ("adam", {"amsgrad": True}),
    ("adamw", {}), ("adamw", {"betas": (0.9, 0.95), "weight_decay": 0.2, "amsgrad": True}),
    ("nadam", {}), ("nadam", {"weight_decay": 0.1, "momentum_decay": 0.01}),
    ("rmsprop", {}), ("rmsprop", {"momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("adagrad", {}), ("adagrad", {"lr_decay": 0.1, "initial_accumulator_value": 0.5, "weight_decay": 0.1}),
    ("adadelta", {}), ("adadelta", {"rho": 0.8, "eps": 1e-3, "weight_decay": 0.1}),
    ("adamax", {}), ("adamax", {"betas": (0.8, 0.99), "weight_decay": 0.1}),
]
CLASSES = {"sgd": "SGD", "adam": "Adam", "adamw": "AdamW", "nadam": "NAdam", "rmsprop": "RMSprop", "adagrad": "Adagrad",
           "adadelta": "Adadelta", "adamax": "Adamax"}


def floats(t):
    return [float(v) for v in t.detach().double().flatten()]


def optimizer(name, options):
    p = torch.nn.Parameter(START.clone())
    opt = getattr(torch.optim, CLASSES[name])([p], lr=0.05, **options)
    for g in GRADIENTS:
        p.grad = g.clone()
        opt.step()
    defaults = {k: v for k, v in opt.defaults.items() if isinstance(v, (int, float, tuple, bool))}
    return {"name": name, "options": defaults, "end": floats(p)}


def schedule(name, make, steps, options):
    p = torch.nn.Parameter(torch.zeros(1))
    opt = torch.optim.SGD([p], lr=0.1)
    scheduler = make(opt)
    rates = []
    for _ in range(steps):
        rates.append(opt.param_groups[0]["lr"])
        opt.step()
        scheduler.step()
    return {"name": name, "steps": steps, "options": options, "rates": rates}


S = torch.optim.lr_scheduler
coslog4 = lambda step: 0.5 - 0.5 * math.cos(2 * math.pi * math.log2(1 + 15 * step / 40))
schedules = [
    schedule("linear", lambda o: S.LambdaLR(o, lambda step: 1 - step / 40), 40, {}),
    schedule("exponential", lambda o: S.ExponentialLR(o, 0.5 ** (1 / 8)), 40, {"decay_rate": 0.5, "decay_steps": 8}),
    schedule("staircase", lambda o: S.StepLR(o, 8, 0.5), 40, {"decay_rate": 0.5, "decay_steps": 8}),
    schedule("cosine", lambda o: S.CosineAnnealingLR(o, 40, 0.01), 40, {"eta_min": 0.01}),
    schedule("restarts", lambda o: S.CosineAnnealingWarmRestarts(o, 5, 2, 0.01), 40, {"eta_min": 0.01, "t_0": 5, "t_mult": 2}),
    schedule("coslog4", lambda o: S.LambdaLR(o, coslog4), 40, {}),
]
json.dump({
    "made_by": f"torch {torch.__version__}", "start": floats(START), "gradients": [floats(g) for g in GRADIENTS],
    "optimizers": [optimizer(*case) for case in CASES], "schedules": schedules,
}, sys.stdout, indent=1)
