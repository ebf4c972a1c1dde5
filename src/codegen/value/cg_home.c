// Homes: memory that the sums of matrix products stay in. A kernel has far more of them than there
// are registers, and each lives through a loop in which a product takes its place: c of the product
// and d are one thing, and so is the phi between them. What is connected like that, with never two
// of it alive, has one place in memory; LLVM, which sees values only, would copy them from one
// place on the stack to the next. Where groups stop at barriers the place is among what is saved
// there, and nothing has to be saved.
#include "codegen/value/cg_home.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_web.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "isa/matrix.h"
#include "isa/ops/matrix.h"

struct cg_homes {
    struct cg_webs w;     // of what is made by a product, and phis of such
    LLVMValueRef *memory; // by value id: in the frame
    uint32_t *offset;     // by value id: where groups are saved; 0: not there
    bool saved;
    // Tiles: eight homes in a kilobyte, a row of 64 bytes after the other.
    uint32_t ntiles;
    uint32_t *tile;     // by web: 1 and the tile's number; 0: of none
    uint8_t *part;      // by web: which of its eight
    uint8_t *loops;     // by web: it has a phi
    uint32_t tiles;     // where they begin, when they are saved
    LLVMValueRef own;   // where they begin, when they are not
    LLVMValueRef tiled; // i1: the device has tile registers
};

static bool is_sum(const struct kir_inst *i) {
    return i->op == ISA_OP_MMA || i->op == ISA_OP_WMMA_MMA || i->op == ISA_OP_WGMMA_MMA;
}

// The operand that result k takes the place of; NULL: it is of another type.
static struct kir_value *replaced(const struct kir_inst *i, uint32_t k) {
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    if (x.type[ISA_FRAG_C] != x.type[ISA_FRAG_D])
        return NULL;
    if (i->op == ISA_OP_WGMMA_MMA)
        return i->ops[k];
    return i->ops[isa_fragment_of(&x, ISA_FRAG_A).registers +
                  isa_fragment_of(&x, ISA_FRAG_B).registers + k];
}

// May v, which is copied to r or the other way round, have one place with it? A float that becomes
// a word is another one when it is a NaN.
static bool may_join(const struct kir_value *r, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->type == r->type &&
           (v->def->op == ISA_OP_PHI || is_sum(v->def));
}

static bool join_phi(struct cg_homes *h, const struct kir_inst *i) {
    bool any = h->w.member[i->res[0]->id], changed = false;
    for (uint32_t k = 0; k < i->nops; k++)
        any |= may_join(i->res[0], i->ops[k]) && h->w.member[i->ops[k]->id];
    if (!any)
        return false;
    changed = !h->w.member[i->res[0]->id];
    h->w.member[i->res[0]->id] = 1;
    for (uint32_t k = 0; k < i->nops; k++) {
        const struct kir_value *v = i->ops[k];
        if (!may_join(i->res[0], v))
            continue;
        changed |= !h->w.member[v->id];
        h->w.member[v->id] = 1;
        changed |= cg_join_webs(&h->w, i->res[0], v);
    }
    return changed;
}

// Products first, then phis until nothing changes.
static bool connect(struct cg_func *g, struct cg_homes *h) {
    bool any = false;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres && is_sum(i); k++) {
                struct kir_value *c = replaced(i, k);
                h->w.member[i->res[k]->id] = 1;
                any = true;
                if (c && may_join(i->res[k], c)) {
                    h->w.member[c->id] = 1;
                    cg_join_webs(&h->w, i->res[k], c);
                }
            }
    for (bool changed = any; changed;) {
        changed = false;
        for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
            for (struct kir_inst *i = g->fl->cfg->order[p]->first; i && i->op == ISA_OP_PHI;
                 i = i->next)
                changed |= join_phi(h, i);
    }
    return any;
}

// ---- the choice ---------------------------------------------------------------------------

static bool all_full(const struct cg_func *g, const struct kir_inst *i) {
    bool full = g->fl->full[i->block->id];
    for (uint32_t p = 0; i->op == ISA_OP_PHI && p < i->block->preds.len; p++)
        full &= g->fl->full[i->block->preds.data[p]->id];
    return full;
}

static void refuse(struct cg_func *g, struct cg_homes *h) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++) {
                uint32_t v = i->res[k]->id;
                if (h->w.member[v] && (g->fl->shape[v].kind != SHAPE_VARYING ||
                                       g->fl->live_out[v] || !all_full(g, i)))
                    h->w.bad[cg_web_of(&h->w, v)] = 1;
            }
}

