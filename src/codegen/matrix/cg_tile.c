// Products whose sums' homes are tiles (cg_home.c): which they are, where their factors come from,
// and those of bytes on tile registers (AMX): what is computed together is handed to the device,
// which multiplies panels (device/helpers/tile_product.c). The machine may have no such registers:
// all of it is one way of a branch, the vector code of cg_row_tile.c the other.
//
// What the device is told is a constant, struct kd_tile_block.
#include <string.h>

#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/matrix/cg_tile.h"
#include "codegen/matrix/cg_tile_internal.h"
#include "codegen/value/cg_home.h"
#include "isa/ops/matrix.h"
#include "support/strbuf.h"

enum { EIGHT = 8, PIECE = CG_TILE_PIECE, STEP = CG_TILE_STEP, LEAST = 4 };

// ---- what is computed here -----------------------------------------------------------------

static bool is_transposed(const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_LDMATRIX && v->def->mods.trans &&
           !v->def->mods.shape;
}

static bool same_columns(const struct product *p, const struct tile *x, const struct tile *y) {
    bool same = x->column == y->column;
    for (unsigned step = 0; step < p->steps && same; step++)
        for (unsigned r = 0; r < p->depth && same; r++)
            same = cg_b_register(p, x->chain->i[step], x->column, r) ==
                   cg_b_register(p, y->chain->i[step], y->column, r);
    return same;
}

static bool goes_with(const struct group *x, const struct group *y) {
    const struct kir_inst *i = x->tiles[0].chain->i[0], *j = y->tiles[0].chain->i[0];
    bool same = i->op == j->op && !memcmp(&i->mods, &j->mods, sizeof i->mods) &&
                x->p.steps == y->p.steps && x->n == y->n;
    for (unsigned k = 0; k < x->n && same; k++)
        same = same_columns(&x->p, &x->tiles[k], &y->tiles[k]);
    return same;
}

static bool loads_plainly(const struct group *x) {
    const struct product *p = &x->p;
    bool plain = true;
    for (unsigned step = 0; step < p->steps; step++) {
        for (unsigned k = 0; k < p->rows * p->depth; k++)
            plain &= !is_transposed(
                cg_a_register(p, x->tiles[0].chain->i[step], k / p->depth, k % p->depth));
        for (unsigned k = 0; k < x->n * p->depth; k++)
            plain &= !is_transposed(cg_b_register(p, x->tiles[k / p->depth].chain->i[step],
                                                  x->tiles[k / p->depth].column, k % p->depth));
    }
    return plain;
}

static bool multiplies_bytes(const struct group *groups, unsigned n) {
    const struct product *p = &groups[0].p;
    bool may = p->sum == SUM_BYTES && p->parts == 1 && !p->x.satfinite &&
               n * p->rows * groups[0].n / 4 * p->steps * p->depth >= LEAST;
    for (unsigned k = 0; k < n && may; k++)
        may = loads_plainly(&groups[k]);
    return may;
}

// Smaller products would fill panels for too little; quick code has no time for it.
static bool multiplies_halves(const struct cg *c, const struct group *groups, unsigned n) {
    const struct product *p = &groups[0].p;
    enum isa_matrix_type t = (enum isa_matrix_type)p->x.type[ISA_FRAG_A];
    return (t == ISA_MAT_F16 || t == ISA_MAT_BF16) && p->sum == SUM_FLOAT && !p->half_c &&
           !p->half_d && !p->adds && !p->negative && n * p->rows * groups[0].n >= 16 &&
           !(c->spec.flags & KD_SPEC_QUICK);
}

// Are the products those of all a, one group each, with all b, in tiles of 16 by 16?
static bool is_rectangle(const struct cg *c, const struct group *groups, unsigned n) {
    const struct product *p = &groups[0].p;
    unsigned down = n * p->rows, across = groups[0].n;
    if (!c->target.newer_products || down % 2 || across % 2 || down > KD_TILE_MOST * 2 ||
        across > KD_TILE_MOST * 2 || p->steps * p->depth > CG_TILE_PIECES)
        return false;
    return multiplies_halves(c, groups, n) || multiplies_bytes(groups, n);
}

