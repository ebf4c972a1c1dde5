// Products whose sums are tiles of 16 by 16, a row behind the other (cg_home.c), in vector
// registers: of bytes, and of halves (f16, bf16), which become floats. Every number of a (four
// bytes of k, or one float) is repeated for 32 columns of b, which is a load, so that nothing but
// loads stands beside the multiplications. For that a is put into panels row by row, b for 32
// columns at a time, k by k, with those of each 8 that have even numbers before the others, as
// registers of sums have them.
#include <stdio.h>

#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/matrix/cg_tile_internal.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_nan.h"

enum {
    HALVES = 8, // in a piece
    WORDS = 4,
    ROWS = 2 * TILE,
    SUM_ROW = ROWS * 4, // bytes of a tile's row
    PAIR = 2,           // tiles of columns at a time
    UNROLLED = 4,       // numbers of k of an iteration
    A_BYTES = ROWS * CG_TILE_STEP * CG_TILE_PIECE * KD_TILE_STEPS
};

static bool has_bytes(const struct tile_call *call) {
    return call->groups[0].p.sum == SUM_BYTES;
}

// Numbers of a piece in each row.
static unsigned per_piece(const struct tile_call *call) {
    return has_bytes(call) ? WORDS : HALVES;
}

// Of k, what is multiplied at a time: as many bytes of panels for bytes and for halves.
static unsigned steps_at_a_time(const struct tile_call *call) {
    return has_bytes(call) ? KD_TILE_STEPS : 1;
}

// Numbers of what is multiplied at a time, from a step on.
static unsigned depth_of(const struct tile_call *call, unsigned step) {
    unsigned left = call->pieces - step * CG_TILE_STEP, most = steps_at_a_time(call) * CG_TILE_STEP;
    return (left < most ? left : most) * per_piece(call);
}

static LLVMValueRef at(struct cg *c, LLVMValueRef p, uint64_t offset) {
    LLVMValueRef o = cg_i64(c, offset);
    return LLVMBuildInBoundsGEP2(c->b, c->i8, p, &o, 1, "");
}

static LLVMValueRef shuffle(struct cg *c, LLVMValueRef x, LLVMValueRef y, const uint8_t *idx,
                            unsigned n) {
    LLVMValueRef k[2 * HALVES];
    for (unsigned e = 0; e < n; e++)
        k[e] = cg_i32(c, idx[e]);
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(k, n), "");
}

// ---- numbers -----------------------------------------------------------------------------------

static LLVMTypeRef halves(struct cg *c, unsigned n) {
    return LLVMVectorType(c->i16, n);
}

static LLVMValueRef to_floats(struct tile_filling *f, bool of_b, LLVMValueRef x) {
    struct cg *c = f->c;
    const struct product *p = &f->call->groups[0].p;
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    LLVMTypeRef floats = LLVMVectorType(c->f32, n), words = LLVMVectorType(c->i32, n);
    if (p->x.type[of_b ? ISA_FRAG_B : ISA_FRAG_A] == ISA_MAT_F16) {
        LLVMTypeRef t = LLVMVectorType(LLVMHalfTypeInContext(c->ctx), n);
        return LLVMBuildFPExt(c->b, LLVMBuildBitCast(c->b, x, t, ""), floats, "");
    }
    LLVMValueRef k[2 * HALVES];
    for (unsigned e = 0; e < n; e++)
        k[e] = cg_i32(c, 16);
    x = LLVMBuildShl(c->b, LLVMBuildZExt(c->b, x, words, ""), LLVMConstVector(k, n), "");
    return LLVMBuildBitCast(c->b, x, floats, "");
}

static LLVMValueRef row_of(struct tile_filling *f, unsigned half, unsigned q, unsigned row) {
    return LLVMBuildBitCast(f->c->b, cg_tile_row(f, half, q, row), halves(f->c, HALVES), "");
}

// The same row of both halves.
static LLVMValueRef both_rows(struct tile_filling *f, unsigned q, unsigned row) {
    static const uint8_t all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return shuffle(f->c, row_of(f, 0, q, row), row_of(f, 1, q, row), all, 2 * HALVES);
}

