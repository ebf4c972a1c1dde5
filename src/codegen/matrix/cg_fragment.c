// Moves between memory and matrices in registers (ldmatrix, stmatrix, movmatrix, wmma.load,
// wmma.store) as vector code: whole rows of a matrix are loaded or stored, shuffles put the
// elements in their lanes.
#include <stdio.h>
#include <string.h>

#include "codegen/access/cg_copy.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/matrix/cg_fragment.h"
#include "codegen/matrix/cg_product.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"
#include "isa/matrix.h"
#include "isa/ops/matrix.h"

enum { LANES = 32, ROWS = 8, ROW_BYTES = 16, MAX_PICKED = 128 };

// ---- vectors ---------------------------------------------------------------------------------

static LLVMValueRef pick(struct cg *c, LLVMValueRef x, const unsigned *idx, unsigned n) {
    LLVMValueRef k[MAX_PICKED];
    for (unsigned e = 0; e < n; e++)
        k[e] = cg_i32(c, idx[e]);
    return LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(k, n), "");
}

static LLVMValueRef slice(struct cg *c, LLVMValueRef x, unsigned at, unsigned n) {
    unsigned idx[MAX_PICKED];
    for (unsigned e = 0; e < n; e++)
        idx[e] = at + e;
    return pick(c, x, idx, n);
}

static LLVMValueRef join(struct cg *c, LLVMValueRef *v, unsigned n) {
    LLVMValueRef k[MAX_PICKED];
    for (; n > 1; n /= 2) {
        unsigned e = LLVMGetVectorSize(LLVMTypeOf(v[0])) * 2;
        for (unsigned i = 0; i < e; i++)
            k[i] = cg_i32(c, i);
        for (unsigned i = 0; i < n / 2; i++)
            v[i] = LLVMBuildShuffleVector(c->b, v[2 * i], v[2 * i + 1], LLVMConstVector(k, e), "");
    }
    return v[0];
}

static LLVMValueRef words(struct cg *c, LLVMValueRef x) {
    return LLVMBuildBitCast(c->b, x, cg_vec_of(c, c->i32), "");
}

static LLVMTypeRef halves_type(struct cg *c) {
    return LLVMVectorType(c->i16, LANES * 2);
}

// An 8x8 matrix of 16-bit elements, two in each lane, with rows and columns exchanged.
static LLVMValueRef transposed(struct cg *c, LLVMValueRef x) {
    unsigned idx[LANES * 2];
    for (unsigned k = 0; k < LANES * 2; k++)
        idx[k] = k % ROWS * ROWS + k / ROWS;
    return words(c, pick(c, LLVMBuildBitCast(c->b, x, halves_type(c), ""), idx, LANES * 2));
}

// ---- rows at the addresses that lanes give -----------------------------------------------------

// A lane that is not active gives no row: 16 bytes of the frame stand for it.
static LLVMValueRef with_idle_lanes(struct cg_func *g, LLVMValueRef addresses, bool store) {
    struct cg *c = g->cg;
    if (!g->now.mask)
        return addresses;
    LLVMValueRef idle = LLVMBuildPtrToInt(c->b, cg_idle_memory(g, store), c->i64, "");
    return cg_select(c, g->now.mask, addresses, cg_splat(c, idle));
}

// What lanes are apart, when constants say so: a table that costs nothing.
static LLVMValueRef offset_table(struct cg_func *g, const int64_t *offs) {
    return cg_table(g->cg, cg_offs_vec(g, offs, g->cg->i32), "rows");
}

// An address in shared memory is taken modulo 2^32: what guards against a lane that wraps is not
// asked.
static bool has_constant_offsets(struct cg_func *g, struct kir_inst *i) {
    struct shape s = cg_shape(g, i->ops[0]);
    return s.kind == SHAPE_OFFSETS && !s.of_bits;
}

