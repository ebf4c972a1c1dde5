// One instruction: guard, opcode with modifiers, operands.
#include <string.h>

#include "ptx/parser.h"

static void parse_guard(struct ptx_parser *p, struct ptx_inst *i) {
    if (!ptx_accept(p, '@'))
        return;
    i->guard_negated = ptx_accept(p, '!');
    struct ptx_operand o = {0};
    struct ptx_pos pos = p->tok.pos;
    if (p->tok.kind != PTX_TOKEN_NAME)
        ptx_expected(p, "a predicate register");
    ptx_parse_operand(p, &o);
    if (o.kind != PTX_OPERAND_REG || o.reg->type != ISA_PRED)
        ptx_fail(p, pos, "expected a predicate register");
    i->guard = o.reg;
}

static bool opcode_is(const struct ptx_token *t, const char *opcode) {
    size_t n = strlen(opcode);
    return t->len >= n && !memcmp(t->text, opcode, n) && (t->len == n || t->text[n] == '.');
}

// Does an operand of the opcode's first form take a part of a register?
static bool takes_parts(const struct isa_form *f) {
    for (unsigned k = 0; k < f->noperands; k++)
        if (f->operands[k].part)
            return true;
    return false;
}

static void parse_operands(struct ptx_parser *p, struct ptx_inst *i, const struct isa_form *f) {
    struct ptx_operand ops[PTX_MAX_OPERANDS] = {0};
    p->parts = takes_parts(f);
    if (!ptx_at(p, ';')) {
        do {
            if (i->nops == PTX_MAX_OPERANDS)
                ptx_fail(p, p->tok.pos, "too many operands");
            ptx_parse_operand(p, &ops[i->nops++]);
        } while (ptx_accept(p, ','));
    }
    i->ops = arena_memdup(p->arena, ops, i->nops * sizeof *ops);
}

static void parse_branch(struct ptx_parser *p, struct ptx_inst *i) {
    i->ops = arena_new(p->arena, struct ptx_operand);
    i->nops = 1;
    i->ops[0] = (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .pos = p->tok.pos};
    ptx_label_reference(p, &i->ops[0].label);
}

static void parse_branch_indexed(struct ptx_parser *p, struct ptx_inst *i) {
    i->ops = arena_array(p->arena, struct ptx_operand, 2);
    i->nops = 2;
    ptx_parse_operand(p, &i->ops[0]);
    ptx_expect(p, ',', "after the index");
    i->ops[1] = (struct ptx_operand){.kind = PTX_OPERAND_TARGETS, .pos = p->tok.pos};
    ptx_targets_reference(p, &i->ops[1].targets);
}

// ---- call ------------------------------------------------------------------------------------

static struct ptx_operand *parse_call_list(struct ptx_parser *p, uint32_t *n, bool are_rets) {
    VEC(struct ptx_operand) list = {0};
    ptx_expect(p, '(', "before the arguments");
    while (!ptx_at(p, ')')) {
        struct ptx_operand o = {0};
        ptx_parse_operand(p, &o);
        bool is_param =
            o.kind == PTX_OPERAND_SYM && o.var && o.var->space == ISA_SPACE_PARAM && !o.offset;
        bool is_value = (o.kind == PTX_OPERAND_REG && !o.negated) ||
                        (o.kind == PTX_OPERAND_SINK && are_rets) ||
                        (o.kind == PTX_OPERAND_IMM && !are_rets);
        if (!is_param && !is_value)
            ptx_fail(p, o.pos, "expected a .param variable, a register%s",
                     are_rets ? "" : " or a constant");
        vec_push(p->arena, &list, o);
        if (!ptx_accept(p, ','))
            break;
    }
    ptx_expect(p, ')', "after the arguments");
    *n = list.len;
    return list.data;
}

static bool at_call_list(struct ptx_parser *p) {
    return ptx_at(p, '(');
}

// The prototype or list of functions of an indirect call.
static void parse_call_target_set(struct ptx_parser *p, struct ptx_call *c) {
    struct ptx_pos pos = p->tok.pos;
    const char *name = ptx_expect_name(p, "a prototype or list of functions");
    for (uint32_t k = 0; k < p->protos.len; k++)
        if (!strcmp(p->protos.data[k]->name, name))
            c->proto = p->protos.data[k];
    for (uint32_t k = 0; k < p->targets.len; k++)
        if (!strcmp(p->targets.data[k]->name, name) && p->targets.data[k]->funcs)
            c->targets = p->targets.data[k];
    if (!c->proto && !c->targets)
        ptx_fail(p, pos, "unknown prototype '%s'", name);
}

