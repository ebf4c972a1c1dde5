// atom and red. Lanes act one after the other, in lane order; operations of integers on one uniform
// address become a vector reduction, or a scan where the old values are read, and one operation.
// A block runs on one worker, so its shared memory needs no locked instruction.
#include "codegen/update/cg_atomic.h"
#include "codegen/access/cg_lane_calls.h"

#include <stdio.h>

#include "codegen/access/cg_places.h"
#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_append.h"
#include "codegen/update/cg_bins.h"
#include "codegen/update/cg_cells.h"
#include "codegen/update/cg_red_site.h"
#include "codegen/update/cg_reds.h"
#include "codegen/update/cg_thread_atomic.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/memory.h"

static LLVMValueRef address(struct cg_func *g, const struct kir_inst *i, bool vector) {
    struct cg *c = g->cg;
    LLVMValueRef a = vector ? cg_vec(g, i->ops[0]) : cg_scalar(g, i->ops[0]);
    LLVMTypeRef to = vector ? cg_vec_of(c, c->i64) : c->i64;
    if (kir_type_bits(i->ops[0]->type) < 64)
        a = LLVMBuildZExt(c->b, a, to, "");
    LLVMValueRef off = LLVMConstInt(c->i64, (unsigned long long)i->offset, 1);
    return LLVMBuildAdd(c->b, a, vector ? cg_splat(c, off) : off, "");
}

static LLVMValueRef operand(struct cg_func *g, struct kir_inst *i, uint32_t k) {
    struct cg *c = g->cg;
    LLVMValueRef x = cg_operand_bits(g, i, k, cg_vec(g, i->ops[k]));
    return cg_narrow(c, x, isa_type_bits(i->ty));
}

static void emit_reduced(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef at = address(g, i, false), x = operand(g, i, 1);
    if (g->now.mask)
        x = cg_select(c, g->now.mask, x, cg_neutral_vector(g, i));
    if (cg_combine_in_cell(g, i, at, x))
        return;
    LLVMValueRef p = cg_pointer(g, i->mods.space, at, false);
    struct cg_active active = cg_begin_active(g);
    cg_atomic_one(g, i, p, cg_reduced(g, i, x), NULL);
    cg_end_active(g, &active, NULL, 0);
}

enum { FEW_LANES = 3 }; // which take turns sooner than a gather

static LLVMValueRef few_active(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMValueRef bits = cg_mask_bits(g, g->now.mask);
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMValueRef n = cg_call_intrinsic(c, "llvm.ctpop", &t, 1, &bits, 1);
    return LLVMBuildICmp(c->b, LLVMIntULE, n, LLVMConstInt(t, FEW_LANES, 0), "few");
}

// Of floats on one address, in the lanes' order and by one exchange. Groups of which few lanes act
// take turns.
static bool is_chain(struct cg_func *g, const struct kir_inst *i) {
    unsigned bits = isa_type_bits(i->ty);
    return g->cg->width > 1 && !g->cg->quick && cg_is_float_atomic(i) && !i->mods.vec &&
           bits >= 32 && bits <= 64 && i->mods.space != ISA_SPACE_SHARED &&
           i->mods.space != ISA_SPACE_LOCAL && cg_shape(g, i->ops[0]).kind == SHAPE_UNIFORM;
}

static LLVMValueRef chained(struct cg_func *g, const struct kir_inst *i, LLVMValueRef old,
                            LLVMValueRef x, LLVMValueRef p) {
    struct cg *c = g->cg;
    for (unsigned l = 0; l < c->width; l++) {
        LLVMValueRef lane = cg_i32(c, l);
        LLVMValueRef new =
            cg_new_value(g, i, old, LLVMBuildExtractElement(c->b, x, lane, ""), NULL, p);
        if (g->now.mask)
            new = LLVMBuildSelect(c->b, LLVMBuildExtractElement(c->b, g->now.mask, lane, ""), new,
                                  old, "");
        old = new;
    }
    return old;
}

