// Matrix instructions: how a matrix lies in the registers of a warp's lanes, and what each
// instruction computes. One description (isa_fragment, isa_place) and one semantics
// (isa_matrix_run) for parser, interpreter and device.
//
// A warp's 32 lanes hold a matrix as the PTX manual draws it for mma: a register of lane l has
// row or column l / 4 and neighbouring elements at l % 4. wmma leaves the layout open; here it is
// mma's, in tiles of 16 (or 8) by 8; f16 multiplicands with fewer than 16 elements a lane are
// held several times over, so that they fill the eight registers that PTX gives them;
// products read the first.
//
// Products. f16, bf16, tf32, e4m3, e5m2: each element of d is c, to which the products a[k] * b[k]
// are added in the order of k, each with one rounding to nearest in f32 (an fma); for d of type
// f16 the sum is rounded once more at the end. Hardware adds several products at once and cuts
// bits off; results differ in the last bits. NaN results are 0x7fffffff and 0x7fff. tf32 ignores
// the low 13 bits of a register. f64: the same with fma.f64. Integers:
// exact sum, then modulo 2^32 or .satfinite.
//
// Scaled products (.block_scale): the products of a block, which have the same scales, are added in
// the order of k in f64; that sum times the product of the scales is added in f64 to the element of
// d, which is rounded to f32 after each block.
#ifndef KUDZU_ISA_MATRIX_H
#define KUDZU_ISA_MATRIX_H

#include "isa/isa.h"

enum { ISA_LANES = 32 };

enum isa_matrix_type {
    ISA_MAT_NONE,
    ISA_MAT_F16,
    ISA_MAT_BF16,
    ISA_MAT_TF32,
    ISA_MAT_F32,
    ISA_MAT_F64,
    ISA_MAT_E4M3,
    ISA_MAT_E5M2,
    ISA_MAT_S8,
    ISA_MAT_U8,
    ISA_MAT_S4,
    ISA_MAT_U4,
    ISA_MAT_B1,
    ISA_MAT_S32,
    ISA_MAT_B16,
    ISA_MAT_E2M3, // these in bytes: the lower six bits,
    ISA_MAT_E3M2,
    ISA_MAT_E2M1, // and the four in the middle
    ISA_MAT_E2M1_PACKED,
    ISA_MAT_B8, // of ldmatrix and stmatrix: bytes,
    ISA_MAT_B6, // bytes in memory packed as 6 bits,
    ISA_MAT_B4, // or 4
    ISA_MAT_COUNT
};

enum isa_frag { ISA_FRAG_D, ISA_FRAG_A, ISA_FRAG_B, ISA_FRAG_C };

// struct isa_mods.shape. From ISA_SHAPE_WGMMA on: m64nNkK, + 32 * (0 ... 4 for K = 8, 16, 32, 64,
// 256) + N / 8 - 1.
enum isa_matrix_shape {
    ISA_SHAPE_NONE,
    ISA_SHAPE_M8N8K4,
    ISA_SHAPE_M8N8K16,
    ISA_SHAPE_M8N8K32,
    ISA_SHAPE_M8N8K128,
    ISA_SHAPE_M16N8K4,
    ISA_SHAPE_M16N8K8,
    ISA_SHAPE_M16N8K16,
    ISA_SHAPE_M16N8K32,
    ISA_SHAPE_M16N8K64,
    ISA_SHAPE_M16N8K128,
    ISA_SHAPE_M16N8K256,
    ISA_SHAPE_M16N16K8,
    ISA_SHAPE_M16N16K16,
    ISA_SHAPE_M8N32K16,
    ISA_SHAPE_M32N8K16,
    ISA_SHAPE_M16N16, // of ldmatrix and stmatrix; none is 8 by 8
    ISA_SHAPE_M8N16,
    ISA_SHAPE_M16N8,
    ISA_SHAPE_COUNT,
    ISA_SHAPE_WGMMA = 64
};

// What a matrix instruction is, out of its opcode and modifiers.
struct isa_matrix {
    uint16_t op; // isa_op
    uint8_t shape, frag;
    uint8_t type[4]; // enum isa_matrix_type by enum isa_frag
    uint8_t sparse, bitop, count, rnd;
    bool col_a, col_b, trans, a_shared, satfinite;
    uint8_t scales;    // of a row of a and of a column of b: 0, 1, 2, 4
    bool scales_ue4m3; // else ue8m0
};
struct isa_matrix isa_matrix_of(isa_op op, const struct isa_mods *mods);
bool isa_is_matrix(isa_op op); // all but wgmma's fence, commit_group, wait_group
// The same as one number, for generated code to hand over.
uint64_t isa_matrix_pack(const struct isa_matrix *x);
struct isa_matrix isa_matrix_unpack(uint64_t code);

