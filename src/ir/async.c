#include "ir/async.h"

#include "abi/generated_code.h"
#include "isa/ops/async.h"
#include "isa/ops/launch.h"
#include "isa/ops/multimem.h"
#include "isa/ops/tensor.h"

static uint32_t operation(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_MBARRIER_INIT:
        return KD_ASYNC_MBARRIER_INIT;
    case ISA_OP_MBARRIER_INVAL:
        return KD_ASYNC_MBARRIER_INVAL;
    case ISA_OP_MBARRIER_EXPECT_TX:
        return KD_ASYNC_MBARRIER_EXPECT_TX;
    case ISA_OP_MBARRIER_COMPLETE_TX:
        return KD_ASYNC_MBARRIER_COMPLETE_TX;
    case ISA_OP_MBARRIER_ARRIVE:
        return KD_ASYNC_MBARRIER_ARRIVE;
    case ISA_OP_MBARRIER_ARRIVE_EXPECT_TX:
        return KD_ASYNC_MBARRIER_ARRIVE_TX;
    case ISA_OP_MBARRIER_ARRIVE_DROP:
        return KD_ASYNC_MBARRIER_DROP;
    case ISA_OP_MBARRIER_ARRIVE_DROP_EXPECT_TX:
        return KD_ASYNC_MBARRIER_DROP_TX;
    case ISA_OP_MBARRIER_TEST_WAIT:
    case ISA_OP_MBARRIER_TRY_WAIT:
        return KD_ASYNC_MBARRIER_WAIT;
    case ISA_OP_MBARRIER_TEST_WAIT_PARITY:
    case ISA_OP_MBARRIER_TRY_WAIT_PARITY:
        return KD_ASYNC_MBARRIER_WAIT_PARITY;
    case ISA_OP_MBARRIER_PENDING_COUNT:
        return KD_ASYNC_MBARRIER_PENDING;
    case ISA_OP_CP_ASYNC_BULK:
        return KD_ASYNC_BULK;
    case ISA_OP_CP_REDUCE_ASYNC_BULK:
        return KD_ASYNC_BULK_REDUCE;
    case ISA_OP_CP_ASYNC_BULK_TENSOR:
        return KD_ASYNC_TENSOR_LOAD;
    case ISA_OP_CP_ASYNC_BULK_TENSOR_STORE:
        return KD_ASYNC_TENSOR_STORE;
    case ISA_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        return KD_ASYNC_TENSOR_REDUCE;
    case ISA_OP_TENSORMAP_REPLACE:
        return KD_ASYNC_TENSORMAP_REPLACE;
    case ISA_OP_MULTIMEM_LD_REDUCE:
        return KD_ASYNC_MULTIMEM_LOAD;
    case ISA_OP_MULTIMEM_ST:
        return KD_ASYNC_MULTIMEM_STORE;
    case ISA_OP_MULTIMEM_RED:
        return KD_ASYNC_MULTIMEM_REDUCE;
    case ISA_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL:
        return KD_ASYNC_TRY_CANCEL;
    case ISA_OP_ST_BULK:
        return KD_ASYNC_FILL;
    case ISA_OP_TCGEN05_COMMIT:
        return KD_ASYNC_ARRIVE_BLOCKS;
    case ISA_OP_TCGEN05_ALLOC:
        return KD_ASYNC_TENSOR_ALLOC;
    case ISA_OP_TCGEN05_DEALLOC:
        return KD_ASYNC_TENSOR_DEALLOC;
    case ISA_OP_TCGEN05_RELINQUISH:
        return KD_ASYNC_TENSOR_RELINQUISH;
    case ISA_OP_TCGEN05_AT:
        return KD_ASYNC_TENSOR_AT;
    case ISA_OP_TCGEN05_CP:
        return KD_ASYNC_TENSOR_COPY;
    case ISA_OP_TCGEN05_SHIFT:
        return KD_ASYNC_TENSOR_SHIFT;
    case ISA_OP_TCGEN05_MMA:
        return KD_ASYNC_TENSOR_MMA;
    default:
        return KD_ASYNC_COPY;
    }
}

