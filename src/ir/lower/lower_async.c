// mbarrier objects, asynchronous copies and addresses in a cluster. Copies are made where they are
// issued, which their rules allow: then groups have nothing to wait for, and completion is told to
// the mbarrier object at once. Addresses become generic, so that nothing after this looks at
// spaces.
#include "ir/lower/lower.h"

#include <string.h>

#include "abi/generated_code.h"
#include "isa/ops/async.h"
#include "isa/ops/fence.h"
#include "isa/ops/launch.h"
#include "isa/ops/logic.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "isa/ops/multimem.h"
#include "isa/ops/tensor.h"

enum { MAX_OPERANDS = 16 };

struct args {
    uint32_t n;
    struct kir_value *v[MAX_OPERANDS];
};

static struct kir_value *binary(struct lower_func *lf, isa_op op, enum isa_type ty,
                                struct kir_value *a, struct kir_value *b) {
    struct kir_value *ops[2] = {a, b};
    return lower_emit1(lf, op, ty, a->type, 2, ops);
}

static struct kir_value *const32(struct lower_func *lf, uint64_t v) {
    return kir_const(lf->f, KIR_B32, v);
}

static struct kir_value *const64(struct lower_func *lf, uint64_t v) {
    return kir_const(lf->f, KIR_B64, v);
}

static struct kir_value *convert(struct lower_func *lf, struct kir_value *v, uint8_t space,
                                 bool to) {
    struct kir_value *r = lower_emit1(lf, ISA_OP_CVTA, ISA_U64, KIR_B64, 1, &v);
    r->def->mods.space = space;
    r->def->mods.to = to;
    return r;
}

struct kir_value *lower_to_generic(struct lower_func *lf, struct kir_value *v, uint8_t space) {
    return space == ISA_SPACE_GENERIC || space == ISA_SPACE_GLOBAL || space == ISA_SPACE_CONST
               ? v
               : convert(lf, v, space, false);
}

// [ ... ] as a generic address.
bool lower_generic_address(struct lower_func *lf, const struct ptx_operand *o, uint8_t space,
                           struct kir_value **out) {
    int64_t offset;
    if (!lower_address(lf, o, out, &offset, &space))
        return false;
    if (o->kind != PTX_OPERAND_ADDR)
        offset = o->kind == PTX_OPERAND_REG ? o->offset : 0; // a tensor map's [%rd+64, {...}]
    if (offset)
        *out = binary(lf, ISA_OP_ADD, ISA_U64, *out, const64(lf, (uint64_t)offset));
    *out = lower_to_generic(lf, *out, space);
    return true;
}

static bool add(struct lower_func *lf, struct args *a, struct kir_value *v) {
    if (a->n == MAX_OPERANDS)
        return lower_error(lf->lm, lf->inst->pos, "too many operands");
    a->v[a->n++] = v;
    return true;
}

static bool add_value(struct lower_func *lf, struct args *a, const struct ptx_operand *o) {
    struct kir_value *v;
    return lower_operand(lf, o, &v) && add(lf, a, v);
}

static bool add_address(struct lower_func *lf, struct args *a, const struct ptx_operand *o,
                        uint8_t space) {
    struct kir_value *v;
    return lower_generic_address(lf, o, space, &v) && add(lf, a, v);
}

// Adds what one operand of the text stands for. The first two addresses have the spaces that the
// instruction names; a third is that of an mbarrier object.
static bool add_operand(struct lower_func *lf, struct args *a, const struct ptx_operand *o,
                        uint32_t *addresses) {
    const struct isa_mods *m = &lf->inst->mods;
    switch (o->kind) {
    case PTX_OPERAND_ADDR: {
        uint8_t space = *addresses == 0   ? m->space
                        : *addresses == 1 ? m->space2
                                          : ISA_SPACE_CLUSTER;
        ++*addresses;
        return add_address(lf, a, o, space);
    }
    case PTX_OPERAND_TEX:
        // The tensor is in global memory; its map may be anywhere.
        ++*addresses;
        if (!add_address(lf, a, &o->elems[0], ISA_SPACE_GENERIC))
            return false;
        for (uint32_t k = 1; k < o->n; k++)
            if (!add_value(lf, a, &o->elems[k]))
                return false;
        return true;
    case PTX_OPERAND_VEC:
        for (uint32_t k = 0; k < o->n; k++)
            if (!add_value(lf, a, &o->elems[k]))
                return false;
        return true;
    default:
        return add_value(lf, a, o);
    }
}

