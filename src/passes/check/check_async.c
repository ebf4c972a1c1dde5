// Copies of which the device tells by itself what they access.
#include "isa/ops/async.h"
#include "isa/ops/tensor.h"
#include "passes/check/check.h"

static const uint16_t stores = KD_CHECK_BULK | KD_CHECK_COPY;

struct check_by_device check_by_device_of(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_CP_ASYNC_BULK: // what it reads code tells of
        return (struct check_by_device){i->mods.mask, KD_CHECK_WRITE, KD_CHECK_BULK, true,
                                        i->ops[0]};
    case ISA_OP_CP_ASYNC_BULK_TENSOR:
        return (struct check_by_device){true, KD_CHECK_WRITE, KD_CHECK_BULK, true, i->ops[0]};
    case ISA_OP_CP_ASYNC_BULK_TENSOR_STORE:
        return (struct check_by_device){true, KD_CHECK_WRITE, stores, false,
                                        i->ops[1 + i->mods.vec]};
    case ISA_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        return (struct check_by_device){true, KD_CHECK_ATOMIC, stores, false,
                                        i->ops[1 + i->mods.vec]};
    default:
        return (struct check_by_device){0};
    }
}
