// The symbols of PTX, for the image that holds it.
#ifndef KUDZU_ASSEMBLER_PTX_SYMBOLS_H
#define KUDZU_ASSEMBLER_PTX_SYMBOLS_H

#include "image/cubin.h"
#include "ptx/ast.h"

typedef VEC(struct cubin_symbol) cubin_symbols;

// Kernels, functions and variables of the module, which was parsed from `text`; what it refers to
// and does not define is among them if the device has nothing of that name.
cubin_symbols ptx_symbols(struct arena *arena, const struct ptx_module *m, const char *text,
                          size_t size);

#endif
