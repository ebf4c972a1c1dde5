// Where groups stop and go on later: what is alive there is saved, and put back.
#include <stddef.h>

#include "codegen/control/cg_slot.h"
#include "codegen/control/cg_stop.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_invariant.h"
#include "codegen/value/cg_again.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_live.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/block.h"
#include "isa/ops/warp.h"

// One saved piece: where it lies, and where it is put back.
struct slot {
    struct kir_value *v;
    uint32_t offset;
    LLVMTypeRef type;
    enum { SLOT_SCALAR, SLOT_GUARD, SLOT_VEC, SLOT_OUT, SLOT_MASK } what;
};

struct frame {
    VEC(struct slot) slots;
    uint32_t bytes;
};

// Where groups stop, and go on later.
struct cg_stop {
    struct frame frame[CG_MAX_TEAM];
    struct cg_live live;
    LLVMBasicBlockRef resume;
};

static unsigned store_bytes(struct cg *c, LLVMTypeRef t) {
    unsigned n = 1, bits;
    LLVMTypeRef e = t;
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) {
        n = LLVMGetVectorSize(t);
        e = LLVMGetElementType(t);
    }
    bits = e == c->f32 ? 32 : e == c->f64 ? 64 : LLVMGetIntTypeWidth(e);
    return (n * bits + 7) / 8;
}

static void save(struct cg_func *g, struct frame *fr, struct kir_value *v, int what,
                 LLVMValueRef x) {
    struct cg *c = g->cg;
    unsigned bytes = store_bytes(c, LLVMTypeOf(x)), align = bytes >= 64 ? 64 : 16;
    if (bytes < 16)
        align = bytes > 4 ? 8 : 4;
    fr->bytes = (fr->bytes + align - 1) / align * align;
    struct slot s = {.v = v, .offset = fr->bytes, .type = LLVMTypeOf(x)};
    s.what = what;
    LLVMValueRef at = cg_i64(c, fr->bytes);
    LLVMValueRef p = LLVMBuildGEP2(c->b, c->i8, g->now.spill, &at, 1, "");
    LLVMSetAlignment(LLVMBuildStore(c->b, x, p), align);
    fr->bytes += bytes;
    vec_push(c->arena, &fr->slots, s);
}

// A vector with a slot, which is stored when it has changed since.
static bool save_in_slot(struct cg_func *g, struct frame *fr, const struct kir_inst *barrier,
                         struct kir_value *v) {
    struct cg *c = g->cg;
    struct slot s = {.v = v, .offset = cg_slot_of(g, v), .what = SLOT_VEC};
    if (!s.offset)
        return false;
    s.type = cg_vec_type(c, v->type);
    if (!cg_is_in_slot(g, barrier, v))
        cg_store_slot(g, v, cg_vec(g, v));
    vec_push(c->arena, &fr->slots, s);
    return true;
}

static void save_value(struct cg_func *g, struct frame *fr, const struct kir_inst *barrier,
                       struct kir_value *v) {
    struct cg *c = g->cg;
    struct cg_var *var = cg_var_of(g, v);
    if (save_in_slot(g, fr, barrier, v))
        return;
    if (cg_has_home(g, v) || cg_is_again(g, v) || (g->turn && cg_made_once(g, v)))
        return;
    struct shape s = c->width == 1 ? (struct shape){.kind = SHAPE_UNIFORM} : g->fl->shape[v->id];
    bool here = v->def->block == g->block || !g->crosses[v->id];
    bool scalar = s.kind == SHAPE_UNIFORM || s.kind == SHAPE_OFFSETS;
    bool inside = here || !var->out || cg_shape(g, v).kind == g->fl->shape[v->id].kind;
    if (inside && scalar && !(g->turn && g->fl->affine[v->id])) {
        save(g, fr, v, SLOT_SCALAR, cg_scalar(g, v));
        if (s.guard && cg_guard(g, v))
            save(g, fr, v, SLOT_GUARD, cg_guard(g, v));
    }
    if (inside && (!scalar || s.guard))
        save(g, fr, v, SLOT_VEC, s.guard ? cg_delta(g, v) : cg_vec(g, v));
    if (var->out)
        save(g, fr, v, SLOT_OUT, LLVMBuildLoad2(c->b, cg_vec_type(c, v->type), var->out, ""));
}

