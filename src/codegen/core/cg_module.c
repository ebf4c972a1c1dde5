// Types, constants, intrinsics, declarations.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <llvm/Config/llvm-config.h>

#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "passes/flow/call_shapes.h"

void cg_error(struct cg *c, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    strbuf_printf(c->err, "%s\n", text);
    c->failed = true;
}

LLVMTypeRef cg_scalar_type(struct cg *c, enum kir_type t) {
    switch (t) {
    case KIR_PRED:
        return c->i1;
    case KIR_B16:
        return c->i16;
    case KIR_B32:
        return c->i32;
    case KIR_B64:
        return c->i64;
    case KIR_B128:
        return c->i128;
    case KIR_F32:
        return c->f32;
    case KIR_F64:
        return c->f64;
    default:
        return c->void_t;
    }
}

LLVMTypeRef cg_vec_of(struct cg *c, LLVMTypeRef t) {
    return c->width == 1 ? t : LLVMVectorType(t, c->width);
}

LLVMTypeRef cg_vec_type(struct cg *c, enum kir_type t) {
    return cg_vec_of(c, cg_scalar_type(c, t));
}

LLVMTypeRef cg_mask_type(struct cg *c) {
    return cg_vec_of(c, c->i1);
}

LLVMTypeRef cg_int_type(struct cg *c, unsigned bits) {
    return LLVMIntTypeInContext(c->ctx, bits);
}

LLVMValueRef cg_i32(struct cg *c, uint64_t v) {
    return LLVMConstInt(c->i32, v, 0);
}

LLVMValueRef cg_i64(struct cg *c, uint64_t v) {
    return LLVMConstInt(c->i64, v, 0);
}

#if LLVM_VERSION_MAJOR >= 22
// The operand that is an access's alignment in LLVM 19, and an attribute of the pointer in front of
// it since; 0: there is none.
static unsigned alignment_operand(const char *name) {
    if (strcmp(name, "llvm.masked.load") == 0 || strcmp(name, "llvm.masked.gather") == 0)
        return 1;
    if (strcmp(name, "llvm.masked.store") == 0 || strcmp(name, "llvm.masked.scatter") == 0)
        return 2;
    return 0;
}

static LLVMValueRef call_with_alignment(struct cg *c, LLVMTypeRef t, LLVMValueRef f,
                                        const LLVMValueRef *args, unsigned nargs, unsigned at) {
    LLVMValueRef rest[4];
    for (unsigned k = 0, n = 0; k < nargs; k++)
        if (k != at)
            rest[n++] = args[k];
    LLVMValueRef call = LLVMBuildCall2(c->b, t, f, rest, nargs - 1, "");
    unsigned kind = LLVMGetEnumAttributeKindForName("align", strlen("align"));
    LLVMAddCallSiteAttribute(
        call, at, LLVMCreateEnumAttribute(c->ctx, kind, LLVMConstIntGetZExtValue(args[at])));
    return call;
}
#endif

LLVMValueRef cg_call_intrinsic(struct cg *c, const char *name, LLVMTypeRef *overload,
                               unsigned noverload, LLVMValueRef *args, unsigned nargs) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(c->mod, id, overload, noverload);
    LLVMTypeRef t = LLVMIntrinsicGetType(c->ctx, id, overload, noverload);
#if LLVM_VERSION_MAJOR >= 22
    if (alignment_operand(name))
        return call_with_alignment(c, t, f, args, nargs, alignment_operand(name));
#endif
    return LLVMBuildCall2(c->b, t, f, args, nargs, "");
}