// Addresses go through memory (of 32 words of 64 bits): taking them out of vector registers one by
// one costs more.
struct cg_rows cg_rows_of(struct cg_func *g, struct kir_inst *i, LLVMValueRef memory) {
    struct cg *c = g->cg;
    enum isa_space space = (enum isa_space)i->mods.space;
    struct cg_rows r = {.base = LLVMConstNull(c->ptr)};
    LLVMValueRef offset = LLVMConstInt(c->i64, (unsigned long long)i->offset, 1);
    if (space == ISA_SPACE_SHARED && !g->now.mask && has_constant_offsets(g, i)) {
        LLVMValueRef at = cg_narrow(c, cg_scalar(g, i->ops[0]), 32);
        at = LLVMBuildAdd(c->b, LLVMBuildSExt(c->b, at, c->i64, ""), offset, "");
        r.base = LLVMBuildGEP2(c->b, c->i8, g->shared_base, &at, 1, "");
        r.element = c->i32;
        r.offsets = offset_table(g, cg_shape(g, i->ops[0]).offs);
        return r;
    }
    LLVMValueRef a = cg_vec(g, i->ops[0]);
    if (space == ISA_SPACE_SHARED && !g->now.mask) {
        r.base = LLVMBuildGEP2(c->b, c->i8, g->shared_base, &offset, 1, "");
        a = cg_narrow(c, a, 32);
        r.element = c->i32;
    } else {
        a = LLVMBuildAdd(c->b, cg_narrow(c, a, 64), cg_splat(c, offset), "");
        a = cg_pointer(g, space, a, true);
        a = LLVMBuildPtrToInt(c->b, a, cg_vec_of(c, c->i64), "");
        a = with_idle_lanes(g, a, i->op == ISA_OP_STMATRIX);
        r.element = c->i64;
    }
    r.offsets = memory;
    LLVMSetAlignment(LLVMBuildStore(c->b, a, r.offsets), 64);
    return r;
}

static LLVMValueRef row_pointer(struct cg *c, const struct cg_rows *r, unsigned lane) {
    LLVMValueRef k = cg_i64(c, lane);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, r->element, r->offsets, &k, 1, "");
    LLVMValueRef at = LLVMBuildLoad2(c->b, r->element, p, "");
    if (r->element == c->i64)
        return LLVMBuildIntToPtr(c->b, at, c->ptr, "");
    at = LLVMBuildSExt(c->b, at, c->i64, "");
    return LLVMBuildGEP2(c->b, c->i8, r->base, &at, 1, "");
}

static LLVMValueRef load_row(struct cg *c, LLVMValueRef p, LLVMTypeRef elem, unsigned n) {
    LLVMValueRef v = LLVMBuildLoad2(c->b, LLVMVectorType(elem, n), p, "");
    LLVMSetAlignment(v, 1);
    return v;
}

LLVMValueRef cg_load_matrix(struct cg *c, const struct cg_rows *r, unsigned n, bool trans) {
    LLVMValueRef row[ROWS];
    for (unsigned k = 0; k < ROWS; k++)
        row[k] = load_row(c, row_pointer(c, r, n * ROWS + k), c->i32, 4);
    LLVMValueRef x = join(c, row, ROWS);
    return trans ? transposed(c, x) : x;
}

// (base, offsets) -> the registers of `count` matrices
static void emit_loading(struct cg *c, LLVMValueRef f, LLVMTypeRef element, unsigned count,
                         bool trans) {
    struct cg_rows r = {LLVMGetParam(f, 0), LLVMGetParam(f, 1), element};
    LLVMValueRef all = LLVMGetPoison(LLVMGetReturnType(LLVMGlobalGetValueType(f)));
    for (unsigned n = 0; n < count; n++)
        all = LLVMBuildInsertValue(c->b, all, cg_load_matrix(c, &r, n, trans), n, "");
    LLVMBuildRet(c->b, all);
}

static void load_matrices(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    char name[64];
    LLVMTypeRef word = cg_vec_of(c, c->i32), words_t[] = {word, word, word, word};
    LLVMTypeRef args_t[] = {c->ptr, c->ptr};
    LLVMTypeRef result = LLVMStructTypeInContext(c->ctx, words_t, i->nres, 0);
    LLVMTypeRef type = LLVMFunctionType(result, args_t, 2, 0);
    struct cg_rows r = cg_rows_of(g, i, cg_lane_memory(g, 0));
    snprintf(name, sizeof name, "kd_ldmatrix_%u%s%s", i->nres, i->mods.trans ? "_trans" : "",
             r.element == c->i64 ? "_64" : "");
    struct cg_own own = cg_own_function(c, name, type, CG_READS);
    if (own.from) {
        emit_loading(c, own.f, r.element, i->nres, i->mods.trans);
        cg_end_own(c, &own);
    }
    LLVMValueRef args[] = {r.base, r.offsets};
    LLVMValueRef all = cg_call_own(c, type, own.f, args, 2);
    for (unsigned n = 0; n < i->nres; n++) {
        LLVMValueRef x = LLVMBuildExtractValue(c->b, all, n, "");
        cg_set_result(g, i->res[n], LLVMBuildBitCast(c->b, x, cg_vec_type(c, i->res[n]->type), ""));
    }
}

