// What the files of the validator share.
#ifndef KUDZU_IR_VALIDATE_H
#define KUDZU_IR_VALIDATE_H

#include "ir/ir.h"

struct kir_check {
    const struct kir_module *m;
    const struct kir_func *f; // NULL outside functions
    struct strbuf *err;
    uint32_t problems;
};

void kir_problem(struct kir_check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void kir_inst_problem(struct kir_check *c, const struct kir_inst *i, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// validate_inst.c: operands and results of one instruction.
void kir_check_inst(struct kir_check *c, const struct kir_inst *i);

#endif
