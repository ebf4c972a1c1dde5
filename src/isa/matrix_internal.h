// What the files of isa_matrix_run share: matrices taken out of registers or shared memory.
#ifndef KUDZU_ISA_MATRIX_INTERNAL_H
#define KUDZU_ISA_MATRIX_INTERNAL_H

#include "isa/matrix.h"

// Elements by row, then column, without gaps. b1: 32 elements of a row (a) or column (b) a word.
enum { MATRIX_ELEMENTS = 1024, MATRIX_SUMS = 256, MATRIX_SCALED = 16, MATRIX_SCALES = 4 };
union matrix_elements {
    float f[MATRIX_ELEMENTS];
    int32_t i[MATRIX_ELEMENTS];
    double d[MATRIX_ELEMENTS / 2];
};
enum matrix_arithmetic { MATRIX_FLOAT, MATRIX_DOUBLE, MATRIX_INTEGER, MATRIX_BITS };

struct matrix_factors {
    union matrix_elements a, b;
    // The row of b that belongs to each element of a
    uint8_t index[MATRIX_ELEMENTS];
    // Of each row of a and each column of b, where x->scales is not 0
    double scale_a[MATRIX_SCALED][MATRIX_SCALES], scale_b[MATRIX_SCALED][MATRIX_SCALES];
};

bool matrix_on_quads(const struct isa_matrix *x);
// Where the first element of the lane's register is.
static inline int64_t matrix_step_to(const struct isa_matrix_steps *s, unsigned lane) {
    return s->base + lane / 4 * s->group + lane % 4 * s->lane;
}

enum matrix_arithmetic matrix_arithmetic_of(enum isa_matrix_type t);
// Puts one element, as bits, at its place.
void matrix_put(union matrix_elements *e, unsigned at, enum isa_matrix_type t, uint64_t bits,
                bool negative);
// All elements of a fragment in registers.
void matrix_gather(const struct isa_matrix *x, enum isa_frag frag,
                   const uint64_t (*registers)[ISA_LANES], bool negative,
                   union matrix_elements *out);
// Fills `index`; metadata NULL: a is dense.
void matrix_index(const struct isa_matrix *x, const uint64_t *metadata, unsigned selector,
                  uint8_t *index);
// Fills the scales from what follows the fragments: a's register, byte and thread, then b's.
void matrix_scales(const struct isa_matrix *x, const uint64_t (*more)[ISA_LANES], uint32_t lanes,
                   struct matrix_factors *f);
// d = a * b + c, c and d in registers; c NULL: zero.
void matrix_multiply(const struct isa_matrix *x, const struct matrix_factors *f,
                     const uint64_t (*c)[ISA_LANES], uint32_t lanes, uint64_t (*d)[ISA_LANES]);

// matrix_fast.c: the same as gathering, multiplying and storing, for the forms and machines that it
// has code for; false for others.
bool matrix_multiply_fast(const struct isa_matrix *x, uint32_t lanes,
                          const uint64_t (*a)[ISA_LANES], const uint64_t (*b)[ISA_LANES],
                          const uint64_t (*c)[ISA_LANES], uint64_t (*d)[ISA_LANES]);

// matrix_shared.c: a matrix in shared memory, as its descriptor says.
struct matrix_tile {
    uint32_t start, leading, stride; // bytes
    uint32_t width;                  // bytes after which rows repeat: 16, 32, 64 or 128
    uint32_t base;                   // of the swizzle's pattern, in units of 128 bytes
    bool pairs;                      // pieces of 32 bytes change places, not of 16
    bool trans;                      // rows (a) or columns (b) are next to each other, not k
    bool absolute;                   // leading: where pieces lie that 128 bytes have no place for
};
struct matrix_tile matrix_tile_of(uint64_t descriptor, bool trans);
// Of a descriptor of tcgen05, which may have an address in place of the leading dimension (bit 52).
struct matrix_tile matrix_tensor_tile_of(uint64_t descriptor, bool trans);
// Is bit 52 set where it must not be: without a swizzle of 128 bytes by 16, transposed, with a
// base?
bool matrix_tensor_tile_is_bad(uint64_t descriptor, bool trans);
// The address of the piece of 16 bytes with element (mn, k), of which a piece has `per`.
uint32_t matrix_tile_address(const struct matrix_tile *t, unsigned mn, unsigned k, unsigned per);

// One number of a type, from its bits; a sum as bits of f32 or f16; a scale from its byte.
float matrix_decode(enum isa_matrix_type t, uint32_t v);
int32_t matrix_decode_int(enum isa_matrix_type t, uint32_t v);
uint64_t matrix_float_result(float f, enum isa_matrix_type t, bool satfinite);
double matrix_scale(bool ue4m3, uint8_t v);

// matrix_wgmma.c
void matrix_wgmma(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                  uint32_t lanes, unsigned nops, const uint64_t (*src)[ISA_LANES],
                  uint64_t (*dst)[ISA_LANES]);

#endif