static LLVMValueRef register_words(struct cg_func *g, struct kir_inst *i, unsigned k) {
    return words(g->cg, cg_operand_bits(g, i, k, cg_vec(g, i->ops[k])));
}

// (base, offsets, registers...)
static void emit_storing(struct cg *c, LLVMValueRef f, LLVMTypeRef element, unsigned count,
                         bool trans) {
    struct cg_rows r = {LLVMGetParam(f, 0), LLVMGetParam(f, 1), element};
    for (unsigned n = 0; n < count; n++) {
        LLVMValueRef x = LLVMGetParam(f, 2 + n);
        if (trans)
            x = transposed(c, x);
        for (unsigned k = 0; k < ROWS; k++)
            LLVMSetAlignment(
                LLVMBuildStore(c->b, slice(c, x, k * 4, 4), row_pointer(c, &r, n * ROWS + k)), 1);
    }
    LLVMBuildRetVoid(c->b);
}

static void store_matrices(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    char name[64];
    unsigned count = i->nops - 1;
    LLVMTypeRef word = cg_vec_of(c, c->i32), types[] = {c->ptr, c->ptr, word, word, word, word};
    LLVMTypeRef type = LLVMFunctionType(c->void_t, types, 2 + count, 0);
    struct cg_rows r = cg_rows_of(g, i, cg_lane_memory(g, 0));
    LLVMValueRef args[6] = {r.base, r.offsets};
    for (unsigned n = 0; n < count; n++)
        args[2 + n] = register_words(g, i, 1 + n);
    snprintf(name, sizeof name, "kd_stmatrix_%u%s%s", count, i->mods.trans ? "_trans" : "",
             r.element == c->i64 ? "_64" : "");
    struct cg_own own = cg_own_function(c, name, type, CG_ANY_EFFECT);
    if (own.from) {
        emit_storing(c, own.f, r.element, count, i->mods.trans);
        cg_end_own(c, &own);
    }
    cg_call_own(c, type, own.f, args, 2 + count);
}

// ---- wmma.load, wmma.store -------------------------------------------------------------------

// Where a register's elements lie: `lines` stretches of memory with `length` elements each.
struct piece {
    unsigned line, at;         // the first line; the first element in it
    unsigned lines, length;    // numbers of lines, and of elements of each
    unsigned bits;             // of an element
    unsigned per;              // elements a register
    unsigned place[LANES * 4]; // by element of the register: line * length + place in it
};

static bool find_piece(const struct isa_matrix *x, unsigned reg, struct piece *p) {
    struct isa_fragment f = isa_fragment_of(x, (enum isa_frag)x->frag);
    unsigned line[LANES * 4], at[LANES * 4], last = 0, end = 0, n;
    *p = (struct piece){.line = 1u << 30, .at = 1u << 30, .bits = f.bits, .per = f.per};
    bool narrow = f.bits < 16;
    // Bytes and less are moved as words, where those lie in one line.
    if (narrow)
        p->bits = 32, p->per = 1;
    n = LANES * p->per;
    for (unsigned k = 0; k < n; k++) {
        unsigned lane = k / p->per, e = reg * f.per + k % p->per;
        struct isa_place q = isa_place_of(x, (enum isa_frag)x->frag, lane, e);
        struct isa_place next = isa_place_of(x, (enum isa_frag)x->frag, lane, e + (narrow ? 1 : 0));
        line[k] = x->col_a ? q.column : q.row;
        at[k] = x->col_a ? q.row : q.column;
        if (narrow && (x->col_a ? next.column : next.row) != line[k])
            return false;
        at[k] /= narrow ? f.per : 1;
        p->line = line[k] < p->line ? line[k] : p->line;
        p->at = at[k] < p->at ? at[k] : p->at;
        last = line[k] > last ? line[k] : last;
        end = at[k] > end ? at[k] : end;
    }
    // Of c a register has every second line or element; the others belong to its neighbour.
    p->line &= ~1u;
    p->at &= ~1u;
    for (p->lines = 4; p->lines < last - p->line + 1; p->lines *= 2)
        ;
    for (p->length = 4; p->length < end - p->at + 1; p->length *= 2)
        ;
    for (unsigned k = 0; k < n; k++)
        p->place[k] = (line[k] - p->line) * p->length + at[k] - p->at;
    return p->lines * p->length <= MAX_PICKED;
}

