// A function's body: text order to blocks. Registers and scalar .param variables are variables
// until the end, when they become SSA values.
#include "ir/clean/simplify.h"
#include "ir/lower/lower.h"
#include "isa/ops/arith.h"
#include "isa/ops/check.h"

struct kir_inst *lower_emit(struct lower_func *lf, isa_op op, enum isa_type ty, unsigned nops,
                            unsigned nres, const uint8_t *types) {
    struct kir_inst *i = kir_inst_new(lf->f, op, ty, nops, nres, types, 0);
    if (lf->inst) {
        i->file = lf->inst->file;
        i->line = lf->inst->line;
    }
    kir_append(lf->cur, i);
    return i;
}

struct kir_value *lower_emit1(struct lower_func *lf, isa_op op, enum isa_type ty,
                              enum kir_type result, unsigned nops, struct kir_value *const *ops) {
    struct kir_inst *i = lower_emit(lf, op, ty, nops, 1, &(uint8_t){(uint8_t)result});
    for (unsigned k = 0; k < nops; k++)
        i->ops[k] = ops[k];
    return i->res[0];
}

struct kir_block *lower_block(struct lower_func *lf) {
    return kir_block_new(lf->f, NULL);
}

void lower_assign(struct lower_func *lf, uint32_t var, struct kir_value *value) {
    kir_append(lf->cur, kir_var_assign(lf->f, var, value));
}

struct kir_value *lower_read(struct lower_func *lf, uint32_t var) {
    return lf->vars.reads.data[var];
}

// A read that keeps its value when the variable is assigned again before it is used.
static struct kir_value *read_now(struct lower_func *lf, uint32_t var) {
    struct kir_value *v = lower_read(lf, var);
    return lower_emit1(lf, ISA_OP_MOV, kir_isa_type(v->type), v->type, 1, &v);
}

struct kir_value *lower_symaddr(struct lower_func *lf, struct kir_symbol *sym, int64_t offset) {
    struct kir_inst *i = lower_emit(lf, ISA_OP_SYMADDR, ISA_B64, 0, 1, &(uint8_t){KIR_B64});
    i->sym = sym;
    i->offset = offset;
    return i->res[0];
}

static enum isa_type unsigned_type(enum kir_type t) {
    unsigned bits = kir_type_bits(t);
    return bits == 16 ? ISA_U16 : bits == 32 ? ISA_U32 : ISA_U64;
}

struct kir_value *lower_resize(struct lower_func *lf, struct kir_value *v, enum kir_type to) {
    if (kir_type_bits(v->type) == kir_type_bits(to) || to == KIR_B128 || v->type == KIR_B128)
        return v;
    if (to == KIR_PRED || v->type == KIR_PRED)
        return v; // the parser lets no predicate meet another type
    struct kir_value *r = lower_emit1(lf, ISA_OP_CVT, unsigned_type(to), to, 1, &v);
    r->def->ty2 = (uint8_t)unsigned_type(v->type);
    return r;
}

// guard ? value : old
static struct kir_value *select_value(struct lower_func *lf, struct kir_value *value,
                                      struct kir_value *old) {
    if (value->type != KIR_PRED) {
        struct kir_value *ops[3] = {value, old, lf->guard};
        return lower_emit1(lf, ISA_OP_SELP, kir_isa_type(value->type), value->type, 3, ops);
    }
    struct kir_value *not_guard = lower_emit1(lf, ISA_OP_NOT, ISA_PRED, KIR_PRED, 1, &lf->guard);
    struct kir_value *taken = lower_emit1(lf, ISA_OP_AND, ISA_PRED, KIR_PRED, 2,
                                          (struct kir_value *[]){value, lf->guard});
    struct kir_value *kept =
        lower_emit1(lf, ISA_OP_AND, ISA_PRED, KIR_PRED, 2, (struct kir_value *[]){old, not_guard});
    return lower_emit1(lf, ISA_OP_OR, ISA_PRED, KIR_PRED, 2, (struct kir_value *[]){taken, kept});
}

static void write_var(struct lower_func *lf, uint32_t var, struct kir_value *value) {
    value = lower_resize(lf, value, lower_read(lf, var)->type);
    if (lf->guard)
        value = select_value(lf, value, lower_read(lf, var));
    lower_assign(lf, var, value);
}

