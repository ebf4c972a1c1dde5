// One PTX instruction to kernel IR. Most keep opcode, types, modifiers and operand order; what
// differs has a function of its own.
#include <string.h>

#include "ir/lower/lower.h"
#include "isa/matrix.h"
#include "isa/ops/block.h"
#include "isa/ops/cluster.h"
#include "isa/ops/composite.h"
#include "isa/ops/control.h"
#include "isa/ops/fence.h"
#include "isa/ops/image.h"
#include "isa/ops/integer.h"
#include "isa/ops/matrix.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "isa/video.h"

enum { MAX_OPERANDS = 160 }; // wgmma reads and writes up to 128 registers

struct operands {
    uint32_t n;
    struct kir_value *v[MAX_OPERANDS];
};

struct results {
    uint32_t n;
    const struct ptx_operand *dst[MAX_OPERANDS];
    uint8_t types[MAX_OPERANDS + 1];
};

bool lower_is_pure(const struct ptx_inst *inst) {
    enum isa_class klass = isa_op_info[inst->op].klass;
    if (klass != ISA_CLASS_POINTWISE && klass != ISA_CLASS_SOURCE && klass != ISA_CLASS_COMPOSITE)
        return false;
    if (inst->op == ISA_OP_REDUX_FLOAT) // lanes meet
        return false;
    for (uint32_t k = 0; k < inst->ndst; k++)
        if (inst->ops[k].kind == PTX_OPERAND_REG && isa_type_bits(inst->ops[k].reg->type) > 64)
            return false;
    return true;
}

static bool too_many(struct lower_func *lf, const struct ptx_operand *o) {
    return lower_error(lf->lm, o->pos, "too many operands");
}

static bool add_source(struct lower_func *lf, struct operands *s, const struct ptx_operand *o) {
    if (o->kind == PTX_OPERAND_VEC || o->kind == PTX_OPERAND_PAIR || o->kind == PTX_OPERAND_TEX) {
        for (uint32_t k = 0; k < o->n; k++)
            if (!add_source(lf, s, &o->elems[k]))
                return false;
        return true;
    }
    if (s->n == MAX_OPERANDS)
        return too_many(lf, o);
    return lower_operand(lf, o, &s->v[s->n++]);
}

static bool add_result(struct lower_func *lf, struct results *r, const struct ptx_operand *o) {
    if (o->kind == PTX_OPERAND_VEC || o->kind == PTX_OPERAND_PAIR) {
        for (uint32_t k = 0; k < o->n; k++)
            if (!add_result(lf, r, &o->elems[k]))
                return false;
        return true;
    }
    if (r->n == MAX_OPERANDS)
        return too_many(lf, o);
    uint8_t type = o->kind == PTX_OPERAND_REG ? o->reg->type : o->type;
    type = type == ISA_VOID ? lf->inst->ty : type;
    r->types[r->n] = (uint8_t)kir_type_of((enum isa_type)type);
    r->dst[r->n++] = o;
    return true;
}

static bool add_sources(struct lower_func *lf, struct operands *s, uint32_t first) {
    for (uint32_t k = first; k < lf->inst->nops; k++)
        if (!add_source(lf, s, &lf->inst->ops[k]))
            return false;
    return true;
}

static bool add_results(struct lower_func *lf, struct results *r) {
    for (uint32_t k = 0; k < lf->inst->ndst; k++)
        if (!add_result(lf, r, &lf->inst->ops[k]))
            return false;
    return true;
}

static struct kir_inst *build(struct lower_func *lf, const struct operands *s,
                              const struct results *r) {
    const struct ptx_inst *inst = lf->inst;
    struct kir_inst *i =
        lower_emit(lf, (isa_op)inst->op, (enum isa_type)inst->ty, s->n, r->n, r->types);
    i->ty2 = inst->ty2;
    i->mods = inst->mods;
    if (inst->op == ISA_OP_MOV_PACK || inst->op == ISA_OP_MOV_UNPACK)
        i->mods.vec = (uint8_t)(inst->op == ISA_OP_MOV_PACK ? s->n : r->n);
    for (uint32_t k = 0; k < s->n; k++)
        i->ops[k] = s->v[k];
    return i;
}

static void write_results(struct lower_func *lf, const struct kir_inst *i,
                          const struct results *r) {
    for (uint32_t k = 0; k < r->n; k++)
        if (r->dst[k])
            lower_write(lf, r->dst[k], i->res[k]);
}

static bool reads_carry(isa_op op) {
    return op == ISA_OP_ADDC || op == ISA_OP_SUBC || op == ISA_OP_MADC;
}