static void exchange_chain(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p,
                           LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(x));
    LLVMValueRef first = LLVMBuildLoad2(c->b, t, p, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, LLVMGetIntTypeWidth(t) / 8);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b), loop = cg_new_block(g, "chain"),
                      done = cg_new_block(g, "chain.done");
    LLVMBuildBr(c->b, loop);
    LLVMPositionBuilderAtEnd(c->b, loop);
    LLVMValueRef old = LLVMBuildPhi(c->b, t, "");
    LLVMValueRef r = LLVMBuildAtomicCmpXchg(c->b, p, old, chained(g, i, old, x, p),
                                            LLVMAtomicOrderingSequentiallyConsistent,
                                            LLVMAtomicOrderingMonotonic, 0);
    LLVMValueRef in[2] = {first, LLVMBuildExtractValue(c->b, r, 0, "")};
    LLVMBasicBlockRef blocks[2] = {from, LLVMGetInsertBlock(c->b)};
    LLVMAddIncoming(old, in, blocks, 2);
    LLVMBuildCondBr(c->b, LLVMBuildExtractValue(c->b, r, 1, ""), done, loop);
    LLVMPositionBuilderAtEnd(c->b, done);
}

static void emit_chain(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef p = cg_pointer(g, i->mods.space, address(g, i, false), false);
    LLVMValueRef x = operand(g, i, 1);
    if (!g->now.mask) {
        exchange_chain(g, i, p, x);
        return;
    }
    LLVMBasicBlockRef few = cg_new_block(g, "few"), many = cg_new_block(g, "many"),
                      done = cg_new_block(g, "combined");
    LLVMBuildCondBr(c->b, few_active(g), few, many);
    LLVMPositionBuilderAtEnd(c->b, few);
    struct cg_spread each = cg_spread(g, x, 1);
    struct cg_lane_loop l = cg_begin_lanes(g, cg_mask(g));
    cg_atomic_one(g, i, p, cg_spread_at(g, &each, l.lane), NULL);
    cg_end_lanes(g, &l);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, many);
    exchange_chain(g, i, p, x);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

// x moved up by so many lanes, after neutral ones.
static LLVMValueRef moved_up(struct cg_func *g, const struct kir_inst *i, LLVMValueRef x,
                             unsigned by) {
    struct cg *c = g->cg;
    LLVMValueRef from[32];
    for (unsigned k = 0; k < c->width; k++)
        from[k] = cg_i32(c, k < by ? 0 : c->width + k - by);
    return LLVMBuildShuffleVector(c->b, cg_neutral_vector(g, i), x, LLVMConstVector(from, c->width),
                                  "");
}

// In each lane, the operands of the lanes below it, combined.
static LLVMValueRef of_lanes_below(struct cg_func *g, const struct kir_inst *i, LLVMValueRef x) {
    LLVMValueRef s = moved_up(g, i, x, 1);
    for (unsigned by = 1; by < g->cg->width - 1; by *= 2)
        s = cg_combined(g->cg, i, s, moved_up(g, i, s, by));
    return s;
}

// A lane's old value is memory's, combined with the operands of the lanes below it.
static void emit_scanned(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef p = cg_pointer(g, i->mods.space, address(g, i, false), false);
    LLVMValueRef x = operand(g, i, 1), last = cg_i32(c, c->width - 1);
    if (g->now.mask)
        x = cg_select(c, g->now.mask, x, cg_neutral_vector(g, i));
    LLVMValueRef below = of_lanes_below(g, i, x);
    struct cg_active active = cg_begin_active(g);
    LLVMValueRef all = cg_combined(c, i, cg_extract(g, below, last), cg_extract(g, x, last));
    LLVMValueRef old = cg_atomic_one(g, i, p, all, NULL);
    cg_end_active(g, &active, &old, 1);
    LLVMValueRef r = cg_combined(c, i, cg_splat(c, old), below);
    cg_set_result(g, i->res[0], cg_widen(c, r, i->ty, i->res[0]->type));
}

// What the lanes of one atomic work on.
struct lanes {
    struct cg_places at;
    unsigned offset; // of the component from there
    LLVMValueRef x, y;
    LLVMValueRef out; // alloca for the old values, or NULL
    LLVMTypeRef vt;
};