// The helpers of abi.h: return type and parameters as letters (v void, i i32, l i64, p pointer).
static const struct {
    const char *name, *sig;
    bool noreturn;
} rt[] = {
    {"kd_rt_vprintf", "ipipp", false},
    {"kd_rt_malloc", "lpil", false},
    {"kd_rt_free", "vpil", false},
    {"kd_rt_assertfail", "vpippipl", false},
    {"kd_rt_fault", "vpii", true},
    {"kd_rt_fault_at", "vpiilpi", true},
    {"kd_rt_nanosleep", "vpii", false},
    {"kd_rt_grid", "ipii", false},
    {"kd_rt_globaltimer", "l", false},
    {"kd_rt_yield", "vp", false},
    {"kd_rt_wait", "vpiilipi", false},
    {"kd_rt_let_others", "vp", false},
    {"kd_rt_bar_sync", "vpiii", false},
    {"kd_rt_bar_arrive", "vpiii", false},
    {"kd_rt_bar_red", "ipiiiiii", false},
    {"kd_rt_park", "vpppl", false},
    {"kd_rt_next_split", "ppppl", false},
    {"kd_rt_warp_shfl", "lpiiiiii", false},
    {"kd_rt_warp_vote", "ipiiii", false},
    {"kd_rt_warp_match", "lpiilii", false},
    {"kd_rt_warp_redux", "ipiiiii", false},
    {"kd_rt_warp_sync", "vpii", false},
    {"kd_rt_warp_activemask", "ipi", false},
    {"kd_rt_tex", "vpilipp", false},
    {"kd_rt_surf", "vpilipp", false},
    {"kd_rt_tex_lanes", "vpiliiipp", false},
    {"kd_rt_surf_lanes", "vpiliiipp", false},
    {"kd_rt_async", "lpiip", false},
    {"kd_rt_async_lanes", "vpiiiiipp", false},
    {"kd_rt_check_origin", "vpiiipp", false},
    {"kd_rt_check_access", "vpiiilppp", false},
    {"kd_rt_check_sync", "vpiii", false},
    {"kd_rt_cluster_arrive", "vpi", false},
    {"kd_rt_cluster_wait", "vpi", false},
    {"kd_rt_matrix", "vpiiilp", false},
    {"kd_rt_lane_matrix", "vpiilpp", false},
    {"kd_rt_device_function", "lpiip", false},
    {"kd_rt_features", "i", false},
    {"kd_rt_tiles", "i", false},
    {"kd_rt_tile_panels", "p", false},
    {"kd_rt_panels", "p", false},
    {"kd_rt_tile_product", "vppp", false},
    {"kd_rt_common_panels", "piiipp", false},
    {"kd_rt_forget_panels", "vi", false},
    {"kd_rt_allocation", "vlp", false},
    {"kd_rt_open_window", "vpill", false},
    {"kd_rt_flush_window", "vp", false},
    {"kd_rt_move_cell", "vpil", false},
    {"kd_rt_flush_cell", "vp", false},
    {"kd_rt_settle_others", "vpiipi", false},
};

static LLVMTypeRef letter(struct cg *c, char l) {
    return l == 'i' ? c->i32 : l == 'l' ? c->i64 : l == 'p' ? c->ptr : c->void_t;
}

// What is put off is rarely a call.
static bool keeps_words(const char *name) {
    return strstr(name, "_window") || strstr(name, "_cell") || strstr(name, "_others");
}

LLVMValueRef cg_call_rt(struct cg *c, const char *name, LLVMValueRef *args, unsigned nargs) {
    if (c->notes && c->inst && strncmp(name, "kd_rt_fault", 11) != 0 &&
        strncmp(name, "kd_rt_tile", 10) != 0 && !strstr(name, "panels") && !keeps_words(name))
        note_on(c->notes, c->inst, true, "'%s': a call of the device's function %s",
                isa_op_info[c->inst->op].name, name);
    for (size_t k = 0; k < sizeof rt / sizeof *rt; k++) {
        if (strcmp(rt[k].name, name))
            continue;
        LLVMTypeRef params[9];
        unsigned n = (unsigned)strlen(rt[k].sig) - 1;
        for (unsigned p = 0; p < n; p++)
            params[p] = letter(c, rt[k].sig[p + 1]);
        LLVMTypeRef t = LLVMFunctionType(letter(c, rt[k].sig[0]), params, n, 0);
        LLVMValueRef f = LLVMGetNamedFunction(c->mod, name);
        if (!f) {
            f = LLVMAddFunction(c->mod, name, t);
            if (rt[k].noreturn) {
                unsigned id = LLVMGetEnumAttributeKindForName("noreturn", 8);
                LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                        LLVMCreateEnumAttribute(c->ctx, id, 0));
                id = LLVMGetEnumAttributeKindForName("cold", 4);
                LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                        LLVMCreateEnumAttribute(c->ctx, id, 0));
            }
        }
        return LLVMBuildCall2(c->b, t, f, args, nargs, "");
    }
    cg_error(c, "internal: no helper %s", name);
    return LLVMConstNull(c->i64);
}

