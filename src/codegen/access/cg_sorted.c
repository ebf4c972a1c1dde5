// Lanes at constant distances that lie side by side once they are sorted by address, as the columns
// do when a tile is stored transposed: one shuffle sorts a vector, and each run of neighbours is
// one access.
#include "codegen/access/cg_sorted.h"
#include "codegen/access/cg_gather.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"

enum { LEAST_IN_RUN = 2, MOST_LANES = 32 };

struct sorted {
    unsigned lane[MOST_LANES]; // in the order of their places
    unsigned n;                // places
};

// Of several lanes at one place the last one stays, as of several stores.
static struct sorted sort(const struct cg *c, const int64_t *offs) {
    struct sorted s = {.n = 0};
    for (unsigned l = 0; l < c->width; l++) {
        unsigned at = s.n;
        while (at && offs[s.lane[at - 1]] > offs[l])
            at--;
        if (at && offs[s.lane[at - 1]] == offs[l]) {
            s.lane[at - 1] = l;
            continue;
        }
        for (unsigned k = s.n++; k > at; k--)
            s.lane[k] = s.lane[k - 1];
        s.lane[at] = l;
    }
    return s;
}

// How many places from the at-th on follow each other, as a power of two.
static unsigned run_from(const struct sorted *s, const int64_t *offs, unsigned at, unsigned bytes) {
    unsigned n = 1, whole = 1;
    while (at + n < s->n && offs[s->lane[at + n]] == offs[s->lane[at]] + (int64_t)(n * bytes))
        n++;
    while (whole * 2 <= n)
        whole *= 2;
    return whole;
}

static bool is_worth(const struct cg_func *g, const struct cg_lane_access *a, struct sorted *s) {
    unsigned runs = 0, n;
    if (g->now.mask || g->cg->width == 1 || a->count != 1 || a->at.pointers || a->at.index ||
        !a->at.offs || a->rare)
        return false;
    *s = sort(g->cg, a->at.offs);
    for (unsigned at = 0; at < s->n; at += n, runs++)
        n = run_from(s, a->at.offs, at, a->bytes);
    return runs * LEAST_IN_RUN <= s->n;
}

static LLVMValueRef place(struct cg *c, const struct cg_lane_access *a, unsigned lane) {
    LLVMValueRef at = cg_i64(c, (uint64_t)a->at.offs[lane]);
    return LLVMBuildGEP2(c->b, c->i8, a->at.base, &at, 1, "");
}

static LLVMValueRef pick(struct cg *c, LLVMValueRef x, LLVMValueRef y, const unsigned *from,
                         unsigned n) {
    LLVMValueRef idx[MOST_LANES];
    for (unsigned k = 0; k < n; k++)
        idx[k] = cg_i32(c, from[k]);
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(idx, n), "");
}

bool cg_scatter_sorted(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp) {
    struct cg *c = g->cg;
    struct sorted s;
    unsigned n, from[MOST_LANES];
    if (!is_worth(g, a, &s))
        return false;
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(comp[0]));
    LLVMValueRef x = pick(c, comp[0], none, s.lane, s.n);
    none = LLVMGetPoison(LLVMTypeOf(x));
    for (unsigned at = 0; at < s.n; at += n) {
        n = run_from(&s, a->at.offs, at, a->bytes);
        for (unsigned k = 0; k < n; k++)
            from[k] = at + k;
        LLVMValueRef st = LLVMBuildStore(c->b, pick(c, x, none, from, n), place(c, a, s.lane[at]));
        LLVMSetAlignment(st, a->bytes);
    }
    return true;
}
