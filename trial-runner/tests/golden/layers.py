"""Forward and backward passes of layers, losses and whole networks by PyTorch's autograd.

RealMLP is written here from the published formulas (Holzmüller et al., 2024) with plain tensors.

usage: python3 layers.py > layers.json
"""
import json
import math
import sys

import torch
import torch.nn.functional as F

torch.manual_seed(3)


def tensor(t):
    return {"shape": list(t.shape), "values": [float(v) for v in t.detach().double().flatten()]}


def named(**tensors):
    return {name: tensor(t) for name, t in tensors.items()}


def leaf(*shape, scale=1.0):
    return (torch.randn(*shape) * scale).requires_grad_()


ACTIVATIONS = {
    "identity": lambda x: x, "relu": F.relu, "elu": F.elu, "leakyRelu": F.leaky_relu, "logSigmoid": F.logsigmoid,
    "sigmoid": torch.sigmoid, "tanh": torch.tanh, "softmax": lambda x: torch.softmax(x, -1), "selu": F.selu, "mish": F.mish,
}


def activation(name):
    """y = f(0.5 x W^T + b); values from -40 to 40, so that both tails are seen."""
    x, w, b = leaf(6, 5, scale=4.0), leaf(7, 5, scale=4.0), leaf(7)
    y = ACTIVATIONS[name](0.5 * x @ w.T + b)
    g = torch.randn_like(y)
    y.backward(g)
    return {"name": name, **named(x=x, w=w, b=b, y=y, g=g, gx=x.grad, gw=w.grad, gb=b.grad)}


def norm(kind):
    x, n = leaf(6, 5, scale=3.0), 5
    module = torch.nn.BatchNorm1d(n) if kind == "batch" else torch.nn.LayerNorm(n)
    with torch.no_grad():
        module.weight.copy_(torch.randn(n))
        module.bias.copy_(torch.randn(n))
    y = module(x)
    g = torch.randn_like(y)
    y.backward(g)
    case = {"name": kind, **named(x=x, w=module.weight, b=module.bias, y=y, g=g, gx=x.grad, gw=module.weight.grad, gb=module.bias.grad)}
    if kind == "batch":
        case |= named(mean=module.running_mean, var=module.running_var)
    module.eval()
    return case | named(after=module(x))


def bag():
    table = leaf(9, 4)
    codes, starts = torch.tensor([1, 3, 3, 8, 0, 2]), torch.tensor([0, 3, 3, 5])
    weights = torch.rand(6)
    y = F.embedding_bag(codes, table, starts, mode="sum", per_sample_weights=weights)
    g = torch.randn_like(y)
    y.backward(g)
    return {"codes": codes.tolist(), "starts": starts.tolist() + [6], **named(weights=weights, table=table, y=y, g=g, gtable=table.grad)}


def periodic():
    """PBLD: each of 3 numbers becomes itself and 2 linear outputs of 8 waves of its own."""
    x, f, p = torch.randn(6, 3) * 3, leaf(3, 8), leaf(3, 8)
    w, b = leaf(3, 2, 8), leaf(3, 2)
    waves = torch.cos(2 * math.pi * (x[:, :, None] * f + p))
    linear = torch.einsum("rnk,nok->rno", waves, w) + b
    y = torch.cat([x[:, :, None], linear], 2).flatten(1)
    g = torch.randn_like(y)
    y.backward(g)
    return named(x=x, f=f, p=p, w=w, b=b, y=y, g=g, gf=f.grad, gp=p.grad, gw=w.grad, gb=b.grad)


def loss(name, z, targets, value, **options):
    value.backward()
    return {"name": name, "z": tensor(z), "targets": [float(t) for t in targets], "loss": float(value.detach()), "gradient": tensor(z.grad), **options}


def losses():
    y = torch.tensor([0, 1, 1, 0, 1, 0])
    w = torch.tensor([1.0, 2.0, 0.5, 1.0, 0.0, 3.0])
    z = leaf(6, 1, scale=5.0)
    yield loss("binary", z, y, F.binary_cross_entropy_with_logits(z[:, 0], y.float()))
    z = leaf(6, 1, scale=30.0)
    yield loss("binary", z, y, F.binary_cross_entropy_with_logits(z[:, 0], y.float() * 0.9 + 0.05), smoothing=0.1)
    z = leaf(6, 1)
    # A weight on positive rows multiplies the whole loss of the row; without smoothing it is pos_weight.
    yield loss("binary", z, y, F.binary_cross_entropy_with_logits(z[:, 0], y.float(), pos_weight=torch.tensor(3.0)), positive_weight=3.0)
    z = leaf(6, 1)
    each = F.binary_cross_entropy_with_logits(z[:, 0], y.float(), reduction="none")
    yield loss("binary", z, y, (each * w).sum() / w.sum(), weights=w.tolist())
    y = torch.tensor([0, 2, 1, 3, 2, 0])
    z = leaf(6, 4, scale=5.0)
    yield loss("category", z, y, F.cross_entropy(z, y))
    z = leaf(6, 4, scale=30.0)
    yield loss("category", z, y, F.cross_entropy(z, y, label_smoothing=0.1), smoothing=0.1)
    z, cw = leaf(6, 4), [0.5, 1.0, 2.0, 4.0]
    yield loss("category", z, y, F.cross_entropy(z, y, weight=torch.tensor(cw), label_smoothing=0.2), smoothing=0.2, class_weights=cw)
    z = leaf(6, 4)
    yield loss("category", z, y, (F.cross_entropy(z, y, reduction="none") * w).sum() / w.sum(), weights=w.tolist())
    y = torch.tensor([10.0, -20.0, 5.0, 30.0, 7.0, -3.0])
    mean, sd = y.mean(), y.std(unbiased=False)
    scaled = (y - mean) / sd
    for name, of in {
        "mean_squared_error": lambda z: F.mse_loss(z, scaled), "mean_absolute_error": lambda z: F.l1_loss(z, scaled),
        "root_mean_squared_error": lambda z: F.mse_loss(z, scaled).sqrt(),
        "huber": lambda z: F.huber_loss(z, scaled, delta=0.7),
        "mean_absolute_percentage_error": lambda z: ((z * sd + mean - y).abs() / y.abs()).mean(),
        "root_mean_squared_percentage_error": lambda z: (((z * sd + mean - y) / y) ** 2).mean().sqrt(),
    }.items():
        z = leaf(6, 1)
        yield loss(name, z, y, of(z[:, 0]))


