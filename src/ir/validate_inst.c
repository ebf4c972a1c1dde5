// Operands and results of each opcode: how many, and how wide.
#include <inttypes.h>

#include "abi/generated_code.h"
#include "ir/validate.h"
#include "isa/matrix.h"
#include "isa/ops/all.h"

// A shape is a word for the results, '=', and one for the operands. Each letter is one value:
//   t at least as wide as the type    s as the second type    d twice the type
//   u at least 32 bits    p predicate    a address of 64 bits    x anything
// What stands after '?' may be left out, from the end.
static bool fits(const struct kir_inst *i, char c, const struct kir_value *v) {
    unsigned bits = kir_type_bits(v->type), ty = isa_type_bits(i->ty);
    bool is_pred = v->type == KIR_PRED;
    switch (c) {
    case 'p':
        return is_pred;
    case 'a':
        return bits == 64;
    case 'u':
        return bits >= 32;
    case 's':
        return !is_pred && bits >= isa_type_bits(i->ty2);
    case 'd':
        return bits >= 2 * ty;
    case 't':
        return i->ty == ISA_PRED ? is_pred : !is_pred && bits >= ty;
    default:
        return true;
    }
}

static void check_row(struct kir_check *c, const struct kir_inst *i, const char *row, size_t len,
                      struct kir_value *const *v, uint32_t n, const char *what) {
    uint32_t need = 0, most = 0;
    bool optional = false;
    for (size_t k = 0; k < len; k++) {
        if (row[k] == '?') {
            optional = true;
            continue;
        }
        if (most < n && !fits(i, row[k], v[most])) {
            kir_inst_problem(c, i, "%s %" PRIu32 " has the wrong width", what, most);
            return;
        }
        most++;
        need += !optional;
    }
    if (n < need || n > most)
        kir_inst_problem(c, i, "%" PRIu32 " %ss where %" PRIu32 " to %" PRIu32 " belong", n, what,
                         need, most);
}

static void check_shape(struct kir_check *c, const struct kir_inst *i, const char *text) {
    size_t results = strcspn(text, "=");
    check_row(c, i, text, results, i->res, i->nres, "result");
    text += results + 1;
    check_row(c, i, text, strlen(text), i->ops, i->nops, "operand");
}

static void check_mul(struct kir_check *c, const struct kir_inst *i) {
    bool wide = i->mods.half == ISA_WIDE;
    if (i->op == ISA_OP_MUL)
        check_shape(c, i, wide ? "d=tt" : "t?p=tt");
    else if (i->op == ISA_OP_MADC)
        check_shape(c, i, "t?p=tttp");
    else
        check_shape(c, i, wide ? "d=ttd" : "t?p=ttt");
}

// The powers of two of a scaled conversion are the last operand.
static void check_cvt(struct kir_check *c, const struct kir_inst *i) {
    static const char numbers[] = "s?ssss";
    uint32_t powers = i->mods.scale && i->nops ? 1 : 0;
    check_row(c, i, "t", 1, i->res, i->nres, "result");
    check_row(c, i, numbers, sizeof numbers - 1, i->ops, i->nops - powers, "operand");
    if (powers && kir_type_bits(i->ops[i->nops - 1]->type) < 16)
        kir_inst_problem(c, i, "the powers of two have 16 bits");
}

// Pieces of mov.pack and mov.unpack: together as wide as the whole.
static void check_pieces(struct kir_check *c, const struct kir_inst *i) {
    bool pack = i->op == ISA_OP_MOV_PACK;
    uint32_t n = pack ? i->nops : i->nres;
    unsigned bits = 0;
    if (n < 2 || n > 8 || i->mods.vec != n || (pack ? i->nres : i->nops) != 1) {
        kir_inst_problem(c, i, "one value and 2 to 8 pieces, counted in vec, belong here");
        return;
    }
    for (uint32_t k = 0; k < n; k++)
        bits += kir_type_bits((pack ? i->ops : i->res)[k]->type);
    if (bits < isa_type_bits(i->ty) ||
        kir_type_bits((pack ? i->res : i->ops)[0]->type) < isa_type_bits(i->ty))
        kir_inst_problem(c, i, "the pieces are not as wide as the whole");
}

