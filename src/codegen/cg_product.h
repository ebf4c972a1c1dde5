// What the products of matrices share: in registers (cg_product.c), and out of shared memory
// (cg_wgmma.c).
#ifndef KUDZU_CODEGEN_CG_PRODUCT_H
#define KUDZU_CODEGEN_CG_PRODUCT_H

#include "codegen/cg.h"
#include "isa/matrix.h"

enum {
    LANES = 32,
    TILE = 8,
    MAX_DEPTH = 4, // registers of a panel from one instruction
    MAX_TILES = 4, // of one call of a core
    PANEL_ALIGN = 64
};

enum arithmetic { SUM_FLOAT, SUM_DOUBLE, SUM_BYTES, SUM_BITS };

// One product instruction.
struct product {
    struct isa_matrix x;
    enum arithmetic sum;
    unsigned rows, columns; // of c, in tiles of 8
    unsigned halves;        // tiles of 8 rows whose registers alternate
    unsigned depth;         // registers that hold 8 rows of a (or columns of b)
    unsigned steps;         // instructions of the chain
    unsigned parts;         // vectors of numbers that a register becomes
    unsigned first_c;       // the operand that is c's first register
    bool half_c, half_d;    // sums come, and go, as f16
    bool negative;          // a's numbers change their signs
    LLVMValueRef adds;      // i1: to c; else to zero. NULL: to c
};

// Where a register of a panel comes from: rows in memory, or a vector.
struct source {
    struct cg_rows rows; // of several matrices; element NULL: a vector
    unsigned matrix;     // which of them
    bool trans;
};

// How the numbers of x are summed, and of how many vectors of numbers a register is; false: not
// here.
bool cg_product_sum(const struct cg *c, const struct isa_matrix *x, enum arithmetic *sum,
                    unsigned *parts);
unsigned cg_panel_bytes(const struct product *p, bool of_b);
// Puts one instruction's 8 rows of a (columns of b) into a panel: register r from sources[r] or the
// vector x[r] (x NULL: there is none). sums: where the sums of b's columns stand; more: they are added to.
void cg_fill_panel(struct cg *c, const struct product *p, bool of_b, const struct source *sources,
                   LLVMValueRef *x, LLVMValueRef memory, LLVMValueRef sums, bool more);
// Tiles whose sums fit into the registers.
unsigned cg_most_tiles(const struct cg *c, enum arithmetic s);
// The sums of a tile: the even columns, the odd ones.
void cg_read_sums(struct cg_func *g, const struct product *p, struct kir_inst *i, unsigned row,
                  unsigned column, LLVMValueRef *sum);
void cg_write_sums(struct cg_func *g, const struct product *p, struct kir_inst *i, unsigned row,
                   unsigned column, LLVMValueRef *sum);
// args: the panels of `down` tiles of rows, of `across` tiles of columns, two sums for each pair.
LLVMValueRef cg_call_core(struct cg_func *g, const struct product *p, unsigned down,
                          unsigned across, LLVMValueRef *args);

#endif
