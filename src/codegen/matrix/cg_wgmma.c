// wgmma: a warp's 16 rows of a warpgroup's product as vector code. It is complete when it is
// issued.
//
// A piece of 16 bytes in shared memory is a row of an 8 x 8 matrix as ldmatrix loads it, whatever
// its elements are, so that the panels of cg_product.c are filled from such rows: 8 rows of a or
// columns of b, two pieces of k. Descriptors are numbers that the kernel computes; where the rows
// begin follows from them when it runs.
#include <stddef.h>
#include <stdio.h>

#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_fault.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/matrix/cg_product_internal.h"
#include "codegen/matrix/cg_wgmma.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/matrix.h"

enum { PIECE = 16, PIECES = 2, MAX_COLUMNS = 32 };

// What follows d and a among the operands.
struct rest {
    struct kir_value *b, *add;
    bool negative, trans_a, trans_b;
};

static bool constant(const struct kir_value *v, unsigned bit, bool *out) {
    *out = v->bits.u64[0] >> bit & 1;
    return v->kind == KIR_VALUE_CONST;
}

static bool rest_of(const struct isa_matrix *x, const struct kir_inst *i, unsigned at,
                    struct rest *r) {
    bool a = false, b = false, known = true;
    *r = (struct rest){.b = i->ops[at], .add = i->ops[at + 1]};
    at += 2;
    if (at + 2 <= i->nops) {
        known = constant(i->ops[at], 31, &a) && constant(i->ops[at + 1], 31, &b);
        at += 2;
    }
    r->negative = a != b; // a product of both signs changed is the same
    if (known && at < i->nops && x->a_shared)
        known = constant(i->ops[at++], 0, &r->trans_a);
    if (known && at < i->nops)
        known = constant(i->ops[at], 0, &r->trans_b);
    return known;
}

static bool product_of(const struct cg *c, const struct kir_inst *i, struct product *p,
                       struct rest *r) {
    unsigned m, n, k;
    *p = (struct product){.x = isa_matrix_of((isa_op)i->op, &i->mods), .steps = 1};
    if (i->op != ISA_OP_WGMMA_MMA || c->width != LANES || p->x.sparse ||
        !cg_product_sum(c, &p->x, &p->sum, &p->parts))
        return false;
    isa_matrix_size(&p->x, ISA_FRAG_A, &m, &k);
    isa_matrix_size(&p->x, ISA_FRAG_B, &k, &n);
    p->rows = p->halves = m / TILE;
    p->columns = n / TILE;
    p->depth = k / 4 / (32 / isa_fragment_of(&p->x, ISA_FRAG_B).bits);
    p->half_c = p->half_d = p->x.type[ISA_FRAG_D] == ISA_MAT_F16;
    unsigned a = p->x.a_shared ? 1 : isa_fragment_of(&p->x, ISA_FRAG_A).registers;
    bool known = rest_of(&p->x, i, isa_fragment_of(&p->x, ISA_FRAG_D).registers + a, r);
    p->negative = r->negative;
    return known && p->depth == PIECES && p->rows == 2 && p->columns <= MAX_COLUMNS;
}

// ---- where rows begin ------------------------------------------------------------------------

// A matrix in shared memory, as its descriptor says.
struct matrix {
    LLVMValueRef start, leading, stride; // i32: bytes
    LLVMValueRef log, plain; // i32: log2 of the pieces after which rows repeat; i1: it is one
    LLVMValueRef base;       // i32: of the swizzle's pattern
};

static LLVMValueRef field(struct cg *c, LLVMValueRef desc, unsigned at, unsigned bits) {
    LLVMValueRef x = LLVMBuildLShr(c->b, desc, cg_i64(c, at), "");
    x = LLVMBuildTrunc(c->b, x, c->i32, "");
    return LLVMBuildAnd(c->b, x, cg_i32(c, (1u << bits) - 1), "");
}

static LLVMValueRef units(struct cg *c, LLVMValueRef desc, unsigned at) {
    return LLVMBuildShl(c->b, field(c, desc, at, 14), cg_i32(c, 4), "");
}