// x: eight rows, in both halves of the vectors. Row k of the result has the numbers k of rows
// order[0], order[1], ...
static void transpose(struct cg *c, LLVMValueRef *x, const uint8_t *order) {
    static const uint8_t interleaved[3][2][2 * HALVES] = {
        {{0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27},
         {4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31}},
        {{0, 1, 16, 17, 2, 3, 18, 19, 8, 9, 24, 25, 10, 11, 26, 27},
         {4, 5, 20, 21, 6, 7, 22, 23, 12, 13, 28, 29, 14, 15, 30, 31}},
        {{0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27},
         {4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31}}};
    LLVMValueRef from[TILE], to[TILE];
    for (unsigned k = 0; k < TILE; k++)
        from[k] = x[order[k]];
    // Vectors have 2^level rows of k 0, then of k 1, ...: number n of a group of that many vectors
    // begins with k = n * 8 / 2^level.
    for (unsigned level = 0; level < 3; level++) {
        unsigned group = 1u << level;
        for (unsigned k = 0; k < TILE / 2; k++)
            for (unsigned high = 0; high < 2; high++) {
                unsigned first = k / group * 2 * group + k % group;
                to[k / group * 2 * group + k % group * 2 + high] = shuffle(
                    c, from[first], from[first + group], interleaved[level][high], 2 * HALVES);
            }
        for (unsigned k = 0; k < TILE; k++)
            from[k] = to[k];
    }
    for (unsigned k = 0; k < TILE; k++)
        x[k] = from[k];
}

// ---- panels ------------------------------------------------------------------------------------

static bool is_transposed(const struct tile_filling *f, unsigned q) {
    const struct tile_rows *r = &f->call->rows[f->piece[0][q]->rows];
    return r->load && r->load->mods.trans;
}

static void store(struct tile_filling *f, LLVMValueRef x, uint64_t offset) {
    unsigned bytes = LLVMGetVectorSize(LLVMTypeOf(x)) * 4;
    LLVMSetAlignment(LLVMBuildStore(f->c->b, x, at(f->c, f->memory, offset)), bytes);
}

static void emit_half_a(struct tile_filling *f) {
    static const uint8_t order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint8_t part[2][HALVES] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                            {8, 9, 10, 11, 12, 13, 14, 15}};
    unsigned bytes = 0;
    for (unsigned q = 0; q < CG_TILE_STEP && f->piece[0][q]; q++)
        bytes += HALVES * 4;
    for (unsigned q = 0; q < CG_TILE_STEP && f->piece[0][q]; q++) {
        LLVMValueRef x[TILE];
        for (unsigned row = 0; row < ROWS && !is_transposed(f, q); row++)
            store(f, to_floats(f, false, row_of(f, row / TILE, q, row % TILE)),
                  row * bytes + q * HALVES * 4);
        if (!is_transposed(f, q))
            continue;
        for (unsigned row = 0; row < TILE; row++)
            x[row] = both_rows(f, q, row);
        transpose(f->c, x, order);
        for (unsigned row = 0; row < ROWS; row++) {
            LLVMValueRef y = x[row % TILE];
            store(f, to_floats(f, false, shuffle(f->c, y, y, part[row / TILE], HALVES)),
                  row * bytes + q * HALVES * 4);
        }
    }
}

static void emit_half_b(struct tile_filling *f, unsigned tiles) {
    static const uint8_t order[] = {0, 2, 4, 6, 1, 3, 5, 7};
    static const uint8_t sorted[] = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};
    for (unsigned q = 0; q < CG_TILE_STEP && f->piece[0][q]; q++) {
        LLVMValueRef x[TILE];
        for (unsigned row = 0; row < TILE; row++)
            x[row] = both_rows(f, q, row);
        if (!is_transposed(f, q))
            transpose(f->c, x, order);
        for (unsigned k = 0; k < TILE; k++) {
            LLVMValueRef y =
                is_transposed(f, q) ? shuffle(f->c, x[k], x[k], sorted, 2 * HALVES) : x[k];
            store(f, to_floats(f, true, y), (uint64_t)(q * TILE + k) * tiles * SUM_ROW);
        }
    }
}