static void check_memory(struct kir_check *c, const struct kir_inst *i) {
    uint32_t n = i->mods.vec ? i->mods.vec : 1;
    uint32_t results = i->op == ISA_OP_LD || i->op == ISA_OP_ATOM ? n : 0;
    uint32_t values = i->op == ISA_OP_LD ? 0 : n;
    if (i->op != ISA_OP_LD && i->op != ISA_OP_ST && i->mods.atom == ISA_ATOM_CAS)
        values = 2;
    if (i->nres != results || i->nops != 1 + values) {
        kir_inst_problem(c, i, "%" PRIu32 " results and %" PRIu32 " operands belong here", results,
                         1 + values);
        return;
    }
    if (!isa_type_bits(i->ty) || i->ty == ISA_PRED)
        kir_inst_problem(c, i, "memory cannot be accessed as this type");
    if (i->mods.vec > 8 || (i->mods.vec & (i->mods.vec - 1)))
        kir_inst_problem(c, i, "vectors have 2, 4 or 8 elements");
    if (!fits(i, 'a', i->ops[0]))
        kir_inst_problem(c, i, "an address has 64 bits");
    for (uint32_t k = 1; k < i->nops; k++)
        if (!fits(i, 't', i->ops[k]))
            kir_inst_problem(c, i, "operand %" PRIu32 " has the wrong width", k);
    for (uint32_t k = 0; k < i->nres; k++)
        if (!fits(i, 't', i->res[k]))
            kir_inst_problem(c, i, "result %" PRIu32 " has the wrong width", k);
}

// The form, a constant, says how many values there are; the device trusts it.
static void check_image(struct kir_check *c, const struct kir_inst *i) {
    const struct kir_value *last = i->nops > 1 ? i->ops[i->nops - 1] : NULL;
    if (!last || last->kind != KIR_VALUE_CONST || !fits(i, 'a', i->ops[0])) {
        kir_inst_problem(c, i, "an object of 64 bits and a constant form belong here");
        return;
    }
    uint32_t form = last->bits.u32[0], op = kd_image_op(form);
    bool surface = op >= KD_IMAGE_LOAD, writes = op > KD_IMAGE_LOAD;
    bool query = op == KD_IMAGE_QUERY || op == KD_IMAGE_QUERY_LEVEL;
    if (op > KD_IMAGE_REDUCE || (!query && !kd_image_dims(form)) ||
        (!query && surface != (i->op != ISA_OP_TEX)) || writes != (i->op == ISA_OP_SUST))
        kir_inst_problem(c, i, "this is no form of the instruction");
    else if (i->nops != 2 + kd_image_inputs(form) || i->nres != kd_image_outputs(form))
        kir_inst_problem(c, i, "the form has %" PRIu32 " values and %" PRIu32 " results",
                         kd_image_inputs(form), kd_image_outputs(form));
}

// A video instruction's last operand says which parts of the others it takes.
static void check_video(struct kir_check *c, const struct kir_inst *i) {
    check_shape(c, i, "u=uuuu");
    if (i->nops == 4 && i->ops[3]->kind != KIR_VALUE_CONST)
        kir_inst_problem(c, i, "the parts of the operands are no constant");
}

// A box of a tensor: its dimensions are counted in vec; im2col loads have two offsets fewer, of one
// row's pixels a halo and an offset.
static void check_tensor(struct kir_check *c, const struct kir_inst *i) {
    uint32_t dims = i->mods.vec, load = i->op == ISA_OP_CP_ASYNC_BULK_TENSOR;
    bool im2col = i->mods.mode == ISA_TENSOR_IM2COL;
    if (!dims || dims > 5 || (im2col && dims < 3)) {
        kir_inst_problem(c, i, "a tensor has 1 to 5 dimensions, 3 to 5 for im2col");
        return;
    }
    uint32_t offsets = !im2col ? 0 : i->mods.scale ? 2 : dims - 2;
    uint32_t n = dims + (load ? 3 + offsets + (i->mods.mask ? 1 : 0) : 2);
    if (i->nops != n || i->nres)
        kir_inst_problem(c, i, "%" PRIu32 " operands belong here", n);
    for (uint32_t k = 0; k < i->nops && i->nops == n; k++) {
        bool coordinate = load ? k >= 2 && k < 2 + dims : k >= 1 && k <= dims;
        bool small = load && k > 2 + dims;
        if (!small && !fits(i, coordinate ? 'u' : 'a', i->ops[k]))
            kir_inst_problem(c, i, "operand %" PRIu32 " has the wrong width", k);
    }
}

