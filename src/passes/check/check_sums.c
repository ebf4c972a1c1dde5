// Sums of wgmma.mma_async that are read before a wgmma.wait_group has waited for them. In SSA form
// a sum is the product's result, or what moves and phis make of it, and other products may go on
// with it. Beside it stands a number: the group that the product belongs to, as the thread counts
// groups, and the product's site. What computes with a sum, stores it, or has it for a matrix, asks
// the device whether the thread has waited for that group, where a path from a product without
// such a wait leads there. Moves to local memory, selections and calls are left to the compiler.
// PTX ISA, wgmma.mma_async: Async Proxy.
#include "abi/check_meeting.h"
#include "abi/check_shadow.h"
#include "isa/matrix.h"
#include "isa/ops/check.h"
#include "isa/ops/control.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "passes/check/check.h"

struct sums {
    struct kir_func *f;
    struct check_sites *sites;
    struct arena tmp;
    uint32_t n;              // values of the function before there were numbers
    bool *is;                // by value: a sum
    struct kir_value **made; // by value: its number; NULL: not so far
    struct kir_value *none;
    // By block, where it begins, a bit for each count of groups: a product may have been issued,
    // for which no wait was enough, and so many groups have ended since. The last bit: or more.
    uint16_t *open;
    VEC(struct kir_inst *) phis; // numbers whose operands are not set
};
enum { MOST_GROUPS = 8 };

// ---- what may not be over ---------------------------------------------------------------------

static uint16_t open_behind(const struct kir_inst *i, uint16_t open) {
    const uint16_t all = (1 << (MOST_GROUPS + 1)) - 1;
    if (i->op == ISA_OP_WGMMA_MMA)
        return open | 1;
    if (i->op == ISA_OP_WGMMA_COMMIT_GROUP)
        return (uint16_t)((open << 1 & all) | (open & 1 << MOST_GROUPS));
    if (i->op != ISA_OP_WGMMA_WAIT_GROUP)
        return open;
    uint32_t left = i->ops[0]->bits.u32[0];
    return left >= MOST_GROUPS ? open : (uint16_t)(open & ((1 << (left + 1)) - 1));
}

static void find_open(struct sums *s) {
    s->open = arena_array(&s->tmp, uint16_t, s->f->blocks.len);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < s->f->blocks.len; b++) {
            const struct kir_block *block = s->f->blocks.data[b];
            uint16_t open = s->open[b];
            for (const struct kir_inst *i = block->first; i; i = i->next)
                open = open_behind(i, open);
            for (uint32_t k = 0; k < block->last->ntargets; k++) {
                uint16_t *next = &s->open[block->last->targets[k]->id];
                again |= open & ~*next;
                *next |= open;
            }
        }
    }
}

static bool is_sum(const struct sums *s, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->id < s->n && s->is[v->id];
}

static bool hands_on(const struct kir_inst *i) {
    return i->op == ISA_OP_PHI || i->op == ISA_OP_MOV;
}

static void find_sums(struct sums *s) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < s->f->blocks.len; b++)
            for (const struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next) {
                bool is = i->op == ISA_OP_WGMMA_MMA;
                for (uint32_t k = 0; k < i->nops && !is && hands_on(i); k++)
                    is = is_sum(s, i->ops[k]);
                for (uint32_t r = 0; r < i->nres && is; r++) {
                    again |= !s->is[i->res[r]->id];
                    s->is[i->res[r]->id] = true;
                }
            }
    }
}

// ---- numbers ----------------------------------------------------------------------------------

static struct kir_inst *make(struct sums *s, struct kir_inst *before, isa_op op, uint32_t nops) {
    uint8_t type = KIR_B64;
    struct kir_inst *i = kir_inst_new(s->f, op, ISA_B64, nops, 1, &type, 0);
    i->file = before->file;
    i->line = before->line;
    kir_insert_before(before, i);
    return i;
}

