// What the products of matrices share: in registers (cg_product.c), and out of shared memory
// (cg_wgmma.c).
#ifndef KUDZU_CODEGEN_CG_PRODUCT_INTERNAL_H
#define KUDZU_CODEGEN_CG_PRODUCT_INTERNAL_H

#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "isa/matrix.h"

enum {
    LANES = 32,
    TILE = 8,
    MAX_DEPTH = 4, // registers of a panel from one instruction
    MAX_STEPS = 4, // instructions of a chain
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

// Where a register of a panel comes from: rows in memory, a vector in memory, or a vector.
struct source {
    struct cg_rows rows; // of several matrices; element NULL: a vector
    LLVMValueRef memory; // of a vector; NULL: it is not there
    unsigned matrix;     // which of them
    bool trans;
};

// Products each of which takes the last one's sums, and nothing else does: one product with more k.
struct chain {
    struct kir_inst *i[MAX_STEPS];
    unsigned n;
};

// A tile of columns: which chain's, and which of it.
struct tile {
    const struct chain *chain;
    unsigned column;
};

// The chains with the same a.
struct group {
    struct product p;
    struct tile *tiles;
    unsigned n;
};

// Operand numbers' values: the registers of a's rows, of b's columns; the first register of c (or
// d) of a tile.
struct kir_value *cg_a_register(const struct product *p, const struct kir_inst *i, unsigned row,
                                unsigned r);
struct kir_value *cg_b_register(const struct product *p, const struct kir_inst *i, unsigned column,
                                unsigned r);
unsigned cg_sum_register(const struct product *p, unsigned row, unsigned column, bool half);
// The register v of a factor of i: the rows that it is loaded from, where products load them; else
// rows.element is NULL, and cg_active_register has it.
struct source cg_source_of(struct cg_func *g, const struct kir_value *v);
LLVMValueRef cg_active_register(struct cg_func *g, const struct kir_inst *i, struct kir_value *v);
// Visits the products that are computed together, a set after the other.
void cg_visit_products(struct cg_func *g,
                       void (*visit)(struct cg_func *g, struct group *groups, unsigned n));

// cg_tile.c: emits the products whose sums are tiles, brings their groups to the beginning and
// returns how many they are.
unsigned cg_emit_tiles(struct cg_func *g, struct group *groups, unsigned n);

// How the numbers of x are summed, and of how many vectors of numbers a register is; false: not
// here.
bool cg_product_sum(const struct cg *c, const struct isa_matrix *x, enum arithmetic *sum,
                    unsigned *parts);
// Bytes are multiplied by an instruction that takes one factor signed and the other not: where both
// are alike a is plus 128 (or less 128, which are the same bits), and the sums of b's columns,
// times 128, are what is added too much (too little).
bool cg_is_biased(const struct product *p);
bool cg_signed_b(const struct product *p);
// sum + the products of a's and b's numbers, lane by lane; vnni: the function has VNNI.
LLVMValueRef cg_add_products(struct cg *c, const struct product *p, bool vnni, LLVMValueRef a,
                             LLVMValueRef b, LLVMValueRef sum);
LLVMValueRef cg_has_vnni(struct cg_func *g);            // an i1: the device has it
void cg_give_vnni(struct cg *c, LLVMValueRef function); // may use it, whatever the module's level
unsigned cg_panel_bytes(const struct product *p, bool of_b);
// Puts one instruction's 8 rows of a (columns of b) into a panel: register r from sources[r] or the
// vector x[r] (x NULL: there is none). sums: where the sums of b's columns stand; more: they are
// added to.
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
