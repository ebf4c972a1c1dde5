// Arrays that a kernel has as parameters, or as variables, and what it does to them: where it only
// reads, or each thread has elements of its own, threads cannot race, and nobody has to follow
// their accesses. Whether two parameters point into one allocation is known when it runs.
#include "passes/check/check.h"

// Sets of what a value may point into: a bit for each array, and
static const uint64_t PRIVATE = UINT64_C(1) << 62; // shared and local memory, parameters themselves
static const uint64_t UNKNOWN = UINT64_C(1) << 63; // anything else

// What is known of the elements that a thread accesses: all lie in bytes [from, to) of its own
// stride, counted from the array's beginning plus the stride times the thread's number in the grid.
struct own {
    bool seen, fails;
    int64_t stride, from, to;
};

struct arrays {
    struct kir_func *f;
    struct check_arrays *list;
    uint64_t *sets; // by value
    struct own own[CHECK_MOST_ARRAYS];
    bool too_many;
};

static const struct kir_inst *definition(const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST ? v->def : NULL;
}

static uint64_t set_of(const struct arrays *a, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST ? a->sets[v->id] : 0;
}

static uint64_t array_at(struct arrays *a, uint32_t at, uint16_t flags) {
    struct check_arrays *l = a->list;
    uint32_t k = 0;
    while (k < l->n &&
           (l->array[k].at != at || (l->array[k].flags & KD_CHECK_OF_VARIABLE) != flags))
        k++;
    if (k == CHECK_MOST_ARRAYS)
        return UNKNOWN;
    if (k == l->n)
        l->array[l->n++] = (struct kd_check_array){.at = at, .flags = flags, .index = (uint8_t)k};
    return UINT64_C(1) << k;
}

// Where in the parameters does i load from? False: it does not, or nobody knows.
static bool loads_parameter(const struct kir_inst *i, uint32_t *at) {
    const struct kir_inst *p = i->op == ISA_OP_LD && i->nres == 1 ? definition(i->ops[0]) : NULL;
    if (!p || i->mods.space != ISA_SPACE_PARAM || i->res[0]->type != KIR_B64 ||
        p->op != ISA_OP_SYMADDR || p->sym->space != ISA_SPACE_PARAM || p->flag)
        return false;
    *at = (uint32_t)((int64_t)p->sym->offset + p->offset + i->offset);
    return true;
}

static uint64_t of_symbol(struct arrays *a, const struct kir_inst *i) {
    switch (i->sym->space) {
    case ISA_SPACE_GLOBAL:
        return array_at(a, (uint32_t)i->sym->index, KD_CHECK_OF_VARIABLE);
    case ISA_SPACE_SHARED:
    case ISA_SPACE_LOCAL:
    case ISA_SPACE_PARAM:
    case ISA_SPACE_CONST:
        return PRIVATE;
    default:
        return UNKNOWN;
    }
}

static uint64_t of_operands(const struct arrays *a, const struct kir_inst *i) {
    uint64_t all = 0;
    for (uint32_t k = 0; k < i->nops; k++)
        all |= set_of(a, i->ops[k]);
    return all;
}

static uint64_t set_from(struct arrays *a, const struct kir_inst *i) {
    uint64_t x, y;
    uint32_t at;
    if (loads_parameter(i, &at))
        return array_at(a, at, 0);
    switch (i->op) {
    case ISA_OP_SYMADDR:
        return of_symbol(a, i);
    case ISA_OP_PHI:
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
    case ISA_OP_CVT:
    case ISA_OP_AND:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return of_operands(a, i);
    case ISA_OP_SELP:
        return set_of(a, i->ops[0]) | set_of(a, i->ops[1]);
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_OR:
    case ISA_OP_XOR:
        x = set_of(a, i->ops[0]);
        y = set_of(a, i->ops[1]);
        return x && y ? x | y | UNKNOWN : x | y;
    case ISA_OP_MAD:
    case ISA_OP_MAD24:
        return set_of(a, i->ops[2]);
    case ISA_OP_MUL:
    case ISA_OP_MUL24:
    case ISA_OP_SHL:
    case ISA_OP_SHR:
    case ISA_OP_DIV:
    case ISA_OP_REM:
    case ISA_OP_SETP:
    case ISA_OP_SREG:
    case ISA_OP_POPC:
    case ISA_OP_CLZ:
        return 0;
    default:
        return i->nops && !of_operands(a, i) && i->op != ISA_OP_LD && i->op != ISA_OP_LDU &&
                       i->op != ISA_OP_ATOM && i->op != ISA_OP_CALL && i->op != ISA_OP_MOV_PACK
                   ? 0
                   : UNKNOWN;
    }
}