// Brings the groups with the first one's b behind it; how many they are, with it.
static unsigned gather(struct group *groups, unsigned n) {
    unsigned same = 1;
    for (unsigned k = 1; k < n; k++) {
        if (!goes_with(&groups[0], &groups[k]))
            continue;
        struct group x = groups[k];
        memmove(&groups[same + 1], &groups[same], (k - same) * sizeof x);
        groups[same++] = x;
    }
    return same;
}

// The eight registers of a tile of sums, as they come and as they go. False: they do not stay in
// place.
static bool sums_of(struct cg_func *g, const struct group *groups, unsigned down, unsigned across,
                    struct kir_value **eight) {
    const struct product *p = &groups[0].p;
    for (unsigned k = 0; k < EIGHT; k++) {
        unsigned row = down * 2 + k / 4, odd = k % 2;
        const struct tile *t = &groups[row / p->rows].tiles[across * 2 + k / 2 % 2];
        unsigned r = cg_sum_register(p, row % p->rows, t->column, false) + odd;
        eight[k] = t->chain->i[p->steps - 1]->res[r];
        if (!cg_same_home(g, t->chain->i[0]->ops[p->first_c + r], eight[k]))
            return false;
    }
    return true;
}

static bool all_in_place(struct cg_func *g, const struct group *groups, unsigned n) {
    struct kir_value *eight[EIGHT];
    for (unsigned i = 0; i < n * groups[0].p.rows / 2; i++)
        for (unsigned j = 0; j < groups[0].n / 2; j++)
            if (!sums_of(g, groups, i, j, eight))
                return false;
    return true;
}

static void make_tiles(struct cg_func *g, struct group *groups, unsigned n) {
    struct kir_value *eight[EIGHT];
    for (unsigned same; n; groups += same, n -= same) {
        same = gather(groups, n);
        if (!is_rectangle(g->cg, groups, same) || !all_in_place(g, groups, same))
            continue;
        for (unsigned i = 0; i < same * groups[0].p.rows / 2; i++) {
            for (unsigned j = 0; j < groups[0].n / 2; j++) {
                sums_of(g, groups, i, j, eight);
                cg_make_tile(g, eight);
            }
        }
    }
}

void cg_find_tiles(struct cg_func *g) {
    if (g->homes && g->cg->target.newer_products)
        cg_visit_products(g, make_tiles);
}

// ---- where factors are -------------------------------------------------------------------------

static bool place_sums(struct cg_func *g, struct tile_call *call) {
    struct kir_value *eight[EIGHT];
    for (unsigned i = 0; i < call->down; i++)
        for (unsigned j = 0; j < call->across; j++)
            if (!sums_of(g, call->groups, i, j, eight) ||
                !cg_tile_offset(g, eight, &call->sums[i][j]))
                return false;
    return true;
}

static struct tile_piece piece_of(struct cg_func *g, struct tile_call *call,
                                  const struct kir_inst *i, struct kir_value *v) {
    struct source s = cg_source_of(g, v);
    const struct kir_inst *load = s.rows.element ? v->def : NULL;
    unsigned n = 0;
    while (n < call->nrows && (load ? call->rows[n].load != load : call->rows[n].value != v))
        n++;
    if (n == call->nrows) {
        call->rows[n] =
            (struct tile_rows){load, load ? NULL : v, s.rows.base, s.rows.offsets, NULL};
        if (!load)
            call->rows[n].vector = cg_active_register(g, i, v);
        call->nrows++;
    }
    return (struct tile_piece){(uint16_t)n, (uint16_t)s.matrix};
}