static LLVMTypeRef home_type(struct cg *c, const struct kir_value *v) {
    return cg_vec_of(c, kir_type_bits(v->type) == 64 ? c->i64 : c->i32);
}

static void give(struct cg_func *g, struct cg_homes *h, const struct kir_value *v) {
    uint32_t all = cg_web_of(&h->w, v->id);
    if (!h->w.member[v->id] || h->w.bad[all] || h->tile[all] || h->offset[all] || h->memory[all])
        return;
    if (h->saved) {
        h->offset[all] = g->homes_end;
        g->homes_end += kir_type_bits(v->type) / 8 * g->cg->width;
    } else {
        h->memory[all] = LLVMBuildAlloca(g->cg->b, home_type(g->cg, v), "home");
        LLVMSetAlignment(h->memory[all], 64);
    }
}

// ---- tiles --------------------------------------------------------------------------------

enum { PARTS = 8, HALF = 4, ROWS = 8, ROW_BYTES = 16, PART_BYTES = ROWS * ROW_BYTES };

static void find_loops(struct cg_func *g, struct cg_homes *h) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i && i->op == ISA_OP_PHI;
             i = i->next)
            if (h->w.member[i->res[0]->id])
                h->loops[cg_web_of(&h->w, i->res[0]->id)] = 1;
}

// The tile that the eight values are: its number and 1; 0: they are no tile.
static uint32_t tile_of(struct cg_func *g, struct kir_value *const *eight) {
    struct cg_homes *h = g->homes;
    for (unsigned k = 0; k < PARTS; k++) {
        if (!cg_has_home(g, eight[k]))
            return 0;
        uint32_t all = cg_web_of(&h->w, eight[k]->id);
        if (h->part[all] != k || h->tile[all] != h->tile[cg_web_of(&h->w, eight[0]->id)])
            return 0;
    }
    return h->tile[cg_web_of(&h->w, eight[0]->id)];
}

void cg_make_tile(struct cg_func *g, struct kir_value *const *eight) {
    struct cg_homes *h = g->homes;
    for (unsigned k = 0; k < PARTS; k++) {
        uint32_t all = cg_has_home(g, eight[k]) ? cg_web_of(&h->w, eight[k]->id) : 0;
        bool usable = all && !h->tile[all] && h->loops[all] && kir_type_bits(eight[k]->type) == 32;
        usable &= (eight[k]->type == KIR_F32) == (eight[0]->type == KIR_F32);
        for (unsigned j = 0; j < k && usable; j++)
            usable = cg_web_of(&h->w, eight[j]->id) != all;
        if (!usable)
            return;
    }
    h->ntiles++;
    for (unsigned k = 0; k < PARTS; k++) {
        h->tile[cg_web_of(&h->w, eight[k]->id)] = h->ntiles;
        h->part[cg_web_of(&h->w, eight[k]->id)] = (uint8_t)k;
    }
}

static void place_tiles(struct cg_func *g, struct cg_homes *h) {
    struct cg *c = g->cg;
    if (!h->ntiles)
        return;
    h->tiled = cg_call_rt(c, "kd_rt_tiles", NULL, 0);
    h->tiled = LLVMBuildICmp(c->b, LLVMIntNE, h->tiled, cg_i32(c, 0), "tiled");
    if (h->saved) {
        h->tiles = g->homes_end;
        g->homes_end += h->ntiles * PARTS * PART_BYTES;
    } else {
        h->own =
            LLVMBuildAlloca(c->b, LLVMArrayType2(c->i8, h->ntiles * PARTS * PART_BYTES), "tiles");
        LLVMSetAlignment(h->own, 64);
    }
}

void cg_find_homes(struct cg_func *g, bool saved) {
    struct arena *a = g->cg->arena;
    uint32_t n = g->f->value_count + 1;
    if (g->cg->width != ISA_LANES || g->cg->team != 1)
        return;
    struct cg_homes *h = arena_new(a, struct cg_homes);
    cg_begin_webs(g, &h->w);
    if (!connect(g, h))
        return;
    h->memory = arena_array(a, LLVMValueRef, n);
    h->offset = arena_array(a, uint32_t, n);
    h->tile = arena_array(a, uint32_t, n);
    h->part = arena_array(a, uint8_t, n);
    h->loops = arena_array(a, uint8_t, n);
    h->saved = saved;
    cg_check_webs(g, &h->w);
    refuse(g, h);
    g->homes = h;
    find_loops(g, h);
}