// The thread's next group, as the device counts, and the product's site.
static struct kir_value *of_product(struct sums *s, struct kir_inst *i) {
    struct kd_check_site site = {.kind = KD_CHECK_WRITE, .align = 1};
    struct kir_inst *at = make(s, i, ISA_OP_SYMADDR, 0);
    struct kir_inst *group = make(s, i, ISA_OP_CHECK_ORIGIN, 1);
    struct kir_inst *both = make(s, i, ISA_OP_OR, 2);
    at->sym = s->sites->sym;
    at->offset = check_sites_add(s->sites, i, site);
    group->ops[0] = s->none;
    group->index = KD_CHECK_GROUP;
    both->ops[0] = at->res[0];
    both->ops[1] = group->res[0];
    for (uint32_t r = 0; r < i->nres; r++)
        s->made[i->res[r]->id] = both->res[0];
    return both->res[0];
}

static struct kir_value *number_of(struct sums *s, const struct kir_value *v) {
    while (is_sum(s, v) && !s->made[v->id] && v->def->op == ISA_OP_MOV)
        v = v->def->ops[0];
    if (!is_sum(s, v))
        return s->none;
    if (s->made[v->id])
        return s->made[v->id];
    if (v->def->op == ISA_OP_WGMMA_MMA)
        return of_product(s, v->def);
    struct kir_inst *phi = make(s, v->def, ISA_OP_PHI, v->def->nops);
    s->made[v->id] = phi->res[0];
    for (uint32_t k = 0; k < phi->nops; k++)
        phi->ops[k] = v->def->ops[k]; // until all are made
    vec_push(&s->tmp, &s->phis, phi);
    return phi->res[0];
}

static void finish_phis(struct sums *s) {
    for (uint32_t n = 0; n < s->phis.len; n++) { // more come meanwhile
        struct kir_inst *phi = s->phis.data[n];
        for (uint32_t k = 0; k < phi->nops; k++)
            phi->ops[k] = number_of(s, phi->ops[k]);
    }
}

// ---- reads ------------------------------------------------------------------------------------

// From which operand on does i read what it is given? Another product may go on with a sum.
static uint32_t first_read(const struct kir_inst *i) {
    bool local = i->mods.space == ISA_SPACE_LOCAL || i->mods.space == ISA_SPACE_PARAM;
    switch (i->op) {
    case ISA_OP_WGMMA_MMA:
        return i->nres;
    case ISA_OP_ST:
        return local ? i->nops : 1;
    case ISA_OP_CALL:
    case ISA_OP_RET:
    case ISA_OP_SELP:
    case ISA_OP_MOV_PACK:
    case ISA_OP_MOV_UNPACK:
        return i->nops;
    default:
        return hands_on(i) ? i->nops : 0;
    }
}

static void ask(struct sums *s, struct kir_inst *i, struct kir_value *number) {
    struct kd_check_site site = {.kind = KD_CHECK_SUM, .align = 1, .flags = KD_CHECK_ORDERED};
    struct kir_inst *at, *k = check_sites_access(s->sites, i, site, s->none, number, &at);
    kir_insert_before(i, at);
    kir_insert_before(i, k);
}

// The numbers that were asked about since the last product, in one block.
struct asked {
    const struct kir_value *last[8];
    uint32_t n;
};

static bool is_new(struct asked *a, const struct kir_value *number) {
    for (uint32_t k = 0; k < a->n && k < 8; k++)
        if (a->last[k] == number)
            return false;
    a->last[a->n++ % 8] = number;
    return true;
}

static void look_at_reads(struct sums *s, struct kir_block *block) {
    uint16_t open = s->open[block->id];
    struct asked asked = {.n = 0};
    for (struct kir_inst *i = block->first; i; i = i->next) {
        for (uint32_t k = open ? first_read(i) : i->nops; k < i->nops; k++) {
            struct kir_value *number = is_sum(s, i->ops[k]) ? number_of(s, i->ops[k]) : NULL;
            if (number && is_new(&asked, number))
                ask(s, i, number);
        }
        open = open_behind(i, open);
    }
}

void check_sums(struct kir_func *f, struct check_sites *sites) {
    struct sums s = {.f = f, .sites = sites, .n = f->value_count};
    s.is = arena_array(&s.tmp, bool, s.n + 1);
    s.made = arena_array(&s.tmp, struct kir_value *, s.n + 1);
    s.none = kir_const(f, KIR_B64, 0);
    find_open(&s);
    find_sums(&s);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        look_at_reads(&s, f->blocks.data[b]);
    finish_phis(&s);
    arena_free(&s.tmp);
}
