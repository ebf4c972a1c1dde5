// Calls: direct, through a handle (once per distinct target), and the functions that the system
// provides (vprintf, malloc, free, __assertfail); also trap, nanosleep and their kind.
#include <string.h>

#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_fault.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_call.h"
#include "codegen/emit/cg_stack.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "isa/device_functions.h"
#include "isa/ops/control.h"
#include "isa/ops/fence.h"
#include "passes/flow/call_shapes.h"

static LLVMValueRef thread_of(struct cg_func *g, LLVMValueRef lane) {
    return LLVMBuildAdd(g->cg->b, g->now.t0, lane, "");
}

static LLVMValueRef as_pointer(struct cg *c, LLVMValueRef x) {
    return LLVMBuildIntToPtr(c->b, cg_narrow(c, x, 64), c->ptr, "");
}

static LLVMValueRef argument(struct cg_func *g, struct kir_inst *i, uint32_t k) {
    return cg_operand_bits(g, i, k, cg_vec(g, i->ops[k]));
}

// One that all lanes give alike.
static LLVMValueRef same_argument(struct cg_func *g, struct kir_inst *i, uint32_t k) {
    return cg_operand_bits(g, i, k, cg_scalar(g, i->ops[k]));
}

// ---- what the system provides --------------------------------------------------------------

enum builtin { NO_BUILTIN, VPRINTF, MALLOC, FREE, ASSERTFAIL, DEVICE_RUNTIME };

static enum builtin builtin_of(const struct kir_func *f) {
    static const struct {
        const char *name;
        enum builtin b;
    } names[] = {
        {"vprintf", VPRINTF}, {"malloc", MALLOC}, {"free", FREE}, {"__assertfail", ASSERTFAIL}};
    if (!f->is_extern)
        return NO_BUILTIN;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(f->name, names[k].name))
            return names[k].b;
    return device_function_find(f->name) ? DEVICE_RUNTIME : NO_BUILTIN;
}

// A function of the device runtime, with its arguments in memory.
static LLVMValueRef call_device_runtime(struct cg_func *g, const struct kir_inst *i,
                                        LLVMValueRef thread, LLVMValueRef *x) {
    struct cg *c = g->cg;
    const struct device_function *f = device_function_find(i->callee->name);
    cg_meet_lanes(g);
    LLVMValueRef list = cg_entry_alloca(g, LLVMArrayType2(c->i64, KD_DEVICE_MAX_ARGS));
    for (uint32_t k = 0; k < i->nops; k++) {
        LLVMValueRef at = cg_i64(c, k);
        LLVMBuildStore(c->b, cg_narrow(c, x[k], 64),
                       LLVMBuildInBoundsGEP2(c->b, c->i64, list, &at, 1, ""));
    }
    LLVMValueRef a[4] = {g->blk, thread, cg_i32(c, f->function), list};
    LLVMValueRef r = cg_call_rt(c, "kd_rt_device_function", a, 4);
    return i->nres ? LLVMBuildBitCast(c->b, cg_narrow(c, r, kir_type_bits(i->res[0]->type)),
                                      cg_scalar_type(c, i->res[0]->type), "")
                   : NULL;
}

static LLVMValueRef call_builtin(struct cg_func *g, const struct kir_inst *i, enum builtin b,
                                 LLVMValueRef thread, LLVMValueRef *x) {
    struct cg *c = g->cg;
    LLVMValueRef a[8] = {g->blk, thread};
    switch (b) {
    case DEVICE_RUNTIME:
        return call_device_runtime(g, i, thread, x);
    case VPRINTF:
        a[2] = as_pointer(c, x[0]);
        a[3] = as_pointer(c, x[1]);
        return cg_call_rt(c, "kd_rt_vprintf", a, 4);
    case MALLOC:
        a[2] = x[0];
        return cg_call_rt(c, "kd_rt_malloc", a, 3);
    case FREE:
        a[2] = x[0];
        cg_call_rt(c, "kd_rt_free", a, 3);
        return NULL;
    default:
        a[2] = as_pointer(c, x[0]);
        a[3] = as_pointer(c, x[1]);
        a[4] = x[2];
        a[5] = as_pointer(c, x[3]);
        a[6] = x[4];
        cg_call_rt(c, "kd_rt_assertfail", a, 7);
        return NULL;
    }
}

static LLVMValueRef first_thread(struct cg_func *g) {
    struct cg *c = g->cg;
    if (c->width == 1)
        return g->now.t0;
    LLVMValueRef a[2] = {cg_narrow(c, cg_mask_bits(g, cg_mask(g)), 32), LLVMConstInt(c->i1, 0, 0)};
    return thread_of(g, cg_call_intrinsic(c, "llvm.cttz", &c->i32, 1, a, 2));
}