// Two pieces at a time where there are so many.
static void emit_byte_a(struct tile_filling *f) {
    static const uint8_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct cg *c = f->c;
    unsigned bytes = f->call->pieces * CG_TILE_PIECE;
    LLVMValueRef bias[2 * WORDS];
    for (unsigned k = 0; k < 2 * WORDS; k++)
        bias[k] = cg_i32(c, 0x80808080);
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned q = 0, n; q < CG_TILE_STEP && f->piece[0][q]; q += n) {
            LLVMValueRef x = cg_tile_row(f, row / TILE, q, row % TILE);
            n = q + 1 < CG_TILE_STEP && f->piece[0][q + 1] && f->call->pieces % 2 == 0 ? 2 : 1;
            if (n == 2)
                x = shuffle(c, x, cg_tile_row(f, row / TILE, q + 1, row % TILE), all, 2 * WORDS);
            if (cg_is_biased(&f->call->groups[0].p))
                x = LLVMBuildXor(c->b, x, LLVMConstVector(bias, n * WORDS), "");
            store(f, x, row * bytes + q * CG_TILE_PIECE);
        }
    }
}

static void emit_byte_b(struct tile_filling *f, unsigned tiles) {
    for (unsigned q = 0; q < CG_TILE_STEP && f->piece[0][q]; q++) {
        for (unsigned half = 0; half < 2; half++) {
            LLVMValueRef words[WORDS];
            cg_tile_words(f, q, half, words);
            for (unsigned k = 0; k < WORDS; k++)
                store(f, words[k],
                      (uint64_t)(q * WORDS + k) * tiles * SUM_ROW + half * SUM_ROW / 2);
        }
    }
}

static void emit_a(struct tile_filling *f) {
    if (has_bytes(f->call))
        emit_byte_a(f);
    else
        emit_half_a(f);
}

static void emit_b(struct tile_filling *f, unsigned tiles) {
    if (has_bytes(f->call))
        emit_byte_b(f, tiles);
    else
        emit_half_b(f, tiles);
}

static void emit_one_b(struct tile_filling *f) {
    emit_b(f, 1);
}

static void emit_two_b(struct tile_filling *f) {
    emit_b(f, PAIR);
}

// A tile of a's rows, from a step of k on.
static void fill_a(struct cg *c, const struct tile_call *call, unsigned tile, unsigned step,
                   LLVMValueRef a) {
    const struct product *p = &call->groups[0].p;
    unsigned depth = depth_of(call, step);
    char name[48];
    snprintf(name, sizeof name, "kd_row_a_%u_%u%s", p->x.type[ISA_FRAG_A], depth,
             cg_is_biased(p) ? "_biased" : "");
    for (unsigned n = 0; n * CG_TILE_STEP * per_piece(call) < depth; n++)
        cg_fill_tile(c, call, false, tile, step + n, at(c, a, n * CG_TILE_STEP * CG_TILE_PIECE),
                     name, emit_a);
}

static unsigned tiles_beside(const struct tile_call *call, unsigned column) {
    return call->across - column / PAIR * PAIR < PAIR ? 1 : PAIR;
}

// All of b's columns.
static void fill_b(struct cg *c, const struct tile_call *call, unsigned step, LLVMValueRef b) {
    const struct product *p = &call->groups[0].p;
    unsigned depth = depth_of(call, step), turn = CG_TILE_STEP * per_piece(call);
    char name[48];
    for (unsigned k = 0; k < call->across; k++) {
        unsigned tiles = tiles_beside(call, k);
        snprintf(name, sizeof name, "kd_row_b_%u_%u", p->x.type[ISA_FRAG_B], tiles);
        for (unsigned n = 0; n * turn < depth; n++)
            cg_fill_tile(
                c, call, true, k, step + n,
                at(c, b, (k / PAIR * PAIR * depth + n * turn * tiles + k % PAIR) * SUM_ROW), name,
                tiles == 1 ? emit_one_b : emit_two_b);
    }
}

// Sums of a tile's columns, times 128: (b's numbers, memory). Several at a time: one would wait for
// itself.
static void emit_column_sums(struct cg *c, const struct product *p, unsigned depth, unsigned tiles,
                             LLVMValueRef f) {
    enum { SUMS = 4 };
    LLVMTypeRef row = LLVMVectorType(c->i32, ROWS);
    LLVMValueRef sum[SUMS], seven[ROWS], ones[ROWS];
    for (unsigned k = 0; k < ROWS; k++) {
        seven[k] = cg_i32(c, 7);
        ones[k] = cg_i32(c, 0x01010101);
    }
    for (unsigned k = 0; k < SUMS; k++)
        sum[k] = LLVMConstNull(row);
    for (unsigned k = 0; k < depth; k++) {
        uint64_t offset = (uint64_t)k * tiles * SUM_ROW;
        LLVMValueRef x = LLVMBuildLoad2(c->b, row, at(c, LLVMGetParam(f, 0), offset), "");
        LLVMSetAlignment(x, SUM_ROW);
        sum[k % SUMS] = cg_add_products(c, p, true, LLVMConstVector(ones, ROWS), x, sum[k % SUMS]);
    }
    for (unsigned k = 1; k < SUMS; k++)
        sum[0] = LLVMBuildAdd(c->b, sum[0], sum[k], "");
    sum[0] = LLVMBuildShl(c->b, sum[0], LLVMConstVector(seven, ROWS), "");
    sum[0] = cg_signed_b(p) ? sum[0] : LLVMBuildNeg(c->b, sum[0], "");
    LLVMSetAlignment(LLVMBuildStore(c->b, sum[0], LLVMGetParam(f, 1)), SUM_ROW);
}

