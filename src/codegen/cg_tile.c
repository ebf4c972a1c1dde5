// Products of bytes on tile registers (AMX): what is computed together is handed to the device,
// which fills panels and multiplies (device/tile_product.c), where the sums' homes are tiles
// (cg_home.c). The machine may have no such registers: all of it is one way of a branch, the vector
// code of cg_product.c the other.
//
// What the device is told is a constant, kd_tile_plan; where the factors' rows are is put into
// memory before each call.
#include <string.h>

#include "codegen/cg_product.h"
#include "support/strbuf.h"

enum {
    EIGHT = 8,
    PIECE = 16, // bytes of k that a register holds of each of 8 rows
    STEP = 4,   // pieces in a panel
    MAX_PIECES = KD_TILE_STEPS * STEP,
    MAX_ROWS = KD_TILE_MOST * 2 * MAX_PIECES * 2,
    LEAST = 4
};

// Where pieces of factors come from.
struct rows {
    const struct kir_inst *load; // an ldmatrix that products load the rows of
    struct kir_value *value;     // or a register
    LLVMValueRef base, offsets, vector;
};

// A register of a factor: one of those, and which matrix of it.
struct piece {
    uint16_t rows, matrix;
};

struct call {
    const struct group *groups;
    unsigned down, across, pieces; // tiles; registers of k
    uint32_t sums[KD_TILE_MOST][KD_TILE_MOST];
    struct piece a[KD_TILE_MOST * 2][MAX_PIECES], b[KD_TILE_MOST * 2][MAX_PIECES];
    struct rows rows[MAX_ROWS];
    unsigned nrows;
    LLVMValueRef panels;
};

// ---- what is computed here -----------------------------------------------------------------