// Ends the launch, unless no lane is active.
static void fault_active(struct cg_func *g, struct kir_inst *i, enum kd_fault fault) {
    struct cg *c = g->cg;
    if (!g->may_be_empty || c->width == 1) {
        cg_fault_at(g, i, first_thread(g), fault, NULL);
        return;
    }
    LLVMBasicBlockRef some = cg_new_block(g, "fault"), none = cg_new_block(g, "no.lane");
    LLVMBuildCondBr(c->b, cg_any(g, cg_mask(g)), some, none);
    LLVMPositionBuilderAtEnd(c->b, some);
    cg_fault_at(g, i, first_thread(g), fault, NULL);
    LLVMBuildUnreachable(c->b);
    LLVMPositionBuilderAtEnd(c->b, none);
}

// One lane is enough for the block.
static void emit_grid_control(struct cg_func *g, const struct kir_inst *i) {
    struct cg *c = g->cg;
    bool some = !g->may_be_empty || c->width == 1;
    LLVMValueRef lanes =
        some ? cg_i32(c, 1) : LLVMBuildZExt(c->b, cg_any(g, cg_mask(g)), c->i32, "");
    bool waits = i->mods.sem == ISA_SEM_ACQUIRE;
    LLVMValueRef a[3] = {g->blk, cg_i32(c, waits ? KD_GRID_WAIT : KD_GRID_TRIGGER), lanes};
    cg_call_rt(c, "kd_rt_grid", a, 3);
}

static bool emit_builtin(struct cg_func *g, struct kir_inst *i, enum builtin b) {
    struct cg *c = g->cg;
    static const unsigned arity[] = {[VPRINTF] = 2, [MALLOC] = 1, [FREE] = 1, [ASSERTFAIL] = 5};
    LLVMValueRef x[KD_DEVICE_MAX_ARGS], one[KD_DEVICE_MAX_ARGS], out = NULL;
    if (i->nops != (b == DEVICE_RUNTIME ? device_function_find(i->callee->name)->nargs : arity[b]))
        return false;
    for (uint32_t k = 0; k < i->nops; k++)
        x[k] = argument(g, i, k);
    if (i->nres) {
        out = cg_entry_alloca(g, cg_vec_type(c, i->res[0]->type));
        LLVMBuildStore(c->b, LLVMConstNull(cg_vec_type(c, i->res[0]->type)), out);
    }
    struct cg_lane_loop l = {0};
    LLVMValueRef lane = cg_i32(c, 0);
    if (c->width > 1) {
        l = cg_begin_lanes(g, cg_mask(g));
        lane = l.lane;
    }
    for (uint32_t k = 0; k < i->nops; k++)
        one[k] = cg_extract(g, x[k], lane);
    LLVMValueRef r = call_builtin(g, i, b, thread_of(g, lane), one);
    if (out && r) {
        LLVMTypeRef vt = cg_vec_type(c, i->res[0]->type);
        if (c->width > 1)
            r = LLVMBuildInsertElement(c->b, LLVMBuildLoad2(c->b, vt, out, ""), r, lane, "");
        LLVMBuildStore(c->b, r, out);
    }
    if (c->width > 1)
        cg_end_lanes(g, &l);
    if (b == ASSERTFAIL) // each lane has said so before the launch ends
        fault_active(g, i, KD_FAULT_ASSERT);
    if (out)
        cg_set_result(g, i->res[0], LLVMBuildLoad2(c->b, cg_vec_type(c, i->res[0]->type), out, ""));
    return true;
}

// ---- device functions -----------------------------------------------------------------------

// Calls `fn` for the lanes of `mask`; a frame for it lies above ours.
static LLVMValueRef call_vector(struct cg_func *g, LLVMValueRef fn, LLVMTypeRef t,
                                LLVMValueRef mask, LLVMValueRef *args, unsigned nargs) {
    struct cg *c = g->cg;
    LLVMValueRef *a = arena_array(c->arena, LLVMValueRef, nargs + 4);
    a[0] = g->blk;
    a[1] = g->now.t0;
    a[2] = mask;
    a[3] = cg_stack_end(g);
    for (unsigned k = 0; k < nargs; k++)
        a[4 + k] = args[k];
    return LLVMBuildCall2(c->b, t, fn, a, nargs + 4, "");
}

// After a call in which lanes can die only the others go on; where there are none, lanes that wait
// further on in the layout, or nobody.
static void keep_alive(struct cg_func *g, LLVMValueRef alive) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef some = cg_new_block(g, "alive"), none = cg_new_block(g, "all.ended");
    g->now.mask = c->width > 1 ? alive : NULL;
    LLVMBuildCondBr(c->b, cg_any(g, alive), some, none);
    LLVMPositionBuilderAtEnd(c->b, none);
    cg_follow_layout(g, g->block);
    LLVMPositionBuilderAtEnd(c->b, some);
}