static bool registers_fit(struct kir_value *const *v, uint32_t n, const struct isa_fragment *f) {
    for (uint32_t k = 0; k < n; k++)
        if (v[k]->type == KIR_PRED || kir_type_bits(v[k]->type) != isa_type_bits(f->type))
            return false;
    return true;
}

// Which fragments an instruction reads after its first `first` operands, and how many other
// operands follow at least and at most.
struct matrix_operands {
    uint32_t first, nfrags, least, most;
    uint8_t frags[3];
    bool address;
};

static struct matrix_operands matrix_operands(const struct kir_inst *i,
                                              const struct isa_matrix *x) {
    uint32_t sparse = i->mods.sparse ? 2 : 0, more = sparse + (x->scales ? 6 : 0);
    switch (i->op) {
    case ISA_OP_LDMATRIX:
        return (struct matrix_operands){.first = 1, .address = true};
    case ISA_OP_WMMA_LOAD:
        return (struct matrix_operands){.first = 1, .most = 1, .address = true};
    case ISA_OP_STMATRIX:
    case ISA_OP_WMMA_STORE:
        return (struct matrix_operands){.first = 1,
                                        .nfrags = 1,
                                        .frags = {ISA_FRAG_D},
                                        .most = i->op == ISA_OP_WMMA_STORE,
                                        .address = true};
    case ISA_OP_MOVMATRIX:
        return (struct matrix_operands){.nfrags = 1, .frags = {ISA_FRAG_D}};
    case ISA_OP_WGMMA_MMA:
        return (struct matrix_operands){.nfrags = x->a_shared ? 1 : 2,
                                        .frags = {ISA_FRAG_D, ISA_FRAG_A},
                                        .least = x->a_shared + 2 + sparse,
                                        .most = x->a_shared + 6 + sparse};
    default:
        return (struct matrix_operands){.nfrags = 3,
                                        .frags = {ISA_FRAG_A, ISA_FRAG_B, ISA_FRAG_C},
                                        .least = more,
                                        .most = more};
    }
}

static void check_matrix(struct kir_check *c, const struct kir_inst *i) {
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    struct matrix_operands o = matrix_operands(i, &x);
    struct isa_fragment d =
        isa_fragment_of(&x, i->op == ISA_OP_WMMA_LOAD ? (enum isa_frag)i->mods.frag : ISA_FRAG_D);
    uint32_t at = o.first, results = isa_matrix_results(&x);
    bool ok = i->nres == results && registers_fit(i->res, i->nres, &d) && d.registers;
    ok = ok && i->nops >= o.first && (!o.address || fits(i, 'a', i->ops[0]));
    for (uint32_t k = 0; k < o.nfrags && ok; k++) {
        struct isa_fragment f = isa_fragment_of(&x, (enum isa_frag)o.frags[k]);
        ok = i->nops >= at + f.registers && registers_fit(i->ops + at, f.registers, &f);
        at += f.registers;
    }
    if (!ok || i->nops < at + o.least || i->nops > at + o.most)
        kir_inst_problem(c, i, "the operands are not those of the shape and the types");
}

static bool listed(struct kir_symbol *const *data, uint32_t n, const struct kir_symbol *s) {
    for (uint32_t k = 0; k < n; k++)
        if (data[k] == s)
            return true;
    return false;
}

static void check_symaddr(struct kir_check *c, const struct kir_inst *i) {
    const struct kir_symbol *s = i->sym;
    check_shape(c, i, "a=");
    if (!s) {
        kir_inst_problem(c, i, "the symbol is missing");
        return;
    }
    bool ok = true;
    if (s->space == ISA_SPACE_LOCAL)
        ok = listed(c->f->locals.data, c->f->locals.len, s);
    else if (s->space == ISA_SPACE_PARAM)
        ok = listed(c->f->params.data, c->f->params.len, s);
    else if (s->space == ISA_SPACE_SHARED)
        ok = listed(c->m->shared.data, c->m->shared.len, s);
    else if (s->space == ISA_SPACE_GENERIC)
        ok = s->func && s->func->module == c->m;
    else
        ok = s->index >= 0 && (uint32_t)s->index < c->m->vars.len && c->m->vars.data[s->index] == s;
    if (!ok)
        kir_inst_problem(c, i, "the symbol is none of the function's or the module's");
}