static void restore(struct cg_func *g, const struct frame *fr) {
    struct cg *c = g->cg;
    for (uint32_t k = 0; k < fr->slots.len; k++) {
        const struct slot *s = &fr->slots.data[k];
        LLVMValueRef at = cg_i64(c, s->offset);
        LLVMValueRef x =
            LLVMBuildLoad2(c->b, s->type, LLVMBuildGEP2(c->b, c->i8, g->now.spill, &at, 1, ""), "");
        unsigned bytes = store_bytes(c, s->type);
        LLVMSetAlignment(x, bytes >= 64 ? 64 : bytes >= 16 ? 16 : bytes > 4 ? 8 : 4);
        if (s->what == SLOT_MASK) {
            g->now.mask = x;
            continue;
        }
        struct cg_val *val = cg_val_of(g, s->v);
        struct cg_var *var = cg_var_of(g, s->v);
        if (val->epoch != g->epoch)
            *val = (struct cg_val){.epoch = g->epoch};
        LLVMValueRef to = NULL;
        switch (s->what) {
        case SLOT_SCALAR:
            val->scalar = x;
            to = var->scalar;
            break;
        case SLOT_GUARD:
            val->guard = x;
            to = var->guard;
            break;
        case SLOT_VEC:
            *(cg_is_guarded(g, s->v) ? &val->delta : &val->vec) = x;
            to = var->vec;
            break;
        default:
            to = var->out;
            if (cg_shape(g, s->v).kind != g->fl->shape[s->v->id].kind)
                val->vec = x;
        }
        if (to)
            LLVMBuildStore(c->b, x, to);
    }
}

// In how many of the group's active lanes the predicate holds, and how many there are: i32.
void cg_count_group(struct cg_func *g, struct kir_inst *i, LLVMValueRef n[2]) {
    struct cg *c = g->cg;
    LLVMValueRef p = cg_vec(g, i->ops[i->nops - 1]);
    LLVMValueRef m = cg_mask(g),
                 yes = g->now.mask ? cg_select(c, m, p, LLVMConstNull(LLVMTypeOf(m))) : p;
    n[0] = cg_mask_bits(g, yes);
    n[1] = cg_mask_bits(g, m);
    for (int k = 0; k < 2; k++) {
        LLVMTypeRef t = LLVMTypeOf(n[k]);
        n[k] = cg_call_intrinsic(c, "llvm.ctpop", &t, 1, &n[k], 1);
        if (c->width < 32)
            n[k] = LLVMBuildZExt(c->b, n[k], c->i32, "");
    }
}

static void count_predicates(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMValueRef n[2], var[2] = {g->red_popc, g->red_lanes};
    cg_count_group(g, i, n);
    for (int k = 0; k < 2; k++) {
        LLVMValueRef old = LLVMBuildLoad2(c->b, c->i32, var[k], "");
        LLVMBuildStore(c->b, LLVMBuildAdd(c->b, old, n[k], ""), var[k]);
    }
}

static void save_group(struct cg_func *g, struct frame *fr, const struct kir_inst *barrier,
                       const struct cg_live *live) {
    for (uint32_t k = 0; k < live->n; k++)
        save_value(g, fr, barrier, live->values[k]);
    if (g->now.mask && g->now.mask != g->entry_mask && !g->park)
        save(g, fr, NULL, SLOT_MASK, g->now.mask);
    if (fr->bytes > g->spill_bytes)
        g->spill_bytes = fr->bytes;
}

LLVMValueRef cg_active_lanes(struct cg_func *g) {
    LLVMValueRef bits = cg_mask_bits(g, cg_mask(g));
    return g->cg->width < 32 ? LLVMBuildZExt(g->cg->b, bits, g->cg->i32, "") : bits;
}