static bool add_operands(struct lower_func *lf, struct args *a) {
    uint32_t addresses = 0;
    for (uint32_t k = lf->inst->ndst; k < lf->inst->nops; k++)
        if (!add_operand(lf, a, &lf->inst->ops[k], &addresses))
            return false;
    return true;
}

static struct kir_inst *emit(struct lower_func *lf, isa_op op, const struct args *a, unsigned nres,
                             const uint8_t *types) {
    struct kir_inst *i = lower_emit(lf, op, (enum isa_type)lf->inst->ty, a->n, nres, types);
    i->mods = lf->inst->mods;
    i->mods.space = i->mods.space2 = ISA_SPACE_GENERIC;
    for (uint32_t k = 0; k < a->n; k++)
        i->ops[k] = a->v[k];
    return i;
}

static bool lower_plain(struct lower_func *lf) {
    struct args a = {0};
    if (!add_operands(lf, &a))
        return false;
    emit(lf, (isa_op)lf->inst->op, &a, 0, NULL);
    return true;
}

// ---- mbarrier objects --------------------------------------------------------------------------

static bool lower_mbarrier(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    struct args a = {0};
    if (!add_operands(lf, &a))
        return false;
    bool waits = a.n >= 2 && inst->ndst && inst->ops[0].type == ISA_PRED;
    bool pending = inst->op == ISA_OP_MBARRIER_PENDING_COUNT;
    if (waits)
        a.n = 2; // the time limit is a hint
    if ((inst->op == ISA_OP_MBARRIER_ARRIVE || inst->op == ISA_OP_MBARRIER_ARRIVE_DROP) &&
        a.n == 1 && !add(lf, &a, const32(lf, 1)))
        return false;
    uint8_t type = waits ? KIR_PRED : pending ? KIR_B32 : KIR_B64;
    struct kir_inst *i = emit(lf, (isa_op)inst->op, &a, inst->ndst, &type);
    if (inst->ndst)
        lower_write(lf, &inst->ops[0], i->res[0]);
    return true;
}

static void signal_bytes(struct lower_func *lf, struct kir_value *bar, unsigned bytes) {
    struct args a = {2, {bar, const32(lf, bytes)}};
    emit(lf, ISA_OP_MBARRIER_COMPLETE_TX, &a, 0, NULL);
}

// st.async, red.async: the plain operation, then the mbarrier object is told.
static bool lower_async_write(struct lower_func *lf, isa_op op) {
    const struct ptx_inst *inst = lf->inst;
    struct args a = {0};
    struct kir_value *bar;
    unsigned count = inst->mods.vec ? inst->mods.vec : 1;
    const struct ptx_operand *value = &inst->ops[1];
    if (!add_address(lf, &a, &inst->ops[0], inst->mods.space))
        return false;
    for (unsigned k = 0; k < count; k++)
        if (!add_value(lf, &a, value->kind == PTX_OPERAND_VEC ? &value->elems[k] : value))
            return false;
    if (!lower_generic_address(lf, &inst->ops[2], inst->mods.space, &bar))
        return false;
    struct kir_inst *i = emit(lf, op, &a, 0, NULL);
    i->mods.sem = op == ISA_OP_RED ? ISA_SEM_RELAXED : ISA_SEM_WEAK;
    i->mods.scope = op == ISA_OP_RED ? ISA_SCOPE_CLUSTER : ISA_SCOPE_NONE;
    i->flag = op == ISA_OP_ST && lf->lm->ast->tells_copies;
    signal_bytes(lf, bar, isa_type_bits((enum isa_type)inst->ty) / 8 * count);
    return true;
}