def stack():
    """Two layers with layer norm, the second residual, as Ludwig's FCStack orders them."""
    x = leaf(6, 4)
    p = {"layer_0.weight": leaf(5, 4), "layer_0.bias": leaf(5), "layer_0.norm.weight": leaf(5), "layer_0.norm.bias": leaf(5),
         "layer_1.weight": leaf(5, 5), "layer_1.bias": leaf(5), "layer_1.norm.weight": leaf(5), "layer_1.norm.bias": leaf(5)}
    h = x
    for at in range(2):
        u = F.linear(h, p[f"layer_{at}.weight"], p[f"layer_{at}.bias"])
        v = F.selu(F.layer_norm(u, [5], p[f"layer_{at}.norm.weight"], p[f"layer_{at}.norm.bias"]))
        h = v + h if at == 1 else v
    g = torch.randn_like(h)
    h.backward(g)
    return {"parameters": named(**p), "gradients": named(**{k: v.grad for k, v in p.items()}), **named(x=x, y=h, g=g, gx=x.grad)}


def realmlp(kind):
    """A few steps of RealMLP-TD-S: Adam with beta2 .95, coslog4, scale layer at 6 times the rate, biases at a tenth."""
    n, width, steps, full = 5, 8, 6, 40
    classes = {"binary": 2, "category": 3, "number": 1}[kind]
    sizes = [(n, width), (width, width), (width, classes)]
    scale = torch.nn.Parameter(torch.ones(n))
    weights = [torch.nn.Parameter(torch.randn(o, i) * (at < 2)) for at, (i, o) in enumerate(sizes)]
    biases = [torch.nn.Parameter(torch.randn(o) * (at < 2)) for at, (_, o) in enumerate(sizes)]
    start = [t.detach().clone() for t in [scale, *weights, *biases]]
    opt = torch.optim.Adam([{"params": [scale]}, {"params": weights}, {"params": biases}], betas=(0.9, 0.95))
    act = F.mish if kind == "number" else F.selu
    x = torch.randn(32, n)
    y = torch.randn(32) * 3 + 10 if kind == "number" else torch.randint(0, classes, (32,))
    if kind == "number":
        # By some of the rows: over all of them the first gradient of the last bias is 0 but for rounding, and Adam
        # makes a full step of that.
        mean, sd = y[:24].mean(), y[:24].std(unbiased=False)
        target = (y - mean) / sd
    base = 0.07 if kind == "number" else 0.04

    def forward(x):
        h = x * scale
        for at, (w, b) in enumerate(zip(weights, biases)):
            h = h @ w.T / math.sqrt(w.shape[1]) + b
            h = act(h) if at < 2 else h
        return h

    losses = []
    for step in range(steps):
        rate = base * (0.5 - 0.5 * math.cos(2 * math.pi * math.log2(1 + 15 * step / full)))
        for group, factor in zip(opt.param_groups, [6.0, 1.0, 0.1]):
            group["lr"] = rate * factor
        out = forward(x)
        loss = F.mse_loss(out[:, 0], target) if kind == "number" else F.cross_entropy(out, y, label_smoothing=0.1)
        losses.append(float(loss.detach()))
        opt.zero_grad()
        loss.backward()
        opt.step()
    out = forward(x)
    if kind == "number":
        predictions = out[:, 0] * sd + mean
    else:
        predictions = torch.softmax(out, 1)[:, 1] if kind == "binary" else torch.softmax(out, 1)
    flat = [t for pair in zip(start[1:4], start[4:7]) for t in pair]
    return {"name": kind, "full": full, "base": base, "targets": [float(v) for v in y], "losses": losses,
            "start": [tensor(t) for t in [start[0], *flat]], **named(x=x, predictions=predictions)}


json.dump({
    "made_by": f"torch {torch.__version__}",
    "activations": [activation(name) for name in ACTIVATIONS],
    "norms": [norm(kind) for kind in ["layer", "batch"]],
    "bag": bag(),
    "losses": list(losses()),
    "stack": stack(),
    "periodic": periodic(),
    "realmlp": [realmlp(kind) for kind in ["binary", "category", "number"]],
}, sys.stdout, indent=None)
