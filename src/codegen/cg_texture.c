// Texture fetches: one call of the device's sampler for each active lane.
#include "codegen/cg.h"

enum { COMPONENTS = 4 };

struct fetch {
    LLVMValueRef object, coords[KD_TEX_MAX_DIMS]; // i64, i32: one a lane
    LLVMValueRef texel;                           // COMPONENTS words that the sampler writes
    LLVMValueRef coords_at;                       // coordinates that it reads
    unsigned dims;
    uint32_t form;
};

static LLVMValueRef word_at(struct cg *c, LLVMValueRef base, unsigned k) {
    LLVMValueRef at = cg_i64(c, k);
    return LLVMBuildInBoundsGEP2(c->b, c->i32, base, &at, 1, "");
}

static void read_operands(struct cg_func *g, struct kir_inst *i, struct fetch *f) {
    struct cg *c = g->cg;
    f->dims = isa_tex_dims((enum isa_mode)i->mods.mode);
    f->form = f->dims | (i->ty2 == ISA_F32 ? 0 : KD_TEX_INTEGER);
    f->object = cg_narrow(c, cg_operand_bits(g, i, 0, cg_vec(g, i->ops[0])), 64);
    for (unsigned k = 0; k < f->dims; k++)
        f->coords[k] = cg_narrow(c, cg_operand_bits(g, i, k + 1, cg_vec(g, i->ops[k + 1])), 32);
    f->texel = cg_entry_alloca(g, LLVMArrayType2(c->i32, COMPONENTS));
    f->coords_at = cg_entry_alloca(g, LLVMArrayType2(c->i32, KD_TEX_MAX_DIMS));
}

// Calls the sampler for one lane.
static void sample(struct cg_func *g, const struct fetch *f, LLVMValueRef lane) {
    struct cg *c = g->cg;
    for (unsigned k = 0; k < f->dims; k++)
        LLVMBuildStore(c->b, cg_extract(g, f->coords[k], lane), word_at(c, f->coords_at, k));
    LLVMValueRef thread = LLVMBuildAdd(c->b, g->now.t0, lane, "");
    LLVMValueRef a[] = {g->blk,       thread,  cg_extract(g, f->object, lane), cg_i32(c, f->form),
                        f->coords_at, f->texel};
    cg_call_rt(c, "kd_rt_tex", a, sizeof a / sizeof *a);
}

static LLVMValueRef component(struct cg *c, const struct fetch *f, unsigned k) {
    return LLVMBuildLoad2(c->b, c->i32, word_at(c, f->texel, k), "");
}

bool cg_emit_texture(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct fetch f = {0};
    LLVMTypeRef words = cg_vec_of(c, c->i32);
    LLVMValueRef out[COMPONENTS];
    if (i->nres != COMPONENTS)
        return false;
    read_operands(g, i, &f);
    if (c->width == 1) {
        sample(g, &f, cg_i32(c, 0));
        for (unsigned k = 0; k < COMPONENTS; k++)
            cg_set_result(g, i->res[k], cg_widen(c, component(c, &f, k), i->ty, i->res[k]->type));
        return true;
    }
    for (unsigned k = 0; k < COMPONENTS; k++) {
        out[k] = cg_entry_alloca(g, words);
        LLVMBuildStore(c->b, LLVMConstNull(words), out[k]);
    }
    struct cg_lane_loop l = cg_begin_lanes(g, cg_mask(g));
    sample(g, &f, l.lane);
    for (unsigned k = 0; k < COMPONENTS; k++) {
        LLVMValueRef v = LLVMBuildLoad2(c->b, words, out[k], "");
        v = LLVMBuildInsertElement(c->b, v, component(c, &f, k), l.lane, "");
        LLVMBuildStore(c->b, v, out[k]);
    }
    cg_end_lanes(g, &l);
    for (unsigned k = 0; k < COMPONENTS; k++) {
        LLVMValueRef v = LLVMBuildLoad2(c->b, words, out[k], "");
        cg_set_result(g, i->res[k], cg_widen(c, v, i->ty, i->res[k]->type));
    }
    return true;
}
