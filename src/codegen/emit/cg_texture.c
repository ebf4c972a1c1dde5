// Textures and surfaces: one call of the device's helper for all lanes that name one object, else
// for each active lane.
#include "codegen/emit/cg_texture.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/image.h"

struct access {
    LLVMValueRef object, in[KD_IMAGE_MAX_INPUTS]; // i64, one a lane
    LLVMValueRef out_at, in_at;                   // what the helper writes and reads
    const char *helper;
    uint32_t form, inputs;
};

static LLVMValueRef slot_at(struct cg *c, LLVMValueRef base, unsigned k) {
    LLVMValueRef at = cg_i64(c, k);
    return LLVMBuildInBoundsGEP2(c->b, c->i64, base, &at, 1, "");
}

static void read_operands(struct cg_func *g, struct kir_inst *i, struct access *f) {
    struct cg *c = g->cg;
    f->form = i->ops[i->nops - 1]->bits.u32[0];
    f->inputs = i->nops - 2;
    f->helper = i->op == ISA_OP_TEX ? "kd_rt_tex" : "kd_rt_surf";
    f->object = cg_narrow(c, cg_operand_bits(g, i, 0, cg_vec(g, i->ops[0])), 64);
    for (unsigned k = 0; k < f->inputs; k++)
        f->in[k] = cg_narrow(c, cg_operand_bits(g, i, k + 1, cg_vec(g, i->ops[k + 1])), 64);
    f->out_at = cg_entry_alloca(g, LLVMArrayType2(c->i64, KD_IMAGE_MAX_OUTPUTS));
    f->in_at = cg_entry_alloca(g, LLVMArrayType2(c->i64, KD_IMAGE_MAX_INPUTS));
}

// Calls the helper for one lane.
static void access_lane(struct cg_func *g, const struct access *f, LLVMValueRef lane) {
    struct cg *c = g->cg;
    for (unsigned k = 0; k < f->inputs; k++)
        LLVMBuildStore(c->b, cg_extract(g, f->in[k], lane), slot_at(c, f->in_at, k));
    LLVMValueRef thread = LLVMBuildAdd(c->b, g->now.t0, lane, "");
    LLVMValueRef a[] = {g->blk,   thread,   cg_extract(g, f->object, lane), cg_i32(c, f->form),
                        f->in_at, f->out_at};
    cg_call_rt(c, f->helper, a, sizeof a / sizeof *a);
}

static LLVMValueRef output(struct cg *c, const struct access *f, unsigned k) {
    return LLVMBuildLoad2(c->b, c->i64, slot_at(c, f->out_at, k), "");
}

static void set_result(struct cg_func *g, struct kir_value *r, LLVMValueRef v) {
    cg_set_result(g, r, cg_widen(g->cg, v, ISA_B64, r->type));
}

// One call for the group: all lanes name one object. Coordinates and texels of a fetch are words,
// those of a surface 64 bits wide.
static void access_lanes(struct cg_func *g, struct kir_inst *i, uint32_t form) {
    struct cg *c = g->cg;
    bool fetches = i->op == ISA_OP_TEX;
    unsigned bits = fetches ? 32 : 64;
    LLVMTypeRef vec = cg_vec_of(c, fetches ? c->i32 : c->i64);
    uint32_t inputs = i->nops - 2;
    LLVMValueRef in = cg_entry_alloca(g, LLVMArrayType2(vec, KD_IMAGE_MAX_INPUTS));
    LLVMValueRef out = cg_entry_alloca(g, LLVMArrayType2(vec, KD_IMAGE_MAX_OUTPUTS));
    LLVMValueRef object = cg_operand_bits(g, i, 0, cg_scalar(g, i->ops[0]));
    for (unsigned k = 0; k < inputs; k++) {
        LLVMValueRef x = cg_operand_bits(g, i, k + 1, cg_vec(g, i->ops[k + 1])), at = cg_i64(c, k);
        LLVMBuildStore(c->b, cg_narrow(c, x, bits),
                       LLVMBuildInBoundsGEP2(c->b, vec, in, &at, 1, ""));
    }
    LLVMValueRef mask = cg_mask_bits(g, cg_mask(g));
    if (c->width < 32)
        mask = LLVMBuildZExt(c->b, mask, c->i32, "");
    LLVMValueRef a[] = {
        g->blk, g->now.t0, cg_narrow(c, object, 64), cg_i32(c, form), cg_i32(c, c->width), mask,
        in,     out};
    cg_call_rt(c, fetches ? "kd_rt_tex_lanes" : "kd_rt_surf_lanes", a, sizeof a / sizeof *a);
    for (unsigned k = 0; k < i->nres; k++) {
        LLVMValueRef at = cg_i64(c, k), p = LLVMBuildInBoundsGEP2(c->b, vec, out, &at, 1, "");
        LLVMValueRef v = LLVMBuildLoad2(c->b, vec, p, "");
        cg_set_result(g, i->res[k], cg_widen(c, v, fetches ? ISA_B32 : ISA_B64, i->res[k]->type));
    }
}

static bool can_be_one_call(const struct kir_inst *i, uint32_t form) {
    uint32_t op = kd_image_op(form);
    if (i->op == ISA_OP_TEX)
        return op <= KD_IMAGE_GATHER && !(form & KD_IMAGE_SAMPLER);
    return op != KD_IMAGE_QUERY && op != KD_IMAGE_QUERY_LEVEL;
}

bool cg_emit_texture(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct access f = {0};
    LLVMTypeRef slots = cg_vec_of(c, c->i64);
    LLVMValueRef out[KD_IMAGE_MAX_OUTPUTS];
    if (i->nops < 2 || i->nops - 2 > KD_IMAGE_MAX_INPUTS || i->nres > KD_IMAGE_MAX_OUTPUTS)
        return false;
    uint32_t form = i->ops[i->nops - 1]->bits.u32[0];
    if (can_be_one_call(i, form) && c->width > 1 && cg_shape(g, i->ops[0]).kind == SHAPE_UNIFORM) {
        access_lanes(g, i, form);
        return true;
    }
    read_operands(g, i, &f);
    if (!i->nres) {
        struct cg_lane_loop l = cg_begin_lanes(g, cg_mask(g));
        access_lane(g, &f, l.lane);
        cg_end_lanes(g, &l);
        return true;
    }
    if (c->width == 1) {
        access_lane(g, &f, cg_i32(c, 0));
        for (unsigned k = 0; k < i->nres; k++)
            set_result(g, i->res[k], output(c, &f, k));
        return true;
    }
    for (unsigned k = 0; k < i->nres; k++) {
        out[k] = cg_entry_alloca(g, slots);
        LLVMBuildStore(c->b, LLVMConstNull(slots), out[k]);
    }
    struct cg_lane_loop l = cg_begin_lanes(g, cg_mask(g));
    access_lane(g, &f, l.lane);
    for (unsigned k = 0; k < i->nres; k++) {
        LLVMValueRef v = LLVMBuildLoad2(c->b, slots, out[k], "");
        v = LLVMBuildInsertElement(c->b, v, output(c, &f, k), l.lane, "");
        LLVMBuildStore(c->b, v, out[k]);
    }
    cg_end_lanes(g, &l);
    for (unsigned k = 0; k < i->nres; k++)
        set_result(g, i->res[k], LLVMBuildLoad2(c->b, slots, out[k], ""));
    return true;
}