// Immediate arguments take the parameter's type.
static void complete_arguments(struct ptx_parser *p, struct ptx_call *c) {
    struct ptx_func *like = c->callee ? c->callee : c->targets ? c->targets->funcs[0] : NULL;
    uint32_t n = like ? like->nparams : c->proto->nparams;
    struct ptx_param *params = like ? like->params : c->proto->params;
    for (uint32_t i = 0; i < c->nargs; i++) {
        struct ptx_operand *o = &c->args[i];
        if (o->kind == PTX_OPERAND_REG)
            o->type = o->reg->type;
        if (o->kind == PTX_OPERAND_SYM)
            o->type = o->var->type;
        if (o->kind != PTX_OPERAND_IMM || i >= n)
            continue;
        enum isa_type t =
            (enum isa_type)(params[i].var ? params[i].var->type : params[i].reg->type);
        struct ptx_constant value = {.kind = (uint8_t)o->n, .bits = o->imm};
        if (!ptx_constant_bits(value, t, &o->imm))
            ptx_fail(p, o->pos, "expected a constant of type .%s", isa_type_name(t));
        o->type = (uint8_t)t;
        o->n = 0;
    }
    for (uint32_t i = 0; i < c->nrets; i++)
        if (c->rets[i].kind != PTX_OPERAND_SINK)
            c->rets[i].type = c->rets[i].reg ? c->rets[i].reg->type : c->rets[i].var->type;
}

void ptx_parse_call(struct ptx_parser *p, struct ptx_inst *i) {
    struct ptx_call *c = i->call = arena_new(p->arena, struct ptx_call);
    if (at_call_list(p)) {
        c->rets = parse_call_list(p, &c->nrets, true);
        ptx_expect(p, ',', "after the return values");
    }
    struct ptx_pos pos = p->tok.pos;
    ptx_parse_operand(p, &c->target);
    bool is_reg = c->target.kind == PTX_OPERAND_REG && !c->target.negated;
    if (c->target.kind == PTX_OPERAND_SYM && c->target.func && !c->target.offset)
        c->callee = c->target.func;
    else if (!is_reg)
        ptx_fail(p, pos, "expected a function or a register to call");
    if (is_reg && c->target.reg->type != ISA_B64 && c->target.reg->type != ISA_U64 &&
        c->target.reg->type != ISA_S64)
        ptx_fail(p, pos, "expected a 64-bit register to call through");
    if (c->callee && c->callee->is_entry)
        ptx_fail(p, pos, "kernel '%s' cannot be called", c->callee->name);
    c->target.type = ISA_U64;
    bool comma = ptx_accept(p, ',');
    if (comma && at_call_list(p)) {
        c->args = parse_call_list(p, &c->nargs, false);
        comma = ptx_accept(p, ',');
    }
    if (comma)
        parse_call_target_set(p, c);
    if (!c->callee && !c->proto && !c->targets)
        ptx_fail(p, pos, "an indirect call needs a prototype or a list of functions");
    complete_arguments(p, c);
}

void ptx_parse_instruction(struct ptx_parser *p) {
    struct ptx_inst *i = arena_new(p->arena, struct ptx_inst);
    i->pos = p->tok.pos;
    i->file = p->loc.file;
    i->line = p->loc.line;
    p->parts = false;
    parse_guard(p, i);
    struct ptx_token opcode = p->tok;
    if (opcode.kind != PTX_TOKEN_NAME)
        ptx_expected(p, "an instruction");
    size_t first, word = 0;
    while (word < opcode.len && opcode.text[word] != '.')
        word++;
    const char *later = isa_unsupported(opcode.text, opcode.len);
    int shown = opcode.len > 100 ? 100 : (int)opcode.len;
    if (later)
        ptx_fail(p, opcode.pos, "'%.*s' is not supported yet: %s", shown, opcode.text, later);
    if (!isa_find_forms(opcode.text, word, &first))
        ptx_fail(p, opcode.pos, "unknown instruction '%.*s'", shown, opcode.text);
    ptx_next(p);
    if (opcode_is(&opcode, "bra"))
        parse_branch(p, i);
    else if (opcode_is(&opcode, "brx.idx"))
        parse_branch_indexed(p, i);
    else if (opcode_is(&opcode, "call"))
        ptx_parse_call(p, i);
    else
        parse_operands(p, i, &isa_forms[first]);
    if (!ptx_at(p, ';'))
        ptx_expected(p, "';' or ',' after the operands");
    ptx_match(p, &opcode, i);
    ptx_next(p);
    struct ptx_stmt s = {.kind = PTX_STMT_INST, .pos = i->pos, .inst = i};
    vec_push(p->arena, &p->func->body, s);
}
