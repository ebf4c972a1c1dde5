#ifndef KUDZU_ISA_RESULT_TYPE_H
#define KUDZU_ISA_RESULT_TYPE_H

#include "isa/isa.h"

// The type of a pointwise instruction's first result, as isa_eval leaves it (isa_table.c).
enum isa_type isa_result_type(isa_op op, enum isa_type ty, const struct isa_mods *mods);

#endif