static bool lower_arrive_after_copies(struct lower_func *lf) {
    struct args a = {0};
    if (lf->lm->ast->tells_copies && !lower_plain(lf))
        return false;
    if (!lf->inst->mods.mask) // the count rises by one, and the arrival takes it back
        return true;
    if (!add_address(lf, &a, &lf->inst->ops[0], lf->inst->mods.space) ||
        !add(lf, &a, const32(lf, 1)))
        return false;
    uint8_t state = KIR_B64;
    emit(lf, ISA_OP_MBARRIER_ARRIVE, &a, 1, &state)->mods.mask = 0;
    return true;
}

// ---- cp.async ----------------------------------------------------------------------------------

// The copies have been made: what ends groups and waits for them is for checks alone. index: how;
// offset: how many groups are not waited for.
static void lower_group(struct lower_func *lf) {
    const char *text = isa_forms[lf->inst->form].text;
    enum kir_copies what = !strcmp(text, "cp.async.commit_group") ? KIR_COPIES_COMMIT
                           : !strcmp(text, "cp.async.wait_all")   ? KIR_COPIES_WAIT_ALL
                                                                  : KIR_COPIES_WAIT;
    bool bulk = !strncmp(text, "cp.async.bulk", strlen("cp.async.bulk"));
    if (bulk)
        what = !lf->inst->nops       ? KIR_COPIES_COMMIT
               : lf->inst->choice[3] ? KIR_COPIES_WAIT_READ
                                     : KIR_COPIES_WAIT;
    if (!lf->lm->ast->tells_copies)
        return;
    struct kir_inst *i = lower_emit(lf, ISA_OP_CP_ASYNC_GROUP, ISA_VOID, 0, 0, NULL);
    i->index = what;
    i->flag = bulk;
    i->offset = lf->inst->nops ? (int64_t)lf->inst->ops[0].imm : 0;
}

struct small_copy {
    struct kir_value *to, *from, *size; // size NULL: all of it
    int64_t to_offset, from_offset;
    unsigned bytes;
};

// Words loaded and stored, as any other access.
static void copy_words(struct lower_func *lf, const struct small_copy *c) {
    unsigned n = c->bytes / 4;
    uint8_t types[4] = {KIR_B32, KIR_B32, KIR_B32, KIR_B32};
    struct kir_inst *load = lower_emit(lf, ISA_OP_LD, ISA_B32, 1, n, types);
    load->ops[0] = c->from;
    load->offset = c->from_offset;
    load->mods = (struct isa_mods){.space = ISA_SPACE_GLOBAL, .vec = (uint8_t)(n > 1 ? n : 0)};
    load->flag = lf->lm->ast->tells_copies;
    struct kir_inst *store = lower_emit(lf, ISA_OP_ST, ISA_B32, 1 + n, 0, NULL);
    store->ops[0] = c->to;
    store->offset = c->to_offset;
    store->mods = load->mods;
    store->mods.space = ISA_SPACE_SHARED;
    store->flag = load->flag;
    for (unsigned k = 0; k < n; k++)
        store->ops[1 + k] = load->res[k];
}

void lower_jump(struct lower_func *lf, struct kir_value *p, struct kir_block *yes,
                struct kir_block *no) {
    struct kir_inst *i =
        kir_inst_new(lf->f, p ? ISA_OP_CBR : ISA_OP_BRA, ISA_VOID, p != NULL, 0, NULL, p ? 2 : 1);
    if (p)
        i->ops[0] = p;
    i->targets[0] = yes;
    if (p)
        i->targets[1] = no;
    i->file = lf->inst->file;
    i->line = lf->inst->line;
    kir_append(lf->cur, i);
    lf->cur = NULL;
}