enum { X86_REG_CALL = 92, C_CALL = 0 };

static bool is_vector(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind || LLVMGetTypeKind(t) == LLVMStructTypeKind;
}

// Calls that hand over no vectors: the fast instruction selection knows C's alone.
static unsigned own_convention(const struct cg *c, LLVMTypeRef t) {
    unsigned n = LLVMCountParamTypes(t);
    LLVMTypeRef *params = arena_array(c->arena, LLVMTypeRef, n + 1);
    bool vectors = is_vector(LLVMGetReturnType(t));
    LLVMGetParamTypes(t, params);
    for (unsigned k = 0; k < n && !vectors; k++)
        vectors |= is_vector(params[k]);
    bool is_c = !vectors && (c->spec.flags & KD_SPEC_QUICK);
    return is_c || c->target.family == MACHINE_ARM ? C_CALL : X86_REG_CALL;
}

static void set_flag(struct cg *c, LLVMValueRef f, const char *name, uint64_t value) {
    unsigned id = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(c->ctx, id, value));
}

struct cg_own cg_own_function(struct cg *c, const char *name, LLVMTypeRef t,
                              enum cg_own_effect effect) {
    struct cg_own own = {.f = LLVMGetNamedFunction(c->mod, name)};
    if (own.f)
        return own;
    own.f = LLVMAddFunction(c->mod, name, t);
    LLVMSetLinkage(own.f, LLVMInternalLinkage);
    LLVMSetFunctionCallConv(own.f, own_convention(c, t));
    set_flag(c, own.f, "noinline", 0);
    set_flag(c, own.f, "willreturn", 0);
    if (effect != CG_ANY_EFFECT)
        set_flag(c, own.f, "memory", (uint64_t)effect);
    own.from = LLVMGetInsertBlock(c->b);
    LLVMPositionBuilderAtEnd(c->b, LLVMAppendBasicBlockInContext(c->ctx, own.f, "entry"));
    return own;
}

void cg_end_own(struct cg *c, const struct cg_own *own) {
    LLVMPositionBuilderAtEnd(c->b, own->from);
}

LLVMValueRef cg_call_own(struct cg *c, LLVMTypeRef t, LLVMValueRef f, LLVMValueRef *args,
                         unsigned n) {
    LLVMValueRef call = LLVMBuildCall2(c->b, t, f, args, n, "");
    LLVMSetInstructionCallConv(call, own_convention(c, t));
    return call;
}

// What is the same in all lanes is a scalar.
LLVMTypeRef cg_param_type(struct cg *c, const struct kir_func *f, uint32_t k) {
    enum kir_type t = (enum kir_type)f->proto.params[k];
    return c->calls->params[f->index][k] ? cg_scalar_type(c, t) : cg_vec_type(c, t);
}

LLVMTypeRef cg_result_type(struct cg *c, const struct kir_func *f, uint32_t k) {
    enum kir_type t = (enum kir_type)f->proto.rets[k];
    return c->calls->results[f->index][k] ? cg_scalar_type(c, t) : cg_vec_type(c, t);
}

