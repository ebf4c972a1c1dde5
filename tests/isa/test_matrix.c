// The fast products of fragments against the plain ones: bit for bit, on random bits, among them
// many NaNs, infinities and subnormals; and descriptions of instructions through their packed form.
#include <stdio.h>
#include <string.h>

#include "isa/matrix_internal.h"
#include "isa/ops/matrix.h"

enum { ROUNDS = 200, ROWS = 16 };

static uint64_t state = 88172645463325252u;
static unsigned failures, compared;

static uint32_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

// Bits for a register: half the rounds any, else numbers near one.
static uint32_t word(enum isa_matrix_type t, bool tame) {
    uint32_t v = next();
    if (!tame)
        return v;
    if (t == ISA_MAT_F16)
        return (v & 0x87ff87ffu) | 0x38003800u;
    if (t == ISA_MAT_BF16)
        return (v & 0x80ff80ffu) | 0x3f003f00u;
    return t == ISA_MAT_F32 ? (v & 0x80ffffffu) | 0x3f000000u : v;
}

static void fill(const struct isa_matrix *x, enum isa_frag frag, bool tame,
                 uint64_t (*rows)[ISA_LANES]) {
    for (unsigned r = 0; r < isa_fragment_of(x, frag).registers; r++)
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            rows[r][lane] = word((enum isa_matrix_type)x->type[frag], tame);
}

static void compare(const struct isa_matrix *x) {
    uint64_t a[ROWS][ISA_LANES], b[ROWS][ISA_LANES], c[ROWS][ISA_LANES];
    uint64_t fast[ROWS][ISA_LANES], plain[ROWS][ISA_LANES];
    struct matrix_factors f;
    unsigned n = isa_fragment_of(x, ISA_FRAG_D).registers;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(x, ISA_FRAG_A, round % 2, a);
        fill(x, ISA_FRAG_B, round % 2, b);
        fill(x, ISA_FRAG_C, round % 2, c);
        if (!matrix_multiply_fast(x, UINT32_MAX, (const uint64_t(*)[ISA_LANES])a,
                                  (const uint64_t(*)[ISA_LANES])b, (const uint64_t(*)[ISA_LANES])c,
                                  fast))
            return;
        matrix_gather(x, ISA_FRAG_A, (const uint64_t(*)[ISA_LANES])a, false, &f.a);
        matrix_gather(x, ISA_FRAG_B, (const uint64_t(*)[ISA_LANES])b, false, &f.b);
        matrix_index(x, NULL, 0, f.index);
        matrix_multiply(x, &f, (const uint64_t(*)[ISA_LANES])c, UINT32_MAX, plain);
        compared++;
        if (memcmp(fast, plain, n * sizeof *fast)) {
            printf("shape %u, types %u %u %u %u: differs in round %u\n", x->shape, x->type[0],
                   x->type[1], x->type[2], x->type[3], round);
            failures++;
            return;
        }
    }
}

static void compare_types(uint16_t op, uint8_t shape, uint8_t d, uint8_t a, uint8_t b, uint8_t c) {
    for (int sat = 0; sat < 2; sat++) {
        struct isa_matrix x = {
            .op = op, .shape = shape, .type = {d, a, b, c}, .col_b = true, .satfinite = sat};
        struct isa_matrix again = isa_matrix_unpack(isa_matrix_pack(&x));
        if (memcmp(&x, &again, sizeof x)) {
            printf("shape %u, types %u %u %u %u: the packed form is another\n", shape, d, a, b, c);
            failures++;
        }
        compare(&x);
    }
}

int main(void) {
    static const uint8_t shapes[] = {ISA_SHAPE_M16N8K8,  ISA_SHAPE_M16N8K16, ISA_SHAPE_M16N16K16,
                                     ISA_SHAPE_M8N32K16, ISA_SHAPE_M32N8K16, ISA_SHAPE_M8N8K16,
                                     ISA_SHAPE_M16N8K32};
    static const uint8_t sums[] = {ISA_MAT_F16, ISA_MAT_F32};
    for (unsigned s = 0; s < sizeof shapes; s++) {
        bool wmma = shapes[s] >= ISA_SHAPE_M16N16K16;
        uint16_t op = wmma ? ISA_OP_WMMA_MMA : ISA_OP_MMA;
        if (shapes[s] != ISA_SHAPE_M8N8K16 && shapes[s] != ISA_SHAPE_M16N8K32) {
            for (unsigned k = 0; k < 4; k++)
                compare_types(op, shapes[s], sums[k / 2], ISA_MAT_F16, ISA_MAT_F16, sums[k % 2]);
            compare_types(op, shapes[s], ISA_MAT_F32, ISA_MAT_BF16, ISA_MAT_BF16, ISA_MAT_F32);
        }
        for (unsigned k = 0; k < 4 && shapes[s] != ISA_SHAPE_M16N8K8; k++)
            compare_types(op, shapes[s], ISA_MAT_S32, k & 1 ? ISA_MAT_S8 : ISA_MAT_U8,
                          k & 2 ? ISA_MAT_S8 : ISA_MAT_U8, ISA_MAT_S32);
    }
    printf("%u products, %u failures\n", compared, failures);
    return failures != 0;
}