void cg_say_stop(struct cg_func *g, uint32_t state, enum kd_split_wait wait,
                 const struct kir_inst *op) {
    struct cg *c = g->cg;
    struct kd_split s = {.wait = (uint8_t)wait};
    uint32_t word;
    if (!g->park) {
        LLVMBuildStore(c->b, cg_i32(c, state), g->now.spill);
        return;
    }
    switch (wait == KD_SPLIT_WARP_OP ? op->op : ISA_OP_BAR_SYNC) {
    case ISA_OP_SHFL:
        s.op = KD_WARP_SHFL;
        s.mode = (uint8_t)op->mods.mode;
        break;
    case ISA_OP_VOTE:
        s.op = KD_WARP_VOTE;
        s.mode = (uint8_t)op->mods.mode;
        break;
    case ISA_OP_MATCH:
        s.op = KD_WARP_MATCH;
        s.mode = (uint8_t)op->mods.mode;
        s.bits = isa_type_bits(op->ty);
        break;
    case ISA_OP_REDUX:
        s.op = KD_WARP_REDUX;
        s.mode = (uint8_t)op->mods.atom;
        s.bits = isa_type_is_signed(op->ty);
        break;
    default:
        s.op = KD_WARP_SYNC;
    }
    word = s.wait | (uint32_t)s.op << 8 | (uint32_t)s.mode << 16;
    LLVMBuildStore(c->b, cg_i32(c, state), g->now.spill);
    LLVMBuildStore(c->b, cg_i32(c, word),
                   cg_field(g->cg, g->now.spill, offsetof(struct kd_split, wait)));
    LLVMBuildStore(c->b, cg_active_lanes(g),
                   cg_field(g->cg, g->now.spill, offsetof(struct kd_split, lanes)));
    if (wait == KD_SPLIT_WARP_OP)
        LLVMBuildStore(c->b, cg_i32(c, s.bits),
                       cg_field(g->cg, g->now.spill, offsetof(struct kd_split, bits)));
}

// The lanes that go on here.
LLVMValueRef cg_stopped_lanes(struct cg_func *g) {
    LLVMValueRef at = cg_field(g->cg, g->now.spill, offsetof(struct kd_split, lanes));
    return LLVMBuildLoad2(g->cg->b, g->cg->i32, at, "lanes");
}

void cg_go_on_with_split(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!g->park)
        return;
    LLVMValueRef bits = cg_narrow(c, cg_stopped_lanes(g), c->width);
    g->now.mask = LLVMBuildBitCast(c->b, bits, cg_mask_type(c), "mask");
}

struct cg_stop *cg_save_to_stop(struct cg_func *g, struct kir_inst *i, enum kd_split_wait wait) {
    struct cg *c = g->cg;
    struct cg_stop *s = arena_new(c->arena, struct cg_stop);
    uint32_t state = CG_STATE_BARRIER + g->nsuspends++;
    s->live = cg_live_after(g, i);
    for (unsigned t = c->team; t-- > 0;) {
        cg_turn_to(g, t);
        if (i->op == ISA_OP_BAR_RED)
            count_predicates(g, i);
        s->frame[t].bytes = g->homes_end;
        save_group(g, &s->frame[t], i, &s->live);
    }
    cg_say_stop(g, state, wait, i);
    s->resume = cg_new_block(g, "resume");
    LLVMAddCase(g->state_switch, cg_i32(c, state), s->resume);
    return s;
}

void cg_go_on(struct cg_func *g, const struct cg_stop *s) {
    LLVMPositionBuilderAtEnd(g->cg->b, s->resume);
    g->epoch++;
    for (unsigned t = 0; t < g->cg->team; t++) {
        cg_turn_to(g, t);
        restore(g, &s->frame[t]);
        cg_go_on_with_split(g);
        if (g->again)
            cg_make_again(g, &s->live);
    }
    cg_turn_to(g, 0);
}