void lower_write(struct lower_func *lf, const struct ptx_operand *dst, struct kir_value *value) {
    if (dst->kind == PTX_OPERAND_REG)
        write_var(lf, dst->reg->id, value);
}

static struct kir_value *read_sreg(struct lower_func *lf, const struct ptx_operand *o) {
    enum kir_type type = isa_sreg_bits((enum isa_sreg)o->sreg) == 64 ? KIR_B64 : KIR_B32;
    struct kir_value *v = lower_emit1(lf, ISA_OP_SREG, kir_isa_type(type), type, 0, NULL);
    v->def->sreg = o->sreg;
    if (o->sreg == ISA_SREG_IS_EXPLICIT_CLUSTER) {
        struct kir_value *ops[2] = {v, kir_const(lf->f, KIR_B32, 0)};
        v = lower_emit1(lf, ISA_OP_SETP, ISA_B32, KIR_PRED, 2, ops);
        v->def->mods.cmp = ISA_CMP_NE;
        return v;
    }
    enum kir_type want = kir_type_of(o->type);
    if (want == KIR_PRED) {
        struct kir_value *ops[2] = {v, kir_const(lf->f, KIR_B32, 0)};
        v = lower_emit1(lf, ISA_OP_SETP, ISA_U32, KIR_PRED, 2, ops);
        v->def->mods.cmp = ISA_CMP_NE;
        return v;
    }
    return kir_type_bits(want) > kir_type_bits(type) ? lower_resize(lf, v, want) : v;
}

// A variable's address as a value, in its own space.
static bool variable_address(struct lower_func *lf, const struct ptx_operand *o, int64_t offset,
                             struct kir_value **out) {
    struct lower_var v = lower_find_var(lf, o->var);
    if (v.place == LOWER_SYMBOL) {
        *out = lower_symaddr(lf, v.sym, offset);
        return true;
    }
    if (v.place == LOWER_VALUE)
        return lower_error(lf->lm, o->pos, "the address of '%s' cannot be taken here",
                           o->var->name);
    *out = lower_read(lf, v.var);
    if (offset) {
        struct kir_value *ops[2] = {*out, kir_const(lf->f, KIR_B64, (uint64_t)offset)};
        *out = lower_emit1(lf, ISA_OP_ADD, ISA_S64, KIR_B64, 2, ops);
    }
    return true;
}

bool lower_handle(struct lower_func *lf, const struct ptx_operand *o, struct kir_value **out) {
    struct kir_value *at;
    if (o->offset)
        return lower_error(lf->lm, o->pos, "a reference has no parts");
    if (!variable_address(lf, o, 0, &at))
        return false;
    *out = lower_emit1(lf, ISA_OP_LD, ISA_U64, KIR_B64, 1, &at);
    (*out)->def->mods.space = lower_find_var(lf, o->var).sym->space;
    return true;
}

static bool symbol_operand(struct lower_func *lf, const struct ptx_operand *o,
                           struct kir_value **out) {
    if (o->var && o->var->ref)
        return lower_handle(lf, o, out);
    if (o->var)
        return variable_address(lf, o, o->offset, out);
    *out = lower_symaddr(lf, lower_func_symbol(lf->lm, o->func), o->offset);
    return true;
}

bool lower_operand(struct lower_func *lf, const struct ptx_operand *o, struct kir_value **out) {
    enum kir_type type = kir_type_of(o->type);
    switch (o->kind) {
    case PTX_OPERAND_REG:
        *out = lower_read(lf, o->reg->id);
        break;
    case PTX_OPERAND_IMM:
        *out = kir_const(lf->f, type == KIR_VOID ? KIR_B32 : type, o->imm);
        break;
    case PTX_OPERAND_SREG:
        *out = read_sreg(lf, o);
        break;
    case PTX_OPERAND_SYM:
        if (!symbol_operand(lf, o, out))
            return false;
        break;
    case PTX_OPERAND_SINK:
        *out = kir_undef(lf->f, type == KIR_VOID ? KIR_B32 : type);
        break;
    default:
        return lower_error(lf->lm, o->pos, "this kind of operand cannot stand here");
    }
    if (o->negated)
        *out = lower_emit1(lf, ISA_OP_NOT, ISA_PRED, KIR_PRED, 1, out);
    return true;
}