static void place_factors(struct cg_func *g, struct tile_call *call) {
    const struct product *p = &call->groups[0].p;
    for (unsigned k = 0; k < call->pieces; k++) {
        unsigned step = k / p->depth, r = k % p->depth;
        for (unsigned row = 0; row < call->down * 2; row++) {
            const struct kir_inst *i = call->groups[row / p->rows].tiles[0].chain->i[step];
            call->a[row][k] = piece_of(g, call, i, cg_a_register(p, i, row % p->rows, r));
        }
        for (unsigned column = 0; column < call->across * 2; column++) {
            const struct tile *t = &call->groups[0].tiles[column];
            const struct kir_inst *i = t->chain->i[step];
            call->b[column][k] = piece_of(g, call, i, cg_b_register(p, i, t->column, r));
        }
    }
}

// Registers go to memory, their rows one behind the other.
static void store_vectors(struct cg_func *g, struct tile_call *call) {
    struct cg *c = g->cg;
    for (unsigned n = 0; n < call->nrows; n++) {
        struct tile_rows *r = &call->rows[n];
        if (!r->vector)
            continue;
        r->base = cg_entry_alloca(g, LLVMTypeOf(r->vector));
        LLVMSetAlignment(r->base, PANEL_ALIGN);
        LLVMSetAlignment(LLVMBuildStore(c->b, r->vector, r->base), PANEL_ALIGN);
    }
}

// ---- panels ------------------------------------------------------------------------------------

bool cg_knows_offsets(const struct tile_rows *r) {
    return r->vector || (LLVMIsAGlobalVariable(r->offsets) && LLVMIsGlobalConstant(r->offsets));
}

static int64_t offset_of(const struct tile_rows *r, unsigned matrix, unsigned row) {
    if (r->vector)
        return row * PIECE;
    LLVMValueRef all = LLVMGetInitializer(r->offsets);
    return LLVMConstIntGetSExtValue(LLVMGetAggregateElement(all, matrix * TILE + row));
}

static unsigned number_of(struct tile_filling *f, const struct tile_piece *p) {
    const struct tile_rows *r = &f->call->rows[p->rows];
    unsigned n = 0;
    while (n < f->nrows && f->rows[n] != p->rows)
        n++;
    if (n == f->nrows) {
        f->first[n] = cg_knows_offsets(r) ? offset_of(r, p->matrix, 0) : 0;
        f->rows[f->nrows++] = p->rows;
    }
    return n;
}

// All that tells it from other such functions.
static const char *name_of(struct tile_filling *f, const char *what) {
    struct strbuf s = {0};
    strbuf_printf(&s, "%s", what);
    for (unsigned k = 0; k < 2 * STEP; k++) {
        const struct tile_piece *p = f->piece[k / STEP][k % STEP];
        if (!p) {
            strbuf_printf(&s, "_none");
            continue;
        }
        const struct tile_rows *r = &f->call->rows[p->rows];
        unsigned n = number_of(f, p);
        strbuf_printf(&s, "_%u%s", n, r->load && r->load->mods.trans ? "t" : "");
        if (!cg_knows_offsets(r))
            strbuf_printf(&s, "_at_%u", p->matrix);
        for (unsigned row = 0; row < TILE && cg_knows_offsets(r); row++)
            strbuf_printf(&s, "_%lld", (long long)(offset_of(r, p->matrix, row) - f->first[n]));
    }
    char *name = arena_strdup(f->c->arena, strbuf_str(&s));
    strbuf_free(&s);
    return name;
}

static LLVMValueRef at(struct cg *c, LLVMValueRef p, LLVMValueRef offset) {
    return LLVMBuildGEP2(c->b, c->i8, p, &offset, 1, "");
}