// Fewer bytes are read than written: the rest is zero. That is the helper's work; most copies turn
// out to be whole.
static void copy_part(struct lower_func *lf, const struct small_copy *c) {
    struct kir_block *whole = lower_block(lf), *part = lower_block(lf), *next = lower_block(lf);
    struct kir_value *bytes = const32(lf, c->bytes), *ops[2] = {c->size, bytes};
    struct kir_value *all = lower_emit1(lf, ISA_OP_SETP, ISA_U32, KIR_PRED, 2, ops);
    all->def->mods.cmp = ISA_CMP_GE;
    lower_jump(lf, all, whole, part);
    lf->cur = whole;
    copy_words(lf, c);
    lower_jump(lf, NULL, next, NULL);
    lf->cur = part;
    struct kir_value *to =
        binary(lf, ISA_OP_ADD, ISA_U64, c->to, const64(lf, (uint64_t)c->to_offset));
    struct kir_value *from =
        binary(lf, ISA_OP_ADD, ISA_U64, c->from, const64(lf, (uint64_t)c->from_offset));
    struct args a = {4, {convert(lf, to, ISA_SPACE_SHARED, false), from, bytes, c->size}};
    emit(lf, ISA_OP_CP_ASYNC, &a, 0, NULL);
    lower_jump(lf, NULL, next, NULL);
    lf->cur = next;
}

static bool lower_cp_async(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    struct small_copy c = {.bytes = (unsigned)inst->ops[2].imm};
    uint8_t to_space = ISA_SPACE_SHARED, from_space = ISA_SPACE_GLOBAL;
    bool cg = inst->choice[1] && isa_forms[inst->form].slots[1].choices[0].text[1] == 'g';
    if (c.bytes != 16 && (cg || (c.bytes != 4 && c.bytes != 8)))
        return lower_error(lf->lm, inst->ops[2].pos, "cp.async copies %s bytes, not %u",
                           cg ? "16" : "4, 8 or 16", c.bytes);
    if (!lower_address(lf, &inst->ops[0], &c.to, &c.to_offset, &to_space) ||
        !lower_address(lf, &inst->ops[1], &c.from, &c.from_offset, &from_space))
        return false;
    if (inst->nops > 3) {
        if (!lower_operand(lf, &inst->ops[3], &c.size))
            return false;
        if (c.size->type == KIR_PRED) { // ignore the source
            struct kir_value *ops[3] = {const32(lf, 0), const32(lf, c.bytes), c.size};
            c.size = lower_emit1(lf, ISA_OP_SELP, ISA_B32, KIR_B32, 3, ops);
        }
    }
    if (!c.size)
        copy_words(lf, &c);
    else
        copy_part(lf, &c);
    return true;
}

static bool lower_st_bulk(struct lower_func *lf) {
    struct args a = {0};
    const struct ptx_inst *inst = lf->inst;
    struct kir_value *size;
    if (inst->ops[2].imm)
        return lower_error(lf->lm, inst->ops[2].pos, "st.bulk writes zeros alone");
    if (!add_address(lf, &a, &inst->ops[0], inst->mods.space) ||
        !lower_operand(lf, &inst->ops[1], &size) || !add(lf, &a, lower_resize(lf, size, KIR_B32)))
        return false;
    emit(lf, ISA_OP_ST_BULK, &a, 0, NULL);
    return true;
}

// ---- Tensor maps -------------------------------------------------------------------------------

static bool lower_tensormap_replace(struct lower_func *lf) {
    struct args a = {0};
    const struct ptx_inst *inst = lf->inst;
    if (!add_address(lf, &a, &inst->ops[0], inst->mods.space))
        return false;
    if (inst->nops < 3 && !add(lf, &a, const32(lf, 0)))
        return false;
    for (uint32_t k = 1; k < inst->nops; k++)
        if (!add_value(lf, &a, &inst->ops[k]))
            return false;
    emit(lf, ISA_OP_TENSORMAP_REPLACE, &a, 0, NULL);
    return true;
}

static bool lower_tensormap_copy(struct lower_func *lf) {
    struct args a = {0};
    if (!add_operands(lf, &a))
        return false;
    a.v[2] = const32(lf, 128);
    emit(lf, ISA_OP_CP_ASYNC_BULK, &a, 0, NULL)->mods.mask = 0;
    return true;
}

// ---- Multicast objects -------------------------------------------------------------------------