static struct matrix matrix_of(struct cg *c, LLVMValueRef desc) {
    LLVMValueRef mode = field(c, desc, 62, 2); // 16, 128, 64, 32 bytes
    struct matrix m = {units(c, desc, 0),    units(c, desc, 16), units(c, desc, 32), NULL, NULL,
                       field(c, desc, 49, 3)};
    m.log = LLVMBuildAnd(c->b, LLVMBuildSub(c->b, cg_i32(c, 4), mode, ""), cg_i32(c, 3), "");
    m.plain = LLVMBuildICmp(c->b, LLVMIntEQ, mode, cg_i32(c, 0), "");
    return m;
}

static LLVMValueRef eight(struct cg *c, LLVMValueRef x) {
    LLVMTypeRef t = LLVMVectorType(c->i32, TILE);
    LLVMValueRef v = LLVMBuildInsertElement(c->b, LLVMGetPoison(t), x, cg_i32(c, 0), "");
    return LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(t), LLVMConstNull(t), "");
}

// The places of 8 pieces: number `tile` of those along m or n, `piece` along k.
static LLVMValueRef places(struct cg *c, const struct matrix *m, LLVMValueRef tile, unsigned piece,
                           bool trans) {
    LLVMBuilderRef b = c->b;
    LLVMValueRef k[TILE], k_step, at = m->start;
    for (unsigned e = 0; e < TILE; e++)
        k[e] = cg_i32(c, e * PIECE);
    if (!trans) {
        at = LLVMBuildAdd(b, at, LLVMBuildMul(b, tile, m->stride, ""), "");
        k_step = LLVMBuildSelect(b, m->plain, m->leading, cg_i32(c, PIECE), "");
    } else {
        LLVMValueRef far = LLVMBuildLShr(b, tile, m->log, "");
        LLVMValueRef near = LLVMBuildSub(b, tile, LLVMBuildShl(b, far, m->log, ""), "");
        LLVMValueRef step = LLVMBuildSelect(b, m->plain, m->stride, m->leading, "");
        at = LLVMBuildAdd(b, at, LLVMBuildMul(b, near, cg_i32(c, PIECE), ""), "");
        at = LLVMBuildAdd(b, at, LLVMBuildMul(b, far, step, ""), "");
        k_step = LLVMBuildSelect(b, m->plain, m->leading, m->stride, "");
    }
    at = LLVMBuildAdd(b, at, LLVMBuildMul(b, k_step, cg_i32(c, piece), ""), "");
    LLVMValueRef rows = LLVMBuildShl(b, LLVMConstVector(k, TILE), eight(c, m->log), "");
    LLVMValueRef all = LLVMBuildAdd(b, eight(c, at), rows, "");
    // Pieces change places within what repeats, by the number of the 128 bytes.
    LLVMValueRef seven = eight(c, cg_i32(c, 7)), four = eight(c, cg_i32(c, 4));
    LLVMValueRef line = LLVMBuildSub(b, LLVMBuildLShr(b, all, seven, ""), eight(c, m->base), "");
    LLVMValueRef last =
        LLVMBuildSub(b, LLVMBuildShl(b, cg_i32(c, 1), m->log, ""), cg_i32(c, 1), "");
    line = LLVMBuildAnd(b, line, eight(c, last), "");
    return LLVMBuildXor(b, all, LLVMBuildShl(b, line, four, ""), "");
}