// Only products with VNNI look at them.
static LLVMValueRef column_function(struct cg *c, const struct tile_call *call, unsigned tiles,
                                    LLVMTypeRef type, bool vnni) {
    const struct product *p = &call->groups[0].p;
    unsigned depth = depth_of(call, 0);
    char name[48];
    snprintf(name, sizeof name, "kd_row_sums_%u_%u_%u", p->x.type[ISA_FRAG_B], depth, tiles);
    struct cg_own own = cg_own_function(c, vnni ? name : "kd_row_no_sums", type, CG_CHANGES_ARGS);
    if (own.from) {
        if (vnni) {
            cg_give_vnni(c, own.f);
            emit_column_sums(c, p, depth, tiles, own.f);
        }
        LLVMBuildRetVoid(c->b);
        cg_end_own(c, &own);
    }
    return own.f;
}

static void add_up_columns(struct cg_func *g, const struct tile_call *call, unsigned column,
                           LLVMValueRef b, LLVMValueRef to) {
    struct cg *c = g->cg;
    unsigned tiles = tiles_beside(call, column);
    LLVMTypeRef types[] = {c->ptr, c->ptr};
    LLVMTypeRef type = LLVMFunctionType(c->void_t, types, 2, 0);
    LLVMValueRef f =
        LLVMBuildSelect(c->b, cg_has_vnni(g), column_function(c, call, tiles, type, true),
                        column_function(c, call, tiles, type, false), "");
    unsigned at_b = column / PAIR * PAIR * depth_of(call, 0) + column % PAIR;
    LLVMValueRef args[] = {at(c, b, at_b * SUM_ROW), to};
    cg_call_own(c, type, f, args, 2);
}

// ---- the core ----------------------------------------------------------------------------------

// (a's rows, b's columns, their sums, sums of each tile of columns): adds to 8 rows of two tiles,
// or 16 of one.
enum { ARG_A, ARG_B, ARG_LESS, ARG_SUMS, MOST_ARGS = ARG_SUMS + PAIR };

struct core {
    struct cg *c;
    const struct product *p;
    unsigned depth, tiles, rows;
    bool canonical; // NaNs become what they are as bits
    bool vnni;
    LLVMTypeRef number, vector;
    LLVMValueRef a, b;
    LLVMValueRef sum[ROWS][PAIR];
};

static LLVMValueRef load(struct core *k, LLVMTypeRef t, LLVMValueRef p, unsigned align) {
    LLVMValueRef x = LLVMBuildLoad2(k->c->b, t, p, "");
    LLVMSetAlignment(x, align);
    return x;
}

static void add_step(struct core *k, LLVMValueRef a, LLVMValueRef b, unsigned step) {
    struct cg *c = k->c;
    LLVMValueRef column[PAIR];
    for (unsigned t = 0; t < k->tiles; t++)
        column[t] = load(k, k->vector, at(c, b, (step * k->tiles + t) * SUM_ROW), SUM_ROW);
    for (unsigned row = 0; row < k->rows; row++) {
        LLVMValueRef x = load(k, k->number, at(c, a, (row * k->depth + step) * 4), 4);
        x = LLVMBuildInsertElement(c->b, LLVMGetPoison(k->vector), x, cg_i32(c, 0), "");
        x = LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(k->vector),
                                   LLVMConstNull(LLVMVectorType(c->i32, ROWS)), "");
        for (unsigned t = 0; t < k->tiles; t++)
            k->sum[row][t] = cg_add_products(c, k->p, k->vnni, x, column[t], k->sum[row][t]);
    }
}

