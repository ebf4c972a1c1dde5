// What test_pointwise compiles and compares: instructions made from every form of the table.
#ifndef KUDZU_TESTS_POINTWISE_CASES_H
#define KUDZU_TESTS_POINTWISE_CASES_H

#include "ir/ir.h"

enum { MAX_OPS = 8, MAX_RES = 8 };

// One instruction, with the PTX type that each operand's values are drawn from.
struct pw_case {
    struct kir_inst inst;
    struct kir_value op_values[MAX_OPS], res_values[MAX_RES];
    struct kir_value *ops[MAX_OPS], *res[MAX_RES];
    uint8_t op_types[MAX_OPS]; // enum isa_type
    const char *form;
    unsigned number;
};

struct pw_cases {
    struct pw_case **data;
    unsigned count, capacity;
};

// Every combination of modifiers and types of every form, some with constant operands or wider
// registers as well.
void pw_cases_make(struct pw_cases *out);
void pw_cases_free(struct pw_cases *c);
// "mad.lo.s32 [constant 1]", into buf.
void pw_case_name(const struct pw_case *c, char *buf, size_t size);

#endif
