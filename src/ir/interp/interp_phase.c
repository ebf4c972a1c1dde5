// mbarrier objects and asynchronous copies, which the device's helper does, and threads that wait
// until a phase has ended: they are asked about once a round.
#include "ir/async.h"
#include "ir/interp/interp_internal.h"

uint64_t interp_async(struct interp *in, const struct interp_thread *t,
                      const struct interp_inst *i) {
    uint64_t args[KD_ASYNC_MAX_ARGS] = {0};
    for (uint32_t k = 0; k < i->ir->nops && k < KD_ASYNC_MAX_ARGS; k++)
        args[k] = interp_get(t, &i->ops[k]).u64[0];
    return in->rt->kd_rt_async(in->b, t->id, kir_async_code(i->ir), args);
}

void interp_phase_wait(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    if (interp_async(in, t, i)) {
        t->pc++;
        // Others look at the phase before this warp can end the next one.
        interp_warp_of(in, t)->give_way = true;
        return;
    }
    in->at_phases++;
    interp_wait(in, t, INTERP_PHASE_WAIT);
}

bool interp_phase_check(struct interp *in) {
    bool any = false;
    for (uint32_t k = 0; k < in->b->nthreads && in->at_phases && !in->failed; k++) {
        struct interp_thread *t = &in->threads[k];
        if (t->state != INTERP_PHASE_WAIT || !interp_async(in, t, interp_at(t)))
            continue;
        in->at_phases--;
        interp_resume(in, t);
        any = true;
    }
    return any;
}