static bool lower_generic(struct lower_func *lf) {
    struct operands s = {0};
    struct results r = {0};
    if (!add_results(lf, &r) || !add_sources(lf, &s, lf->inst->ndst))
        return false;
    if (reads_carry((isa_op)lf->inst->op) && s.n < MAX_OPERANDS)
        s.v[s.n++] = lower_read(lf, lf->carry);
    struct ptx_operand carry = {.kind = PTX_OPERAND_REG,
                                .reg = &(struct ptx_reg){.id = lf->carry, .type = ISA_PRED}};
    if (lf->inst->mods.cc && r.n < MAX_OPERANDS) {
        r.types[r.n] = KIR_PRED;
        r.dst[r.n++] = &carry;
    }
    struct kir_inst *i = build(lf, &s, &r);
    write_results(lf, i, &r);
    return true;
}

// Operands a, b, c (0 where the text has none) and the constant that tells their parts.
static bool lower_video(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    struct isa_video parts = {.part[2] = inst->ops[0].part};
    struct operands s = {0};
    struct results r = {0};
    if (!add_results(lf, &r))
        return false;
    for (uint32_t k = 0; k + 1u < inst->nops && k < 3; k++) {
        struct ptx_operand o = inst->ops[k + 1];
        parts.negated[k] = o.negated;
        if (k < 2)
            parts.part[k] = o.part;
        o.negated = false;
        if (!add_source(lf, &s, &o))
            return false;
    }
    while (s.n < 3)
        s.v[s.n++] = kir_const(lf->f, KIR_B32, 0);
    s.v[s.n++] = kir_const(lf->f, KIR_B32, isa_video_control((isa_op)inst->op, &parts));
    write_results(lf, build(lf, &s, &r), &r);
    return true;
}

// The register by which device code tells this device from a GPU (docs/design/lowering.md): it is 1
// here whatever is written to it, and what is written, 0, elsewhere.
static bool is_cpu_mark(const struct lower_func *lf) {
    return strcmp(lf->inst->ops[0].reg->name, "%kudzu_cpu") == 0;
}

// mov.v2, mov.v4: all elements are read, by copies of their own, before the first one is written.
static bool lower_mov_vector(struct lower_func *lf) {
    const struct ptx_operand *to = &lf->inst->ops[0];
    struct operands s = {0};
    if (!add_source(lf, &s, &lf->inst->ops[1]))
        return false;
    for (uint32_t k = 0; k < s.n; k++) {
        enum kir_type type = (enum kir_type)s.v[k]->type;
        s.v[k] = lower_emit1(lf, ISA_OP_MOV, kir_isa_type(type), type, 1, &s.v[k]);
    }
    for (uint32_t k = 0; k < s.n; k++)
        lower_write(lf, &to->elems[k], s.v[k]);
    return true;
}

// A copy needs no instruction: the variable takes the other's value.
static bool lower_mov(struct lower_func *lf) {
    struct kir_value *v;
    if (lf->inst->mods.vec)
        return lower_mov_vector(lf);
    if (lf->inst->nops != 2 || lf->inst->ops[0].kind != PTX_OPERAND_REG)
        return lower_generic(lf);
    if (!lower_operand(lf, &lf->inst->ops[1], &v))
        return false;
    if (v->type == KIR_B32 && is_cpu_mark(lf))
        v = kir_const(lf->f, KIR_B32, 1);
    lower_write(lf, &lf->inst->ops[0], v);
    return true;
}

// Policies are hints; the address of a range is not looked at.
static bool lower_policy(struct lower_func *lf) {
    lower_write(lf, &lf->inst->ops[0], kir_const(lf->f, KIR_B64, 0));
    return true;
}

// In a function, .param addresses are those of slots in a frame; isspacep always asks for the
// kernel's parameters.
static bool lower_space_op(struct lower_func *lf) {
    struct operands s = {0};
    struct results r = {0};
    if (!add_results(lf, &r) || !add_sources(lf, &s, lf->inst->ndst))
        return false;
    if (s.n != 1 || kir_type_bits(s.v[0]->type) != 64 ||
        (lf->inst->op == ISA_OP_CVTA && isa_type_bits(lf->inst->ty) != 64))
        return lower_error(lf->lm, lf->inst->pos, "generic addresses have 64 bits");
    struct kir_inst *i = build(lf, &s, &r);
    if (i->op == ISA_OP_CVTA && i->mods.space == ISA_SPACE_PARAM && !lf->ast->is_entry)
        i->mods.space = ISA_SPACE_LOCAL;
    write_results(lf, i, &r);
    return true;
}

