// From variables to SSA values. Before construction an instruction may name a variable in
// place of a value, and pseudo-instructions assign to variables.
#ifndef KUDZU_IR_SSA_H
#define KUDZU_IR_SSA_H

#include "ir/ir.h"

enum { KIR_VALUE_READ = 0xff }; // kind of the value that stands for a variable; id is its number

struct kir_vars {
    VEC(struct kir_value *) reads; // by variable: the value that stands for it, with its type
};

// A new variable of type t; returns its number.
uint32_t kir_var_new(struct kir_func *f, struct kir_vars *vars, enum kir_type t);
// The pseudo-instruction "variable = value", not yet in a block.
struct kir_inst *kir_var_assign(struct kir_func *f, uint32_t var, struct kir_value *value);
// Replaces every read by the value that reaches it, adds phis where several meet and are
// needed, removes the assignments. Every block must be reachable and its preds known.
void kir_ssa_construct(struct kir_func *f, const struct kir_vars *vars);

// The bit type of an instruction whose result is of type t (for phi, mov).
enum isa_type kir_isa_type(enum kir_type t);
// The type of a register or operand of an instruction type.
enum kir_type kir_type_of(enum isa_type t);

#endif
