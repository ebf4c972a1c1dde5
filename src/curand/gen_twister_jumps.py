#!/usr/bin/env python3
"""Writes x^(2^(2048 + k)) modulo the characteristic polynomial of MT19937's recursion, k from 0 to 12, as a C array.

usage: gen_twister_jumps.py OUT

The polynomial is found from the sequence of one bit of the words by Berlekamp and Massey's algorithm. Polynomials are
Python's integers: bit i is the coefficient of x^i.
"""
import sys

DEGREE = 19937
JUMPS = 13  # 8192 states
FIRST = 2048


def bits(count):
    """The lowest bit of `count` words of the recursion, as an integer: the first one in bit 0."""
    word = [5489]
    for i in range(1, 624):
        word.append((1812433253 * (word[-1] ^ word[-1] >> 30) + i) & 0xffffffff)
    taken = []
    while len(taken) < count:
        for i in range(624):
            x = word[i] & 0x80000000 | word[(i + 1) % 624] & 0x7fffffff
            word[i] = word[(i + 397) % 624] ^ x >> 1 ^ (0x9908b0df if x & 1 else 0)
            taken.append(word[i] & 1)
    return int("".join(map(str, reversed(taken[:count]))), 2)


def shortest_recursion(sequence, count):
    """(length, connection polynomial) of a sequence of bits (Massey 1969)."""
    mask = (1 << DEGREE + 2) - 1
    now, before, length, since, window = 1, 1, 0, 1, 0
    for n in range(count):
        window = (window << 1 | sequence >> n & 1) & mask  # bit i: what came i places ago
        if bin(now & window).count("1") % 2 == 0:
            since += 1
            continue
        changed = now ^ before << since
        if 2 * length <= n:
            length, before, since = n + 1 - length, now, 1
        else:
            since += 1
        now = changed
    return length, now


def squared(p):
    """Bits spread to the even places."""
    return int(bin(p)[2:].replace("0", "00").replace("1", "01"), 2)


def reduced(p, terms):
    while p >> DEGREE:
        high = p >> DEGREE
        p &= (1 << DEGREE) - 1
        for e in terms:
            p ^= high << e
    return p


def main():
    length, connection = shortest_recursion(bits(2 * DEGREE + 10), 2 * DEGREE + 10)
    assert length == DEGREE
    # The connection polynomial has the characteristic one's coefficients in the other direction.
    terms = [DEGREE - i for i in range(1, DEGREE + 1) if connection >> i & 1]
    p, jumps = 2, []
    for k in range(FIRST + JUMPS):
        if k >= FIRST:
            jumps.append(p)
        p = reduced(squared(p), terms)
    with open(sys.argv[1], "w") as out:
        out.write(f"// Made by gen_twister_jumps.py.\nenum {{ TWISTER_JUMPS = {JUMPS} }};\n")
        out.write(f"static const unsigned int twister_jumps[TWISTER_JUMPS][{(DEGREE + 31) // 32}] = {{\n")
        for p in jumps:
            words = [p >> 32 * i & 0xffffffff for i in range((DEGREE + 31) // 32)]
            out.write("{" + ",\n".join(",".join(f"{w:#x}" for w in words[i:i + 10]) for i in range(0, len(words), 10)) + "},\n")
        out.write("};\n")


main()