// Another block's shared memory is reached by its generic address.
static void cluster_access(struct lower_func *lf, struct kir_inst *i) {
    if (i->mods.space != ISA_SPACE_CLUSTER)
        return;
    struct kir_value *ops[2] = {i->ops[0], kir_const(lf->f, KIR_B64, (uint64_t)i->offset)};
    kir_remove(i);
    struct kir_value *a = lower_emit1(lf, ISA_OP_ADD, ISA_U64, KIR_B64, 2, ops);
    i->ops[0] = lower_to_generic(lf, a, ISA_SPACE_CLUSTER);
    i->offset = 0;
    i->mods.space = ISA_SPACE_GENERIC;
    kir_append(lf->cur, i);
}

// Half of an access of 32 bytes, which are two of 16 here. The address comes before the values.
static struct kir_inst *build_part(struct lower_func *lf, const struct operands *s,
                                   const struct results *r, uint32_t part) {
    uint32_t values = (s->n - 1) / 2;
    struct operands half = {.n = 1, .v = {s->v[0]}};
    struct results kept = {0};
    for (uint32_t k = 0; k < values; k++)
        half.v[half.n++] = s->v[1 + part * values + k];
    for (; kept.n < r->n / 2; kept.n++)
        kept.types[kept.n] = r->types[part * r->n / 2 + kept.n];
    struct kir_inst *i = build(lf, &half, &kept);
    i->mods.vec /= 2;
    return i;
}

static bool is_wide(const struct ptx_inst *inst) {
    return inst->mods.vec * isa_type_bits((enum isa_type)inst->ty) > 128;
}

// The second half's results are written when both have been loaded: one may be in the address.
static void load_wide(struct lower_func *lf, const struct operands *s, const struct results *r,
                      int64_t offset) {
    struct kir_inst *part[2];
    for (uint32_t k = 0; k < 2; k++) {
        part[k] = build_part(lf, s, r, k);
        part[k]->op = ISA_OP_LD;
        part[k]->offset = offset + 16 * k;
    }
    for (uint32_t k = 0; k < r->n; k++)
        if (r->dst[k])
            lower_write(lf, r->dst[k], part[k / (r->n / 2)]->res[k % (r->n / 2)]);
}

static void store_wide(struct lower_func *lf, const struct operands *s, int64_t offset) {
    struct results none = {0};
    for (uint32_t k = 0; k < 2; k++)
        build_part(lf, s, &none, k)->offset = offset + 16 * k;
}

static bool lower_load(struct lower_func *lf) {
    struct operands s = {.n = 1};
    struct results r = {0};
    uint8_t space = lf->inst->mods.space;
    int64_t offset;
    if (lower_param_load(lf, lf->inst))
        return true;
    if (!add_results(lf, &r) ||
        !lower_address(lf, &lf->inst->ops[lf->inst->ndst], &s.v[0], &offset, &space))
        return false;
    if (is_wide(lf->inst)) {
        load_wide(lf, &s, &r, offset);
        return true;
    }
    struct kir_inst *i = build(lf, &s, &r);
    i->op = ISA_OP_LD; // ldu is a load with a hint
    i->offset = offset;
    i->mods.space = space;
    cluster_access(lf, i);
    write_results(lf, i, &r);
    return true;
}

// st, red, atom: an address, then values.
static bool lower_memory_write(struct lower_func *lf) {
    struct operands s = {.n = 1};
    struct results r = {0};
    uint8_t space = lf->inst->mods.space;
    int64_t offset;
    bool ok;
    if (lf->inst->op == ISA_OP_ST && lower_param_store(lf, lf->inst, &ok))
        return ok;
    if (!add_results(lf, &r) ||
        !lower_address(lf, &lf->inst->ops[lf->inst->ndst], &s.v[0], &offset, &space) ||
        !add_sources(lf, &s, lf->inst->ndst + 1u))
        return false;
    if (lf->inst->op == ISA_OP_ST && is_wide(lf->inst)) {
        store_wide(lf, &s, offset);
        return true;
    }
    struct kir_inst *i = build(lf, &s, &r);
    i->offset = offset;
    i->mods.space = space;
    cluster_access(lf, i);
    write_results(lf, i, &r);
    return true;
}