static void fence_if(struct lower_func *lf, bool wanted) {
    if (wanted)
        lower_emit(lf, ISA_OP_FENCE, ISA_VOID, 0, 0, NULL)->mods =
            (struct isa_mods){.sem = ISA_SEM_ACQ_REL, .scope = ISA_SCOPE_SYS};
}

// One element at a time: vectors are not accessed as a whole.
static bool lower_multimem(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    bool loads = inst->op == ISA_OP_MULTIMEM_LD_REDUCE;
    const struct ptx_operand *v = &inst->ops[!loads];
    struct kir_value *base;
    if (!lower_generic_address(lf, &inst->ops[loads], ISA_SPACE_GLOBAL, &base))
        return false;
    fence_if(lf, inst->mods.sem == ISA_SEM_RELEASE);
    uint32_t n = v->kind == PTX_OPERAND_VEC ? v->n : 1;
    uint64_t bytes = isa_type_bits((enum isa_type)inst->ty) / 8;
    for (uint32_t k = 0; k < n; k++) {
        const struct ptx_operand *o = v->kind == PTX_OPERAND_VEC ? &v->elems[k] : v;
        struct kir_value *x;
        struct args a = {
            1, {k ? binary(lf, ISA_OP_ADD, ISA_U64, base, const64(lf, k * bytes)) : base}};
        if (!loads && (!lower_operand(lf, o, &x) || !add(lf, &a, lower_resize(lf, x, KIR_B64))))
            return false;
        uint8_t wide = KIR_B64;
        struct kir_inst *i = emit(lf, (isa_op)inst->op, &a, loads, &wide);
        i->mods.vec = 0;
        if (loads && o->kind == PTX_OPERAND_REG)
            lower_write(lf, o, i->res[0]);
    }
    fence_if(lf, inst->mods.sem == ISA_SEM_ACQUIRE);
    return true;
}

bool lower_async(struct lower_func *lf) {
    if (lf->inst->op >= ISA_OP_TCGEN05_ALLOC && lf->inst->op <= ISA_OP_TCGEN05_MMA)
        return lower_tensor_memory(lf);
    switch (lf->inst->op) {
    case ISA_OP_CP_ASYNC:
        return lower_cp_async(lf);
    case ISA_OP_CP_ASYNC_GROUP:
        lower_group(lf);
        return true;
    case ISA_OP_PREFETCH_ASYNC:
        return true;
    case ISA_OP_CP_ASYNC_MBARRIER_ARRIVE:
        return lower_arrive_after_copies(lf);
    case ISA_OP_ST_ASYNC:
        return lower_async_write(lf, ISA_OP_ST);
    case ISA_OP_RED_ASYNC:
        return lower_async_write(lf, ISA_OP_RED);
    case ISA_OP_ST_BULK:
        return lower_st_bulk(lf);
    case ISA_OP_TENSORMAP_REPLACE:
        return lower_tensormap_replace(lf);
    case ISA_OP_TENSORMAP_CP_FENCEPROXY:
        return lower_tensormap_copy(lf);
    case ISA_OP_MULTIMEM_LD_REDUCE:
    case ISA_OP_MULTIMEM_ST:
    case ISA_OP_MULTIMEM_RED:
        return lower_multimem(lf);
    case ISA_OP_CP_ASYNC_BULK:
    case ISA_OP_CP_REDUCE_ASYNC_BULK:
    case ISA_OP_CP_ASYNC_BULK_TENSOR:
    case ISA_OP_CP_ASYNC_BULK_TENSOR_STORE:
    case ISA_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
    case ISA_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL:
        return lower_plain(lf);
    default:
        return lower_mbarrier(lf);
    }
}

// ---- Answers of cluster launch control ---------------------------------------------------------

static void unpack(struct lower_func *lf, struct kir_value *v, enum isa_type ty, uint8_t part,
                   struct kir_value *out[2]) {
    struct kir_inst *i = lower_emit(lf, ISA_OP_MOV_UNPACK, ty, 1, 2, (uint8_t[]){part, part});
    i->mods.vec = 2;
    i->ops[0] = v;
    out[0] = i->res[0];
    out[1] = i->res[1];
}