static void find_sets(struct arrays *a) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < a->f->blocks.len; b++)
            for (const struct kir_inst *i = a->f->blocks.data[b]->first; i; i = i->next)
                for (uint32_t r = 0; r < i->nres; r++) {
                    if (i->res[r]->type != KIR_B64)
                        continue;
                    uint64_t set = set_from(a, i) | a->sets[i->res[r]->id];
                    again |= set != a->sets[i->res[r]->id];
                    a->sets[i->res[r]->id] = set;
                }
    }
}

// ---- elements of a thread's own ---------------------------------------------------------------

// A sum of an array's beginning, `times` the thread's number in the grid, and a constant.
struct sum {
    bool known, pointer;
    int64_t times, more;
};
static const int64_t LIMIT = INT64_C(1) << 30; // of constants, and of the number of threads

static bool is_sreg(const struct kir_value *v, enum isa_sreg s) {
    const struct kir_inst *i = definition(v);
    while (i && (i->op == ISA_OP_MOV || (i->op == ISA_OP_CVT && i->nops == 1 &&
                                         isa_type_bits((enum isa_type)i->ty) >= 32)))
        i = definition(i->ops[0]);
    return i && i->op == ISA_OP_SREG && i->sreg == (uint8_t)s;
}

static bool is_product(const struct kir_value *x, const struct kir_value *y) {
    return (is_sreg(x, ISA_SREG_CTAID_X) && is_sreg(y, ISA_SREG_NTID_X)) ||
           (is_sreg(y, ISA_SREG_CTAID_X) && is_sreg(x, ISA_SREG_NTID_X));
}

static bool is_integer(const struct kir_inst *i) {
    return !isa_type_is_float((enum isa_type)i->ty) && isa_type_bits((enum isa_type)i->ty) >= 32;
}

// blockIdx.x * blockDim.x + threadIdx.x
static bool is_number(const struct kir_inst *i) {
    if (i->op == ISA_OP_MAD && i->mods.half != ISA_HI)
        return is_product(i->ops[0], i->ops[1]) && is_sreg(i->ops[2], ISA_SREG_TID_X);
    for (uint32_t k = 0; i->op == ISA_OP_ADD && i->nops == 2 && k < 2; k++) {
        const struct kir_inst *m = definition(i->ops[k]);
        if (m && m->op == ISA_OP_MUL && m->mods.half != ISA_HI &&
            is_product(m->ops[0], m->ops[1]) && is_sreg(i->ops[1 - k], ISA_SREG_TID_X))
            return true;
    }
    return false;
}

static struct sum sum_of(const struct kir_value *v, int depth);

static struct sum plus(struct sum x, struct sum y, int64_t sign) {
    return (struct sum){x.known && y.known && !(x.pointer && y.pointer) && !(y.pointer && sign < 0),
                        x.pointer || y.pointer, x.times + sign * y.times, x.more + sign * y.more};
}

static struct sum product(struct sum x, struct sum y) {
    if (x.times || x.pointer) {
        struct sum swap = x;
        x = y;
        y = swap;
    }
    bool fits = x.more < 1 << 12 && x.more > -(1 << 12);
    return (struct sum){x.known && y.known && fits && !x.times && !x.pointer && !y.pointer, false,
                        x.more * y.times, x.more * y.more};
}

// What a sum of 32 bits is as one of 64: the same where it cannot wrap.
static struct sum widened(struct sum s, enum isa_type from) {
    s.known &= !s.pointer && (s.times == 0 || s.times == 1) && (from == ISA_S32 || s.more >= 0);
    return s;
}

