// Loads of interleaved groups (plan/interleaved.c), whose members LLVM loads once. Stores of
// all members, which leave no gaps, are one store of vectors, where the last of them stands.
#include "codegen/memory/cg_interleaved.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "plan/plan.h"

enum { MOST_CHUNKS = 32 };

struct place {
    unsigned chunk, slot;
};

static int64_t start_of(const struct plan_window *w, unsigned chunk, unsigned element) {
    int64_t size = (int64_t)w->n * element, last = w->bytes - size;
    return chunk * size < last ? chunk * size : last;
}

static struct place place_of(const struct plan_window *w, int64_t at, unsigned element) {
    struct place p = {.chunk = (unsigned)(at / ((int64_t)w->n * element))};
    p.slot = (unsigned)((at - start_of(w, p.chunk, element)) / element);
    return p;
}

static LLVMValueRef pick(struct cg *c, LLVMValueRef x, LLVMValueRef y, const int *from,
                         unsigned n) {
    LLVMValueRef idx[64];
    for (unsigned k = 0; k < n; k++)
        idx[k] = from[k] < 0 ? LLVMGetPoison(c->i32) : cg_i32(c, (uint64_t)from[k]);
    return LLVMBuildShuffleVector(c->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(idx, n), "");
}

static bool are_distinct(const struct place *p, unsigned n) {
    uint64_t seen = 0;
    for (unsigned l = 0; l < n; l++) {
        if (seen >> p[l].slot & 1)
            return false;
        seen |= 1ULL << p[l].slot;
    }
    return true;
}

// `lanes` elements from where they are, at most as many as a chunk has. Where no two lie at one
// slot of their chunks, chunks are blended, and one permutation puts all in order; else each
// chunk's are put in order as they come.
static LLVMValueRef collect(struct cg *c, const struct plan_window *w, LLVMValueRef *chunk,
                            const struct place *p, unsigned lanes) {
    int from[64];
    LLVMValueRef all = NULL;
    bool blends = are_distinct(p, lanes);
    unsigned seen = 0;
    for (unsigned k = 0; k < w->chunks; k++) {
        bool used = false;
        for (unsigned s = 0; s < w->n; s++)
            from[s] = blends || s < lanes ? (int)s : -1;
        for (unsigned l = 0; l < lanes; l++)
            if (p[l].chunk == k) {
                used = true;
                from[blends ? p[l].slot : l] = (int)(w->n + p[l].slot);
            } else if (!blends && p[l].chunk > k) {
                from[l] = -1;
            }
        if (!used)
            continue;
        if (!blends || seen)
            all = pick(c, all ? all : LLVMGetPoison(LLVMTypeOf(chunk[k])), chunk[k], from, w->n);
        else
            all = chunk[k];
        seen++;
    }
    for (unsigned l = 0; l < lanes; l++)
        from[l] = blends ? (int)p[l].slot : (int)l;
    return pick(c, all, NULL, from, lanes);
}

static LLVMValueRef component(struct cg *c, const struct plan_window *w, LLVMValueRef *chunk,
                              int64_t at, int64_t distance, unsigned element) {
    struct place p[KD_WARP];
    LLVMValueRef part[KD_WARP];
    unsigned step = w->n < c->width ? w->n : c->width, parts = 0;
    for (unsigned l = 0; l < c->width; l++)
        p[l] = place_of(w, at + l * distance, element);
    for (unsigned l = 0; l < c->width; l += step)
        part[parts++] = collect(c, w, chunk, p + l, step);
    for (; parts > 1; parts /= 2)
        for (unsigned k = 0; k < parts / 2; k++)
            part[k] = cg_concat(c, part[2 * k], part[2 * k + 1]);
    return part[0];
}

void cg_load_interleaved(struct cg *c, const struct plan_access *a, LLVMTypeRef elem,
                         LLVMValueRef base, LLVMValueRef *out) {
    const struct plan_window *w = &a->window;
    LLVMValueRef chunk[MOST_CHUNKS];
    unsigned element = a->bytes;
    int64_t begin = a->inst->offset - w->lo, distance = (int64_t)a->n * element;
    LLVMTypeRef t = LLVMVectorType(elem, w->n);
    for (unsigned k = 0; k < w->chunks; k++) {
        LLVMValueRef at = cg_i64(c, (uint64_t)(start_of(w, k, element) - begin));
        chunk[k] = LLVMBuildLoad2(c->b, t, LLVMBuildGEP2(c->b, c->i8, base, &at, 1, ""), "");
        LLVMSetAlignment(chunk[k], element);
    }
    for (unsigned k = 0; k < a->count; k++)
        out[k] = component(c, w, chunk, begin + (int64_t)k * element, distance, element);
}