static void emit_direct(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct kir_func *f = i->callee;
    note_on(c->notes, i, false, "'%s' is called once for the threads of a vector", f->name);
    LLVMValueRef *args = arena_array(c->arena, LLVMValueRef, i->nops + 1);
    bool dies = c->can_exit[f->index];
    for (uint32_t k = 0; k < i->nops; k++) {
        LLVMTypeRef t = cg_param_type(c, f, k);
        args[k] = cg_cast(c, cg_is_vector(t) ? argument(g, i, k) : same_argument(g, i, k), t);
    }
    LLVMValueRef r = call_vector(g, c->fn[f->index], cg_func_type(c, f), cg_mask(g), args, i->nops);
    for (uint32_t k = 0; k < i->nres; k++)
        cg_set_result(g, i->res[k],
                      cg_cast_to(c, LLVMBuildExtractValue(c->b, r, k, ""), i->res[k]->type));
    if (dies)
        keep_alive(g, LLVMBuildExtractValue(c->b, r, f->proto.nrets, ""));
}

// Arguments of a call through a pointer, as functions want them: by parameter, NULL where none
// does.
struct arguments {
    LLVMValueRef *vectors, *scalars;
};

static void prepare_for(struct cg_func *g, struct kir_inst *i, const struct kir_func *f,
                        struct arguments *args) {
    for (uint32_t k = 0; k < f->proto.nparams; k++) {
        bool vector = cg_is_vector(cg_param_type(g->cg, f, k));
        LLVMValueRef *to = vector ? &args->vectors[k] : &args->scalars[k];
        if (!*to)
            *to = vector ? argument(g, i, k + 1) : same_argument(g, i, k + 1);
    }
}

static struct arguments prepare_arguments(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct arguments args = {arena_array(c->arena, LLVMValueRef, i->nops + 1),
                             arena_array(c->arena, LLVMValueRef, i->nops + 1)};
    for (uint32_t k = 0; k < c->ir->funcs.len; k++)
        if (call_may_be_of(c->calls, i, c->ir->funcs.data[k]))
            prepare_for(g, i, c->ir->funcs.data[k], &args);
    return args;
}

// Takes the lanes of m that a call has not brought back out of those that are alive.
static void end_lanes(struct cg_func *g, LLVMValueRef alive_var, LLVMValueRef m,
                      LLVMValueRef back) {
    struct cg *c = g->cg;
    LLVMValueRef ended = LLVMBuildAnd(c->b, m, LLVMBuildNot(c->b, back, ""), "");
    LLVMValueRef old = LLVMBuildLoad2(c->b, cg_mask_type(c), alive_var, "");
    LLVMBuildStore(c->b, LLVMBuildAnd(c->b, old, LLVMBuildNot(c->b, ended, ""), ""), alive_var);
}

// One arm of the switch over targets: calls f for the lanes of m and blends its results.
static void call_target(struct cg_func *g, struct kir_inst *i, struct kir_func *f, LLVMValueRef m,
                        const struct arguments *args, LLVMValueRef *outs, LLVMValueRef alive_var) {
    struct cg *c = g->cg;
    LLVMValueRef *a = arena_array(c->arena, LLVMValueRef, i->nops + 1);
    for (uint32_t k = 0; k < f->proto.nparams; k++) {
        LLVMTypeRef t = cg_param_type(c, f, k);
        a[k] = cg_cast(c, cg_is_vector(t) ? args->vectors[k] : args->scalars[k], t);
    }
    LLVMValueRef r = call_vector(g, c->fn[f->index], cg_func_type(c, f), m, a, f->proto.nparams);
    for (uint32_t k = 0; k < i->nres; k++) {
        LLVMValueRef x = cg_cast_to(c, LLVMBuildExtractValue(c->b, r, k, ""), i->res[k]->type);
        if (c->width > 1) {
            LLVMTypeRef t = cg_vec_type(c, i->res[k]->type);
            x = cg_is_vector(LLVMTypeOf(x)) ? x : cg_splat(c, x);
            x = cg_select(c, m, x, LLVMBuildLoad2(c->b, t, outs[k], ""));
        }
        LLVMBuildStore(c->b, x, outs[k]);
    }
    if (c->can_exit[f->index])
        end_lanes(g, alive_var, m, LLVMBuildExtractValue(c->b, r, f->proto.nrets, ""));
}