bool lower_address(struct lower_func *lf, const struct ptx_operand *o, struct kir_value **base,
                   int64_t *offset, uint8_t *space) {
    *offset = o->offset;
    if (*space == ISA_SPACE_PARAM && !lf->ast->is_entry)
        *space = ISA_SPACE_LOCAL; // parameters of functions are slots in a frame
    if (o->kind != PTX_OPERAND_ADDR)
        return lower_operand(lf, o, base);
    if (o->reg) {
        *base = lower_resize(lf, lower_read(lf, o->reg->id), KIR_B64);
        return true;
    }
    if (o->func) {
        *base = lower_symaddr(lf, lower_func_symbol(lf->lm, o->func), 0);
        return true;
    }
    if (!o->var) {
        *base = kir_const(lf->f, KIR_B64, 0);
        return true;
    }
    struct lower_var v = lower_find_var(lf, o->var);
    if (*space == ISA_SPACE_PARAM && v.place == LOWER_SYMBOL)
        *space = v.sym->space; // the slot of a call sequence in a kernel
    if (!variable_address(lf, o, 0, base))
        return false;
    if (*space == ISA_SPACE_GENERIC && v.place == LOWER_SYMBOL && v.sym->space != ISA_SPACE_GENERIC)
        *space = v.sym->space; // ld.u32 %r, [var]: the variable tells
    return true;
}

static void branch(struct lower_func *lf, struct kir_block *to) {
    struct kir_inst *i = kir_inst_new(lf->f, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
    i->targets[0] = to;
    if (lf->inst) {
        i->file = lf->inst->file;
        i->line = lf->inst->line;
        i->mods.uni = lf->inst->op == ISA_OP_BRA && lf->inst->mods.uni;
    }
    kir_append(lf->cur, i);
    lf->cur = NULL;
}

static void branch_if(struct lower_func *lf, struct kir_value *p, struct kir_block *yes,
                      struct kir_block *no) {
    struct kir_inst *i = kir_inst_new(lf->f, ISA_OP_CBR, ISA_VOID, 1, 0, NULL, 2);
    i->ops[0] = p;
    i->targets[0] = yes;
    i->targets[1] = no;
    i->file = lf->inst->file;
    i->line = lf->inst->line;
    i->mods.uni = lf->inst->op == ISA_OP_BRA && lf->inst->mods.uni;
    kir_append(lf->cur, i);
    lf->cur = NULL;
}

static struct kir_value *guard_value(struct lower_func *lf, const struct ptx_inst *inst) {
    struct kir_value *g = lower_read(lf, inst->guard->id);
    if (inst->guard_negated)
        return lower_emit1(lf, ISA_OP_NOT, ISA_PRED, KIR_PRED, 1, &g);
    return g;
}

static bool lower_bra(struct lower_func *lf, const struct ptx_inst *inst) {
    struct kir_block *to = lf->labels[inst->ops[0].label->id];
    if (!inst->guard) {
        branch(lf, to);
        return true;
    }
    struct kir_block *next = lower_block(lf);
    branch_if(lf, guard_value(lf, inst), to, next);
    lf->cur = next;
    return true;
}

static bool lower_guarded(struct lower_func *lf, const struct ptx_inst *inst) {
    if (lower_is_pure(inst)) {
        // The guard must be the one from before the instruction writes it itself.
        lf->guard = inst->guard_negated ? guard_value(lf, inst) : read_now(lf, inst->guard->id);
        bool ok = lower_inst(lf, inst);
        lf->guard = NULL;
        return ok;
    }
    struct kir_block *then = lower_block(lf), *next = lower_block(lf);
    branch_if(lf, guard_value(lf, inst), then, next);
    lf->cur = then;
    if (!lower_inst(lf, inst))
        return false;
    if (lf->cur)
        branch(lf, next);
    lf->cur = next;
    return true;
}

// Only checks have to know where variables begin and end. file, line: 0: not known.
static void lower_scope(struct lower_func *lf, const struct ptx_var *v, bool ends, uint32_t file,
                        uint32_t line) {
    struct kir_symbol *sym = lower_find_var(lf, v).sym;
    struct kir_value *address = lower_symaddr(lf, sym, 0);
    struct kir_inst *i = lower_emit(lf, ISA_OP_CHECK_SCOPE, ISA_B64, 1, 0, NULL);
    i->ops[0] = address;
    i->index = ends;
    i->file = address->def->file = file;
    i->line = address->def->line = line;
    sym->scoped |= ends;
}

// A function's frame lies where the variables of others have ended: those of which nothing is told
// begin here.
static void begin_scopes(struct lower_func *lf) {
    const struct ptx_func *ast = lf->ast;
    bool *told = arena_array(&lf->lm->tmp, bool, ast->vars.len + 1);
    for (uint32_t k = 0; k < ast->body.len; k++) {
        const struct ptx_stmt *s = &ast->body.data[k];
        if (s->kind == PTX_STMT_PRAGMA && s->pragma->var)
            told[s->pragma->var->id] = true;
    }
    for (uint32_t n = 0; n < ast->vars.len; n++)
        if (ast->vars.data[n]->space == ISA_SPACE_LOCAL && !told[ast->vars.data[n]->id])
            lower_scope(lf, ast->vars.data[n], false, 0, 0);
}

static bool lower_stmt(struct lower_func *lf, const struct ptx_stmt *s) {
    if (s->kind == PTX_STMT_LABEL) {
        struct kir_block *b = lf->labels[s->label->id];
        lf->inst = NULL;
        if (lf->cur)
            branch(lf, b);
        lf->cur = b;
        return true;
    }
    if (s->kind == PTX_STMT_PRAGMA && s->pragma->var && lf->cur && lf->lm->ast->keeps_loads)
        lower_scope(lf, s->pragma->var, s->pragma->ends, s->pragma->file, s->pragma->line);
    if (s->kind != PTX_STMT_INST || !lf->cur)
        return true;
    lf->inst = s->inst;
    if (s->inst->op == ISA_OP_BRA)
        return lower_bra(lf, s->inst);
    return s->inst->guard ? lower_guarded(lf, s->inst) : lower_inst(lf, s->inst);
}

static void make_registers(struct lower_func *lf) {
    const struct ptx_func *ast = lf->ast;
    for (uint32_t k = 0; k < ast->regs.len; k++)
        kir_var_new(lf->f, &lf->vars, kir_type_of(ast->regs.data[k]->type));
    lf->carry = kir_var_new(lf->f, &lf->vars, KIR_PRED);
}

static void make_label_blocks(struct lower_func *lf) {
    lf->labels = arena_array(&lf->lm->tmp, struct kir_block *, lf->ast->nlabels);
    for (uint32_t k = 0; k < lf->ast->body.len; k++) {
        const struct ptx_stmt *s = &lf->ast->body.data[k];
        if (s->kind == PTX_STMT_LABEL)
            lf->labels[s->label->id] = kir_block_new(lf->f, s->label->name);
    }
}

// Blocks in text order, as far as that matters: labels were made first, and what a guard split
// off came later.
static void order_blocks(struct kir_func *f, struct kir_block **order, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        f->blocks.data[k] = order[k];
        order[k]->id = k;
    }
}