// Rows and columns of a warp's fragment. Of wgmma a warp has 16 rows; a sparse a is half as long.
void isa_matrix_size(const struct isa_matrix *x, enum isa_frag frag, unsigned *rows,
                     unsigned *columns);

// One matrix in a warp's registers.
struct isa_fragment {
    uint8_t registers; // of each lane
    uint8_t type;      // enum isa_type of a register
    uint8_t per;       // elements a register
    uint8_t bits;      // of one element
};
struct isa_fragment isa_fragment_of(const struct isa_matrix *x, enum isa_frag frag);
// Where element i of a lane (register i / per, from the low bits up) lies in the matrix. mma.m8n8k4
// with f16 is four products at once, one for each pair of quads: tile 0 to 3.
struct isa_place {
    uint16_t row, column, tile;
};
struct isa_place isa_place_of(const struct isa_matrix *x, enum isa_frag frag, unsigned lane,
                              unsigned i);
// Where the elements of one register of all lanes lie, as row * row_step + column * column_step:
// base + lane / 4 * group + lane % 4 * lane_step + element * element_step. Not for the products on
// quads of lanes.
struct isa_matrix_steps {
    int64_t base, group, lane, element;
};
struct isa_matrix_steps isa_matrix_steps_of(const struct isa_matrix *x, enum isa_frag frag,
                                            unsigned reg, int64_t row_step, int64_t column_step);
// Of ldmatrix and stmatrix: a lane's element i lies in the row of 16 bytes that lane `row` names,
// and is its element `column`.
struct isa_place isa_row_place_of(const struct isa_matrix *x, unsigned lane, unsigned i);
// Of how many registers operand `o` of the form consists: names d, a, b, c.
enum isa_frag isa_frag_by_name(const char *name);

// How isa_matrix_run gets at memory. Both give NULL when the access faults: the run ends then.
struct isa_matrix_memory {
    void *ctx;
    // `bytes` bytes at an address that a lane named
    void *(*at)(void *ctx, unsigned lane, uint64_t address, unsigned bytes);
    void *(*shared)(void *ctx, uint32_t address, unsigned bytes); // of wgmma's descriptors
    unsigned warp;                                                // in the block
};
// Runs one instruction for a warp. src[k][lane] is operand k of kernel IR's order, dst[k][lane]
// result k, zero-extended; of wgmma dst may be src. Lanes that are not in `lanes` have no addresses
// and get no results.
void isa_matrix_run(const struct isa_matrix *x, const struct isa_matrix_memory *memory,
                    uint32_t lanes, unsigned nops, const uint64_t (*src)[ISA_LANES],
                    uint64_t (*dst)[ISA_LANES]);
unsigned isa_matrix_results(const struct isa_matrix *x);
// Of wgmma.mma in kernel IR: where b's descriptor stands among the operands (a's is in front of
// it), and where it is said whether a and b are transposed; 0: nowhere, they are not.
struct isa_wgmma_operands {
    unsigned b, trans_a, trans_b;
};
struct isa_wgmma_operands isa_wgmma_operands_of(const struct isa_matrix *x, unsigned nops);
// The pieces of 16 bytes of shared memory that a warp of the block reads for a wgmma.mma: of b, and
// of a where a descriptor names it. Some may be told of twice.
void isa_wgmma_pieces(const struct isa_matrix *x, unsigned warp, uint64_t a, bool trans_a,
                      uint64_t b, bool trans_b, void (*piece)(void *ctx, uint32_t address),
                      void *ctx);
// The same of one of the two matrices, of which `n` rows of a, or columns of b, are read: of
// elements of so many bytes. line: the first that lies in the piece; the only one, unless the
// matrix is transposed: one for each element then.
void isa_wgmma_lines(uint64_t descriptor, bool trans, unsigned n, unsigned element,
                     void (*piece)(void *ctx, uint32_t address, unsigned line), void *ctx);
// Rows that operands and results of any instruction take together; where the results stand when
// `rows` holds the operands: over those of wgmma, which has its sums first, else behind.
enum { ISA_MATRIX_ROWS = 144 };
uint64_t (*isa_matrix_result_rows(const struct isa_matrix *x, unsigned nops,
                                  uint64_t (*rows)[ISA_LANES]))[ISA_LANES];

#endif
