// What products of matrices follow from, as far as nobody has decided it (check_init.h).
#ifndef KUDZU_PASSES_CHECK_PRODUCTS_H
#define KUDZU_PASSES_CHECK_PRODUCTS_H

#include "passes/check/check_init.h"

// check_products.c: of mma and wmma.mma. Makes the bits of the results.
void check_products_follow(struct init *s, struct kir_inst *i);

// check_wgmma.c: is it a wgmma.mma whose bits check_wgmma_follow makes?
bool check_wgmma_is(const struct kir_inst *i);
void check_wgmma_follow(struct init *s, struct kir_inst *i);

#endif