static void keep_old(struct cg_func *g, const struct lanes *v, LLVMValueRef r, LLVMValueRef lane) {
    struct cg *c = g->cg;
    if (!v->out)
        return;
    if (!LLVMIsConstant(lane)) {
        LLVMValueRef at = LLVMBuildZExt(c->b, lane, c->i64, "");
        LLVMTypeRef t = LLVMTypeOf(r);
        LLVMBuildStore(c->b, r, LLVMBuildInBoundsGEP2(c->b, t, v->out, &at, 1, ""));
        return;
    }
    LLVMValueRef all = LLVMBuildLoad2(c->b, v->vt, v->out, "");
    LLVMBuildStore(c->b, LLVMBuildInsertElement(c->b, all, r, lane, ""), v->out);
}

static void do_active(struct cg_func *g, const struct kir_inst *i, const struct lanes *v) {
    struct cg_spread p = cg_spread(g, cg_pointers(g, &v->at), 0), x = cg_spread(g, v->x, 1),
                     y = {0};
    if (v->y)
        y = cg_spread(g, v->y, 2);
    struct cg_lane_loop l = cg_begin_lanes(g, cg_mask(g));
    LLVMValueRef at = cg_byte_gep(g->cg, cg_spread_at(g, &p, l.lane), v->offset);
    LLVMValueRef of_y = v->y ? cg_spread_at(g, &y, l.lane) : NULL;
    keep_old(g, v, cg_atomic_one(g, i, at, cg_spread_at(g, &x, l.lane), of_y), l.lane);
    cg_end_lanes(g, &l);
}

// Locked instructions do not overlap their cache misses.
static void fetch_all(struct cg_func *g, const struct lanes *v, struct cg_spread *p) {
    struct cg *c = g->cg;
    for (unsigned k = 0; k < c->width; k++) {
        LLVMValueRef at = cg_byte_gep(c, cg_place(g, &v->at, p, k), v->offset);
        cg_prefetch_to(c, at, true, CG_FIRST_CACHE);
    }
}

static void do_all(struct cg_func *g, const struct kir_inst *i, const struct lanes *v) {
    note_on(g->cg->notes, i, g->cg->width > 1, "'%s': one thread after another",
            isa_op_info[i->op].name);
    struct cg_spread p = cg_take_places_apart(g, &v->at), x = {.vec = v->x};
    if (cg_shape(g, i->ops[1]).kind != SHAPE_UNIFORM)
        x = cg_take_apart(g, v->x, 1);
    if (i->mods.space != ISA_SPACE_SHARED && i->mods.atom != ISA_ATOM_CAS)
        fetch_all(g, v, &p);
    for (unsigned k = 0; k < g->cg->width; k++) {
        LLVMValueRef lane = cg_i32(g->cg, k);
        LLVMValueRef at = cg_byte_gep(g->cg, cg_place(g, &v->at, &p, k), v->offset);
        LLVMValueRef y = v->y ? cg_extract(g, v->y, lane) : NULL;
        keep_old(g, v, cg_atomic_one(g, i, at, cg_spread_lane(g, &x, k), y), lane);
    }
}

// One operation is a few instructions: with all lanes active they are written out, without the
// loop's search for the next lane.
static bool short_operation(const struct kir_inst *i) {
    if (isa_type_bits(i->ty) > 64)
        return false;
    return !cg_is_float_atomic(i) ||
           (i->mods.space == ISA_SPACE_SHARED && isa_type_bits(i->ty) >= 32 && i->ty != ISA_F16X2 &&
            i->ty != ISA_BF16X2);
}