// Results, then (when lanes can die inside) the mask of those that live on.
static LLVMTypeRef returned_type(struct cg *c, const struct kir_func *f) {
    LLVMTypeRef *t = arena_array(c->arena, LLVMTypeRef, f->proto.nrets + 1);
    unsigned n = 0;
    for (uint32_t k = 0; k < f->proto.nrets; k++)
        t[n++] = cg_result_type(c, f, k);
    if (c->can_exit[f->index])
        t[n++] = cg_mask_type(c);
    return n ? LLVMStructTypeInContext(c->ctx, t, n, 0) : c->void_t;
}

// (block, t0, mask, frame, arguments...)
LLVMTypeRef cg_func_type(struct cg *c, const struct kir_func *f) {
    uint32_t n = f->proto.nparams;
    LLVMTypeRef *t = arena_array(c->arena, LLVMTypeRef, n + 4);
    t[0] = c->ptr;
    t[1] = c->i32;
    t[2] = cg_mask_type(c);
    t[3] = c->i64;
    for (uint32_t k = 0; k < n; k++)
        t[4 + k] = cg_param_type(c, f, k);
    return LLVMFunctionType(returned_type(c, f), t, n + 4, 0);
}

static uint32_t instructions_of(const struct kir_func *f) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            n++;
    return n;
}

static void count_calls(const struct kir_func *f, uint32_t *calls) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CALL && i->callee)
                calls[i->callee->index]++;
}

// LLVM puts a function in the place of any number of calls, and takes more than linear time for
// what comes of them.
static void keep_large_calls(struct cg *c) {
    enum { MOST = 4000 }; // instructions in the place of calls of one function
    uint32_t *calls = arena_array(c->arena, uint32_t, c->ir->funcs.len + 1);
    for (uint32_t k = 0; k < c->ir->funcs.len; k++)
        if (c->needed[k])
            count_calls(c->ir->funcs.data[k], calls);
    for (uint32_t k = 0; k < c->ir->funcs.len; k++)
        if (c->fn[k] && calls[k] > 1 &&
            (uint64_t)calls[k] * instructions_of(c->ir->funcs.data[k]) > MOST)
            set_flag(c, c->fn[k], "noinline", 0);
}

void cg_declare_functions(struct cg *c) {
    // A kernel whose groups run in teams calls nothing: what it called once has gone.
    for (uint32_t k = 0; k < c->ir->funcs.len && c->team == 1; k++) {
        struct kir_func *f = c->ir->funcs.data[k];
        if (f->is_kernel || f->is_extern || !c->needed[k])
            continue;
        char name[64];
        snprintf(name, sizeof name, "kd_func_%u", k);
        c->fn[k] = LLVMAddFunction(c->mod, name, cg_func_type(c, f));
        LLVMSetLinkage(c->fn[k], LLVMInternalLinkage);
    }
    keep_large_calls(c);
}

LLVMValueRef cg_block_field(struct cg_func *g, size_t offset, LLVMTypeRef t, const char *name) {
    struct cg *c = g->cg;
    LLVMValueRef at = LLVMConstInt(c->i64, offset, 0);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, c->i8, g->blk, &at, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(c->b, t, p, name);
    // The worker writes the block's fields before it calls, and nobody while we run.
    unsigned kind = LLVMGetMDKindIDInContext(c->ctx, "invariant.load", 14);
    LLVMSetMetadata(v, kind, LLVMMetadataAsValue(c->ctx, LLVMMDNodeInContext2(c->ctx, NULL, 0)));
    return v;
}

LLVMValueRef cg_function_handle(struct cg *c, const struct kir_func *f) {
    return cg_i64(c, kir_function_handle(f));
}

LLVMValueRef cg_field(struct cg *c, LLVMValueRef p, size_t offset) {
    LLVMValueRef at = cg_i64(c, offset);
    return LLVMBuildInBoundsGEP2(c->b, c->i8, p, &at, 1, "");
}

void cg_set_field(struct cg *c, LLVMValueRef p, size_t offset, LLVMValueRef x) {
    LLVMBuildStore(c->b, x, cg_field(c, p, offset));
}