// What was found, as asking where 32 lanes' elements lie takes longer than what is emitted of it.
struct cg_piece_found {
    struct cg_piece_found *next;
    uint64_t matrix;
    unsigned reg;
    bool is_piece;
    struct piece as;
};

static bool piece_of(struct cg *c, const struct isa_matrix *x, unsigned reg, struct piece *p) {
    uint64_t matrix = isa_matrix_pack(x);
    struct cg_piece_found *k = c->pieces_found;
    while (k && (k->matrix != matrix || k->reg != reg))
        k = k->next;
    if (!k) {
        k = arena_new(c->arena, struct cg_piece_found);
        *k = (struct cg_piece_found){.next = c->pieces_found, .matrix = matrix, .reg = reg};
        k->is_piece = find_piece(x, reg, &k->as);
        c->pieces_found = k;
    }
    *p = k->as;
    return k->is_piece;
}

struct tile {
    LLVMValueRef base, stride; // pointer; i64: bytes from line to line
};

static struct tile tile_of(struct cg_func *g, struct kir_inst *i, const struct isa_matrix *x,
                           unsigned stride_operand) {
    struct cg *c = g->cg;
    unsigned rows, columns, bits = isa_fragment_of(x, (enum isa_frag)x->frag).bits;
    struct tile t;
    LLVMValueRef offset = LLVMConstInt(c->i64, (unsigned long long)i->offset, 1);
    LLVMValueRef a = cg_narrow(c, cg_scalar(g, i->ops[0]), 64);
    t.base = cg_pointer(g, (enum isa_space)i->mods.space, LLVMBuildAdd(c->b, a, offset, ""), false);
    isa_matrix_size(x, (enum isa_frag)x->frag, &rows, &columns);
    LLVMValueRef stride = cg_i64(c, x->col_a ? rows : columns);
    if (i->nops > stride_operand)
        stride = cg_narrow(c, cg_scalar(g, i->ops[stride_operand]), 64);
    t.stride =
        LLVMBuildLShr(c->b, LLVMBuildMul(c->b, stride, cg_i64(c, bits), ""), cg_i64(c, 3), "");
    return t;
}

static LLVMValueRef line_pointer(struct cg *c, const struct tile *t, const struct piece *p,
                                 unsigned line) {
    LLVMValueRef at = LLVMBuildMul(c->b, t->stride, cg_i64(c, p->line + line), "");
    at = LLVMBuildAdd(c->b, at, cg_i64(c, (uint64_t)p->at * p->bits / 8), "");
    return LLVMBuildGEP2(c->b, c->i8, t->base, &at, 1, "");
}

// Lines of whole fragments are read where all lanes agree on base and stride.
static bool is_plain(struct cg_func *g, const struct kir_inst *i, unsigned stride_operand) {
    return !g->now.mask && cg_shape(g, i->ops[0]).kind == SHAPE_UNIFORM &&
           (i->nops <= stride_operand || cg_shape(g, i->ops[stride_operand]).kind == SHAPE_UNIFORM);
}

static unsigned distinct_registers(const struct isa_matrix *x) {
    unsigned rows, columns;
    struct isa_fragment f = isa_fragment_of(x, (enum isa_frag)x->frag);
    isa_matrix_size(x, (enum isa_frag)x->frag, &rows, &columns);
    return rows * columns / LANES / f.per;
}

