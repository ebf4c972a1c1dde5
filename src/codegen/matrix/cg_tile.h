#ifndef KUDZU_CODEGEN_CG_TILE_H
#define KUDZU_CODEGEN_CG_TILE_H

#include "codegen/core/state.h"

void cg_find_tiles(struct cg_func *g); // makes them: cg_make_tile

#endif