// void (places, values, which lanes): one lane after the other. Of values the first vector is x,
// then come y and the old ones.
static void write_lanes(struct cg_func *g, const struct kir_inst *i, LLVMValueRef f,
                        LLVMTypeRef t) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b), b[4];
    for (unsigned k = 0; k < 4; k++)
        b[k] = LLVMAppendBasicBlockInContext(c->ctx, f, "");
    LLVMBuildBr(c->b, b[0]);
    LLVMPositionBuilderAtEnd(c->b, b[0]);
    LLVMValueRef lane = LLVMBuildPhi(c->b, c->i64, ""), at[4];
    LLVMValueRef bit =
        LLVMBuildLShr(c->b, LLVMGetParam(f, 2), LLVMBuildTrunc(c->b, lane, c->i32, ""), "");
    LLVMBuildCondBr(c->b, LLVMBuildTrunc(c->b, bit, c->i1, ""), b[1], b[2]);
    LLVMPositionBuilderAtEnd(c->b, b[1]);
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef first = k ? cg_call_values(c, LLVMGetParam(f, 1), k - 1) : LLVMGetParam(f, 0);
        at[k] = LLVMBuildInBoundsGEP2(c->b, k ? t : c->ptr, first, &lane, 1, "");
    }
    LLVMValueRef p = LLVMBuildLoad2(c->b, c->ptr, at[0], "");
    LLVMValueRef x = LLVMBuildLoad2(c->b, t, at[1], "");
    LLVMValueRef y = i->mods.atom == ISA_ATOM_CAS ? LLVMBuildLoad2(c->b, t, at[2], "") : NULL;
    LLVMBuildStore(c->b, cg_atomic_one(g, i, p, x, y), at[3]);
    LLVMBuildBr(c->b, b[2]);
    LLVMPositionBuilderAtEnd(c->b, b[2]);
    LLVMValueRef next[2] = {cg_i64(c, 0), LLVMBuildAdd(c->b, lane, cg_i64(c, 1), "")};
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntULT, next[1], cg_i64(c, c->width), "");
    LLVMBuildCondBr(c->b, more, b[0], b[3]);
    LLVMBasicBlockRef blocks[2] = {from, b[2]};
    LLVMAddIncoming(lane, next, blocks, 2);
    LLVMPositionBuilderAtEnd(c->b, b[3]);
    LLVMBuildRetVoid(c->b);
}

// Written out for each lane, this many are what LLVM takes seconds for.
static bool has_many(struct cg *c) {
    enum { MANY_LANES = 4096 };
    uint32_t n = 0;
    if (c->many_atomics)
        return c->many_atomics > 0;
    for (uint32_t f = 0; f < c->ir->funcs.len; f++)
        for (uint32_t b = 0; c->needed[f] && b < c->ir->funcs.data[f]->blocks.len; b++)
            for (const struct kir_inst *i = c->ir->funcs.data[f]->blocks.data[b]->first; i;
                 i = i->next)
                n += i->op == ISA_OP_ATOM || i->op == ISA_OP_RED;
    c->many_atomics = n * c->width > MANY_LANES ? 1 : -1;
    return c->many_atomics > 0;
}

// In quick code, and where there are many, all atomics of one form share a function, as accesses do
// (cg_lane_calls.c).
static bool is_called(struct cg *c, const struct kir_inst *i) {
    return c->width > 1 && short_operation(i) && !cg_is_float_atomic(i) &&
           (c->quick || has_many(c));
}

