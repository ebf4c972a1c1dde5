// What a kernel that is checked asks of the device and tells it. A block that is run again to look
// for an access (interp_search.c) has been checked before.
#include "abi/check_shadow.h"
#include "ir/interp/interp_internal.h"
#include "isa/ops/check.h"

void interp_check(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    if (i->ir->op == ISA_OP_CHECK_SYNC) {
        if (!in->search)
            in->rt->kd_rt_check_sync(in->b, t->id, 1, i->ir->index);
        return;
    }
    uint64_t address = interp_get(t, &i->ops[0]).u64[0];
    uint32_t origin = 0, code = 1;
    if (i->ir->op == ISA_OP_CHECK_ORIGIN) {
        uint64_t out = 0;
        code |= i->ir->index << KD_CHECK_SHADOW_BYTES;
        if (!in->search)
            in->rt->kd_rt_check_origin(in->b, t->id, 1, code, &address, (uint32_t *)&out);
        interp_set64(t, i, 0, out);
        return;
    }
    uint64_t more = i->ir->nops > 3 ? interp_get(t, &i->ops[3]).u64[0] : 0;
    origin = interp_get(t, &i->ops[1]).u32[0];
    if (!in->search)
        in->rt->kd_rt_check_access(in->b, t->id, 1, code, interp_get(t, &i->ops[2]).u64[0],
                                   &address, &origin, i->ir->nops > 3 ? &more : NULL);
}