LLVMValueRef cg_tile_row(struct tile_filling *f, unsigned half, unsigned q, unsigned row) {
    struct cg *c = f->c;
    const struct tile_piece *p = f->piece[half][q];
    LLVMTypeRef four = LLVMVectorType(c->i32, 4);
    if (!p)
        return LLVMConstNull(four);
    const struct tile_rows *r = &f->call->rows[p->rows];
    unsigned n = number_of(f, p);
    LLVMValueRef offset;
    if (cg_knows_offsets(r)) {
        int64_t here = offset_of(r, p->matrix, row) - f->first[n];
        offset = LLVMConstInt(c->i64, (unsigned long long)here, 1);
    } else {
        offset = at(c, f->arg[n][1], cg_i64(c, (p->matrix * TILE + row) * 4));
        offset = LLVMBuildLoad2(c->b, c->i32, offset, "");
        offset = LLVMBuildSExt(c->b, offset, c->i64, "");
    }
    LLVMValueRef x = LLVMBuildLoad2(c->b, four, at(c, f->arg[n][0], offset), "");
    LLVMSetAlignment(x, 1);
    return x;
}

static LLVMValueRef shuffle(struct cg *c, LLVMValueRef x, LLVMValueRef y, const uint8_t *idx) {
    LLVMValueRef k[8];
    for (unsigned e = 0; e < 8; e++)
        k[e] = cg_i32(c, idx[e]);
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(k, 8), "");
}

static LLVMValueRef two(struct cg *c, LLVMValueRef x, LLVMValueRef y) {
    static const uint8_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    return shuffle(c, x, y, all);
}

static void store_half(struct tile_filling *f, LLVMValueRef x, unsigned row, unsigned half) {
    struct cg *c = f->c;
    LLVMValueRef to = at(c, f->memory, cg_i64(c, row * STEP * PIECE + half * 2 * PIECE));
    LLVMSetAlignment(LLVMBuildStore(c->b, x, to), 32);
}

static void emit_a(struct tile_filling *f) {
    for (unsigned row = 0; row < 2 * TILE; row++)
        for (unsigned q = 0; q < STEP; q += 2)
            store_half(f,
                       two(f->c, cg_tile_row(f, row / TILE, q, row % TILE),
                           cg_tile_row(f, row / TILE, q + 1, row % TILE)),
                       row, q / 2);
}

void cg_tile_words(struct tile_filling *f, unsigned q, unsigned half, LLVMValueRef *words) {
    static const uint8_t low1[] = {0, 8, 1, 9, 4, 12, 5, 13},
                         high1[] = {2, 10, 3, 11, 6, 14, 7, 15};
    static const uint8_t low2[] = {0, 1, 8, 9, 4, 5, 12, 13},
                         high2[] = {2, 3, 10, 11, 6, 7, 14, 15};
    struct cg *c = f->c;
    LLVMValueRef x[4], y[4];
    for (unsigned k = 0; k < 4; k++)
        x[k] = two(c, cg_tile_row(f, half, q, 2 * k), cg_tile_row(f, half, q, 2 * k + 1));
    for (unsigned k = 0; k < 2; k++) {
        y[k] = shuffle(c, x[2 * k], x[2 * k + 1], low1);
        y[2 + k] = shuffle(c, x[2 * k], x[2 * k + 1], high1);
    }
    for (unsigned k = 0; k < 4; k++)
        words[k] = shuffle(c, y[k / 2 * 2], y[k / 2 * 2 + 1], k % 2 ? high2 : low2);
}

static void emit_b(struct tile_filling *f) {
    for (unsigned k = 0; k < 2 * STEP; k++) {
        LLVMValueRef words[4];
        cg_tile_words(f, k / 2, k % 2, words);
        for (unsigned n = 0; n < 4; n++)
            store_half(f, words[n], k / 2 * 4 + n, k % 2);
    }
}

static void take_args(struct tile_filling *f, LLVMValueRef fn) {
    unsigned arg = 1;
    f->memory = LLVMGetParam(fn, 0);
    for (unsigned n = 0; n < f->nrows; n++) {
        f->arg[n][0] = LLVMGetParam(fn, arg++);
        if (!cg_knows_offsets(&f->call->rows[f->rows[n]]))
            f->arg[n][1] = LLVMGetParam(fn, arg++);
    }
}

