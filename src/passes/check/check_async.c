// Copies of which the device tells by itself what they access.
#include "abi/check_meeting.h"
#include "isa/ops/async.h"
#include "isa/ops/launch.h"
#include "isa/ops/multimem.h"
#include "isa/ops/tensor.h"
#include "passes/check/check.h"

static const uint16_t stores = KD_CHECK_BULK | KD_CHECK_COPY;

// What is not weak is relaxed for the whole system, unless it says otherwise; releases and acquires
// have fences of their own. PTX ISA: multimem.ld_reduce, multimem.st, multimem.red.
static struct check_by_device of_members(const struct kir_inst *i, enum kd_check_kind kind) {
    uint32_t scope = i->mods.scope ? i->mods.scope : ISA_SCOPE_SYS;
    bool weak = kind != KD_CHECK_ATOMIC && i->mods.sem == ISA_SEM_WEAK;
    uint16_t flags = weak ? 0 : (uint16_t)(KD_CHECK_STRONG | scope << KD_CHECK_SCOPE_SHIFT);
    return (struct check_by_device){true, (uint8_t)kind, flags, false, true, NULL};
}

struct check_by_device check_by_device_of(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_MULTIMEM_LD_REDUCE:
        return of_members(i, KD_CHECK_READ);
    case ISA_OP_MULTIMEM_ST:
        return of_members(i, KD_CHECK_WRITE);
    case ISA_OP_MULTIMEM_RED:
        return of_members(i, KD_CHECK_ATOMIC);
    case ISA_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL: // for one block code tells of it
    case ISA_OP_CP_ASYNC_BULK:                   // what it reads, too
        return (struct check_by_device){i->mods.mask, KD_CHECK_WRITE, KD_CHECK_BULK,
                                        true,         false,          i->ops[0]};
    case ISA_OP_CP_ASYNC_BULK_TENSOR:
        return (struct check_by_device){true, KD_CHECK_WRITE, KD_CHECK_BULK, true, true, i->ops[0]};
    case ISA_OP_CP_ASYNC_BULK_TENSOR_STORE:
        return (struct check_by_device){true,  KD_CHECK_WRITE, stores,
                                        false, true,           i->ops[1 + i->mods.vec]};
    case ISA_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        return (struct check_by_device){true, KD_CHECK_ATOMIC,        stores, false,
                                        true, i->ops[1 + i->mods.vec]};
    case ISA_OP_TCGEN05_MMA: // what descriptors name
    case ISA_OP_TCGEN05_CP:
        return (struct check_by_device){
            true,  KD_CHECK_READ, KD_CHECK_BULK | KD_CHECK_BY_COMMIT,
            false, false,         kir_const(i->block->func, KIR_B64, 0)};
    default:
        return (struct check_by_device){0};
    }
}
