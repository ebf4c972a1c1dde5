// Texture and surface instructions to kernel IR: the object, the values that count, and a constant
// form that says what they are (abi/generated_code.h).
#include "abi/generated_code.h"
#include "ir/lower/lower.h"
#include "isa/ops/image.h"

enum { MASK_LEVEL = 2, MASK_GRAD = 3 }; // mods.mask of tex, as the table sets it

static uint32_t log2_of(unsigned n) {
    return n == 8 ? 3 : n == 4 ? 2 : n == 2;
}

static uint32_t texture_op(const struct ptx_inst *inst) {
    switch (inst->op) {
    case ISA_OP_TLD4:
        return KD_IMAGE_GATHER;
    case ISA_OP_TXQ:
        return inst->mods.po ? KD_IMAGE_QUERY_LEVEL : KD_IMAGE_QUERY;
    case ISA_OP_ISTYPEP:
    case ISA_OP_SUQ:
        return KD_IMAGE_QUERY;
    case ISA_OP_SULD:
        return KD_IMAGE_LOAD;
    case ISA_OP_SUST:
        return KD_IMAGE_STORE;
    case ISA_OP_SURED:
        return KD_IMAGE_REDUCE;
    default:
        return inst->mods.mask == MASK_LEVEL  ? KD_IMAGE_LEVEL
               : inst->mods.mask == MASK_GRAD ? KD_IMAGE_GRAD
                                              : KD_IMAGE_FETCH;
    }
}

static bool is_surface_access(const struct ptx_inst *inst) {
    return inst->op == ISA_OP_SULD || inst->op == ISA_OP_SUST || inst->op == ISA_OP_SURED;
}

// All but KD_IMAGE_OFFSETS.
static uint32_t form_of(const struct ptx_inst *inst) {
    uint32_t op = texture_op(inst), form = op << 4;
    if (inst->mods.mode)
        form |= inst->mods.mode - ISA_TEX_1D + KD_GEOMETRY_1D;
    if (is_surface_access(inst)) {
        form |= KD_IMAGE_INTEGER | (uint32_t)inst->mods.scale << KD_IMAGE_CLAMP;
        form |= log2_of(isa_type_bits(inst->ty) / 8) << KD_IMAGE_BYTES;
        form |= log2_of(inst->mods.vec ? inst->mods.vec : 1) << KD_IMAGE_VEC;
        form |= (uint32_t)inst->mods.atom << KD_IMAGE_ARG;
        form |= inst->mods.mask ? KD_IMAGE_FORMATTED : 0;
        return form | (isa_type_is_signed(inst->ty) ? KD_IMAGE_SIGNED : 0);
    }
    if (op >= KD_IMAGE_GATHER)
        form |= (uint32_t)inst->mods.mask << KD_IMAGE_ARG;
    if (inst->ty == ISA_F16X2)
        form |= KD_IMAGE_PAIRS;
    return form | (inst->ty == ISA_F16 ? KD_IMAGE_HALF : 0) |
           (inst->ty2 == ISA_S32 ? KD_IMAGE_INTEGER : 0);
}

struct values {
    struct kir_value *v[2 + KD_IMAGE_MAX_INPUTS];
    uint32_t n;
};

static bool add(struct lower_func *lf, struct values *s, const struct ptx_operand *o) {
    if (s->n == sizeof s->v / sizeof *s->v - 1)
        return lower_error(lf->lm, o->pos, "too many operands");
    return lower_operand(lf, o, &s->v[s->n++]);
}

// The first n elements of a vector, or a single value.
static bool add_elements(struct lower_func *lf, struct values *s, const struct ptx_operand *o,
                         uint32_t n) {
    if (o->kind != PTX_OPERAND_VEC)
        return add(lf, s, o);
    for (uint32_t k = 0; k < n && k < o->n; k++)
        if (!add(lf, s, &o->elems[k]))
            return false;
    return true;
}

