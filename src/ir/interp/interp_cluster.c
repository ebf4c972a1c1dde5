// The barrier of a cluster: the block counts its own threads and arrives as a whole.
#include "ir/interp/interp_internal.h"

void interp_cluster_start(struct interp *in) {
    in->cluster_arrived = 0;
    in->cluster_told = false;
}

static void tell(struct interp *in) {
    if (in->cluster_told || !in->cluster_arrived || in->cluster_arrived < in->live)
        return;
    in->cluster_told = true;
    in->cluster_phase = in->rt->kd_rt_cluster_phase(in->b);
    in->rt->kd_rt_cluster_block_arrive(in->b);
}

void interp_cluster_arrive(struct interp *in, struct interp_thread *t) {
    if (!t->cluster_arrived) {
        t->cluster_arrived = true;
        in->cluster_arrived++;
    }
    t->pc++;
    tell(in);
}

void interp_cluster_wait(struct interp *in, struct interp_thread *t) {
    interp_cluster_pending(in);
    if (t->cluster_arrived)
        interp_wait(in, t, INTERP_CLUSTER_WAIT);
    else
        t->pc++;
}

void interp_cluster_ended(struct interp *in, struct interp_thread *t) {
    if (t->cluster_arrived)
        in->cluster_arrived--;
    t->cluster_arrived = false;
    if (in->live)
        tell(in);
}

bool interp_cluster_pending(struct interp *in) {
    if (!in->cluster_told)
        return false;
    if (in->rt->kd_rt_cluster_phase(in->b) == in->cluster_phase)
        return true;
    in->cluster_told = false;
    in->cluster_arrived = 0;
    for (uint32_t k = 0; k < in->b->nthreads; k++) {
        struct interp_thread *t = &in->threads[k];
        t->cluster_arrived = false;
        if (t->state == INTERP_CLUSTER_WAIT)
            interp_resume(in, t);
    }
    return false;
}
