// What products whose sums are tiles of 16 by 16 share: on tile registers (cg_tile.c), and of
// halves (cg_half_tile.c).
#ifndef KUDZU_CODEGEN_CG_TILE_INTERNAL_H
#define KUDZU_CODEGEN_CG_TILE_INTERNAL_H

#include "codegen/core/state.h"
#include "codegen/matrix/cg_product_internal.h"

enum {
    CG_TILE_PIECE = 16, // bytes of k that a register holds of each of 8 rows
    CG_TILE_STEP = 4,   // pieces that a panel is filled with at a time
    CG_TILE_PIECES = KD_TILE_STEPS * CG_TILE_STEP,
    CG_TILE_ROWS = KD_TILE_MOST * 2 * CG_TILE_PIECES * 2
};

// Where pieces of factors come from.
struct tile_rows {
    const struct kir_inst *load; // an ldmatrix that products load the rows of
    struct kir_value *value;     // or a register
    LLVMValueRef base, offsets, vector;
};

// A register of a factor: one of those, and which matrix of it.
struct tile_piece {
    uint16_t rows, matrix;
};

// All of some a times all of some b.
struct tile_call {
    const struct group *groups;
    unsigned down, across, pieces; // tiles; registers of k
    uint32_t sums[KD_TILE_MOST][KD_TILE_MOST];
    struct tile_piece a[KD_TILE_MOST * 2][CG_TILE_PIECES], b[KD_TILE_MOST * 2][CG_TILE_PIECES];
    struct tile_rows rows[CG_TILE_ROWS];
    unsigned nrows;
    LLVMValueRef panels;
};

// A function that fills a panel with 16 rows of a (columns of b): with (memory, for each different
// rows their base and, where no constants tell them, offsets).
struct tile_filling {
    struct cg *c;
    const struct tile_call *call;
    LLVMValueRef memory;
    const struct tile_piece *piece[2][CG_TILE_STEP]; // of 8 rows each; NULL: there is no more k
    unsigned rows[2 * CG_TILE_STEP], nrows;          // the different ones
    int64_t first[2 * CG_TILE_STEP]; // of each, the first row that is used: what others count from
    LLVMValueRef arg[2 * CG_TILE_STEP][2]; // their base and offsets, in the function
};

// Calls the function that `emit` fills panels with, of tile `tile` of a's rows (or b's columns) and
// pieces from step * CG_TILE_STEP on; `name` tells what `emit` does.
void cg_fill_tile(struct cg *c, const struct tile_call *call, bool of_b, unsigned tile,
                  unsigned step, LLVMValueRef memory, const char *name,
                  void (*emit)(struct tile_filling *f));
// A row of a piece: 16 bytes, as four words; zero where there is no more k.
LLVMValueRef cg_tile_row(struct tile_filling *f, unsigned half, unsigned q, unsigned row);

// Of a piece of b: for each of four words of k those of 8 columns, with even numbers before the
// others.
void cg_tile_words(struct tile_filling *f, unsigned q, unsigned half, LLVMValueRef *words);

// Is the offset of each row from its base known here?
bool cg_knows_offsets(const struct tile_rows *r);

// cg_common_panel.c: memory for panels of a's (b's) pieces `first` to `first` + n - 1, which other
// warps of the block may have filled; what follows is where they have not, up to cg_end_common.
// NULL: they are the warp's own, nothing was emitted.
LLVMValueRef cg_begin_common(struct cg_func *g, const struct tile_call *call, bool of_b,
                             unsigned first, unsigned n, LLVMBasicBlockRef *ready);
void cg_end_common(struct cg *c, LLVMBasicBlockRef ready);

// cg_row_tile.c: adds to all sums.
void cg_emit_row_tiles(struct cg_func *g, struct tile_call *call);

#endif
