// How many registers of 32 bits a GPU would need for a function, roughly: the most values that
// are alive at one time. Occupancy asks for it; nothing else depends on it.
#include "ir/registers.h"

enum { LEAST = 16, MOST = 255, MAX_WORK = 1 << 22 };

struct pressure {
    const struct kir_func *f;
    struct arena tmp;
    uint32_t *across; // by block: registers of values that are alive at its head or its end
    uint32_t *seen;   // by block: 1 + the value that was counted last
    uint32_t *work;   // of blocks
    uint32_t *last;   // by value: 1 + the position of its last use in its own block
    bool *crosses;    // by value: it is used in another block
    uint64_t done;    // steps so far
};

static uint32_t width(const struct kir_value *v) {
    unsigned bits = kir_type_bits(v->type);
    return bits <= 1 ? 0 : (bits + 31) / 32;
}

static void count_block(struct pressure *p, const struct kir_value *v, uint32_t block) {
    if (p->seen[block] == v->id + 1)
        return;
    p->seen[block] = v->id + 1;
    p->across[block] += width(v);
}

// v is alive on the way from its definition to block `use` (to its end when at_end).
static void walk(struct pressure *p, const struct kir_value *v, uint32_t use, bool at_end) {
    uint32_t n = 0, def = v->def->block->id;
    count_block(p, v, def);
    if (use == def && !at_end)
        return;
    if (p->seen[use] == v->id + 1)
        return;
    count_block(p, v, use);
    p->work[n++] = use;
    while (n && p->done < MAX_WORK) {
        const struct kir_block *b = p->f->blocks.data[p->work[--n]];
        for (uint32_t k = 0; k < b->preds.len; k++, p->done++) {
            uint32_t pred = b->preds.data[k]->id;
            if (p->seen[pred] == v->id + 1)
                continue;
            count_block(p, v, pred);
            p->work[n++] = pred;
        }
    }
}

struct use {
    struct use *next;
    uint32_t block;
    bool at_end;
};

static void add_use(struct pressure *p, struct use **uses, const struct kir_inst *i, uint32_t k,
                    uint32_t position) {
    const struct kir_value *v = i->ops[k];
    if (v->kind != KIR_VALUE_INST)
        return;
    bool phi = i->op == ISA_OP_PHI;
    uint32_t block = phi ? i->block->preds.data[k]->id : i->block->id;
    if (!phi && block == v->def->block->id) {
        p->last[v->id] = position + 1;
        return;
    }
    struct use *u = arena_new(&p->tmp, struct use);
    *u = (struct use){uses[v->id], block, phi};
    uses[v->id] = u;
    p->crosses[v->id] = true;
}

static void find_uses(struct pressure *p, struct use **uses) {
    for (uint32_t b = 0; b < p->f->blocks.len; b++) {
        uint32_t position = 0;
        for (struct kir_inst *i = p->f->blocks.data[b]->first; i; i = i->next, position++)
            for (uint32_t k = 0; k < i->nops; k++)
                add_use(p, uses, i, k, position);
    }
}

static void count_crossing(struct pressure *p, struct use *const *uses) {
    for (uint32_t b = 0; b < p->f->blocks.len; b++)
        for (struct kir_inst *i = p->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                for (struct use *u = uses[i->res[k]->id]; u; u = u->next)
                    walk(p, i->res[k], u->block, u->at_end);
}

// The most that values which never leave the block need at one time.
static uint32_t peak_inside(struct pressure *p, const struct kir_block *b) {
    uint32_t n = 0, alive = 0, peak = 0, position = 0;
    for (struct kir_inst *i = b->first; i; i = i->next)
        n++;
    struct arena tmp = {0};
    uint32_t *ends = arena_array(&tmp, uint32_t, n); // by position: registers that become free
    for (struct kir_inst *i = b->first; i; i = i->next, position++) {
        for (uint32_t k = 0; k < i->nres; k++) {
            const struct kir_value *v = i->res[k];
            if (p->crosses[v->id] || !p->last[v->id])
                continue;
            alive += width(v);
            ends[p->last[v->id] - 1] += width(v);
        }
        peak = alive > peak ? alive : peak;
        alive -= ends[position];
    }
    arena_free(&tmp);
    return peak;
}

unsigned kir_estimate_registers(const struct kir_func *f) {
    struct pressure p = {.f = f};
    uint32_t nblocks = f->blocks.len, most = 0;
    p.across = arena_array(&p.tmp, uint32_t, nblocks);
    p.seen = arena_array(&p.tmp, uint32_t, nblocks);
    p.work = arena_array(&p.tmp, uint32_t, (size_t)nblocks + 1);
    p.last = arena_array(&p.tmp, uint32_t, f->value_count);
    p.crosses = arena_array(&p.tmp, bool, f->value_count);
    struct use **uses = arena_array(&p.tmp, struct use *, f->value_count);
    find_uses(&p, uses);
    count_crossing(&p, uses);
    for (uint32_t b = 0; b < nblocks; b++) {
        uint32_t n = p.across[b] + peak_inside(&p, f->blocks.data[b]);
        most = n > most ? n : most;
    }
    arena_free(&p.tmp);
    return most < LEAST ? LEAST : most > MOST ? MOST : most;
}
