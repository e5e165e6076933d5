"""A model trained by gradient descent, as a program that `autotune tune` can stop, pause and go on with.

Fits y = 3 x + 1 to noisy points with a learning rate and a momentum; needs nothing but Python.

usage: autotune tune --command 'python3 examples/train.py {lr} {momentum} {epochs} {checkpoint}' \\
           --space examples/space.yaml --max-epochs 27 --budget 10s
"""
import json
import os
import random
import sys


def main():
    lr, momentum, epochs, folder = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    draw = random.Random(0)
    points = [(x / 50, 3 * x / 50 + 1 + draw.gauss(0, 0.1)) for x in range(50)]

    # The state: where there is some, an earlier process of this trial has left it.
    file = os.path.join(folder, "state.json")
    state = {"epoch": 0, "w": 0.0, "b": 0.0, "vw": 0.0, "vb": 0.0}
    if os.path.exists(file):
        with open(file) as saved:
            state = json.load(saved)

    while state["epoch"] < epochs:
        for x, y in points:
            error = state["w"] * x + state["b"] - y
            state["vw"] = momentum * state["vw"] - lr * error * x
            state["vb"] = momentum * state["vb"] - lr * error
            state["w"] += state["vw"]
            state["b"] += state["vb"]
        state["epoch"] += 1
        loss = sum((state["w"] * x + state["b"] - y) ** 2 for x, y in points) / len(points)

        # First the state, whole or not at all; then the line.
        with open(file + ".part", "w") as part:
            json.dump(state, part)
        os.replace(file + ".part", file)
        print(json.dumps({"epoch": state["epoch"], "loss": loss}), flush=True)


if __name__ == "__main__":
    main()