void cg_place_homes(struct cg_func *g) {
    struct cg_homes *h = g->homes;
    if (!h)
        return;
    place_tiles(g, h);
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                give(g, h, i->res[k]);
}

bool cg_has_home(struct cg_func *g, const struct kir_value *v) {
    struct cg_homes *h = g->homes;
    return h && v->kind == KIR_VALUE_INST && h->w.member[v->id] &&
           !h->w.bad[cg_web_of(&h->w, v->id)];
}

bool cg_same_home(struct cg_func *g, const struct kir_value *x, const struct kir_value *y) {
    return cg_has_home(g, x) && cg_has_home(g, y) &&
           cg_web_of(&g->homes->w, x->id) == cg_web_of(&g->homes->w, y->id);
}

static LLVMValueRef at(struct cg *c, LLVMValueRef p, LLVMValueRef offset) {
    return LLVMBuildInBoundsGEP2(c->b, c->i8, p, &offset, 1, "");
}

static LLVMValueRef tile_memory(struct cg_func *g, uint32_t number) {
    struct cg_homes *h = g->homes;
    LLVMValueRef offset = cg_i64(g->cg, h->tiles + number * PARTS * PART_BYTES);
    return at(g->cg, h->own ? h->own : g->now.spill, offset);
}

LLVMValueRef cg_tiles(struct cg_func *g) {
    return tile_memory(g, 0);
}

bool cg_has_tiles(const struct cg_func *g) {
    return g->homes->ntiles;
}

LLVMValueRef cg_is_tiled(struct cg_func *g) {
    return g->homes->tiled;
}

bool cg_tile_offset(struct cg_func *g, struct kir_value *const *eight, uint32_t *offset) {
    uint32_t number = g->homes ? tile_of(g, eight) : 0;
    *offset = (number - 1) * PARTS * PART_BYTES;
    return number != 0;
}

static LLVMValueRef home_of(struct cg_func *g, const struct kir_value *v) {
    struct cg *c = g->cg;
    struct cg_homes *h = g->homes;
    uint32_t all = cg_web_of(&h->w, v->id);
    if (h->memory[all])
        return h->memory[all];
    return at(c, g->now.spill, cg_i64(c, h->offset[all]));
}

LLVMValueRef cg_home_place(struct cg_func *g, const struct kir_value *v) {
    return cg_has_home(g, v) && !g->homes->tile[cg_web_of(&g->homes->w, v->id)] ? home_of(g, v)
                                                                                : NULL;
}

static bool in_rows(struct cg_func *g, const struct kir_value *v) {
    return g->homes->tile[cg_web_of(&g->homes->w, v->id)];
}

// A row of a tile's home: 16 bytes.
static LLVMValueRef row_of(struct cg_func *g, const struct kir_value *v, unsigned row) {
    struct cg *c = g->cg;
    struct cg_homes *h = g->homes;
    uint32_t all = cg_web_of(&h->w, v->id);
    LLVMValueRef p = tile_memory(g, h->tile[all] - 1);
    unsigned part = h->part[all];
    return at(c, p,
              cg_i64(c, part / HALF * HALF * PART_BYTES + (row * HALF + part % HALF) * ROW_BYTES));
}

static void row_lanes(struct cg *c, unsigned row, LLVMValueRef *idx) {
    for (unsigned k = 0; k < ISA_LANES / ROWS; k++)
        idx[k] = cg_i32(c, row * (ISA_LANES / ROWS) + k);
}

static LLVMValueRef load_rows(struct cg_func *g, const struct kir_value *v) {
    struct cg *c = g->cg;
    LLVMTypeRef four = LLVMVectorType(cg_scalar_type(c, v->type), ISA_LANES / ROWS);
    LLVMValueRef x[ROWS], idx[ISA_LANES];
    for (unsigned row = 0; row < ROWS; row++) {
        x[row] = LLVMBuildLoad2(c->b, four, row_of(g, v, row), "");
        LLVMSetAlignment(x[row], ROW_BYTES);
        LLVMSetVolatile(x[row], 1);
    }
    for (unsigned k = 0; k < ISA_LANES; k++)
        idx[k] = cg_i32(c, k);
    for (unsigned n = ROWS, e = ISA_LANES / ROWS * 2; n > 1; n /= 2, e *= 2)
        for (unsigned k = 0; k < n / 2; k++)
            x[k] =
                LLVMBuildShuffleVector(c->b, x[2 * k], x[2 * k + 1], LLVMConstVector(idx, e), "");
    return x[0];
}