void cg_fill_tile(struct cg *c, const struct tile_call *call, bool of_b, unsigned tile,
                  unsigned step, LLVMValueRef memory, const char *name,
                  void (*emit)(struct tile_filling *f)) {
    struct tile_filling f = {.c = c, .call = call};
    LLVMValueRef args[1 + 4 * STEP] = {memory};
    LLVMTypeRef types[1 + 4 * STEP];
    unsigned n = 1;
    for (unsigned k = 0; k < 2 * STEP; k++)
        if (step * STEP + k % STEP < call->pieces)
            f.piece[k / STEP][k % STEP] =
                &(of_b ? call->b : call->a)[tile * 2 + k / STEP][step * STEP + k % STEP];
    name = name_of(&f, name);
    for (unsigned k = 0; k < f.nrows; k++) {
        const struct tile_rows *r = &call->rows[f.rows[k]];
        args[n++] = at(c, r->base, LLVMConstInt(c->i64, (unsigned long long)f.first[k], 1));
        if (!cg_knows_offsets(r))
            args[n++] = r->offsets;
    }
    for (unsigned k = 0; k < n; k++)
        types[k] = c->ptr;
    LLVMTypeRef type = LLVMFunctionType(c->void_t, types, n, 0);
    struct cg_own own = cg_own_function(c, name, type, CG_ANY_EFFECT);
    if (own.from) {
        take_args(&f, own.f);
        emit(&f);
        LLVMBuildRetVoid(c->b);
        cg_end_own(c, &own);
    }
    cg_call_own(c, type, own.f, args, n);
}

// Two tiles of a's rows at a time, behind them all of b.
static unsigned panel_at(const struct tile_call *call, bool of_b, unsigned tile, unsigned step) {
    unsigned steps = (call->pieces + STEP - 1) / STEP;
    return ((of_b ? 2 + tile : tile % 2) * steps + step) * KD_TILE_BYTES;
}

static void fill_panels(struct cg *c, struct tile_call *call, bool of_b, unsigned tile,
                        unsigned n) {
    for (unsigned k = 0; k < n; k++)
        for (unsigned step = 0; step * STEP < call->pieces; step++)
            cg_fill_tile(c, call, of_b, tile + k, step,
                         at(c, call->panels, cg_i64(c, panel_at(call, of_b, tile + k, step))),
                         of_b ? "kd_tile_b" : "kd_tile_a", of_b ? emit_b : emit_a);
}

// ---- products ----------------------------------------------------------------------------------

// Rows i and i + 1 of tiles, as many as there are, of `n` columns from j on.
static void multiply(struct cg_func *g, const struct tile_call *call, unsigned i, unsigned j,
                     unsigned n) {
    struct cg *c = g->cg;
    const struct product *p = &call->groups[0].p;
    struct kd_tile_block t = {
        .a_signed = p->x.type[ISA_FRAG_A] == ISA_MAT_S8,
        .b_signed = p->x.type[ISA_FRAG_B] == ISA_MAT_S8,
        .down = call->down - i > 1 ? 2 : 1,
        .across = (uint8_t)n,
        .steps = (uint8_t)((call->pieces + STEP - 1) / STEP),
        .a = panel_at(call, false, i, 0),
        .b = panel_at(call, true, j, 0),
    };
    for (unsigned k = 0; k < t.down; k++)
        memcpy(t.sums[k], &call->sums[i + k][j], n * sizeof *t.sums[k]);
    LLVMValueRef block = LLVMConstStringInContext(c->ctx, (const char *)&t, (unsigned)sizeof t, 1);
    LLVMValueRef args[] = {cg_table(c, block, "tile_block"), call->panels, cg_tiles(g)};
    cg_call_rt(c, "kd_rt_tile_product", args, 3);
}