bool lower_body(struct lower_module *lm, const struct ptx_func *ast, struct kir_func *f) {
    struct lower_func lf = {.lm = lm, .ast = ast, .sig = &lm->sigs[ast->id], .f = f};
    make_registers(&lf);
    if (!lower_func_vars(&lf))
        return false;
    lf.cur = kir_block_new(f, NULL);
    make_label_blocks(&lf);
    struct lower_order {
        struct kir_block **data;
        uint32_t len, cap;
    } order = {0};
    vec_push(&lm->tmp, &order, lf.cur);
    lower_entry_params(&lf);
    if (lm->ast->has_scopes && lm->ast->keeps_loads)
        begin_scopes(&lf);
    for (uint32_t k = 0; k < ast->body.len; k++) {
        uint32_t before = f->blocks.len;
        const struct ptx_stmt *s = &ast->body.data[k];
        if (!lower_stmt(&lf, s))
            return false;
        if (s->kind == PTX_STMT_LABEL)
            vec_push(&lm->tmp, &order, lf.cur);
        for (; before < f->blocks.len; before++)
            vec_push(&lm->tmp, &order, f->blocks.data[before]);
    }
    lf.inst = NULL;
    if (lf.cur && !lower_ret(&lf))
        return false;
    order_blocks(f, order.data, order.len);
    kir_compute_preds(f);
    kir_remove_unreachable(f);
    kir_ssa_construct(f, &lf.vars);
    lower_rank_masks(f);
    return true;
}
