// Tensor memory (tcgen05): 128 lanes of 512 columns of 32 bits, and what its instructions compute.
// An address has the lane in its upper 16 bits and the column in its lower 16. One description for
// lowering, interpreter and device.
//
// Products follow the rules of matrix.h: sums in the order of k, each rounded once. Matrix d lies
// by rows: row m in lane m (M = 128), or in lane m % 16 of the 32 lanes m / 16 (M = 64). Of .ws
// columns stand beside each other: M = 64 in two halves of the lanes, M = 32 in four. A sum of 16
// bits is in the lower half of its column. a in tensor memory lies as d does, its elements packed
// from the low bits up. Elements of 4 and 6 bits in kinds f8f6f4 and mxf8f6f4 are packed in 16
// bytes of shared memory, 16 at a time, and take a byte each in tensor memory. The scales of row m
// of a (column n of b) are bytes of lane m % 32 and column m / 32; the instruction descriptor says
// which byte is the first. Of K = 96 there are 3 or 6, which go on in the next columns that such
// scales have: 4 further, 8 of a b with more than 128 columns, 2 and 4 of b where the columns of d
// are folded (CUTLASS, tmem_sf_frg; the manual has figures).
//
// Of a pair of blocks (.cta_group::2) each has half of the rows of d and a, and half of the columns
// of b in its shared memory; places and descriptors are the same in both. With M = 256 the rows lie
// as with M = 128 in one block. With M = 128 a block has 64 rows, the halves of the columns beside
// each other as .ws has them; a in tensor memory then lies in lanes 0 to 63 for the first half of
// the columns and in lanes 64 to 127 for the second. Each block has the scales of its rows and of
// all columns; with M = 128 those of the second half of the columns begin at lane 64.
//
// A sparse a (.sp) has two numbers for each four of k (of mxf4 and mxf4nvf4 two pairs for each four
// pairs), and four bits of metadata that say which: two numbers of two bits. Of tf32 it has one for
// each two, and the four bits are 0b0100 or 0b1110. Those of row m lie in the lane of row m of d,
// in two columns, k from the low bits up; of kinds f16 and tf32 as metadata_at says. Where columns
// of d stand beside each other (.ws), each part of the lanes has its own copy of the metadata.
//
// .ashift: after the product a's 32 bytes of each row become those of the next row, but of the last
// of 32 lanes, as shift does it (CUTLASS's example 1cta_mma_a_from_tmem has that of a B200).
// .ws leaves columns of b out as a descriptor of 64 bits says: isa_tensor_left_out.
#ifndef KUDZU_ISA_TENSOR_MEMORY_H
#define KUDZU_ISA_TENSOR_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum {
    TENSOR_LANES = 128,
    TENSOR_COLUMNS = 512,
    TENSOR_UNIT = 32
}; // unit: columns of an allocation

// struct isa_mods.shape of ld, st and cp.
enum isa_tensor_shape {
    ISA_TENSOR_16X64B,
    ISA_TENSOR_16X128B,
    ISA_TENSOR_16X256B,
    ISA_TENSOR_16X32BX2,
    ISA_TENSOR_32X32B,
    ISA_TENSOR_128X256B,
    ISA_TENSOR_4X256B,
    ISA_TENSOR_128X128B,
    ISA_TENSOR_64X128B,
    ISA_TENSOR_32X128B
};
// struct isa_mods.shape of mma.
enum isa_tensor_kind {
    ISA_TENSOR_F16,
    ISA_TENSOR_TF32,
    ISA_TENSOR_F8F6F4,
    ISA_TENSOR_I8,
    ISA_TENSOR_MXF8F6F4,
    ISA_TENSOR_MXF4,
    ISA_TENSOR_MXF4NVF4,
    ISA_TENSOR_KINDS
};
// struct isa_mods.mask of mma.
enum { ISA_TENSOR_A_INSIDE = 1, ISA_TENSOR_LANES_OFF = 2, ISA_TENSOR_WS = 4 };

// Tensor memory is kept by columns: neighbouring lanes stand next to each other.
typedef uint32_t isa_tensor_column[TENSOR_LANES];