static bool do_by_call(struct cg_func *g, const struct kir_inst *i, const struct lanes *v) {
    struct cg *c = g->cg;
    if (!is_called(c, i))
        return false;
    LLVMTypeRef t = LLVMGetElementType(v->vt);
    unsigned bytes = LLVMGetIntTypeWidth(t) / 8;
    LLVMTypeRef params[3] = {c->ptr, c->ptr, c->i32};
    LLVMTypeRef ft = LLVMFunctionType(c->void_t, params, 3, 0);
    char name[64];
    snprintf(name, sizeof name, "kd_atom_%u_%s_%u%s%s", i->mods.atom, isa_type_name(i->ty),
             i->mods.sem, i->mods.space == ISA_SPACE_SHARED ? "_shared" : "",
             cg_is_atomic_store(g, i, bytes) ? "_store" : "");
    struct cg_own own = cg_own_function(c, name, ft, CG_ANY_EFFECT);
    if (own.from) {
        write_lanes(g, i, own.f, t);
        cg_end_own(c, &own);
    }
    struct cg_call_memory m = cg_call_memory(g, cg_byte_gep(c, cg_pointers(g, &v->at), v->offset));
    LLVMSetVolatile(LLVMBuildStore(c->b, v->x, m.values[0]), 1);
    if (v->y)
        LLVMSetVolatile(LLVMBuildStore(c->b, v->y, m.values[1]), 1);
    LLVMValueRef bits = g->now.mask ? cg_mask_bits(g, g->now.mask) : cg_i32(c, UINT32_MAX);
    if (v->out && g->now.mask) // else each lane's is written
        LLVMSetVolatile(LLVMBuildStore(c->b, LLVMConstNull(v->vt), m.values[2]), 1);
    LLVMValueRef args[3] = {m.places, m.values[0], LLVMBuildZExtOrBitCast(c->b, bits, c->i32, "")};
    cg_call_own(c, ft, own.f, args, 3);
    if (v->out) {
        LLVMValueRef old = LLVMBuildLoad2(c->b, v->vt, m.values[2], "");
        LLVMSetVolatile(old, 1);
        LLVMBuildStore(c->b, old, v->out);
    }
    return true;
}

static void do_lanes(struct cg_func *g, const struct kir_inst *i, const struct lanes *v) {
    struct cg *c = g->cg;
    if (do_by_call(g, i, v))
        return;
    if (!short_operation(i)) {
        do_active(g, i, v);
        return;
    }
    if (!g->now.mask) {
        do_all(g, i, v);
        return;
    }
    LLVMBasicBlockRef all = cg_new_block(g, "all"), some = cg_new_block(g, "some"),
                      done = cg_new_block(g, "atomics.done");
    LLVMValueRef bits = cg_mask_bits(g, g->now.mask);
    LLVMValueRef full =
        LLVMBuildICmp(c->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
    LLVMBuildCondBr(c->b, full, all, some);
    LLVMPositionBuilderAtEnd(c->b, all);
    do_all(g, i, v);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, some);
    do_active(g, i, v);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

// Keeps LLVM from moving accesses across; an instruction only where acquiring takes one.
static void order(struct cg *c, const struct kir_inst *i) {
    bool relaxed = cg_atomic_ordering(i) == LLVMAtomicOrderingMonotonic;
    LLVMBuildFence(c->b, LLVMAtomicOrderingAcquireRelease, 1, "");
    if (!relaxed)
        LLVMBuildFence(c->b, LLVMAtomicOrderingAcquire, 0, "");
}

// A comparison that fails is a load: when no lane's succeeds, a gather answers all of them. Its
// cache misses overlap, which is worth it also for those that do swap.
static void do_compared(struct cg_func *g, const struct kir_inst *i, const struct lanes *v) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef swap = cg_new_block(g, "swap"), done = cg_new_block(g, "compared");
    if (g->now.mask) {
        LLVMBasicBlockRef many = cg_new_block(g, "many");
        LLVMBuildCondBr(c->b, few_active(g), swap, many);
        LLVMPositionBuilderAtEnd(c->b, many);
    }
    LLVMTypeRef ov[2] = {v->vt, cg_vec_of(c, c->ptr)};
    LLVMValueRef args[4] = {cg_byte_gep(c, cg_pointers(g, &v->at), v->offset),
                            cg_i32(c, isa_type_bits(i->ty) / 8), cg_mask(g), LLVMConstNull(v->vt)};
    order(c, i);
    LLVMValueRef old = cg_call_intrinsic(c, "llvm.masked.gather", ov, 2, args, 4);
    order(c, i);
    if (v->out)
        LLVMBuildStore(c->b, old, v->out);
    LLVMValueRef same = LLVMBuildICmp(c->b, LLVMIntEQ, old, v->x, "");
    same = LLVMBuildAnd(c->b, same, cg_mask(g), "");
    LLVMBuildCondBr(c->b, cg_any(g, same), swap, done);
    LLVMPositionBuilderAtEnd(c->b, swap);
    do_lanes(g, i, v);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

// x86 and ARM gather words of these sizes, each in one access.
static bool compares_by_gather(struct cg *c, const struct kir_inst *i) {
    unsigned bits = isa_type_bits(i->ty);
    return i->mods.atom == ISA_ATOM_CAS && !is_called(c, i) && i->mods.space != ISA_SPACE_SHARED &&
           (bits == 32 || bits == 64);
}

static LLVMValueRef old_values(struct cg_func *g, LLVMTypeRef vt) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMValueRef first = LLVMGetFirstInstruction(g->entry);
    if (first)
        LLVMPositionBuilderBefore(c->b, first);
    else
        LLVMPositionBuilderAtEnd(c->b, g->entry);
    LLVMValueRef out = LLVMBuildAlloca(c->b, vt, "old");
    LLVMPositionBuilderAtEnd(c->b, here);
    LLVMBuildStore(c->b, LLVMConstNull(vt), out);
    return out;
}

