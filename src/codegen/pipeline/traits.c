#include "codegen/pipeline/traits.h"

#include <string.h>

#include "codegen/emit/cg_stack.h"
#include "ir/async.h"
#include "isa/device_functions.h"
#include "isa/ops/block.h"
#include "isa/ops/cluster.h"
#include "isa/ops/fence.h"
#include "isa/ops/launch.h"
#include "isa/ops/matrix.h"
#include "isa/ops/memory.h"
#include "isa/ops/tensor.h"

static void look_at(struct traits *t, const struct kir_func *f, const struct kir_inst *i) {
    uint64_t c;
    enum isa_class k = isa_op_info[i->op].klass;
    t->warp_ops |= k == ISA_CLASS_WARP;
    t->warp_ops |=
        i->op == ISA_OP_SREG && i->sreg >= ISA_SREG_LANEMASK_EQ && i->sreg <= ISA_SREG_LANEMASK_GT;
    t->block_index |= i->op == ISA_OP_SREG &&
                      ((i->sreg >= ISA_SREG_CTAID_X && i->sreg <= ISA_SREG_CTAID_Z) ||
                       (i->sreg >= ISA_SREG_CLUSTERID_X && i->sreg <= ISA_SREG_CLUSTERID_Z));
    t->cancels |= i->op == ISA_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL;
    t->triggers |= i->op == ISA_OP_GRIDDEPCONTROL && i->mods.sem == ISA_SEM_RELEASE;
    t->grid_waits |= i->op == ISA_OP_GRIDDEPCONTROL && i->mods.sem == ISA_SEM_ACQUIRE;
    bool is_volatile = i->mods.sem == ISA_SEM_VOLATILE;
    t->volatile_load |= is_volatile && i->op == ISA_OP_LD;
    t->volatile_store |= is_volatile && i->op == ISA_OP_ST;
    t->volatile_shared |= is_volatile && i->mods.space != ISA_SPACE_GLOBAL &&
                          (i->op == ISA_OP_LD || i->op == ISA_OP_ST);
    t->device_runtime |= i->op == ISA_OP_CALL && i->callee && i->callee->is_extern &&
                         device_function_find(i->callee->name);
    t->asserts |= i->op == ISA_OP_CALL && i->callee && i->callee->is_extern &&
                  !strcmp(i->callee->name, "__assertfail");
    t->describes |=
        i->op == ISA_OP_WGMMA_MMA || i->op == ISA_OP_TCGEN05_MMA || i->op == ISA_OP_TCGEN05_CP;
    t->f64 += i->ty == ISA_F64;
    t->f32 += i->ty == ISA_F32;
    t->meets |= kir_async_waits(i) && i->mods.aligned;
    if ((kir_async_waits(i) && !i->mods.aligned) || kir_async_tries(i)) {
        t->mbarrier_wait = true;
        t->mbarrier_at = i;
    }
    if (k != ISA_CLASS_BLOCK)
        return;
    t->barrier = true;
    t->block_in_function |= !f->is_kernel;
    t->barrier_at = i;
    if (i->op == ISA_OP_BARRIER_CLUSTER_ARRIVE || i->op == ISA_OP_BARRIER_CLUSTER_WAIT) {
        t->odd_barrier = true;
        return;
    }
    bool counted = i->op == ISA_OP_BAR_RED ? i->flag : i->nops > 1;
    // What is no barrier's number faults where it is looked up, with stacks.
    t->odd_barrier |=
        counted || i->op == ISA_OP_BAR_ARRIVE || !flow_const(i->ops[0], &c) || c >= KD_BARRIERS;
}

bool any_allocates(const struct cg *c) {
    for (uint32_t n = 0; n < c->ir->funcs.len; n++)
        if (c->needed[n] && cg_allocates(c->ir->funcs.data[n]))
            return true;
    return false;
}

struct traits traits_of(const struct cg *c) {
    struct traits t = {0};
    t.allocates = any_allocates(c);
    for (uint32_t n = 0; n < c->ir->funcs.len; n++) {
        struct kir_func *f = c->ir->funcs.data[n];
        for (uint32_t b = 0; b < f->blocks.len && c->needed[n]; b++)
            for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                look_at(&t, f, i);
    }
    // What is allocated is not saved with a group; on stacks of their own warps keep it.
    t.odd_barrier |= t.allocates && t.barrier;
    return t;
}

bool by_volatile(const struct traits *t) {
    return t->volatile_shared || (t->volatile_load && t->volatile_store);
}

bool one_thread(const struct cg *c) {
    return c->spec.ntid[0] == 1 && c->spec.ntid[1] == 1 && c->spec.ntid[2] == 1;
}

unsigned func_instructions(const struct kir_func *f) {
    unsigned n = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            n++;
    return n;
}

bool func_has_barrier(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
                return true;
    return false;
}

// Lanes of one group that act one after the other.
unsigned lanes_of_atomics(const struct cg *c, const struct flow *fl) {
    unsigned n = 0;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if ((i->op == ISA_OP_ATOM || i->op == ISA_OP_RED) && varies(fl, i->ops[0]))
                n += c->width;
    return n;
}

bool any_varying_access(const struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if ((i->op == ISA_OP_LD || i->op == ISA_OP_ST) && varies(fl, i->ops[0]))
                return true;
    return false;
}

// Does one pass through the kernel run the whole block?
bool is_one_team(const struct cg *c) {
    const uint32_t *n = c->spec.ntid;
    uint32_t threads = n[0] * n[1] * n[2];
    return c->mode == KD_MODE_BLOCK && !c->splits && !c->parks && threads &&
           threads <= c->width * c->team;
}

bool is_too_long(struct cg *c, size_t n, size_t most, const char *what) {
    if (n <= most)
        return false;
    strbuf_printf(c->err, "kernel %s: %zu %s are more than the %zu that can be compiled\n",
                  c->kernel->name, n, what, most);
    return true;
}