// [address, values..., (stride)] -> registers; wgmma reads its sums and writes them.
static bool lower_matrix(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    struct operands s = {0};
    struct results r = {0};
    uint8_t space = inst->mods.space;
    int64_t offset = 0;
    uint32_t first = inst->ndst;
    if (!add_results(lf, &r))
        return false;
    if (inst->op == ISA_OP_WGMMA_MMA && !add_source(lf, &s, &inst->ops[0]))
        return false;
    if (first < inst->nops && inst->ops[first].kind == PTX_OPERAND_ADDR) {
        s.n = 1;
        if (!lower_address(lf, &inst->ops[first++], &s.v[0], &offset, &space))
            return false;
    }
    if (!add_sources(lf, &s, first))
        return false;
    struct kir_inst *i = build(lf, &s, &r);
    i->offset = offset;
    i->mods.space = space;
    write_results(lf, i, &r);
    return true;
}

static bool lower_bar(struct lower_func *lf) {
    struct operands s = {0};
    struct results r = {0};
    if (!add_results(lf, &r) || !add_sources(lf, &s, lf->inst->ndst))
        return false;
    if (!s.n || (lf->inst->op == ISA_OP_BAR_RED && s.n < 2))
        return lower_error(lf->lm, lf->inst->pos, "operands are missing");
    struct kir_inst *i = build(lf, &s, &r);
    i->flag = s.n == (lf->inst->op == ISA_OP_BAR_RED ? 3 : 2);
    write_results(lf, i, &r);
    return true;
}

static bool lower_brx(struct lower_func *lf) {
    const struct ptx_targets *t = lf->inst->nops == 2 ? lf->inst->ops[1].targets : NULL;
    struct kir_value *index;
    if (!t || !t->n)
        return lower_error(lf->lm, lf->inst->pos, "brx.idx needs a list of targets");
    if (!lower_operand(lf, &lf->inst->ops[0], &index))
        return false;
    struct kir_inst *i = kir_inst_new(lf->f, ISA_OP_BRX_IDX, ISA_U32, 1, 0, NULL, t->n);
    i->ops[0] = index;
    i->file = lf->inst->file;
    i->line = lf->inst->line;
    i->mods.uni = lf->inst->mods.uni;
    for (uint32_t k = 0; k < t->n; k++)
        i->targets[k] = lf->labels[t->labels[k]->id];
    kir_append(lf->cur, i);
    lf->cur = NULL;
    return true;
}

static bool lower_exit(struct lower_func *lf) {
    lower_emit(lf, ISA_OP_EXIT, ISA_VOID, 0, 0, NULL);
    lf->cur = NULL;
    return true;
}

bool lower_inst(struct lower_func *lf, const struct ptx_inst *inst) {
    if (inst->op >= ISA_OP_TEX && inst->op <= ISA_OP_SUQ)
        return lower_image(lf);
    if (isa_is_video((isa_op)inst->op))
        return lower_video(lf);
    if (isa_op_info[inst->op].klass == ISA_CLASS_COMPOSITE)
        return lower_composite(lf);
    if (isa_is_matrix((isa_op)inst->op))
        return lower_matrix(lf);
    switch (inst->op) {
    case ISA_OP_MOV:
        return lower_mov(lf);
    case ISA_OP_CREATEPOLICY:
        return lower_policy(lf);
    case ISA_OP_CVTA:
    case ISA_OP_ISSPACEP:
        return lower_space_op(lf);
    case ISA_OP_LD:
    case ISA_OP_LDU:
        return lower_load(lf);
    case ISA_OP_ST:
    case ISA_OP_RED:
    case ISA_OP_ATOM:
        return lower_memory_write(lf);
    case ISA_OP_BAR_SYNC:
    case ISA_OP_BAR_ARRIVE:
    case ISA_OP_BAR_RED:
        return lower_bar(lf);
    case ISA_OP_BRX_IDX:
        return lower_brx(lf);
    case ISA_OP_CALL:
        return lower_call(lf, inst->call);
    case ISA_OP_RET:
        return lower_ret(lf);
    case ISA_OP_EXIT:
        return lower_exit(lf);
    case ISA_OP_MAPA:
        return lower_mapa(lf);
    case ISA_OP_GETCTARANK:
        return lower_getctarank(lf);
    case ISA_OP_FENCE: // what it names besides its scope makes no difference
    case ISA_OP_GRIDDEPCONTROL:
        lower_emit(lf, (isa_op)inst->op, ISA_VOID, 0, 0, NULL)->mods = inst->mods;
        return true;
    case ISA_OP_PREFETCH: // hints, with no effect that a program can see
    case ISA_OP_PREFETCHU:
    case ISA_OP_DISCARD:
    case ISA_OP_APPLYPRIORITY:
    case ISA_OP_PMEVENT:
    case ISA_OP_SETMAXNREG:
        return true;
    default:
        return isa_op_info[inst->op].klass == ISA_CLASS_ASYNC ? lower_async(lf) : lower_generic(lf);
    }
}