static struct sum sum_of_inst(const struct kir_inst *i, int depth) {
    struct sum none = {0}, x;
    uint32_t at;
    bool wide = i->mods.half == ISA_WIDE;
    if (loads_parameter(i, &at))
        return (struct sum){true, true, 0, 0};
    if (!is_integer(i))
        return none;
    if (is_number(i))
        return (struct sum){true, false, 1, 0};
    switch (i->op) {
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
        return sum_of(i->ops[0], depth);
    case ISA_OP_CVT:
        if (isa_type_is_float((enum isa_type)i->ty2) || isa_type_bits((enum isa_type)i->ty2) < 32 ||
            isa_type_bits((enum isa_type)i->ty) < isa_type_bits((enum isa_type)i->ty2))
            return none;
        x = sum_of(i->ops[0], depth);
        return isa_type_bits((enum isa_type)i->ty2) == 32 ? widened(x, (enum isa_type)i->ty2) : x;
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        if (i->nops != 2)
            return none;
        return plus(sum_of(i->ops[0], depth), sum_of(i->ops[1], depth),
                    i->op == ISA_OP_SUB ? -1 : 1);
    case ISA_OP_SHL:
        x = sum_of(i->ops[1], depth);
        if (!x.known || x.pointer || x.times || x.more < 0 || x.more > 10)
            return none;
        return product(sum_of(i->ops[0], depth), (struct sum){true, false, 0, 1 << x.more});
    case ISA_OP_MUL:
    case ISA_OP_MAD:
        if (i->mods.half == ISA_HI)
            return none;
        x = wide ? product(widened(sum_of(i->ops[0], depth), (enum isa_type)i->ty),
                           widened(sum_of(i->ops[1], depth), (enum isa_type)i->ty))
                 : product(sum_of(i->ops[0], depth), sum_of(i->ops[1], depth));
        return i->op == ISA_OP_MUL ? x : plus(x, sum_of(i->ops[2], depth), 1);
    default:
        return none;
    }
}

static struct sum sum_of(const struct kir_value *v, int depth) {
    struct sum none = {0}, s = none;
    if (v->kind == KIR_VALUE_CONST)
        s = (struct sum){true, false, 0,
                         v->type == KIR_B64 ? (int64_t)v->bits.u64[0] : (int32_t)v->bits.u32[0]};
    else if (v->kind == KIR_VALUE_INST && depth > 0)
        s = sum_of_inst(v->def, depth - 1);
    return s.known && s.more < LIMIT && s.more > -LIMIT ? s : none;
}

static void look_at_own(struct own *o, const struct check_use *u) {
    enum { DEEP = 12 };
    struct sum s = sum_of(u->address, DEEP);
    int64_t from = s.more + u->offset, to = from + u->bytes;
    if (!s.known || !s.pointer || s.times <= 0 || !u->bytes || (o->seen && s.times != o->stride)) {
        o->fails = true;
        return;
    }
    o->stride = s.times;
    o->from = !o->seen || from < o->from ? from : o->from;
    o->to = !o->seen || to > o->to ? to : o->to;
    o->seen = true;
    o->fails |= o->to - o->from > o->stride;
}

// ---- the kernel's list ------------------------------------------------------------------------

static void look_at(struct arrays *a, struct check_use *u) {
    uint64_t set = set_of(a, u->address), arrays = set & ~(PRIVATE | UNKNOWN);
    bool one = set == arrays && !(arrays & (arrays - 1));
    if (set == PRIVATE)
        return;
    if (!arrays || set & UNKNOWN) {
        a->list->unknown_reads |= !u->writes;
        a->list->unknown_writes |= u->writes;
    }
    for (uint64_t m = arrays; m; m &= m - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(m);
        a->list->array[k].flags |= KD_CHECK_ARRAY_USED | (u->writes ? KD_CHECK_ARRAY_WRITTEN : 0);
        if (one)
            look_at_own(&a->own[k], u);
        else
            a->own[k].fails = true;
        u->array = one ? (int)k : -1;
    }
}

static bool has_calls(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CALL && !(i->callee && i->callee->is_extern))
                return true;
    return false;
}

void check_arrays(struct arena *arena, struct kir_func *f, struct check_use *uses, uint32_t n,
                  struct check_arrays *list) {
    struct arrays a = {.f = f, .list = list};
    *list = (struct check_arrays){0};
    for (uint32_t k = 0; k < n; k++)
        uses[k].array = -1;
    if (has_calls(f))
        return;
    a.sets = arena_array(arena, uint64_t, f->value_count + 1);
    find_sets(&a);
    for (uint32_t k = 0; k < n; k++)
        look_at(&a, &uses[k]);
    for (uint32_t k = 0; k < list->n; k++) {
        bool own = a.own[k].seen && !a.own[k].fails && !list->unknown_reads &&
                   !(list->array[k].flags & KD_CHECK_OF_VARIABLE);
        list->array[k].flags |= own ? KD_CHECK_ARRAY_OWN : 0;
        list->array[k].count = (uint8_t)list->n;
    }
    if (list->unknown_writes)
        list->n = 0;
}
