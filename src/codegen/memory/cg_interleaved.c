// Loads of interleaved groups (plan/interleaved.c), whose members LLVM loads once. Stores of
// all members, which leave no gaps, are one store of vectors, where the last of them stands.
#include "codegen/memory/cg_interleaved.h"
#include "codegen/access/cg_copy.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_append.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_known.h"
#include "plan/plan.h"

enum { MOST_CHUNKS = 32 };

static int64_t size_of(const struct kir_inst *i) {
    return (int64_t)(i->mods.vec ? i->mods.vec : 1) * isa_type_bits(i->ty) / 8;
}

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

// ---- stores of all members --------------------------------------------------------------------

// What may stand between two stores of a group: nothing that could see that one is late.
static bool sees_nothing(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE;
}

static bool is_stored_beside(const struct kir_inst *i, const struct kir_inst *of) {
    return i->op == ISA_OP_ST && i->ops[0] == of->ops[0] && i->ty == of->ty && !i->mods.vec &&
           i->mods.space == of->mods.space && i->mods.sem == ISA_SEM_WEAK;
}

static bool may_be_member(struct cg_func *g, const struct kir_inst *i) {
    return i->op == ISA_OP_ST && !i->mods.vec && i->mods.sem == ISA_SEM_WEAK &&
           (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC) &&
           !cg_is_append(g, i) && !cg_is_copy(g, i);
}

// The members in the order of their places; false: some are missing, or there are others.
static bool find_row(struct cg_func *g, struct kir_inst *of, unsigned n, struct kir_inst **member,
                     struct kir_inst **last) {
    int64_t size = size_of(of), lowest = of->offset;
    struct kir_inst *first = of;
    unsigned found = 0, stores = 0;
    // With more stores than members no store is one, whichever of them asks.
    for (struct kir_inst *i = of; i && (sees_nothing(i) || is_stored_beside(i, of)); i = i->prev) {
        first = i;
        if (i->op == ISA_OP_ST && ++stores > n)
            return false;
    }
    stores = 0;
    for (struct kir_inst *i = first; i && (sees_nothing(i) || is_stored_beside(i, of));
         i = i->next) {
        if (i->op == ISA_OP_ST && ++stores > n)
            return false;
        if (i->op == ISA_OP_ST && i->offset < lowest)
            lowest = i->offset;
    }
    for (unsigned k = 0; k < n; k++)
        member[k] = NULL;
    for (struct kir_inst *i = first; i && (sees_nothing(i) || is_stored_beside(i, of));
         i = i->next) {
        if (i->op != ISA_OP_ST)
            continue;
        int64_t at = i->offset - lowest;
        if (at % size || at / size >= n || member[at / size] || !may_be_member(g, i))
            return false;
        member[at / size] = i;
        *last = i;
        found++;
    }
    return found == n;
}

enum cg_row cg_store_row(struct cg_func *g, struct kir_inst *i, struct kir_inst *row) {
    enum { MOST = 8 };
    struct shape s = cg_shape(g, i->ops[0]);
    struct kir_inst *member[MOST], *last = NULL;
    if (s.kind != SHAPE_OFFSETS || g->cg->width == 1 || g->cg->quick || !may_be_member(g, i))
        return CG_ROW_NONE;
    int64_t size = size_of(i), distance = s.offs[1] - s.offs[0];
    for (unsigned l = 2; l < g->cg->width; l++)
        if (s.offs[l] - s.offs[l - 1] != distance)
            return CG_ROW_NONE;
    if (distance != 2 * size && distance != 4 * size && distance != 8 * size)
        return CG_ROW_NONE;
    unsigned n = (unsigned)(distance / size);
    if (!find_row(g, i, n, member, &last))
        return CG_ROW_NONE;
    *row = *member[0];
    row->mods.vec = (uint8_t)n;
    row->nops = n + 1;
    row->ops = arena_array(g->cg->arena, struct kir_value *, n + 1);
    row->ops[0] = i->ops[0];
    for (unsigned k = 0; k < n; k++)
        row->ops[1 + k] = member[k]->ops[1];
    row->prev = i->prev;
    row->next = i->next;
    // Accesses of two and four words expect the alignment that they have in PTX.
    if (size >= 4 && !cg_is_aligned(g, row))
        return CG_ROW_NONE;
    return i == last ? CG_ROW_NOW : CG_ROW_LATER;
}