static bool is_transposed(const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_LDMATRIX && v->def->mods.trans;
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

// Are the products those of all a, one group each, with all b, in tiles of 16 by 16?
static bool is_rectangle(const struct cg *c, const struct group *groups, unsigned n) {
    const struct product *p = &groups[0].p;
    unsigned down = n * p->rows, across = groups[0].n, pieces = p->steps * p->depth;
    if (c->pw.level != KD_LEVEL_X86_64_V4 || p->sum != SUM_BYTES || p->parts != 1 || p->x.satfinite)
        return false;
    if (down % 2 || across % 2 || down > KD_TILE_MOST * 2 || across > KD_TILE_MOST * 2 ||
        pieces > MAX_PIECES || down * across / 4 * pieces < LEAST)
        return false;
    for (unsigned k = 0; k < n; k++)
        if (!loads_plainly(&groups[k]))
            return false;
    return true;
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
    if (g->cg->pw.level == KD_LEVEL_X86_64_V4)
        cg_visit_products(g, make_tiles);
}

// ---- where factors are -------------------------------------------------------------------------

static bool place_sums(struct cg_func *g, struct call *call) {
    struct kir_value *eight[EIGHT];
    for (unsigned i = 0; i < call->down; i++)
        for (unsigned j = 0; j < call->across; j++)
            if (!sums_of(g, call->groups, i, j, eight) ||
                !cg_tile_offset(g, eight, &call->sums[i][j]))
                return false;
    return true;
}

static struct piece piece_of(struct cg_func *g, struct call *call, const struct kir_inst *i,
                             struct kir_value *v) {
    struct source s = cg_source_of(g, v);
    const struct kir_inst *load = s.rows.element ? v->def : NULL;
    unsigned n = 0;
    while (n < call->nrows && (load ? call->rows[n].load != load : call->rows[n].value != v))
        n++;
    if (n == call->nrows) {
        call->rows[n] = (struct rows){load, load ? NULL : v, s.rows.base, s.rows.offsets, NULL};
        if (!load)
            call->rows[n].vector = cg_active_register(g, i, v);
        call->nrows++;
    }
    return (struct piece){(uint16_t)n, (uint16_t)s.matrix};
}

static void place_factors(struct cg_func *g, struct call *call) {
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
static void store_vectors(struct cg_func *g, struct call *call) {
    struct cg *c = g->cg;
    for (unsigned n = 0; n < call->nrows; n++) {
        struct rows *r = &call->rows[n];
        if (!r->vector)
            continue;
        r->base = cg_entry_alloca(g, LLVMTypeOf(r->vector));
        LLVMSetAlignment(r->base, PANEL_ALIGN);
        LLVMSetAlignment(LLVMBuildStore(c->b, r->vector, r->base), PANEL_ALIGN);
    }
}

// ---- panels ------------------------------------------------------------------------------------

// A function that fills a panel: with (memory, for each different rows their base and, where no
// constants tell them, offsets).
struct filling {
    struct cg *c;
    const struct call *call;
    const struct piece *piece[2][STEP]; // of 8 rows each; NULL: there is no more k
    unsigned rows[2 * STEP], nrows;     // the different ones
    int64_t first[2 * STEP];       // of each, the first row that is used: what others count from
    LLVMValueRef arg[2 * STEP][2]; // their base and offsets, in the function
};

static bool knows_offsets(const struct rows *r) {
    return r->vector || (LLVMIsAGlobalVariable(r->offsets) && LLVMIsGlobalConstant(r->offsets));
}

static int64_t offset_of(const struct rows *r, unsigned matrix, unsigned row) {
    if (r->vector)
        return row * PIECE;
    LLVMValueRef all = LLVMGetInitializer(r->offsets);
    return LLVMConstIntGetSExtValue(LLVMGetAggregateElement(all, matrix * TILE + row));
}

static unsigned number_of(struct filling *f, const struct piece *p) {
    const struct rows *r = &f->call->rows[p->rows];
    unsigned n = 0;
    while (n < f->nrows && f->rows[n] != p->rows)
        n++;
    if (n == f->nrows) {
        f->first[n] = knows_offsets(r) ? offset_of(r, p->matrix, 0) : 0;
        f->rows[f->nrows++] = p->rows;
    }
    return n;
}

// All that tells it from other such functions.
static const char *name_of(struct filling *f, bool of_b) {
    struct strbuf s = {0};
    strbuf_printf(&s, "kd_tile_%c", of_b ? 'b' : 'a');
    for (unsigned k = 0; k < 2 * STEP; k++) {
        const struct piece *p = f->piece[k / STEP][k % STEP];
        if (!p) {
            strbuf_printf(&s, "_none");
            continue;
        }
        const struct rows *r = &f->call->rows[p->rows];
        unsigned n = number_of(f, p);
        strbuf_printf(&s, "_%u", n);
        if (!knows_offsets(r))
            strbuf_printf(&s, "_at_%u", p->matrix);
        for (unsigned row = 0; row < TILE && knows_offsets(r); row++)
            strbuf_printf(&s, "_%lld", (long long)(offset_of(r, p->matrix, row) - f->first[n]));
    }
    char *name = arena_strdup(f->c->arena, strbuf_str(&s));
    strbuf_free(&s);
    return name;
}

static LLVMValueRef at(struct cg *c, LLVMValueRef p, LLVMValueRef offset) {
    return LLVMBuildGEP2(c->b, c->i8, p, &offset, 1, "");
}

static LLVMValueRef load_row(struct filling *f, unsigned half, unsigned q, unsigned row) {
    struct cg *c = f->c;
    const struct piece *p = f->piece[half][q];
    LLVMTypeRef four = LLVMVectorType(c->i32, 4);
    if (!p)
        return LLVMConstNull(four);
    const struct rows *r = &f->call->rows[p->rows];
    unsigned n = number_of(f, p);
    LLVMValueRef offset;
    if (knows_offsets(r)) {
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

static void store_half(struct filling *f, LLVMValueRef x, unsigned row, unsigned half) {
    struct cg *c = f->c;
    LLVMValueRef to = LLVMGetParam(LLVMGetBasicBlockParent(LLVMGetInsertBlock(c->b)), 0);
    to = at(c, to, cg_i64(c, row * STEP * PIECE + half * 2 * PIECE));
    LLVMSetAlignment(LLVMBuildStore(c->b, x, to), 32);
}

static void emit_a(struct filling *f) {
    for (unsigned row = 0; row < 2 * TILE; row++)
        for (unsigned q = 0; q < STEP; q += 2)
            store_half(f,
                       two(f->c, load_row(f, row / TILE, q, row % TILE),
                           load_row(f, row / TILE, q + 1, row % TILE)),
                       row, q / 2);
}

// Four words of k: of 8 columns those with even numbers before the others.
static void emit_words(struct filling *f, unsigned q, unsigned half) {
    static const uint8_t low1[] = {0, 8, 1, 9, 4, 12, 5, 13},
                         high1[] = {2, 10, 3, 11, 6, 14, 7, 15};
    static const uint8_t low2[] = {0, 1, 8, 9, 4, 5, 12, 13},
                         high2[] = {2, 3, 10, 11, 6, 7, 14, 15};
    struct cg *c = f->c;
    LLVMValueRef x[4], y[4];
    for (unsigned k = 0; k < 4; k++)
        x[k] = two(c, load_row(f, half, q, 2 * k), load_row(f, half, q, 2 * k + 1));
    for (unsigned k = 0; k < 2; k++) {
        y[k] = shuffle(c, x[2 * k], x[2 * k + 1], low1);
        y[2 + k] = shuffle(c, x[2 * k], x[2 * k + 1], high1);
    }
    for (unsigned k = 0; k < 4; k++)
        store_half(f, shuffle(c, y[k / 2 * 2], y[k / 2 * 2 + 1], k % 2 ? high2 : low2), q * 4 + k,
                   half);
}

static void emit_filling(struct filling *f, bool of_b, LLVMValueRef fn) {
    unsigned arg = 1;
    for (unsigned n = 0; n < f->nrows; n++) {
        f->arg[n][0] = LLVMGetParam(fn, arg++);
        if (!knows_offsets(&f->call->rows[f->rows[n]]))
            f->arg[n][1] = LLVMGetParam(fn, arg++);
    }
    if (!of_b)
        emit_a(f);
    for (unsigned k = 0; k < 2 * STEP && of_b; k++)
        emit_words(f, k / 2, k % 2);
    LLVMBuildRetVoid(f->c->b);
}

static unsigned panel_at(const struct call *call, bool of_b, unsigned tile, unsigned step) {
    unsigned steps = (call->pieces + STEP - 1) / STEP;
    return ((of_b ? call->down + tile : tile) * steps + step) * KD_TILE_BYTES;
}

static void fill_panel(struct cg *c, struct call *call, bool of_b, unsigned tile, unsigned step) {
    struct filling f = {.c = c, .call = call};
    LLVMValueRef args[1 + 4 * STEP] = {
        at(c, call->panels, cg_i64(c, panel_at(call, of_b, tile, step)))};
    LLVMTypeRef types[1 + 4 * STEP];
    unsigned n = 1;
    for (unsigned k = 0; k < 2 * STEP; k++)
        if (step * STEP + k % STEP < call->pieces)
            f.piece[k / STEP][k % STEP] =
                &(of_b ? call->b : call->a)[tile * 2 + k / STEP][step * STEP + k % STEP];
    const char *name = name_of(&f, of_b);
    for (unsigned k = 0; k < f.nrows; k++) {
        const struct rows *r = &call->rows[f.rows[k]];
        args[n++] = at(c, r->base, LLVMConstInt(c->i64, (unsigned long long)f.first[k], 1));
        if (!knows_offsets(r))
            args[n++] = r->offsets;
    }
    for (unsigned k = 0; k < n; k++)
        types[k] = c->ptr;
    LLVMTypeRef type = LLVMFunctionType(c->void_t, types, n, 0);
    struct cg_own own = cg_own_function(c, name, type, CG_ANY_EFFECT);
    if (own.from) {
        emit_filling(&f, of_b, own.f);
        cg_end_own(c, &own);
    }
    cg_call_own(c, type, own.f, args, n);
}

static void fill_panels(struct cg *c, struct call *call, bool of_b, unsigned tile, unsigned n) {
    for (unsigned k = 0; k < n; k++)
        for (unsigned step = 0; step * STEP < call->pieces; step++)
            fill_panel(c, call, of_b, tile + k, step);
}

// ---- products ----------------------------------------------------------------------------------

// Rows i and i + 1 of tiles, as many as there are, of `n` columns from j on.
static void multiply(struct cg_func *g, const struct call *call, unsigned i, unsigned j,
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
static void emit_call(struct cg_func *g, struct call *call) {
    store_vectors(g, call);
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
static struct call *call_of(struct cg_func *g, const struct group *groups, unsigned n) {
    const struct product *p = &groups[0].p;
    struct call *call = arena_new(g->cg->arena, struct call);
    if (!is_rectangle(g->cg, groups, n))
        return NULL;
    call->groups = groups;
    call->down = n * p->rows / 2;
    call->across = groups[0].n / 2;
    call->pieces = p->steps * p->depth;
    return place_sums(g, call) ? call : NULL;
}

static void begin_branch(struct cg_func *g, struct call *call, struct cg_tile_branch *branch) {
    struct cg *c = g->cg;
    place_factors(g, call); // both ways use what is made here
    LLVMBasicBlockRef tiles = cg_new_block(g, "tiles"), vectors = cg_new_block(g, "vectors");
    branch->done = cg_new_block(g, "multiplied");
    LLVMBuildCondBr(c->b, cg_is_tiled(g), tiles, vectors);
    LLVMPositionBuilderAtEnd(c->b, tiles);
    emit_call(g, call);
    LLVMBuildBr(c->b, branch->done);
    LLVMPositionBuilderAtEnd(c->b, vectors);
    cg_know_plain(g, true);
}

unsigned cg_begin_tiles(struct cg_func *g, struct group *groups, unsigned n,
                        struct cg_tile_branch *branch) {
    if (!g->homes || !cg_is_tiled(g) || g->now.mask)
        return 0;
    for (unsigned first = 0, same; first < n; first += same) {
        same = gather(groups + first, n - first);
        struct call *call = call_of(g, groups + first, same);
        if (!call)
            continue;
        begin_branch(g, call, branch);
        struct group *mine = arena_array(g->cg->arena, struct group, same);
        memcpy(mine, groups + first, same * sizeof *mine);
        memmove(groups + same, groups, first * sizeof *groups);
        memcpy(groups, mine, same * sizeof *mine);
        return same;
    }
    return 0;
}

void cg_end_tiles(struct cg_func *g, const struct cg_tile_branch *branch) {
    LLVMBuildBr(g->cg->b, branch->done);
    LLVMPositionBuilderAtEnd(g->cg->b, branch->done);
    cg_know_plain(g, false);
}