static void emit_loop(struct core *k, LLVMValueRef f) {
    struct cg *c = k->c;
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(c->b);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(c->ctx, f, "loop");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(c->ctx, f, "done");
    LLVMValueRef phi[ROWS][PAIR], start = cg_i64(c, 0);
    LLVMBuildBr(c->b, loop);
    LLVMPositionBuilderAtEnd(c->b, loop);
    LLVMValueRef offset = LLVMBuildPhi(c->b, c->i64, "at");
    LLVMAddIncoming(offset, &start, &entry, 1);
    for (unsigned n = 0; n < k->rows * k->tiles; n++) {
        LLVMValueRef *sum = &k->sum[n / k->tiles][n % k->tiles];
        phi[n / k->tiles][n % k->tiles] = LLVMBuildPhi(c->b, k->vector, "");
        LLVMAddIncoming(phi[n / k->tiles][n % k->tiles], sum, &entry, 1);
        *sum = phi[n / k->tiles][n % k->tiles];
    }
    LLVMValueRef a = LLVMBuildInBoundsGEP2(c->b, c->i8, k->a, &offset, 1, "");
    LLVMValueRef far = LLVMBuildMul(c->b, offset, cg_i64(c, k->tiles * ROWS), "");
    LLVMValueRef b = LLVMBuildInBoundsGEP2(c->b, c->i8, k->b, &far, 1, "");
    for (unsigned step = 0; step < UNROLLED; step++)
        add_step(k, a, b, step);
    LLVMValueRef next = LLVMBuildAdd(c->b, offset, cg_i64(c, UNROLLED * 4), "");
    LLVMAddIncoming(offset, &next, &loop, 1);
    for (unsigned n = 0; n < k->rows * k->tiles; n++)
        LLVMAddIncoming(phi[n / k->tiles][n % k->tiles], &k->sum[n / k->tiles][n % k->tiles], &loop,
                        1);
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntULT, next, cg_i64(c, k->depth * 4), "");
    LLVMBuildCondBr(c->b, more, loop, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

static LLVMValueRef place_of(struct core *k, LLVMValueRef f, unsigned row, unsigned tile) {
    return at(k->c, LLVMGetParam(f, ARG_SUMS + tile), row * SUM_ROW);
}

static void begin_sums(struct core *k, LLVMValueRef f) {
    struct cg *c = k->c;
    for (unsigned t = 0; t < k->tiles; t++) {
        LLVMValueRef less = NULL;
        if (k->vnni && cg_is_biased(k->p))
            less = load(k, k->vector, at(c, LLVMGetParam(f, ARG_LESS), t * SUM_ROW), SUM_ROW);
        for (unsigned row = 0; row < k->rows; row++) {
            LLVMValueRef x = load(k, k->vector, place_of(k, f, row, t), 16);
            k->sum[row][t] = less ? LLVMBuildSub(c->b, x, less, "") : x;
        }
    }
}

static void emit_core(struct core *k, LLVMValueRef f) {
    struct cg *c = k->c;
    k->number = k->p->sum == SUM_BYTES ? c->i32 : c->f32;
    k->vector = LLVMVectorType(k->number, ROWS);
    k->a = LLVMGetParam(f, ARG_A);
    k->b = LLVMGetParam(f, ARG_B);
    begin_sums(k, f);
    emit_loop(k, f);
    for (unsigned n = 0; n < k->rows * k->tiles; n++) {
        LLVMValueRef x = k->sum[n / k->tiles][n % k->tiles];
        x = k->canonical ? cg_canonical(c, x) : x;
        LLVMSetAlignment(LLVMBuildStore(c->b, x, place_of(k, f, n / k->tiles, n % k->tiles)), 16);
    }
    LLVMBuildRetVoid(c->b);
}

static LLVMValueRef core_function(const struct core *like, LLVMTypeRef type, bool vnni) {
    struct core k = *like;
    char name[64];
    k.vnni = vnni;
    snprintf(name, sizeof name, "kd_row_product_%u_%u_%u_%u%s%s", k.p->x.type[ISA_FRAG_A],
             k.p->x.type[ISA_FRAG_B], k.depth, k.tiles, k.canonical ? "_bits" : "",
             vnni ? "_vnni" : "");
    struct cg_own own = cg_own_function(k.c, name, type, CG_CHANGES_ARGS);
    if (own.from) {
        if (vnni)
            cg_give_vnni(k.c, own.f);
        emit_core(&k, own.f);
        cg_end_own(k.c, &own);
    }
    return own.f;
}

// Is a sum seen as bits, in a place that also has numbers which keep theirs?
static bool is_seen(struct cg_func *g, const struct tile_call *call) {
    const struct group *group = &call->groups[0];
    unsigned groups = call->down * 2 / group->p.rows;
    bool seen = false;
    for (unsigned n = 0; n < groups * group->n; n++) {
        const struct chain *chain = call->groups[n / group->n].tiles[n % group->n].chain;
        const struct kir_inst *last = chain->i[chain->n - 1];
        for (unsigned r = 0; r < last->nres; r++)
            seen |= last->res[r]->type == KIR_F32 && g->nan[last->res[r]->id] == CG_NAN_AT_DEF;
    }
    return seen;
}

// Where a call's panels are.
struct panels {
    LLVMValueRef a, b, less;
};

// Tile i of rows, tiles of columns from j on.
static void multiply(struct cg_func *g, const struct tile_call *call, const struct core *like,
                     unsigned i, unsigned j, const struct panels *at_) {
    struct cg *c = g->cg;
    struct core k = *like;
    k.tiles = tiles_beside(call, j);
    k.rows = ROWS / k.tiles;
    LLVMTypeRef types[MOST_ARGS] = {c->ptr, c->ptr, c->ptr, c->ptr, c->ptr};
    LLVMTypeRef type = LLVMFunctionType(c->void_t, types, ARG_SUMS + k.tiles, 0);
    LLVMValueRef f = core_function(&k, type, false);
    if (has_bytes(call))
        f = LLVMBuildSelect(c->b, cg_has_vnni(g), core_function(&k, type, true), f, "");
    for (unsigned row = 0; row < ROWS; row += k.rows) {
        LLVMValueRef args[MOST_ARGS] = {at(c, at_->a, row * k.depth * 4),
                                        at(c, at_->b, j * k.depth * SUM_ROW),
                                        at(c, at_->less, j * SUM_ROW)};
        for (unsigned t = 0; t < k.tiles; t++)
            args[ARG_SUMS + t] = at(c, cg_tiles(g), call->sums[i][j + t] + row * SUM_ROW);
        cg_call_own(c, type, f, args, ARG_SUMS + k.tiles);
    }
}

// b's panels and the sums of its columns, from a step of k on.
static void make_b(struct cg_func *g, const struct tile_call *call, unsigned step,
                   struct panels *p) {
    struct cg *c = g->cg;
    unsigned first = step * CG_TILE_STEP;
    LLVMBasicBlockRef ready = NULL;
    LLVMValueRef common =
        cg_begin_common(g, call, true, first, depth_of(call, step) / per_piece(call), &ready);
    p->less = common ? common : at(c, p->a, A_BYTES);
    p->b = at(c, p->less, KD_TILE_MOST * SUM_ROW);
    fill_b(c, call, step, p->b);
    for (unsigned j = 0; j < call->across && cg_is_biased(&call->groups[0].p); j++)
        add_up_columns(g, call, j, p->b, at(c, p->less, j * SUM_ROW));
    if (!common)
        return;
    cg_end_common(c, ready);
    p->b = at(c, p->less, KD_TILE_MOST * SUM_ROW);
}

// One tile of a's rows is enough at a time: all that is multiplied stays in the first cache. (Other
// warps' panels of a take longer to come out of the second one than to be made.)
void cg_emit_row_tiles(struct cg_func *g, struct tile_call *call) {
    struct cg *c = g->cg;
    LLVMValueRef own = cg_call_rt(c, "kd_rt_panels", NULL, 0);
    for (unsigned step = 0; step * CG_TILE_STEP < call->pieces; step += steps_at_a_time(call)) {
        struct core k = {.c = c, .p = &call->groups[0].p, .depth = depth_of(call, step)};
        k.canonical =
            (step + steps_at_a_time(call)) * CG_TILE_STEP >= call->pieces && is_seen(g, call);
        struct panels p = {.a = own};
        make_b(g, call, step, &p);
        for (unsigned i = 0; i < call->down; i++) {
            fill_a(c, call, i, step, p.a);
            for (unsigned j = 0; j < call->across; j += PAIR)
                multiply(g, call, &k, i, j, &p);
        }
    }
}
