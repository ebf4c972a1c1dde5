// An estimate of the registers that a GPU would give each thread of a kernel: 16 .. 255.
#ifndef KUDZU_IR_REGISTERS_H
#define KUDZU_IR_REGISTERS_H

#include "ir/ir.h"

unsigned kir_estimate_registers(const struct kir_func *f);

#endif
