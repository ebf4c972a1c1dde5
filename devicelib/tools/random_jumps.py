"""Prints include/kudzu/random_jumps.inc: how the generators of curand_kernel.h skip ahead.

XORWOW without its counter is linear over GF(2): 2^k steps are the polynomial x^(2^k) in one step,
modulo the characteristic polynomial, which is found from 320 output bits (Berlekamp and Massey).
MRG32k3a is linear modulo two primes: 2^k steps are a power of its matrices.
"""
BITS = 160


def step(v):
    t = v[0] ^ (v[0] >> 2)
    last = (v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & 0xffffffff
    return v[1:] + [last]


def connection(bits):
    """The shortest linear feedback register that gives the bits, as a polynomial."""
    c, b, length, m = 1, 1, 0, 1
    for n in range(len(bits)):
        d = bits[n]
        for i in range(1, length + 1):
            d ^= c >> i & bits[n - i]
        if not d:
            m += 1
        elif 2 * length <= n:
            c, b, length, m = c ^ b << m, c, n + 1 - length, 1
        else:
            c, m = c ^ b << m, m + 1
    return c, length


def characteristic():
    v, bits = [123456789, 362436069, 521288629, 88675123, 5783321], []
    for _ in range(2 * BITS):
        bits.append(v[4] & 1)
        v = step(v)
    c, length = connection(bits)
    assert length == BITS
    return sum(1 << BITS - i for i in range(BITS + 1) if c >> i & 1)


def square(p, modulus):
    r = 0
    for i in range(BITS):
        if p >> i & 1:
            r ^= 1 << 2 * i
    for i in range(2 * BITS, BITS - 1, -1):
        if r >> i & 1:
            r ^= modulus << i - BITS
    return r


def multiply(a, b, m):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) % m for j in range(3)] for i in range(3)]


M1, M2 = 4294967087, 4294944443
A1 = [[0, 1, 0], [0, 0, 1], [M1 - 810728, 1403580, 0]]
A2 = [[0, 1, 0], [0, 0, 1], [M2 - 1370589, 0, 527612]]


def power_of_two(a, m, k):
    for _ in range(k):
        a = multiply(a, a, m)
    return a


def main():
    modulus, p, powers = characteristic(), 2, {}
    for k in range(131):
        powers[k] = p
        p = square(p, modulus)
    print("// Made by devicelib/tools/random_jumps.py.")
    for name, first in (("xorwow_steps", 0), ("xorwow_sequences", 67)):
        print(f"// x^(2^k) for k from {first} on.")
        print(f"KUDZU_RANDOM_TABLE unsigned int {name}[64][5] = {{")
        for k in range(first, first + 64):
            words = ", ".join("0x%08x" % (powers[k] >> 32 * i & 0xffffffff) for i in range(5))
            print(f"    {{{words}}},")
        print("};")
    for k, name in ((0, "one"), (76, "subsequence"), (127, "sequence")):
        for which, a, m in ((1, A1, M1), (2, A2, M2)):
            rows = ", ".join("{" + ", ".join("%uu" % x for x in row) + "}" for row in
                             power_of_two(a, m, k))
            print(f"// 2^{k} steps.")
            print(f"KUDZU_RANDOM_TABLE unsigned int mrg_{name}_{which}[3][3] = {{{rows}}};")


main()