// [object, coordinates], [object], or an object by itself.
static bool add_object(struct lower_func *lf, struct values *s, const struct ptx_operand *o,
                       struct isa_geometry g) {
    if (o->kind == PTX_OPERAND_ADDR) {
        uint8_t space = ISA_SPACE_GENERIC;
        int64_t offset;
        if (o->var && o->var->ref)
            return lower_handle(lf, o, &s->v[s->n++]);
        if (!o->reg)
            return lower_error(lf->lm, o->pos,
                               "expected a register with an object's handle, or a reference");
        if (!lower_address(lf, o, &s->v[s->n], &offset, &space))
            return false;
        struct kir_value *x[2] = {s->v[s->n++], kir_const(lf->f, KIR_B64, (uint64_t)offset)};
        if (offset)
            s->v[s->n - 1] = lower_emit1(lf, ISA_OP_ADD, ISA_S64, KIR_B64, 2, x);
        return true;
    }
    if (o->kind != PTX_OPERAND_TEX)
        return add(lf, s, o);
    for (uint32_t k = 0; k < o->n && k < 1u + g.used; k++)
        if (!add(lf, s, &o->elems[k]) || (!k && o->sampler && !add(lf, s, o->sampler)))
            return false;
    return true;
}

// A word that is not 0 as a predicate.
static void write_predicate(struct lower_func *lf, const struct ptx_operand *to,
                            struct kir_value *word) {
    struct kir_value *x[2] = {word, kir_const(lf->f, KIR_B32, 0)};
    struct kir_value *p = lower_emit1(lf, ISA_OP_SETP, ISA_U32, KIR_PRED, 2, x);
    p->def->mods.cmp = ISA_CMP_NE;
    lower_write(lf, to, p);
}

static void emit(struct lower_func *lf, struct values *s, uint32_t form) {
    static const uint8_t ops[] = {[KD_IMAGE_LOAD] = 1, [KD_IMAGE_STORE] = 2, [KD_IMAGE_REDUCE] = 2};
    const struct ptx_inst *inst = lf->inst;
    uint32_t op = kd_image_op(form), n = kd_image_outputs(form);
    uint8_t types[KD_IMAGE_MAX_OUTPUTS];
    const struct ptx_operand *dst = inst->ndst ? &inst->ops[0] : NULL, *resident = NULL;
    if (dst && dst->kind == PTX_OPERAND_PAIR) {
        resident = &dst->elems[1];
        dst = &dst->elems[0];
    }
    const struct ptx_operand *elems = dst && dst->kind == PTX_OPERAND_VEC ? dst->elems : dst;
    bool is_pred = inst->op == ISA_OP_ISTYPEP;
    uint32_t texels = n;
    if (resident && resident->kind == PTX_OPERAND_REG) {
        form |= KD_IMAGE_RESIDENT;
        types[n++] = KIR_B32;
    }
    for (uint32_t k = 0; k < texels; k++)
        types[k] = (uint8_t)(is_pred || elems[k].kind != PTX_OPERAND_REG
                                 ? KIR_B32
                                 : kir_type_of((enum isa_type)elems[k].reg->type));
    s->v[s->n++] = kir_const(lf->f, KIR_B32, form);
    isa_op kind = op < KD_IMAGE_LOAD ? ISA_OP_TEX : ops[op] == 1 ? ISA_OP_SULD : ISA_OP_SUST;
    struct kir_inst *i = lower_emit(lf, kind, (enum isa_type)inst->ty, s->n, n, types);
    for (uint32_t k = 0; k < s->n; k++)
        i->ops[k] = s->v[k];
    if (is_pred) {
        write_predicate(lf, dst, i->res[0]);
        return;
    }
    for (uint32_t k = 0; k < texels; k++)
        lower_write(lf, &elems[k], i->res[k]);
    if (n > texels)
        write_predicate(lf, resident, i->res[texels]);
}

bool lower_image(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    struct isa_geometry g = isa_geometry((enum isa_mode)inst->mods.mode);
    struct values s = {0};
    uint32_t form = form_of(inst);
    bool stores = kd_image_op(form) > KD_IMAGE_LOAD;
    if (!add_object(lf, &s, &inst->ops[inst->ndst], g))
        return false;
    for (uint32_t k = inst->ndst + 1u; k < inst->nops; k++)
        if (!add_elements(lf, &s, &inst->ops[k], stores ? 4 : g.dims))
            return false;
    if (inst->ops[inst->ndst].kind == PTX_OPERAND_TEX && inst->ops[inst->ndst].sampler)
        form |= KD_IMAGE_SAMPLER;
    if (s.n == 1 + kd_image_inputs(form | KD_IMAGE_OFFSETS) && s.n != 1 + kd_image_inputs(form))
        form |= KD_IMAGE_OFFSETS;
    emit(lf, &s, form);
    return true;
}
