// What loads and products of matrices follow from, as far as nobody has decided it (check_init.c).
#ifndef KUDZU_PASSES_CHECK_PRODUCTS_H
#define KUDZU_PASSES_CHECK_PRODUCTS_H

#include "ir/ir.h"

// Is i a product whose bits check_products_follow makes?
bool check_products_are(const struct kir_inst *i);
// Puts behind `at` what makes the undecided bits of each of the product's results, of B32, and
// returns the last instruction. bits: those of an operand, of B32; NULL: it has none.
struct kir_inst *check_products_follow(struct kir_func *f, struct kir_inst *at, struct kir_inst *i,
                                       struct kir_value *(*bits)(void *user,
                                                                 const struct kir_value *v),
                                       void *user, struct kir_value **results);

// Is i an ldmatrix whose bits check_products_load asks for?
bool check_products_load_is(const struct kir_inst *i);
// The same for it: its results have the bits of what is loaded.
struct kir_inst *check_products_load(struct kir_func *f, struct kir_inst *at, struct kir_inst *i,
                                     struct kir_value **results);

#endif
