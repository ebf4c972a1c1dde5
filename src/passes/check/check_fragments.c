// Matrices between memory and a warp's registers: where a lane's elements lie is what the
// description of matrices says (isa/matrix.h), as steps from lane to lane. Elements that follow
// each other are asked for, and told of, at once.
#include "passes/check/check_fragments.h"

#include "abi/check_shadow.h"
#include "isa/matrix.h"
#include "isa/ops/arith.h"
#include "isa/ops/integer.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/move.h"
#include "isa/ops/warp.h"

struct fragment {
    struct init *s;
    struct kir_inst *of;
    struct isa_matrix x;
    struct isa_fragment f;
    struct kir_value *address, *halves[2]; // generic; of ldmatrix and stmatrix as two words
    struct kir_value *four, *in_four;      // the lane's number, divided by 4 and the rest
    struct kir_value *stride;              // of wmma, B64, in elements
};

// Elements of a register that follow each other in memory, of one line.
struct piece {
    struct isa_matrix_steps line, at; // of the lane's first: which line, and where in it
    uint32_t element, elements;       // of the register
};

static bool in_rows(const struct fragment *m) {
    return m->of->op == ISA_OP_LDMATRIX || m->of->op == ISA_OP_STMATRIX;
}

bool check_fragments_load_is(const struct kir_inst *i) {
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    if (i->op == ISA_OP_WMMA_LOAD)
        return init_is_kept(i->mods.space);
    return i->op == ISA_OP_LDMATRIX && x.type[ISA_FRAG_D] != ISA_MAT_B6 &&
           x.type[ISA_FRAG_D] != ISA_MAT_B4;
}

static struct kir_value *wide_const(struct fragment *m, int64_t x) {
    return kir_const(m->s->f, KIR_B64, (uint64_t)x);
}

static struct kir_value *sum(struct fragment *m, struct kir_value *a, struct kir_value *b) {
    return !a ? b : !b ? a : init_two(m->s, ISA_OP_ADD, ISA_U64, a, b, KIR_B64);
}

static struct kir_value *product(struct fragment *m, struct kir_value *a, struct kir_value *b) {
    struct kir_inst *i = init_make(m->s, ISA_OP_MUL, ISA_U64, 2, KIR_B64);
    i->mods.half = ISA_LO;
    i->ops[0] = a;
    i->ops[1] = b;
    return i->res[0];
}

// What the steps say for the lane, B64; NULL: 0.
static struct kir_value *stepped(struct fragment *m, const struct isa_matrix_steps *by) {
    struct kir_value *v = by->base ? wide_const(m, by->base) : NULL;
    if (by->group)
        v = sum(m, v, product(m, m->four, wide_const(m, by->group)));
    if (by->lane)
        v = sum(m, v, product(m, m->in_four, wide_const(m, by->lane)));
    return v;
}

// Steps of places that isa_row_place_of gives: rows, or columns.
static struct isa_matrix_steps row_steps(const struct isa_matrix *x, unsigned i, bool columns) {
    struct isa_place first = isa_row_place_of(x, 0, i), lane = isa_row_place_of(x, 1, i);
    struct isa_place group = isa_row_place_of(x, 4, i), next = isa_row_place_of(x, 0, i + 1);
    int64_t base = columns ? first.column : first.row;
    return (struct isa_matrix_steps){.base = base,
                                     .lane = (columns ? lane.column : lane.row) - base,
                                     .group = (columns ? group.column : group.row) - base,
                                     .element = (columns ? next.column : next.row) - base};
}

// Steps of one register, and from which element on the next piece begins.
static struct piece piece_of(const struct fragment *m, uint32_t reg, uint32_t element) {
    enum isa_frag frag = m->of->op == ISA_OP_WMMA_LOAD ? (enum isa_frag)m->x.frag : ISA_FRAG_D;
    struct piece p = {.element = element, .elements = 1};
    if (in_rows(m)) {
        p.line = row_steps(&m->x, reg * m->f.per + element, false);
        p.at = row_steps(&m->x, reg * m->f.per + element, true);
    } else {
        p.line = isa_matrix_steps_of(&m->x, frag, reg, !m->x.col_a, m->x.col_a);
        p.at = isa_matrix_steps_of(&m->x, frag, reg, m->x.col_a, !m->x.col_a);
        p.line.base += p.line.element * element;
        p.at.base += p.at.element * element;
    }
    if (!element && p.at.element == 1 && !p.line.element)
        p.elements = m->f.per;
    return p;
}

static uint32_t bytes_of(const struct fragment *m, const struct piece *p) {
    return p->elements * m->f.bits / 8;
}