// Panels are filled when they are needed first: the processor does that while it still multiplies.
static void emit_call(struct cg_func *g, struct tile_call *call) {
    call->panels = cg_call_rt(g->cg, "kd_rt_tile_panels", NULL, 0);
    for (unsigned i = 0; i < call->down; i += 2) {
        fill_panels(g->cg, call, false, i, call->down - i > 1 ? 2 : 1);
        unsigned n = i ? call->across : 1; // at a time
        for (unsigned j = 0; j < call->across; j += n) {
            if (!i)
                fill_panels(g->cg, call, true, j, n);
            multiply(g, call, i, j, n);
        }
    }
}

// Groups that are a rectangle; NULL: they are none, or their sums are no tiles.
static struct tile_call *call_of(struct cg_func *g, const struct group *groups, unsigned n) {
    const struct product *p = &groups[0].p;
    struct tile_call *call = arena_new(g->cg->arena, struct tile_call);
    if (!is_rectangle(g->cg, groups, n))
        return NULL;
    call->groups = groups;
    call->down = n * p->rows / 2;
    call->across = groups[0].n / 2;
    call->pieces = p->steps * p->depth;
    return place_sums(g, call) ? call : NULL;
}

// Both halves of a vector are loaded in one way.
static bool alike(const struct tile_call *call, const struct tile_piece *x,
                  const struct tile_piece *y) {
    const struct tile_rows *r = &call->rows[x->rows], *s = &call->rows[y->rows];
    return (r->load && r->load->mods.trans) == (s->load && s->load->mods.trans);
}

static bool all_alike(const struct tile_call *call) {
    bool all = true;
    for (unsigned k = 0; k < call->pieces; k++) {
        for (unsigned row = 0; row < call->down * 2; row += 2)
            all &= alike(call, &call->a[row][k], &call->a[row + 1][k]);
        for (unsigned column = 0; column < call->across * 2; column += 2)
            all &= alike(call, &call->b[column][k], &call->b[column + 1][k]);
    }
    return all;
}

// On tile registers where the device has them.
static void emit_bytes(struct cg_func *g, struct tile_call *call) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef tiles = cg_new_block(g, "tiles"), vectors = cg_new_block(g, "vectors");
    LLVMBasicBlockRef done = cg_new_block(g, "multiplied");
    LLVMBuildCondBr(c->b, cg_is_tiled(g), tiles, vectors);
    LLVMPositionBuilderAtEnd(c->b, tiles);
    emit_call(g, call);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, vectors);
    cg_emit_row_tiles(g, call);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

static bool emit(struct cg_func *g, const struct group *groups, unsigned n) {
    struct tile_call *call = call_of(g, groups, n);
    if (!call)
        return false;
    place_factors(g, call);
    if (!all_alike(call))
        return false;
    store_vectors(g, call);
    if (groups[0].p.sum == SUM_BYTES)
        emit_bytes(g, call);
    else
        cg_emit_row_tiles(g, call);
    return true;
}

static void bring_forward(struct cg *c, struct group *to, struct group *from, unsigned n) {
    struct group *mine = arena_array(c->arena, struct group, n);
    memcpy(mine, from, n * sizeof *mine);
    memmove(to + n, to, (size_t)(from - to) * sizeof *to);
    memcpy(to, mine, n * sizeof *mine);
}

unsigned cg_emit_tiles(struct cg_func *g, struct group *groups, unsigned n) {
    unsigned done = 0;
    if (!g->homes || !cg_has_tiles(g) || g->now.mask)
        return 0;
    for (unsigned first = 0, same; first < n; first += same) {
        same = gather(groups + first, n - first);
        if (!emit(g, groups + first, same))
            continue;
        bring_forward(g->cg, groups + done, groups + first, same);
        done += same;
    }
    return done;
}
