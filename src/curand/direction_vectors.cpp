// Direction vectors of Sobol's sequences (direction_vectors.h).
#include "direction_vectors.h"

#include "curand/direction_numbers.h"

typedef unsigned long long ull;

unsigned int most_dimensions() {
    return MOST_DIMENSIONS;
}

// gen_direction_numbers.py tells how the numbers lie.
struct bit_stream {
    ull at;
};
static unsigned int take(bit_stream *s, unsigned int bits) {
    unsigned int x = 0;
    for (unsigned int i = 0; i < bits; i++, s->at++)
        x |= (direction_numbers[s->at / 32] >> s->at % 32 & 1) << i;
    return x;
}

// A dimension's vectors are its numbers m_i as fractions m_i / 2^i, and what their recurrence makes
// of them: the vector s places back, itself shifted by s, and those that the polynomial's inner
// coefficients name.
template <typename Word> static void next_dimension(bit_stream *s, Word *v) {
    const unsigned int bits = 8 * sizeof(Word);
    const unsigned int degree = take(s, 5), inner = take(s, degree - 1);
    for (unsigned int i = 0; i < degree; i++)
        v[i] = (Word)(2 * take(s, i) + 1) << (bits - 1 - i);
    for (unsigned int i = degree; i < bits; i++) {
        v[i] = v[i - degree] ^ v[i - degree] >> degree;
        for (unsigned int k = 1; k < degree; k++)
            v[i] ^= inner >> (degree - 1 - k) & 1 ? v[i - k] : 0;
    }
}

// SplitMix64, begun by the dimension and by what its numbers are for.
struct scrambler {
    ull state;
};
static scrambler scrambler_of(unsigned int dimension, unsigned int purpose) {
    return {((ull)purpose << 32 | dimension) * 0xd1342543de82ef95ull};
}
static ull next_random(scrambler *s) {
    ull x = s->state += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

template <typename Word> static void scramble(unsigned int dimension, Word *v) {
    const unsigned int bits = 8 * sizeof(Word);
    scrambler random = scrambler_of(dimension, bits);
    Word columns[bits];
    for (unsigned int i = 0; i < bits; i++) {
        const Word diagonal = (Word)1 << (bits - 1 - i);
        columns[i] = diagonal | ((Word)next_random(&random) & (diagonal - 1));
    }
    for (unsigned int k = 0; k < bits; k++) {
        Word mixed = 0;
        for (unsigned int i = 0; i < bits; i++)
            mixed ^= v[k] >> (bits - 1 - i) & 1 ? columns[i] : 0;
        v[k] = mixed;
    }
}

template <typename Word>
void direction_vectors(unsigned int dimensions, bool scrambled, Word *vectors) {
    const unsigned int bits = 8 * sizeof(Word);
    bit_stream stream = {0};
    for (unsigned int d = 0; d < dimensions; d++) {
        Word *v = vectors + (ull)d * bits;
        if (d == 0) // reverses an index's bits
            for (unsigned int i = 0; i < bits; i++)
                v[i] = (Word)1 << (bits - 1 - i);
        else
            next_dimension(&stream, v);
        if (scrambled)
            scramble(d, v);
    }
}

template <typename Word> void scramble_constants(unsigned int dimensions, Word *constants) {
    for (unsigned int d = 0; d < dimensions; d++) {
        scrambler random = scrambler_of(d, 8 * sizeof(Word) + 1);
        constants[d] = (Word)next_random(&random);
    }
}

template void direction_vectors(unsigned int, bool, unsigned int *);
template void direction_vectors(unsigned int, bool, ull *);
template void scramble_constants(unsigned int, unsigned int *);
template void scramble_constants(unsigned int, ull *);
