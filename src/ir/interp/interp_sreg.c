// Special registers, and the addresses of symbols.
#include <time.h>

#include "ir/interp/interp_internal.h"

static uint64_t nanoseconds(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t thread_index(const struct kd_block *b, uint32_t t, unsigned axis) {
    if (axis == 0)
        return t % b->ntid[0];
    if (axis == 1)
        return t / b->ntid[0] % b->ntid[1];
    return t / b->ntid[0] / b->ntid[1];
}

// %lanemask_*: of lanes equal, at most, below, at least, above.
static uint64_t lane_mask(enum isa_sreg r, unsigned lane) {
    uint64_t bit = UINT64_C(1) << lane;
    switch (r) {
    case ISA_SREG_LANEMASK_EQ:
        return bit;
    case ISA_SREG_LANEMASK_LE:
        return 2 * bit - 1;
    case ISA_SREG_LANEMASK_LT:
        return bit - 1;
    case ISA_SREG_LANEMASK_GE:
        return UINT32_MAX - (bit - 1);
    default:
        return UINT32_MAX - (2 * bit - 1);
    }
}

static uint64_t cluster_register(const struct kd_block *b, enum isa_sreg r) {
    if (r >= ISA_SREG_CLUSTERID_X && r <= ISA_SREG_CLUSTERID_Z)
        return b->ctaid[r - ISA_SREG_CLUSTERID_X] / b->cluster_dim[r - ISA_SREG_CLUSTERID_X];
    if (r >= ISA_SREG_NCLUSTERID_X && r <= ISA_SREG_NCLUSTERID_Z)
        return b->nctaid[r - ISA_SREG_NCLUSTERID_X] / b->cluster_dim[r - ISA_SREG_NCLUSTERID_X];
    if (r >= ISA_SREG_CLUSTER_CTAID_X && r <= ISA_SREG_CLUSTER_CTAID_Z)
        return b->ctaid[r - ISA_SREG_CLUSTER_CTAID_X] %
               b->cluster_dim[r - ISA_SREG_CLUSTER_CTAID_X];
    if (r >= ISA_SREG_CLUSTER_NCTAID_X && r <= ISA_SREG_CLUSTER_NCTAID_Z)
        return b->cluster_dim[r - ISA_SREG_CLUSTER_NCTAID_X];
    switch (r) {
    case ISA_SREG_CLUSTER_CTARANK:
        return b->cluster_rank;
    case ISA_SREG_CLUSTER_NCTARANK:
        return b->cluster_blocks;
    case ISA_SREG_IS_EXPLICIT_CLUSTER:
        return b->cluster_explicit;
    default:
        return 0;
    }
}

static uint64_t machine_register(struct interp *in, enum isa_sreg r) {
    const struct kd_block *b = in->b;
    switch (r) {
    case ISA_SREG_NWARPID:
        return b->nwarps;
    case ISA_SREG_SMID:
        return b->smid;
    case ISA_SREG_NSMID:
        return b->nsmid;
    case ISA_SREG_GRIDID:
        return b->gridid;
    case ISA_SREG_CLOCK:
        return (uint32_t)nanoseconds();
    case ISA_SREG_CLOCK_HI:
        return nanoseconds() >> 32;
    case ISA_SREG_CLOCK64:
        return nanoseconds();
    case ISA_SREG_GLOBALTIMER:
        return in->rt->kd_rt_globaltimer();
    case ISA_SREG_GLOBALTIMER_LO:
        return (uint32_t)in->rt->kd_rt_globaltimer();
    case ISA_SREG_GLOBALTIMER_HI:
        return in->rt->kd_rt_globaltimer() >> 32;
    case ISA_SREG_DYNAMIC_SMEM_SIZE:
        return b->dynamic_shared_bytes;
    case ISA_SREG_TOTAL_SMEM_SIZE:
    case ISA_SREG_AGGR_SMEM_SIZE:
        return b->dynamic_shared + b->dynamic_shared_bytes;
    case ISA_SREG_CURRENT_GRAPH_EXEC:
        return in->rt->kd_rt_device_function(in->b, 0, KD_cudaGetCurrentGraphExec, NULL);
    case ISA_SREG_ENVREG1: // see cg_source.c
        return b->grid_workspace >> 32;
    case ISA_SREG_ENVREG2:
        return (uint32_t)b->grid_workspace;
    default:
        return cluster_register(b, r);
    }
}

uint64_t interp_sreg(struct interp *in, const struct interp_thread *t, enum isa_sreg r) {
    const struct kd_block *b = in->b;
    if (r >= ISA_SREG_TID_X && r <= ISA_SREG_TID_Z)
        return thread_index(b, t->id, r - ISA_SREG_TID_X);
    if (r >= ISA_SREG_NTID_X && r <= ISA_SREG_NTID_Z)
        return b->ntid[r - ISA_SREG_NTID_X];
    if (r >= ISA_SREG_CTAID_X && r <= ISA_SREG_CTAID_Z)
        return b->ctaid[r - ISA_SREG_CTAID_X];
    if (r >= ISA_SREG_NCTAID_X && r <= ISA_SREG_NCTAID_Z)
        return b->nctaid[r - ISA_SREG_NCTAID_X];
    if (r == ISA_SREG_LANEID)
        return t->id % KD_WARP;
    if (r == ISA_SREG_WARPID)
        return t->id / KD_WARP;
    if (r >= ISA_SREG_LANEMASK_EQ && r <= ISA_SREG_LANEMASK_GT)
        return lane_mask(r, t->id % KD_WARP);
    return machine_register(in, r);
}

uint64_t interp_symbol(struct interp *in, struct interp_thread *t, const struct kir_inst *i) {
    const struct kir_symbol *s = i->sym;
    uint64_t at = 0;
    switch (s->space) {
    case ISA_SPACE_GLOBAL:
    case ISA_SPACE_CONST:
        at = (uint64_t)(uintptr_t)in->b->vars[s->index];
        break;
    case ISA_SPACE_SHARED:
        at = s->dynamic ? in->b->dynamic_shared : s->offset;
        break;
    case ISA_SPACE_LOCAL:
        at = interp_top(t)->local + s->offset;
        break;
    case ISA_SPACE_PARAM:
        at = s->offset;
        break;
    default:
        return kir_function_handle(s->func);
    }
    at += (uint64_t)i->offset;
    return i->flag ? interp_to_generic(in, t, s->space, at) : at;
}