static LLVMValueRef load_piece(struct cg *c, const struct tile *t, const struct piece *p) {
    LLVMValueRef line[LANES];
    for (unsigned k = 0; k < p->lines; k++)
        line[k] = load_row(c, line_pointer(c, t, p, k), cg_int_type(c, p->bits), p->length);
    return pick(c, join(c, line, p->lines), p->place, LANES * p->per);
}

// In quick code registers whose elements lie alike, wherever that is, are loaded by one function.
struct cg_piece {
    struct cg_piece *next;
    struct piece as;
    unsigned number;
};

static bool lie_alike(const struct piece *p, const struct piece *q) {
    return p->lines == q->lines && p->length == q->length && p->bits == q->bits &&
           p->per == q->per && !memcmp(p->place, q->place, sizeof *p->place * LANES * p->per);
}

static unsigned number_of(struct cg *c, const struct piece *p) {
    for (struct cg_piece *k = c->pieces; k; k = k->next)
        if (lie_alike(&k->as, p))
            return k->number;
    struct cg_piece *k = arena_new(c->arena, struct cg_piece);
    *k = (struct cg_piece){c->pieces, *p, c->pieces ? c->pieces->number + 1 : 0};
    k->as.line = k->as.at = 0;
    c->pieces = k;
    return k->number;
}

// A loop over lines in a function of the module's own: short code compiles soon.
struct line_loop {
    LLVMValueRef f, k; // i64: the line
    LLVMBasicBlockRef head;
};

static struct line_loop begin_lines(struct cg *c, LLVMValueRef f) {
    struct line_loop l = {.f = f};
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b);
    LLVMValueRef zero = cg_i64(c, 0);
    l.head = LLVMAppendBasicBlockInContext(c->ctx, f, "line");
    LLVMBuildBr(c->b, l.head);
    LLVMPositionBuilderAtEnd(c->b, l.head);
    l.k = LLVMBuildPhi(c->b, c->i64, "");
    LLVMAddIncoming(l.k, &zero, &from, 1);
    return l;
}