// Do the first `distance` parts of a tile's half, or of its second half, begin with x, and those
// behind them with y?
static bool stand_side_by_side(struct cg_func *g, const struct kir_value *x,
                               const struct kir_value *y, unsigned distance) {
    struct cg_homes *h = g->homes;
    if (!cg_has_home(g, x) || !cg_has_home(g, y) || !in_rows(g, x) || !in_rows(g, y))
        return false;
    uint32_t first = cg_web_of(&h->w, x->id), second = cg_web_of(&h->w, y->id);
    return h->tile[second] == h->tile[first] && h->part[first] % (2 * distance) == 0 &&
           h->part[second] == h->part[first] + distance;
}

bool cg_is_pair(struct cg_func *g, struct kir_value *x, struct kir_value *y) {
    return stand_side_by_side(g, x, y, 1) && !cg_at_hand(g, x) && !cg_at_hand(g, y);
}

bool cg_is_pair_line(struct cg_func *g, const struct kir_value *x, const struct kir_value *y) {
    return stand_side_by_side(g, x, y, 2);
}

LLVMValueRef cg_load_pair_row(struct cg_func *g, const struct kir_value *x, unsigned row,
                              bool line) {
    struct cg *c = g->cg;
    unsigned pairs = line ? 2 : 1;
    LLVMTypeRef t = LLVMVectorType(cg_scalar_type(c, x->type), ISA_LANES / ROWS * 2 * pairs);
    LLVMValueRef v = LLVMBuildLoad2(c->b, t, row_of(g, x, row), "");
    LLVMSetAlignment(v, ROW_BYTES * 2 * pairs);
    LLVMSetVolatile(v, 1);
    return v;
}

static void store_rows(struct cg_func *g, const struct kir_value *v, LLVMValueRef x) {
    struct cg *c = g->cg;
    LLVMValueRef idx[ISA_LANES / ROWS];
    for (unsigned row = 0; row < ROWS; row++) {
        row_lanes(c, row, idx);
        LLVMValueRef four = LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                                   LLVMConstVector(idx, ISA_LANES / ROWS), "");
        LLVMValueRef s = LLVMBuildStore(c->b, four, row_of(g, v, row));
        LLVMSetAlignment(s, ROW_BYTES);
        LLVMSetVolatile(s, 1);
    }
}

static bool is_zero(const struct kir_value *v) {
    uint64_t bits;
    return flow_const(v, &bits) && !bits;
}

bool cg_store_zeros(struct cg_func *g, const struct kir_inst *phi, uint32_t p) {
    struct cg_homes *h = g->homes;
    struct cg *c = g->cg;
    if (!cg_has_home(g, phi->res[0]) || !in_rows(g, phi->res[0]) || !is_zero(phi->ops[p]))
        return false;
    uint32_t all = cg_web_of(&h->w, phi->res[0]->id), n = 0;
    unsigned half = h->part[all] / HALF;
    for (struct kir_inst *i = phi->block->first; i && i->op == ISA_OP_PHI; i = i->next) {
        uint32_t other = cg_web_of(&h->w, i->res[0]->id);
        n += cg_has_home(g, i->res[0]) && h->tile[other] == h->tile[all] &&
             h->part[other] / HALF == half && is_zero(i->ops[p]);
    }
    if (n != HALF || h->part[all] % HALF)
        return n == HALF;
    LLVMValueRef zero = LLVMConstNull(LLVMVectorType(c->i32, HALF * ROW_BYTES / 4));
    for (unsigned row = 0; row < ROWS; row++) {
        LLVMValueRef s = LLVMBuildStore(c->b, zero, row_of(g, phi->res[0], row));
        LLVMSetAlignment(s, HALF * ROW_BYTES);
        LLVMSetVolatile(s, 1);
    }
    return true;
}

// Volatile, or LLVM keeps a copy of what it knows to be there.
LLVMValueRef cg_load_home(struct cg_func *g, const struct kir_value *v) {
    if (in_rows(g, v))
        return load_rows(g, v);
    LLVMValueRef x = LLVMBuildLoad2(g->cg->b, cg_vec_type(g->cg, v->type), home_of(g, v), "");
    LLVMSetAlignment(x, 64);
    LLVMSetVolatile(x, 1);
    return x;
}

void cg_store_home(struct cg_func *g, const struct kir_value *v, LLVMValueRef x) {
    if (in_rows(g, v)) {
        store_rows(g, v, x);
        return;
    }
    LLVMValueRef s = LLVMBuildStore(g->cg->b, x, home_of(g, v));
    LLVMSetAlignment(s, 64);
    LLVMSetVolatile(s, 1);
}