// The address that another lane has, which names a row.
static struct kir_value *row_address(struct fragment *m, struct kir_value *lane) {
    struct kir_value *low = init_shuffled(m->s, ISA_SHFL_IDX, m->halves[0], lane);
    struct kir_value *high = init_shuffled(m->s, ISA_SHFL_IDX, m->halves[1], lane);
    struct kir_inst *i = init_make(m->s, ISA_OP_MOV_PACK, ISA_B64, 2, KIR_B64);
    i->mods.vec = 2;
    i->ops[0] = low;
    i->ops[1] = high;
    return i->res[0];
}

static struct kir_value *address_of(struct fragment *m, const struct piece *p) {
    struct kir_value *line = stepped(m, &p->line), *at = stepped(m, &p->at);
    struct kir_value *bits = wide_const(m, m->f.bits), *bytes;
    if (in_rows(m)) {
        line = row_address(m, line ? init_narrow(m->s, line) : init_word(m->s, 0));
        return at ? sum(m, line, product(m, at, wide_const(m, m->f.bits / 8))) : line;
    }
    at = sum(m, line ? product(m, line, m->stride) : NULL, at);
    if (!at)
        return m->address;
    bytes = init_two(m->s, ISA_OP_SHR, ISA_U64, product(m, at, bits), init_word(m->s, 3), KIR_B64);
    return sum(m, m->address, bytes);
}

static struct fragment begin(struct init *s, struct kir_inst *i) {
    struct fragment m = {.s = s, .of = i, .x = isa_matrix_of((isa_op)i->op, &i->mods)};
    bool loads = i->op == ISA_OP_WMMA_LOAD;
    enum isa_frag frag = loads ? (enum isa_frag)m.x.frag : ISA_FRAG_D;
    unsigned rows, columns;
    m.f = isa_fragment_of(&m.x, frag);
    isa_matrix_size(&m.x, frag, &rows, &columns);
    struct kir_value *lane = init_special(s, ISA_SREG_LANEID);
    m.four = init_wide(s, init_two(s, ISA_OP_SHR, ISA_U32, lane, init_word(s, 2), KIR_B32));
    m.in_four = init_wide(s, init_two(s, ISA_OP_AND, ISA_B32, lane, init_word(s, 3), KIR_B32));
    m.address = init_generic(s, i->ops[0], i->mods.space);
    if (i->offset)
        m.address = sum(&m, m.address, wide_const(&m, i->offset));
    uint32_t given = loads ? 1 : 1u + m.f.registers;
    if (in_rows(&m)) {
        m.halves[0] = init_narrow(s, m.address);
        m.halves[1] =
            init_narrow(s, init_two(s, ISA_OP_SHR, ISA_U64, m.address, init_word(s, 32), KIR_B64));
    } else {
        m.stride = i->nops > given ? init_wide(s, i->ops[given])
                                   : wide_const(&m, m.x.col_a ? rows : columns);
    }
    return m;
}

void check_fragments_load(struct init *s, struct kir_inst *i) {
    if (i->prev) // a load may make the system give memory to a page, which then counts as written
        s->at = i->prev;
    struct fragment m = begin(s, i);
    for (uint32_t r = 0; r < i->nres; r++) {
        struct kir_value *whole = NULL;
        for (uint32_t e = 0; e < m.f.per;) {
            struct piece p = piece_of(&m, r, e);
            struct kir_value *v =
                init_ask(s, address_of(&m, &p), 0, bytes_of(&m, &p), i->mods.space);
            v = m.f.bits > 32 ? v : init_narrow(s, v);
            if (e)
                v = init_two(s, ISA_OP_SHL, ISA_B32, v, init_word(s, e * m.f.bits), KIR_B32);
            whole = whole ? init_two(s, ISA_OP_OR, ISA_B32, whole, v, KIR_B32) : v;
            e += p.elements;
        }
        s->bits[i->res[r]->id] = whole;
    }
    s->at = i->prev ? i : s->at;
}

void check_fragments_store(struct init *s, struct kir_inst *i) {
    struct fragment m = begin(s, i);
    for (uint32_t r = 0; r < m.f.registers; r++)
        for (uint32_t e = 0; e < m.f.per;) {
            struct piece p = piece_of(&m, r, e);
            struct kd_check_site site = {.kind = KD_CHECK_SHADOW_STORE,
                                         .space = ISA_SPACE_GENERIC,
                                         .bytes = bytes_of(&m, &p),
                                         .align = 1};
            init_store_part(s, i, site, address_of(&m, &p), i->ops[1 + r], e * m.f.bits);
            e += p.elements;
        }
}