bool lower_query_cancel(struct lower_func *lf) {
    const struct ptx_inst *inst = lf->inst;
    const struct ptx_operand *d = &inst->ops[0];
    struct kir_value *answer, *half[2], *word[4];
    if (!lower_operand(lf, &inst->ops[1], &answer))
        return false;
    unpack(lf, answer, ISA_B128, KIR_B64, half);
    unpack(lf, half[0], ISA_B64, KIR_B32, word);
    unpack(lf, half[1], ISA_B64, KIR_B32, word + 2);
    if (inst->op == ISA_OP_CLUSTERLAUNCHCONTROL_IS_CANCELED) {
        struct kir_value *sides[] = {word[3], const32(lf, 0)};
        struct kir_value *p = lower_emit1(lf, ISA_OP_SETP, ISA_B32, KIR_PRED, 2, sides);
        p->def->mods.cmp = ISA_CMP_NE;
        lower_write(lf, d, p);
        return true;
    }
    if (d->kind != PTX_OPERAND_VEC) {
        lower_write(lf, d, word[inst->mods.mask]);
        return true;
    }
    for (uint32_t k = 0; k < d->n; k++)
        if (d->elems[k].kind == PTX_OPERAND_REG)
            lower_write(lf, &d->elems[k], word[k]);
    return true;
}

// ---- Addresses in a cluster --------------------------------------------------------------------

static struct kir_value *as_cluster_address(struct lower_func *lf, struct kir_value *v) {
    bool generic = lf->inst->mods.space == ISA_SPACE_GENERIC;
    return lower_resize(lf, generic ? convert(lf, v, ISA_SPACE_CLUSTER, true) : v, KIR_B32);
}

// The address of a variable, or a register that holds one.
static bool cluster_operand(struct lower_func *lf, struct kir_value **out) {
    const struct ptx_operand *o = &lf->inst->ops[1];
    if (!lower_operand(lf, o, out))
        return false;
    *out = lower_resize(lf, *out, KIR_B64);
    if (lf->inst->mods.space == ISA_SPACE_GENERIC && o->kind == PTX_OPERAND_SYM && o->var &&
        o->var->space == ISA_SPACE_SHARED)
        *out = convert(lf, *out, ISA_SPACE_SHARED, false);
    return true;
}

bool lower_mapa(struct lower_func *lf) {
    struct kir_value *a, *rank;
    if (!cluster_operand(lf, &a) || !lower_operand(lf, &lf->inst->ops[2], &rank))
        return false;
    a = as_cluster_address(lf, a);
    a = binary(lf, ISA_OP_AND, ISA_B32, a, const32(lf, KD_CLUSTER_STRIDE - 1));
    rank = lower_resize(lf, rank, KIR_B32);
    rank = binary(lf, ISA_OP_ADD, ISA_U32, rank, const32(lf, 1));
    rank = binary(lf, ISA_OP_SHL, ISA_B32, rank, const32(lf, KD_CLUSTER_RANK_BIT));
    a = binary(lf, ISA_OP_OR, ISA_B32, a, rank);
    if (lf->inst->mods.space == ISA_SPACE_GENERIC)
        a = convert(lf, lower_resize(lf, a, KIR_B64), ISA_SPACE_CLUSTER, false);
    lower_write(lf, &lf->inst->ops[0], a);
    return true;
}

bool lower_getctarank(struct lower_func *lf) {
    struct kir_value *a;
    if (!cluster_operand(lf, &a))
        return false;
    // To generic and back makes the form with the rank of any address.
    if (lf->inst->mods.space == ISA_SPACE_CLUSTER)
        a = convert(lf, a, ISA_SPACE_CLUSTER, false);
    a = lower_resize(lf, convert(lf, a, ISA_SPACE_CLUSTER, true), KIR_B32);
    a = binary(lf, ISA_OP_SHR, ISA_U32, a, const32(lf, KD_CLUSTER_RANK_BIT));
    lower_write(lf, &lf->inst->ops[0], binary(lf, ISA_OP_SUB, ISA_U32, a, const32(lf, 1)));
    return true;
}