static void end_lines(struct cg *c, const struct line_loop *l, unsigned n) {
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(c->ctx, l->f, "done");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(c->b);
    LLVMValueRef next = LLVMBuildAdd(c->b, l->k, cg_i64(c, 1), "");
    LLVMAddIncoming(l->k, &next, &from, 1);
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntULT, next, cg_i64(c, n), "");
    LLVMBuildCondBr(c->b, more, l->head, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

// by bytes a line
static LLVMValueRef in_line(struct cg *c, const struct line_loop *l, LLVMValueRef p,
                            LLVMValueRef by) {
    LLVMValueRef at = LLVMBuildMul(c->b, l->k, by, "");
    return LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
}

// Do a register's elements lie in memory in the order in which it has them?
static bool lie_in_order(const struct piece *p) {
    bool ordered = p->lines * p->length == LANES * p->per;
    for (unsigned k = 0; k < LANES * p->per; k++)
        ordered &= p->place[k] == k;
    return ordered;
}

static void emit_loading_piece(struct cg *c, LLVMValueRef f, const struct piece *p) {
    struct piece here = *p;
    struct tile from = {LLVMGetParam(f, 0), LLVMGetParam(f, 1)};
    LLVMValueRef to = LLVMGetParam(f, 2);
    here.line = here.at = 0;
    if (lie_in_order(p)) {
        struct line_loop l = begin_lines(c, f);
        LLVMValueRef line =
            load_row(c, in_line(c, &l, from.base, from.stride), cg_int_type(c, p->bits), p->length);
        unsigned bytes = p->length * p->bits / 8;
        LLVMSetAlignment(LLVMBuildStore(c->b, line, in_line(c, &l, to, cg_i64(c, bytes))), bytes);
        end_lines(c, &l, p->lines);
    } else {
        LLVMSetAlignment(LLVMBuildStore(c->b, load_piece(c, &from, &here), to), 64);
    }
    LLVMBuildRetVoid(c->b);
}

// (first element, bytes from line to line, memory): puts the register of all lanes there
static void call_for_piece(struct cg *c, const struct tile *t, const struct piece *p,
                           LLVMValueRef to) {
    char name[32];
    LLVMTypeRef params[3] = {c->ptr, c->i64, c->ptr};
    LLVMTypeRef type = LLVMFunctionType(c->void_t, params, 3, 0);
    snprintf(name, sizeof name, "kd_piece_%u", number_of(c, p));
    struct cg_own own = cg_own_function(c, name, type, CG_ANY_EFFECT);
    if (own.from) {
        emit_loading_piece(c, own.f, p);
        cg_end_own(c, &own);
    }
    LLVMValueRef args[3] = {line_pointer(c, t, p, 0), t->stride, to};
    c->lane_calls = true;
    cg_call_own(c, type, own.f, args, 3);
}

// In quick code: the registers of a fragment where products find them, if they are in memory.
struct place {
    LLVMValueRef memory;
    uint32_t epoch;
};

struct cg_fragments {
    struct place *at; // by value id
};

static void set_memory(struct cg_func *g, const struct kir_value *v, LLVMValueRef memory) {
    if (!g->fragments) {
        g->fragments = arena_new(g->cg->arena, struct cg_fragments);
        g->fragments->at = arena_array(g->cg->arena, struct place, g->f->value_count);
    }
    g->fragments->at[v->id] = (struct place){memory, g->epoch};
}

LLVMValueRef cg_fragment_memory(const struct cg_func *g, const struct kir_value *v) {
    return g->fragments && !g->now.mask && g->fragments->at[v->id].epoch == g->epoch
               ? g->fragments->at[v->id].memory
               : NULL;
}

// (first element, bytes from line to line, memory): puts the fragment's registers there
static void emit_loading_fragment(struct cg *c, LLVMValueRef f, const struct isa_matrix *x,
                                  unsigned distinct, unsigned bytes) {
    struct tile from = {LLVMGetParam(f, 0), LLVMGetParam(f, 1)};
    struct piece p;
    for (unsigned r = 0; r < distinct; r++) {
        piece_of(c, x, r, &p);
        LLVMValueRef at = cg_i64(c, (uint64_t)r * bytes);
        at = LLVMBuildInBoundsGEP2(c->b, c->i8, LLVMGetParam(f, 2), &at, 1, "");
        call_for_piece(c, &from, &p, at);
    }
    LLVMBuildRetVoid(c->b);
}

static void call_for_fragment(struct cg_func *g, struct kir_inst *i, const struct isa_matrix *x,
                              const struct tile *t, unsigned distinct) {
    struct cg *c = g->cg;
    char name[48];
    unsigned bytes = kir_type_bits(i->res[0]->type) / 8 * LANES;
    LLVMTypeRef params[3] = {c->ptr, c->i64, c->ptr};
    LLVMTypeRef type = LLVMFunctionType(c->void_t, params, 3, 0);
    snprintf(name, sizeof name, "kd_fragment_%llx", (unsigned long long)isa_matrix_pack(x));
    struct cg_own own = cg_own_function(c, name, type, CG_ANY_EFFECT);
    if (own.from) {
        emit_loading_fragment(c, own.f, x, distinct, bytes);
        cg_end_own(c, &own);
    }
    LLVMValueRef memory = cg_entry_alloca(g, LLVMArrayType2(c->i8, (uint64_t)distinct * bytes));
    LLVMSetAlignment(memory, 64);
    LLVMValueRef args[3] = {t->base, t->stride, memory};
    cg_call_own(c, type, own.f, args, 3);
    for (unsigned r = 0; r < i->nres; r++) {
        LLVMValueRef at = cg_i64(c, r % distinct * bytes);
        LLVMValueRef p = LLVMBuildInBoundsGEP2(c->b, c->i8, memory, &at, 1, "");
        LLVMValueRef v = LLVMBuildLoad2(c->b, cg_vec_type(c, i->res[r]->type), p, "");
        LLVMSetAlignment(v, 64);
        cg_set_result(g, i->res[r], v);
        set_memory(g, i->res[r], p);
    }
}

static bool load_fragment(struct cg_func *g, struct kir_inst *i, const struct isa_matrix *x) {
    struct cg *c = g->cg;
    struct piece p;
    unsigned distinct = distinct_registers(x);
    if (!is_plain(g, i, 1))
        return false;
    for (unsigned r = 0; r < distinct; r++)
        if (!piece_of(c, x, r, &p))
            return false;
    struct tile t = tile_of(g, i, x, 1);
    if (c->spec.flags & KD_SPEC_QUICK) {
        call_for_fragment(g, i, x, &t, distinct);
        return true;
    }
    for (unsigned r = 0; r < i->nres; r++) {
        piece_of(c, x, r % distinct, &p);
        LLVMValueRef v = load_piece(c, &t, &p);
        cg_set_result(g, i->res[r], LLVMBuildBitCast(c->b, v, cg_vec_type(c, i->res[r]->type), ""));
    }
    return true;
}

// Registers of c that share lines are stored together: two of a tile, or one with pairs.
struct stored {
    struct piece as[2];
    unsigned n;
    bool canonical[2];    // NaNs have still to be made what they are as bits
    LLVMTypeRef type;     // of the registers
    LLVMValueRef home[2]; // where they are; NULL: in vectors
};

// Which element of the registers, one behind the other, stands at each place.
static void elements_of(const struct stored *s, unsigned *idx) {
    unsigned elements = LANES * s->as[0].per;
    for (unsigned k = 0; k < s->n; k++)
        for (unsigned e = 0; e < elements; e++)
            idx[s->as[k].place[e]] = k * elements + e;
}

// x: the registers.
static void store_pieces(struct cg *c, const struct tile *t, const struct stored *s,
                         LLVMValueRef *x) {
    LLVMValueRef v[2];
    unsigned idx[LANES * 2];
    const struct piece *p = &s->as[s->n - 1];
    unsigned elements = LANES * p->per;
    elements_of(s, idx);
    for (unsigned k = 0; k < s->n; k++) {
        v[k] = s->canonical[k] ? cg_canonical(c, x[k]) : x[k];
        v[k] = LLVMBuildBitCast(c->b, v[k], LLVMVectorType(cg_int_type(c, p->bits), elements), "");
    }
    LLVMValueRef all = pick(c, join(c, v, s->n), idx, LANES * 2);
    for (unsigned k = 0; k < ROWS; k++)
        LLVMSetAlignment(
            LLVMBuildStore(c->b, slice(c, all, k * ROWS, ROWS), line_pointer(c, t, p, k)), 1);
}

// How a register is handed over: canonical or not; capitals: in memory.
static char letter_of(const struct stored *s, unsigned k) {
    static const char letters[2][2] = {{'v', 'n'}, {'V', 'N'}};
    return letters[s->home[k] != NULL][s->canonical[k]];
}

// Does each line take the next four elements of two registers of words in memory?
static bool takes_fours(const struct stored *s) {
    unsigned idx[LANES * 2];
    bool fours = s->n == 2 && s->home[0] && s->home[1] && s->as[0].bits == 32 &&
                 s->as[0].per == 1 && s->as[1].per == 1;
    if (!fours)
        return false;
    elements_of(s, idx);
    for (unsigned k = 0; k < LANES * 2; k++)
        fours &= idx[k] == idx[k % ROWS] + k / ROWS * 4 && idx[k % ROWS] % LANES < 4;
    return fours;
}

static void emit_storing_fours(struct cg *c, LLVMValueRef f, const struct stored *s) {
    struct line_loop l = begin_lines(c, f);
    LLVMValueRef v[2], k[ROWS];
    unsigned idx[LANES * 2];
    LLVMTypeRef four = LLVMVectorType(LLVMGetElementType(s->type), 4);
    elements_of(s, idx);
    for (unsigned r = 0; r < 2; r++) {
        v[r] =
            LLVMBuildLoad2(c->b, four, in_line(c, &l, LLVMGetParam(f, 2 + r), cg_i64(c, 16)), "");
        LLVMSetAlignment(v[r], 16);
        v[r] = s->canonical[r] ? cg_canonical(c, v[r]) : v[r];
    }
    for (unsigned e = 0; e < ROWS; e++)
        k[e] = cg_i32(c, idx[e] / LANES * 4 + idx[e] % LANES);
    LLVMValueRef x = LLVMBuildShuffleVector(c->b, v[0], v[1], LLVMConstVector(k, ROWS), "");
    LLVMValueRef to = in_line(c, &l, LLVMGetParam(f, 0), LLVMGetParam(f, 1));
    LLVMSetAlignment(LLVMBuildStore(c->b, x, to), 1);
    end_lines(c, &l, ROWS);
}

static void emit_storing_pieces(struct cg *c, LLVMValueRef f, const struct stored *s) {
    struct stored here = *s;
    struct tile to = {LLVMGetParam(f, 0), LLVMGetParam(f, 1)};
    LLVMValueRef v[2];
    if (takes_fours(s)) {
        emit_storing_fours(c, f, s);
        LLVMBuildRetVoid(c->b);
        return;
    }
    for (unsigned k = 0; k < s->n; k++) {
        here.as[k].line = here.as[k].at = 0;
        v[k] = LLVMGetParam(f, 2 + k);
        if (s->home[k]) {
            v[k] = LLVMBuildLoad2(c->b, s->type, v[k], "");
            LLVMSetAlignment(v[k], 64);
        }
    }
    store_pieces(c, &to, &here, v);
    LLVMBuildRetVoid(c->b);
}

// (first element, bytes from line to line, registers...)
static void call_to_store(struct cg *c, const struct tile *t, const struct stored *s,
                          LLVMValueRef *x) {
    char name[64];
    unsigned last = s->n - 1;
    LLVMValueRef args[4] = {line_pointer(c, t, &s->as[last], 0), t->stride};
    LLVMTypeRef params[4] = {c->ptr, c->i64};
    for (unsigned k = 0; k < s->n; k++) {
        args[2 + k] = s->home[k] ? s->home[k] : x[k];
        params[2 + k] = LLVMTypeOf(args[2 + k]);
    }
    LLVMTypeRef type = LLVMFunctionType(c->void_t, params, 2 + s->n, 0);
    snprintf(name, sizeof name, "kd_store_piece_%u_%u_%u_%c%c", number_of(c, &s->as[0]),
             number_of(c, &s->as[last]), (unsigned)LLVMGetTypeKind(LLVMGetElementType(s->type)),
             letter_of(s, 0), letter_of(s, last));
    struct cg_own own = cg_own_function(c, name, type, CG_ANY_EFFECT);
    if (own.from) {
        emit_storing_pieces(c, own.f, s);
        cg_end_own(c, &own);
    }
    c->lane_calls = true;
    cg_call_own(c, type, own.f, args, 2 + s->n);
}

static bool store_fragment(struct cg_func *g, struct kir_inst *i, const struct isa_matrix *x) {
    struct cg *c = g->cg;
    struct isa_fragment f = isa_fragment_of(x, ISA_FRAG_D);
    bool quick = c->spec.flags & KD_SPEC_QUICK;
    struct stored s = {.n = f.per == 1 ? 2 : 1, .type = cg_vec_type(c, i->ops[1]->type)};
    if (!is_plain(g, i, 1 + f.registers))
        return false;
    struct tile t = tile_of(g, i, x, 1 + f.registers);
    for (unsigned r = 0; r < f.registers; r += s.n) {
        LLVMValueRef v[2] = {NULL, NULL};
        for (unsigned k = 0; k < s.n; k++) {
            unsigned o = 1 + r + k;
            if (!piece_of(c, x, r + k, &s.as[k]))
                return false;
            s.canonical[k] = cg_wants_canonical(g, i, o);
            s.home[k] = quick ? cg_home_place(g, i->ops[o]) : NULL;
            if (!s.home[k])
                v[k] = cg_vec(g, i->ops[o]);
        }
        if (quick)
            call_to_store(c, &t, &s, v);
        else
            store_pieces(c, &t, &s, v);
    }
    return true;
}

bool cg_emit_fragment(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    if (c->width != LANES)
        return false;
    switch (i->op) {
    case ISA_OP_LDMATRIX:
        if (x.shape) // of bytes
            return false;
        if (!cg_defer_matrices(g, i))
            load_matrices(g, i);
        return true;
    case ISA_OP_STMATRIX:
        if (x.shape)
            return false;
        store_matrices(g, i);
        return true;
    case ISA_OP_MOVMATRIX:
        cg_set_result(g, i->res[0], transposed(c, register_words(g, i, 0)));
        return true;
    case ISA_OP_WMMA_LOAD:
        return load_fragment(g, i, &x);
    case ISA_OP_WMMA_STORE:
        return store_fragment(g, i, &x);
    default:
        return false;
    }
}
