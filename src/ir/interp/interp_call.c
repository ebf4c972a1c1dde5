// Calls and returns, and the functions that the device provides.
#include <stdlib.h>
#include <string.h>

#include "ir/interp/interp_internal.h"
#include "isa/device_functions.h"
#include "support/memory.h"

enum { FRAME_ALIGN = 16, LEAST_DEPTH = 256, BYTES_A_CALL = 16 };

static bool grow(void **p, size_t *cap, size_t need, size_t size) {
    if (need <= *cap)
        return true;
    size_t n = *cap ? *cap : 16;
    while (n < need)
        n *= 2;
    void *q = memory_realloc(*p, n * size);
    if (!q)
        return false;
    *p = q;
    *cap = n;
    return true;
}

static bool make_room(struct interp_thread *t, const struct interp_func *f, uint32_t regs) {
    size_t frames = t->frames_cap;
    void *p = t->regs, *q = t->frames;
    bool ok = grow(&p, &t->regs_cap, (size_t)regs + f->nslots + f->nargs, sizeof *t->regs);
    t->regs = p;
    ok = ok && grow(&q, &frames, (size_t)t->depth + 1, sizeof *t->frames);
    t->frames = q;
    t->frames_cap = (uint32_t)frames;
    return ok;
}

void interp_enter(struct interp *in, struct interp_thread *t, const struct interp_func *f,
                  const union isa_bits *args, uint32_t nargs) {
    if (!f) {
        interp_fault(in, t, KD_FAULT_OUT_OF_MEMORY);
        return;
    }
    uint32_t regs = 0;
    uint64_t local = 0;
    if (t->depth) {
        struct interp_frame *top = interp_top(t);
        top->pc = t->pc;
        regs = top->regs + top->func->nslots + top->func->nargs;
        local = (top->top + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
    }
    // A call costs stack on hardware whether or not the function has locals, but for calls that do
    // not recurse that is known, and room is there.
    if (t->depth > LEAST_DEPTH + in->m->funcs.len + in->b->local_stride / BYTES_A_CALL ||
        local + f->ir->frame_bytes > in->b->local_stride) {
        interp_fault(in, t, KD_FAULT_STACK_OVERFLOW);
        return;
    }
    if (!make_room(t, f, regs)) {
        interp_fault(in, t, KD_FAULT_OUT_OF_MEMORY);
        return;
    }
    if (in->way) // what nobody has decided is the same for all lanes
        memset(t->regs + regs, 0, sizeof *t->regs * f->nslots);
    t->frames[t->depth++] = (struct interp_frame){
        .func = f, .regs = regs, .local = local, .top = local + f->ir->frame_bytes};
    for (uint32_t k = 0; k < nargs; k++)
        t->regs[regs + f->nslots + k] = args[k].u64[0];
    t->pc = 0;
}

// ---- what the device provides ----------------------------------------------------------------

static const void *pointer(const union isa_bits *v) {
    return (const void *)(uintptr_t)v->u64[0]; // NOLINT: a generic address is a host address
}

// Calls a function without a body by its name. false: there is none of that name and signature.
static bool call_device(struct interp *in, struct interp_thread *t, const struct interp_inst *i,
                        const char *name, const union isa_bits *a, uint32_t n) {
    const struct kd_rt *rt = in->rt;
    uint64_t result = 0;
    if (!strcmp(name, "vprintf") && n == 2) {
        result = (uint32_t)rt->kd_rt_vprintf(in->b, t->id, pointer(&a[0]), pointer(&a[1]));
    } else if (!strcmp(name, "malloc") && n == 1) {
        result = rt->kd_rt_malloc(in->b, t->id, a[0].u64[0]);
    } else if (!strcmp(name, "free") && n == 1) {
        rt->kd_rt_free(in->b, t->id, a[0].u64[0]);
    } else if (!strcmp(name, "__assertfail") && n == 5) {
        rt->kd_rt_assertfail(in->b, t->id, pointer(&a[0]), pointer(&a[1]), a[2].u32[0],
                             pointer(&a[3]), a[4].u64[0]);
        if (!in->asserted)
            in->asserted = t;
    } else {
        const struct device_function *f = device_function_find(name);
        uint64_t words[KD_DEVICE_MAX_ARGS];
        if (!f || n != f->nargs)
            return false;
        for (uint32_t k = 0; k < n; k++)
            words[k] = a[k].u64[0];
        result = rt->kd_rt_device_function(in->b, t->id, f->function, words);
    }
    if (i->ir->nres)
        interp_set64(t, i, 0, result);
    t->pc++;
    return true;
}

// The function that a handle stands for, or NULL.
static const struct kir_func *find_handle(const struct interp *in, uint64_t handle) {
    uint64_t index = handle / 16 - 1;
    if (!handle || handle % 16 || index >= in->m->funcs.len || in->m->funcs.data[index]->is_kernel)
        return NULL;
    return in->m->funcs.data[index];
}

static bool matches(const struct kir_func *f, const struct kir_inst *call) {
    uint32_t first = call->callee ? 0 : 1;
    if (f->proto.nparams != call->nops - first || f->proto.nrets != call->nres)
        return false;
    for (uint32_t k = 0; k < f->proto.nrets; k++)
        if (kir_type_bits(f->proto.rets[k]) != kir_type_bits(call->res[k]->type))
            return false;
    return true;
}

void interp_call(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    union isa_bits *args = in->handed;
    uint32_t first = i->ir->callee ? 0 : 1, nargs = i->ir->nops - first;
    const struct kir_func *f =
        first ? find_handle(in, interp_get(t, &i->ops[0]).u64[0]) : i->ir->callee;
    if (!f || !matches(f, i->ir)) {
        interp_fault(in, t, KD_FAULT_INVALID_PC);
        return;
    }
    for (uint32_t k = 0; k < nargs; k++)
        args[k] = interp_get(t, &i->ops[first + k]);
    if (f->blocks.len)
        interp_enter(in, t, interp_decode(in, f->index), args, nargs);
    else if (!call_device(in, t, i, f->name, args, nargs))
        interp_fault(in, t, KD_FAULT_INVALID_PC);
}

void interp_return(struct interp *in, struct interp_thread *t, const struct interp_inst *i) {
    union isa_bits *values = in->handed;
    uint32_t n = i->ir->nops;
    if (t->depth == 1) {
        interp_finish(in, t);
        return;
    }
    for (uint32_t k = 0; k < n; k++)
        values[k] = interp_get(t, &i->ops[k]);
    t->depth--;
    t->pc = interp_top(t)->pc;
    const struct interp_inst *call = interp_at(t);
    for (uint32_t k = 0; k < n && k < call->ir->nres; k++)
        interp_set(t, call, k, values[k]);
    t->pc++;
}