static void check_phi(struct kir_check *c, const struct kir_inst *i) {
    if (i->nres != 1 || i->nops != i->block->preds.len) {
        kir_inst_problem(c, i, "a phi has one result and an operand for each predecessor");
        return;
    }
    for (uint32_t k = 0; k < i->nops; k++)
        if (kir_type_bits(i->ops[k]->type) != kir_type_bits(i->res[0]->type))
            kir_inst_problem(c, i, "operand %" PRIu32 " has the wrong width", k);
}

static bool same_widths(const uint8_t *types, uint32_t n, struct kir_value *const *v, uint32_t nv) {
    for (uint32_t k = 0; k < n && k < nv; k++)
        if (kir_type_bits(types[k]) != kir_type_bits(v[k]->type))
            return false;
    return n == nv;
}

static void check_call(struct kir_check *c, const struct kir_inst *i) {
    uint32_t first = i->callee ? 0 : 1;
    const struct kir_proto *p = i->callee ? &i->callee->proto : i->proto;
    if (!p || i->nops < first || (i->callee && i->callee->is_kernel) ||
        (i->callee && i->callee->module != c->m)) {
        kir_inst_problem(c, i, "a call needs a function, or an address and a prototype");
        return;
    }
    if (first && !fits(i, 'a', i->ops[0]))
        kir_inst_problem(c, i, "a function's handle has 64 bits");
    if (!same_widths(p->params, p->nparams, i->ops + first, i->nops - first))
        kir_inst_problem(c, i, "the arguments do not match the prototype");
    if (!same_widths(p->rets, p->nrets, i->res, i->nres))
        kir_inst_problem(c, i, "the results do not match the prototype");
}

static void check_ret(struct kir_check *c, const struct kir_inst *i) {
    if (i->nres || !same_widths(c->f->proto.rets, c->f->proto.nrets, i->ops, i->nops))
        kir_inst_problem(c, i, "the values do not match the function's prototype");
}

static void check_param(struct kir_check *c, const struct kir_inst *i) {
    const struct kir_proto *p = &c->f->proto;
    if (i->nres != 1 || i->nops || i->index >= p->nparams ||
        kir_type_bits(p->params[i->index]) != kir_type_bits(i->res[0]->type))
        kir_inst_problem(c, i, "this is no parameter of the function");
}

static void check_bar(struct kir_check *c, const struct kir_inst *i) {
    if (i->op == ISA_OP_BAR_SYNC) {
        check_shape(c, i, i->flag ? "=uu" : "=u");
        return;
    }
    bool popc = i->mods.boolop == ISA_BOOL_POPC;
    check_shape(c, i, popc ? (i->flag ? "u=uup" : "u=up") : (i->flag ? "p=uup" : "p=up"));
}

static void check_targets(struct kir_check *c, const struct kir_inst *i) {
    bool ok = i->op == ISA_OP_BRX_IDX ? i->ntargets > 0
                                      : i->ntargets == (i->op == ISA_OP_BRA   ? 1u
                                                        : i->op == ISA_OP_CBR ? 2u
                                                                              : 0u);
    if (!ok)
        kir_inst_problem(c, i, "the number of targets is wrong");
}

static void check_vote(struct kir_check *c, const struct kir_inst *i) {
    check_shape(c, i, i->mods.mode == ISA_VOTE_BALLOT ? "u=p?u" : "p=p?u");
}

static void check_sreg(struct kir_check *c, const struct kir_inst *i) {
    check_shape(c, i, "u=");
    if (!i->sreg || i->sreg >= ISA_SREG_COUNT)
        kir_inst_problem(c, i, "the special register is missing");
}

// How each opcode is checked, as instructions.py says: its shape, or a function.
static const struct rule {
    const char *shape;
    void (*check)(struct kir_check *c, const struct kir_inst *i);
} rules[ISA_OP_COUNT] = {
#include "isa/rules/check.inc"
};

void kir_check_inst(struct kir_check *c, const struct kir_inst *i) {
    const struct rule *r = &rules[i->op];
    check_targets(c, i);
    if (r->check)
        r->check(c, i);
    else if (r->shape)
        check_shape(c, i, r->shape);
    else
        kir_inst_problem(c, i, "kernel IR has no such instruction");
}
