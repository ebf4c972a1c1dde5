"""Trains a small network on JAX's default device and on the CPU, and compares the losses.

usage: jax_mlp.py [steps]
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np


def loss(parameters, x, y):
    (w1, b1), (w2, b2) = parameters
    hidden = jnp.tanh(jnp.dot(x, w1, precision="highest") + b1)
    return jnp.mean((jnp.dot(hidden, w2, precision="highest") + b2 - y) ** 2)


@jax.jit
def step(parameters, x, y):
    value, gradient = jax.value_and_grad(loss)(parameters, x, y)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradient)


def train(device, steps):
    rng = np.random.default_rng(7)
    x = rng.standard_normal((256, 32), dtype=np.float32)
    y = np.sin(x.sum(axis=1, keepdims=True)).astype(np.float32)
    shapes = ((32, 64), (64,)), ((64, 1), (1,))
    parameters = [
        tuple(rng.standard_normal(s, dtype=np.float32) * np.float32(0.2) for s in layer) for layer in shapes
    ]
    parameters, x, y = jax.device_put((parameters, x, y), device)
    losses = []
    for _ in range(steps):
        value, parameters = step(parameters, x, y)
        losses.append(float(value))
    return losses


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    device = jax.devices()[0]
    got, expected = train(device, steps), train(jax.devices("cpu")[0], steps)
    worst = max(abs(a - b) / b for a, b in zip(got, expected))
    print("%s: loss %.6f to %.6f in %d steps; off the CPU's by %.1e at most" % (device, got[0], got[-1], steps, worst))
    return worst > 1e-3 or got[-1] > got[0] / 2


if __name__ == "__main__":
    sys.exit(main())
