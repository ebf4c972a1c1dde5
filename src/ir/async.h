// What the device's kd_rt_async is told about an instruction of ISA_CLASS_ASYNC.
#ifndef KUDZU_IR_ASYNC_H
#define KUDZU_IR_ASYNC_H

#include "ir/ir.h"

// Its `code` (abi/generated_code.h).
uint32_t kir_async_code(const struct kir_inst *i);
// Does it ask for the end of a phase by a state that an arrival gave?
bool kir_async_waits_by_state(const struct kir_inst *i);
// Does it ask whether a phase has ended? Such an instruction can be what a thread waits with.
bool kir_async_waits(const struct kir_inst *i);
// Does it wait until it can be done, with nothing that a thread could look at meanwhile?
bool kir_async_tries(const struct kir_inst *i);

#endif