// Component k of a vector, or the only one, at the lanes' pointers.
static void emit_component(struct cg_func *g, struct kir_inst *i, uint32_t k,
                           const struct cg_places *at) {
    struct cg *c = g->cg;
    bool cas = i->mods.atom == ISA_ATOM_CAS, result = cg_has_readers(g, i);
    struct lanes v = {.vt = cg_vec_of(c, cg_int_type(c, isa_type_bits(i->ty)))};
    v.at = *at;
    v.offset = k * (isa_type_bits(i->ty) / 8);
    v.x = operand(g, i, 1 + k);
    v.y = cas ? operand(g, i, 2) : NULL;
    if (c->width == 1) {
        LLVMValueRef r = cg_atomic_one(g, i, cg_byte_gep(c, at->pointers, v.offset), v.x, v.y);
        if (result)
            cg_set_scalar(g, i->res[k], cg_widen(c, r, i->ty, i->res[k]->type));
        return;
    }
    if (result)
        v.out = old_values(g, v.vt);
    struct cg_binned binned = cg_begin_binned(g, i, at, v.x);
    if (compares_by_gather(c, i))
        do_compared(g, i, &v);
    else
        do_lanes(g, i, &v);
    cg_end_binned(g, &binned);
    if (result)
        cg_set_result(g, i->res[k],
                      cg_widen(c, LLVMBuildLoad2(c->b, v.vt, v.out, ""), i->ty, i->res[k]->type));
}

// The elements of a vector are atomic each by itself, so one follows the other for all lanes.
static void emit_each(struct cg_func *g, struct kir_inst *i) {
    bool one = g->cg->width == 1 || i->mods.space == ISA_SPACE_LOCAL;
    struct cg_places at = {0};
    if (one)
        at.pointers = cg_pointer(g, i->mods.space, address(g, i, true), true);
    else
        at = cg_places_of(g, i);
    for (uint32_t k = 0; k < (i->mods.vec ? i->mods.vec : 1u); k++)
        emit_component(g, i, k, &at);
}

bool cg_emit_atomic(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    if (i->op != ISA_OP_ATOM && i->op != ISA_OP_RED)
        return false;
    bool unused = !cg_has_readers(g, i);
    if (cg_append_place(g, i))
        return true;
    unsigned bytes = (i->mods.vec ? i->mods.vec : 1) * isa_type_bits(i->ty) / 8;
    bool together = c->width > 1 && cg_is_reducible(i) && !i->mods.vec &&
                    i->mods.space != ISA_SPACE_LOCAL &&
                    cg_shape(g, i->ops[0]).kind == SHAPE_UNIFORM;
    cg_settle_appends(g, i, bytes);
    if (!cg_is_put_off(g, i, together))
        cg_settle_reds(g, i, bytes);
    cg_check_alignment(g, i);
    cg_meet_lanes(g);
    if (together && unused)
        emit_reduced(g, i);
    else if (together)
        emit_scanned(g, i);
    else if (unused && is_chain(g, i))
        emit_chain(g, i);
    else
        emit_each(g, i);
    return true;
}