// (memory, descriptor, first tile, tiles, bytes of shared memory) -> does a piece lie outside? In
// memory: PIECES times 8 places for each tile.
static void emit_rows(struct cg *c, LLVMValueRef f, bool trans) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(c->ctx, f, "loop");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(c->ctx, f, "done");
    LLVMTypeRef v = LLVMVectorType(c->i32, TILE);
    LLVMValueRef zero = cg_i32(c, 0), none = LLVMConstNull(v);
    struct matrix m = matrix_of(c, LLVMGetParam(f, 1));
    LLVMBuildBr(c->b, loop);
    LLVMPositionBuilderAtEnd(c->b, loop);
    LLVMValueRef n = LLVMBuildPhi(c->b, c->i32, ""), most = LLVMBuildPhi(c->b, v, "");
    LLVMValueRef tile = LLVMBuildAdd(c->b, LLVMGetParam(f, 2), n, ""), furthest = most;
    for (unsigned piece = 0; piece < PIECES; piece++) {
        LLVMValueRef x = places(c, &m, tile, piece, trans);
        LLVMValueRef at = LLVMBuildMul(c->b, n, cg_i32(c, PIECES), "");
        at = LLVMBuildAdd(c->b, at, cg_i32(c, piece), "");
        LLVMValueRef to = LLVMBuildInBoundsGEP2(c->b, v, LLVMGetParam(f, 0), &at, 1, "");
        LLVMSetAlignment(LLVMBuildStore(c->b, x, to), 32);
        LLVMValueRef both[] = {furthest, x};
        furthest = cg_call_intrinsic(c, "llvm.umax", &v, 1, both, 2);
    }
    LLVMValueRef next = LLVMBuildAdd(c->b, n, cg_i32(c, 1), "");
    LLVMAddIncoming(n, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){from, loop}, 2);
    LLVMAddIncoming(most, (LLVMValueRef[]){none, furthest}, (LLVMBasicBlockRef[]){from, loop}, 2);
    LLVMValueRef again = LLVMBuildICmp(c->b, LLVMIntULT, next, LLVMGetParam(f, 3), "");
    LLVMBuildCondBr(c->b, again, loop, done);
    LLVMPositionBuilderAtEnd(c->b, done);
    LLVMValueRef end = cg_call_intrinsic(c, "llvm.vector.reduce.umax", &v, 1, &furthest, 1);
    end = LLVMBuildZExt(c->b, end, c->i64, "");
    end = LLVMBuildAdd(c->b, end, cg_i64(c, PIECE), "");
    LLVMBuildRet(c->b, LLVMBuildICmp(c->b, LLVMIntUGT, end, LLVMGetParam(f, 4), ""));
}

// Where the rows of `tiles` tiles begin, to memory; ends the launch where they lie outside.
static struct cg_rows rows_of(struct cg_func *g, struct kir_value *desc, LLVMValueRef first,
                              unsigned tiles, bool trans, LLVMValueRef memory) {
    struct cg *c = g->cg;
    LLVMTypeRef params[] = {c->ptr, c->i64, c->i32, c->i32, c->i64};
    LLVMTypeRef type = LLVMFunctionType(c->i1, params, 5, 0);
    struct cg_own own =
        cg_own_function(c, trans ? "kd_wgmma_columns" : "kd_wgmma_rows", type, CG_WRITES_ARGS);
    if (own.from) {
        emit_rows(c, own.f, trans);
        cg_end_own(c, &own);
    }
    size_t window = offsetof(struct kd_block, shared_window_bytes);
    LLVMValueRef d = cg_extract(g, cg_vec(g, desc), cg_i32(c, 0));
    LLVMValueRef args[] = {memory, d, first, cg_i32(c, tiles),
                           cg_block_field(g, window, c->i64, "")};
    cg_fault_if(g, cg_call_own(c, type, own.f, args, 5), KD_FAULT_ILLEGAL_ADDRESS);
    return (struct cg_rows){g->shared_base, memory, c->i32};
}

// ---- the product -----------------------------------------------------------------------------

static LLVMValueRef at_byte(struct cg *c, LLVMValueRef p, unsigned offset) {
    LLVMValueRef at = cg_i64(c, offset);
    return offset ? LLVMBuildInBoundsGEP2(c->b, c->i8, p, &at, 1, "") : p;
}

// Memory for all products of the function: rows of a and of b, their panels.
struct memory {
    LLVMValueRef rows_a, rows_b, panels;
};

enum { ROW_BYTES = PIECES * TILE * 4, MAX_PANEL = 1088 };

static struct memory memory_of(struct cg_func *g) {
    struct cg *c = g->cg;
    unsigned rows = (2 + MAX_COLUMNS) * ROW_BYTES, panels = (2 + MAX_TILES) * MAX_PANEL;
    if (!g->wgmma_memory) {
        g->wgmma_memory = cg_entry_alloca(g, LLVMArrayType2(c->i8, rows + panels));
        LLVMSetAlignment(g->wgmma_memory, PANEL_ALIGN);
    }
    return (struct memory){g->wgmma_memory, at_byte(c, g->wgmma_memory, 2 * ROW_BYTES),
                           at_byte(c, g->wgmma_memory, rows)};
}

