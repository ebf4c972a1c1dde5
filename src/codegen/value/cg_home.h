#ifndef KUDZU_CODEGEN_CG_HOME_H
#define KUDZU_CODEGEN_CG_HOME_H

#include "codegen/core/state.h"

// The builder stands in the entry block. saved: groups stop at barriers, and have memory there.
void cg_find_homes(struct cg_func *g, bool saved);
void cg_place_homes(struct cg_func *g); // once it is known which are tiles
bool cg_has_home(struct cg_func *g, const struct kir_value *v);
bool cg_same_home(struct cg_func *g, const struct kir_value *x, const struct kir_value *y);
LLVMValueRef cg_load_home(struct cg_func *g, const struct kir_value *v);
void cg_store_home(struct cg_func *g, const struct kir_value *v, LLVMValueRef x);

// The phi gets zero over the edge from the p-th predecessor, as do the others of its half of a
// tile: their rows are stored, with the first of them. False: they are not such.
bool cg_store_zeros(struct cg_func *g, const struct kir_inst *phi, uint32_t p);

// Do x and y stand side by side in a tile's rows, first in 32 bytes of each, and not in registers?
bool cg_is_pair(struct cg_func *g, struct kir_value *x, struct kir_value *y);

// Are the pairs that begin with x and y a line of the tile?
bool cg_is_pair_line(struct cg_func *g, const struct kir_value *x, const struct kir_value *y);

// A row of the pair that begins with x, four lanes of each; line: of the line's two pairs.
LLVMValueRef cg_load_pair_row(struct cg_func *g, const struct kir_value *x, unsigned row,
                              bool line);

// Where v's home is, if it is one vector of memory; else NULL.
LLVMValueRef cg_home_place(struct cg_func *g, const struct kir_value *v);

// The homes of eight values, 16 rows by 16 columns of a product's sums, become a tile: rows 0 to 7
// before the others, of those two registers of 8 columns before the next ones. They do not where
// one of them is part of another tile, or lives through no loop.
void cg_make_tile(struct cg_func *g, struct kir_value *const *eight);

// Are the homes of eight values a tile? Where it stands then, from cg_tiles on.
bool cg_tile_offset(struct cg_func *g, struct kir_value *const *eight, uint32_t *offset);
LLVMValueRef cg_tiles(struct cg_func *g);
bool cg_has_tiles(const struct cg_func *g);  // once homes are known
LLVMValueRef cg_is_tiled(struct cg_func *g); // an i1: the device has tile registers

#endif