// Registers of each thread that ld and st with these modifiers have; 0: the shape is not repeated
// so often.
unsigned isa_tensor_registers(const struct isa_mods *m);
// Lanes and columns that ld or st touches from its address on.
unsigned isa_tensor_lanes(const struct isa_mods *m);
unsigned isa_tensor_columns(const struct isa_mods *m, uint32_t split);
// Where register `reg` of thread `thread` of the warp lies, from the address on; packed: the first
// of two columns. split: of 16x32bx2, columns to the second half.
struct isa_tensor_place {
    uint32_t lane, column;
};
struct isa_tensor_place isa_tensor_place_of(const struct isa_mods *m, uint32_t split,
                                            uint32_t thread, uint32_t reg);

// One product, as the code of the instruction (isa_tensor_code) and its operands say.
struct isa_tensor_product {
    uint32_t kind, m, n, k; // k: of a in memory; of b twice that if a is sparse
    uint8_t type[3];        // enum isa_matrix_type of d, a, b
    bool a_inside, ws, trans_a, trans_b, negative_a, negative_b, satfinite, accumulate;
    bool scales_ue4m3;
    bool pair, sparse, shifts_a;
    uint32_t scales;                                // of a row: 0, 1, 2, 4; of K = 96 3, 6
    uint32_t byte_a, byte_b;                        // where they begin
    uint32_t d, a_at, scales_a, scales_b, metadata; // places
    uint32_t selector;                              // of two columns of metadata
    uint64_t a, b;                                  // descriptors
    uint32_t
        off[8];     // lanes of d that are not written, a bit each; of a pair the even block's first
    uint32_t shift; // d is divided by two so often first
    uint32_t first_column; // of b
    uint64_t left_out;     // the descriptor of columns of b that are zero, or 0
    uint32_t rows;         // of d that a block has
    bool folded;           // halves or quarters of the columns of d beside each other
};
// What mma's modifiers say, and how many operands it has, as one number for generated code to hand
// over.
uint32_t isa_tensor_code(const struct isa_mods *m, uint32_t nops);
// Takes operands apart: those of the instruction, in its order, the vector of lanes as four words.
// A reason why there is no such product, or NULL.
const char *isa_tensor_product_of(uint32_t code, const uint64_t *operands,
                                  struct isa_tensor_product *p);

// How products and copies get at shared memory: `bytes` bytes of the block's window, or NULL.
struct isa_tensor_access {
    void *ctx;
    const void *(*shared)(void *ctx, uint32_t address, unsigned bytes);
    isa_tensor_column *columns; // all of them
    void *scratch;              // ISA_TENSOR_SCRATCH bytes, of products
};
enum { ISA_TENSOR_SCRATCH = 4 * (96 * TENSOR_LANES + (256 + 48) * 128) + 96 * TENSOR_LANES };
// Columns from a place on that an operand takes.
enum { ISA_TENSOR_METADATA_COLUMNS = 2 };
// 32 bytes of k, whatever the elements are; 48 of K = 96.
unsigned isa_tensor_columns_of_a(const struct isa_tensor_product *p);
unsigned isa_tensor_columns_of_d(const struct isa_tensor_product *p);
// Is column n of the product made with zeros in place of b's column?
bool isa_tensor_left_out(const struct isa_tensor_product *p, unsigned n);
unsigned isa_tensor_columns_of_scales_a(const struct isa_tensor_product *p);
unsigned isa_tensor_columns_of_scales_b(const struct isa_tensor_product *p);
// From the columns of four scales to those of the next four.
enum { ISA_TENSOR_SCALES_A_APART = 4 };
unsigned isa_tensor_scales_b_apart(const struct isa_tensor_product *p);
// May d, a and metadata begin at lane 16?
bool isa_tensor_half_lanes(const struct isa_tensor_product *p);
// access: of the block, or of both blocks of a pair, the even one first; they share their scratch
// memory. False: a descriptor reaches out of shared memory; nothing has been written.
bool isa_tensor_multiply(const struct isa_tensor_product *p,
                         const struct isa_tensor_access *access);

// cp: the code that lowering hands over, columns that it writes, and the copy itself.
uint32_t isa_tensor_copy_code(const struct isa_mods *m);
bool isa_tensor_copies_to_pair(uint32_t code);
unsigned isa_tensor_copy_columns(uint32_t code);
bool isa_tensor_copy(uint32_t code, uint32_t place, uint64_t descriptor,
                     const struct isa_tensor_access *access);

#endif