static void fill(struct cg_func *g, const struct product *p, bool of_b, const struct cg_rows *rows,
                 bool trans, unsigned tile, LLVMValueRef *x, LLVMValueRef memory) {
    struct source s[PIECES] = {0};
    for (unsigned r = 0; r < PIECES && rows; r++)
        s[r] = (struct source){.rows = *rows, .matrix = tile * PIECES + r, .trans = trans};
    cg_fill_panel(g->cg, p, of_b, s, x, memory, at_byte(g->cg, memory, cg_panel_bytes(p, false)),
                  false);
}

static void fill_a(struct cg_func *g, const struct product *p, struct kir_inst *i,
                   const struct rest *r, const struct memory *m, LLVMValueRef *panel) {
    struct cg *c = g->cg;
    unsigned first = isa_fragment_of(&p->x, ISA_FRAG_D).registers;
    struct cg_rows rows = {0};
    if (p->x.a_shared) {
        LLVMValueRef warp = LLVMBuildLShr(c->b, g->now.t0, cg_i32(c, 5), "");
        LLVMValueRef tile = LLVMBuildAnd(c->b, warp, cg_i32(c, 3), "");
        tile = LLVMBuildMul(c->b, tile, cg_i32(c, 2), "");
        rows = rows_of(g, i->ops[first], tile, 2, r->trans_a, m->rows_a);
    }
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef x[PIECES] = {NULL};
        for (unsigned k = 0; k < PIECES && !p->x.a_shared; k++) {
            unsigned o = first + k * 2 + half;
            x[k] = cg_operand_bits(g, i, o, cg_vec(g, i->ops[o]));
            x[k] = LLVMBuildBitCast(c->b, x[k], cg_vec_of(c, c->i32), "");
        }
        panel[half] = at_byte(c, m->panels, half * MAX_PANEL);
        fill(g, p, false, p->x.a_shared ? &rows : NULL, r->trans_a, half, x, panel[half]);
    }
}

// `across` tiles of columns, from the first one on.
static void multiply(struct cg_func *g, const struct product *p, struct kir_inst *i,
                     LLVMValueRef *panels, unsigned first, unsigned down, unsigned across) {
    struct cg *c = g->cg;
    for (unsigned row = 0; row < p->rows; row += down) {
        LLVMValueRef args[MAX_TILES * 6], sum[2];
        unsigned n = 0;
        for (unsigned k = 0; k < down; k++)
            args[n++] = panels[row + k];
        for (unsigned k = 0; k < across; k++)
            args[n++] = panels[2 + k];
        for (unsigned k = 0; k < down * across; k++, n += 2)
            cg_read_sums(g, p, i, row + k / across, first + k % across, args + n);
        LLVMValueRef call = cg_call_core(g, p, down, across, args);
        for (unsigned k = 0; k < down * across; k++) {
            for (unsigned odd = 0; odd < 2; odd++)
                sum[odd] = LLVMBuildExtractValue(c->b, call, k * 2 + odd, "");
            cg_write_sums(g, p, i, row + k / across, first + k % across, sum);
        }
    }
}

bool cg_emit_wgmma(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct product p;
    struct rest r;
    if (g->now.mask || !product_of(c, i, &p, &r))
        return false;
    struct memory m = memory_of(g);
    LLVMValueRef panels[2 + MAX_TILES];
    p.adds = cg_extract(g, cg_vec(g, r.add), cg_i32(c, 0));
    fill_a(g, &p, i, &r, &m, panels);
    struct cg_rows rows = rows_of(g, r.b, cg_i32(c, 0), p.columns, r.trans_b, m.rows_b);
    unsigned most = cg_most_tiles(c, p.sum), down = most > 1 ? 2 : 1;
    for (unsigned at = 0, across; at < p.columns; at += across) {
        across = most / down;
        while (across > p.columns - at)
            across /= 2;
        for (unsigned k = 0; k < across; k++) {
            panels[2 + k] = at_byte(c, m.panels, (2 + k) * MAX_PANEL);
            fill(g, &p, true, &rows, r.trans_b, at + k, NULL, panels[2 + k]);
        }
        multiply(g, &p, i, panels, at, down, across);
    }
    return true;
}
