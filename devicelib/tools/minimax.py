"""Minimax polynomials by Remez' exchange algorithm, in arbitrary precision (mpmath)."""

from mpmath import mp, mpf, matrix, lu_solve, cos, pi

mp.dps = 60


def chebyshev_grid(low, high, count):
    """Points of [low, high], dense at the ends as the extrema of the error are."""
    centre, half = (low + high) / 2, (high - low) / 2
    return [centre - half * cos(pi * (i + mpf(1) / 2) / count) for i in range(count)]


def evaluate(coefficients, t):
    result = mpf(0)
    for c in reversed(coefficients):
        result = result * t + c
    return result


def solve_alternating(points, values, weights, degree):
    """The polynomial whose weighted error is +e, -e, +e, ... in degree + 2 points."""
    n = degree + 2
    a = matrix(n, n)
    b = matrix(n, 1)
    for i in range(n):
        power = mpf(1)
        for j in range(degree + 1):
            a[i, j] = power
            power *= points[i]
        a[i, degree + 1] = (-1) ** i / weights[i]
        b[i] = values[i]
    solution = lu_solve(a, b)
    return [solution[j] for j in range(degree + 1)], abs(solution[degree + 1])


def extrema(errors):
    """Indices of the largest error in each run of one sign."""
    picked = []
    for i, e in enumerate(errors):
        if picked and (errors[picked[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[picked[-1]]):
                picked[-1] = i
        else:
            picked.append(i)
    return picked


def minimax(f, low, high, degree, weight=None, rounds=30):
    """Coefficients c[0..degree] and the largest weighted error on [low, high].

    weight(t) multiplies the error; None stands for 1/|f|, that is, relative error.
    """
    low, high = mpf(low), mpf(high)
    grid = chebyshev_grid(low, high, 24 * (degree + 2))
    values = [f(t) for t in grid]
    weights = [1 / abs(v) if weight is None else weight(t) for t, v in zip(grid, values)]
    n = degree + 2
    picked = [min(len(grid) - 1, int(len(grid) * (i + 0.5) / n)) for i in range(n)]
    for _ in range(rounds):
        coefficients, level = solve_alternating(
            [grid[i] for i in picked], [values[i] for i in picked],
            [weights[i] for i in picked], degree)
        errors = [(v - evaluate(coefficients, t)) * w for t, v, w in zip(grid, values, weights)]
        worst = max(abs(e) for e in errors)
        if worst < level * mpf("1.01"):
            break
        candidates = extrema(errors)
        while len(candidates) > n:
            first, last = abs(errors[candidates[0]]), abs(errors[candidates[-1]])
            candidates.pop(0 if first < last else -1)
        if len(candidates) < n:
            break
        picked = candidates
    return coefficients, worst
