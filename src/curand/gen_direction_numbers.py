#!/usr/bin/env python3
"""Writes the numbers that Sobol's sequences begin with as a C array, from SciPy's copy of Joe & Kuo's table.

usage: gen_direction_numbers.py NPZ OUT    (NPZ may be "": two dimensions, which follow from the definition)

The table (new-joe-kuo-6.21201: S. Joe, F. Y. Kuo, SIAM J. Sci. Comput. 30, 2635-2654, 2008) was found by search. Each
dimension after the first has a primitive polynomial of degree s and odd numbers m_1, ..., m_s, m_i below 2^i. They are
written as one stream of bits, the lowest of a word first: s in 5, the polynomial's inner coefficients in s - 1, highest
first, and m_i without its last bit in i - 1.
"""
import struct
import sys
import zipfile

MOST = 20000  # dimensions, those of cuRAND's tables
DEFINED = [(3, [1])]  # the polynomial x + 1, and the one number there can be


def array(archive, name):
    """The numbers of a two-dimensional or one-dimensional array of 64-bit integers, as rows."""
    data = archive.read(name)
    size = struct.unpack_from("<H", data, 8)[0]
    header = data[10:10 + size].decode()
    assert data[:8] == b"\x93NUMPY\x01\x00" and "'<i8'" in header, header
    shape = [int(n) for n in header.split("(")[1].split(")")[0].split(",") if n.strip()]
    numbers = struct.unpack_from(f"<{(len(data) - 10 - size) // 8}q", data, 10 + size)
    if len(shape) == 1:
        return list(numbers)
    rows, columns = shape
    if "'fortran_order': True" in header:
        return [numbers[r::rows] for r in range(rows)]
    return [numbers[r * columns:(r + 1) * columns] for r in range(rows)]


def read(path):
    """(polynomial, numbers) of the dimensions from the second on."""
    if not path:
        return DEFINED
    with zipfile.ZipFile(path) as archive:
        polynomials, numbers = array(archive, "poly.npy"), array(archive, "vinit.npy")
    found = [(p, list(m[:p.bit_length() - 1])) for p, m in zip(polynomials[1:MOST], numbers[1:MOST])]
    assert len(found) == MOST - 1 and found[:1] == DEFINED
    return found


def stream(dimensions):
    words, value, filled = [], 0, 0

    def put(number, bits):
        nonlocal value, filled
        assert 0 <= number < 1 << bits
        value |= number << filled
        filled += bits
        while filled >= 32:
            words.append(value & 0xffffffff)
            value >>= 32
            filled -= 32

    for polynomial, numbers in dimensions:
        degree = polynomial.bit_length() - 1
        put(degree, 5)
        put(polynomial >> 1 & (1 << degree - 1) - 1, degree - 1)
        for i, m in enumerate(numbers):
            assert m % 2 == 1
            put(m >> 1, i)
    return words + [value]


def main():
    dimensions = read(sys.argv[1])
    words = stream(dimensions)
    with open(sys.argv[2], "w") as out:
        out.write(f"// Made by gen_direction_numbers.py.\nenum {{ MOST_DIMENSIONS = {len(dimensions) + 1} }};\n")
        out.write("static const unsigned int direction_numbers[] = {\n")
        for at in range(0, len(words), 10):
            out.write(",".join(f"{w:#x}" for w in words[at:at + 10]) + ",\n")
        out.write("};\n")


main()