static uint32_t atom_code(const struct kir_inst *i) {
    switch (i->mods.atom) {
    case ISA_ATOM_AND:
        return KD_ATOM_AND;
    case ISA_ATOM_OR:
        return KD_ATOM_OR;
    case ISA_ATOM_XOR:
        return KD_ATOM_XOR;
    case ISA_ATOM_INC:
        return KD_ATOM_INC;
    case ISA_ATOM_DEC:
        return KD_ATOM_DEC;
    case ISA_ATOM_MIN:
        return KD_ATOM_MIN;
    case ISA_ATOM_MAX:
        return KD_ATOM_MAX;
    default:
        return KD_ATOM_ADD;
    }
}

static uint32_t type_code(const struct kir_inst *i) {
    switch (i->ty) {
    case ISA_S32:
        return KD_TYPE_S32;
    case ISA_U64:
    case ISA_B64:
        return KD_TYPE_U64;
    case ISA_S64:
        return KD_TYPE_S64;
    case ISA_F16:
        return KD_TYPE_F16;
    case ISA_BF16:
        return KD_TYPE_BF16;
    case ISA_F32:
        return KD_TYPE_F32;
    case ISA_F64:
        return KD_TYPE_F64;
    case ISA_F16X2:
        return KD_TYPE_F16X2;
    case ISA_BF16X2:
        return KD_TYPE_BF16X2;
    default:
        return KD_TYPE_U32;
    }
}

uint32_t kir_async_code(const struct kir_inst *i) {
    uint32_t op = operation(i), code = op | (i->flag ? KD_ASYNC_BLOCKS : 0);
    bool tensor =
        op == KD_ASYNC_TENSOR_LOAD || op == KD_ASYNC_TENSOR_STORE || op == KD_ASYNC_TENSOR_REDUCE;
    bool bulk = op == KD_ASYNC_BULK || op == KD_ASYNC_BULK_REDUCE;
    if (op == KD_ASYNC_TENSOR_LOAD)
        code |= (uint32_t)i->mods.scale << KD_ASYNC_ATOM_SHIFT; // enum tensor_pixels
    if (tensor)
        code |= (uint32_t)i->mods.vec << KD_ASYNC_DIMS_SHIFT |
                (i->mods.mode == ISA_TENSOR_IM2COL ? KD_ASYNC_IM2COL : 0) |
                (i->mods.mode == ISA_TENSOR_ROWS ? KD_ASYNC_ROWS : 0) |
                (i->mods.po ? KD_ASYNC_PAIR : 0);
    if (op == KD_ASYNC_TENSORMAP_REPLACE)
        code |= (uint32_t)i->mods.mask << KD_ASYNC_DIMS_SHIFT;
    if ((bulk && i->nops > 3) || op == KD_ASYNC_TENSOR_LOAD)
        code |= KD_ASYNC_SIGNALS | (i->mods.mask ? KD_ASYNC_MULTICAST : 0);
    if (kir_async_waits(i) && i->mods.aligned)
        code |= KD_ASYNC_WHOLE;
    if (op == KD_ASYNC_TENSOR_SHIFT && i->nops > 1)
        code |= KD_ASYNC_PAIR;
    if (op == KD_ASYNC_TRY_CANCEL && i->mods.mask)
        code |= KD_ASYNC_MULTICAST;
    bool multimem = op == KD_ASYNC_MULTIMEM_LOAD || op == KD_ASYNC_MULTIMEM_STORE ||
                    op == KD_ASYNC_MULTIMEM_REDUCE;
    if (op == KD_ASYNC_BULK_REDUCE || op == KD_ASYNC_TENSOR_REDUCE || multimem)
        code |= atom_code(i) << KD_ASYNC_ATOM_SHIFT;
    if (multimem && i->mods.approx)
        code |= KD_ASYNC_PRECISE;
    if (op == KD_ASYNC_BULK_REDUCE || multimem)
        code |= type_code(i) << KD_ASYNC_TYPE_SHIFT;
    return code;
}

bool kir_async_waits_by_state(const struct kir_inst *i) {
    return i->op == ISA_OP_MBARRIER_TEST_WAIT || i->op == ISA_OP_MBARRIER_TRY_WAIT;
}

bool kir_async_waits(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_MBARRIER_TEST_WAIT:
    case ISA_OP_MBARRIER_TEST_WAIT_PARITY:
    case ISA_OP_MBARRIER_TRY_WAIT:
    case ISA_OP_MBARRIER_TRY_WAIT_PARITY:
        return true;
    default:
        return false;
    }
}

bool kir_async_tries(const struct kir_inst *i) {
    return i->op == ISA_OP_TCGEN05_ALLOC;
}