// Takes the first lane's handle, calls its function for all lanes with the same handle, and
// goes on with the lanes that are left.
static void emit_indirect(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    note_on(c->notes, i, true, "call through a pointer: once for each function among the threads");
    LLVMTypeRef mt = cg_mask_type(c);
    LLVMValueRef handle = cg_vec(g, i->ops[0]);
    struct arguments args = prepare_arguments(g, i);
    LLVMValueRef *outs = arena_array(c->arena, LLVMValueRef, i->nres + 1);
    for (uint32_t k = 0; k < i->nres; k++) {
        outs[k] = cg_entry_alloca(g, cg_vec_type(c, i->res[k]->type));
        LLVMBuildStore(c->b, LLVMConstNull(cg_vec_type(c, i->res[k]->type)), outs[k]);
    }
    LLVMValueRef left = cg_entry_alloca(g, mt), alive = cg_entry_alloca(g, mt);
    LLVMBuildStore(c->b, cg_mask(g), left);
    LLVMBuildStore(c->b, cg_mask(g), alive);
    bool dies = false;
    LLVMBasicBlockRef head = cg_new_block(g, "targets"), bad = cg_new_block(g, "no.function"),
                      next = cg_new_block(g, "target.next"), done = cg_new_block(g, "called");
    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, head);
    LLVMValueRef lane = cg_i32(c, 0), target = handle, now = cg_mask(g);
    if (c->width > 1) {
        LLVMValueRef m = LLVMBuildLoad2(c->b, mt, left, "");
        LLVMValueRef bits = cg_narrow(c, cg_mask_bits(g, m), 32);
        LLVMValueRef a[2] = {bits, LLVMConstInt(c->i1, 1, 0)};
        lane = cg_call_intrinsic(c, "llvm.cttz", &c->i32, 1, a, 2);
        target = LLVMBuildExtractElement(c->b, handle, lane, "");
        LLVMValueRef same = LLVMBuildICmp(c->b, LLVMIntEQ, handle, cg_splat(c, target), "");
        now = cg_select(c, m, same, LLVMConstNull(mt));
        LLVMBuildStore(c->b, cg_select(c, same, LLVMConstNull(mt), m), left);
    }
    LLVMValueRef sw = LLVMBuildSwitch(c->b, target, bad, c->ir->funcs.len);
    for (uint32_t k = 0; k < c->ir->funcs.len; k++) {
        struct kir_func *f = c->ir->funcs.data[k];
        if (!call_may_be_of(c->calls, i, f))
            continue;
        LLVMBasicBlockRef arm = cg_new_block(g, "target");
        LLVMAddCase(sw, cg_function_handle(c, f), arm);
        LLVMPositionBuilderAtEnd(c->b, arm);
        call_target(g, i, f, now, &args, outs, alive);
        dies |= c->can_exit[k];
        LLVMBuildBr(c->b, next);
    }
    LLVMPositionBuilderAtEnd(c->b, bad);
    LLVMValueRef fault[3] = {g->blk, thread_of(g, lane), cg_i32(c, KD_FAULT_INVALID_PC)};
    cg_call_rt(c, "kd_rt_fault", fault, 3);
    LLVMBuildUnreachable(c->b);
    LLVMPositionBuilderAtEnd(c->b, next);
    if (c->width > 1)
        LLVMBuildCondBr(c->b, cg_any(g, LLVMBuildLoad2(c->b, mt, left, "")), head, done);
    else
        LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
    for (uint32_t k = 0; k < i->nres; k++)
        cg_set_result(g, i->res[k],
                      LLVMBuildLoad2(c->b, cg_vec_type(c, i->res[k]->type), outs[k], ""));
    if (dies)
        keep_alive(g, LLVMBuildLoad2(c->b, mt, alive, ""));
}

bool cg_emit_call(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    switch (i->op) {
    case ISA_OP_CALL: {
        if (!i->callee) {
            emit_indirect(g, i);
            return true;
        }
        enum builtin b = builtin_of(i->callee);
        if (b != NO_BUILTIN)
            return emit_builtin(g, i, b);
        if (i->callee->is_extern) {
            cg_error(c, "%s:%u: call of %s, which no module defines", g->f->name, i->line,
                     i->callee->name);
            for (uint32_t k = 0; k < i->nres; k++)
                cg_set_result(g, i->res[k], LLVMConstNull(cg_vec_type(c, i->res[k]->type)));
            return true;
        }
        emit_direct(g, i);
        return true;
    }
    case ISA_OP_TRAP:
    case ISA_OP_BRKPT: {
        fault_active(g, i, KD_FAULT_TRAP);
        return true;
    }
    case ISA_OP_NANOSLEEP: {
        LLVMValueRef ns = cg_extract(g, cg_vec(g, i->ops[0]), cg_i32(c, 0));
        LLVMValueRef a[3] = {g->blk, g->now.t0, cg_narrow(c, ns, 32)};
        cg_call_rt(c, "kd_rt_nanosleep", a, 3);
        return true;
    }
    case ISA_OP_GRIDDEPCONTROL:
        emit_grid_control(g, i);
        return true;
    case ISA_OP_PMEVENT:
        return true;
    default:
        return false;
    }
}
