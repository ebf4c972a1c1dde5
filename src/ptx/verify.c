// What needs the whole module, after parsing: versions, calls against signatures, state spaces.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/grammar.h"
#include "isa/ops/video.h"
#include "ptx/ast.h"

struct verifier {
    const struct ptx_module *m;
    struct strbuf *err;
    bool ok;
};

__attribute__((format(printf, 3, 4))) static void error(struct verifier *v, struct ptx_pos pos,
                                                        const char *fmt, ...) {
    va_list ap;
    char text[512];
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    strbuf_printf(v->err, "ptx:%u:%u: error: %s\n", pos.line, pos.col, text);
    v->ok = false;
}

// ---- Instructions ------------------------------------------------------------------------------

static void check_version(struct verifier *v, const struct ptx_inst *i) {
    const struct isa_form *f = &isa_forms[i->form];
    unsigned have = v->m->version_major * 10 + v->m->version_minor;
    if (f->ptx > have)
        error(v, i->pos, "'%s' requires PTX %u.%u, the module is %u.%u", f->text, f->ptx / 10,
              f->ptx % 10, v->m->version_major, v->m->version_minor);
    if (f->sm > v->m->sm)
        error(v, i->pos, "'%s' requires sm_%u, the target is sm_%u", f->text, f->sm, v->m->sm);
}

static const char *space_name(unsigned space) {
    static const char *const names[ISA_SPACE_COUNT] = {
        "generic", "global", "shared", "const", "local", "param", "shared::cluster",
    };
    return names[space];
}

static void check_space(struct verifier *v, const struct ptx_inst *i, const struct ptx_operand *o) {
    unsigned space = i->mods.space == ISA_SPACE_CLUSTER ? ISA_SPACE_SHARED : i->mods.space;
    if (o->kind != PTX_OPERAND_ADDR || !o->var || space == ISA_SPACE_GENERIC)
        return;
    if (o->var->space != space)
        error(v, o->pos, "'%s' is in .%s space, the instruction addresses .%s", o->var->name,
              space_name(o->var->space), space_name(space));
}

// Elsewhere a misaligned access faults when it is made.
static void check_param_alignment(struct verifier *v, const struct ptx_inst *i,
                                  const struct ptx_operand *o) {
    if (o->kind != PTX_OPERAND_ADDR || o->reg || !o->var || i->mods.space != ISA_SPACE_PARAM)
        return;
    unsigned n = isa_type_bits((enum isa_type)i->ty) / 8 * (i->mods.vec ? i->mods.vec : 1);
    if (n && o->offset % (int64_t)n)
        error(v, o->pos, "offset %lld of '%s' is not a multiple of the %u bytes that are accessed",
              (long long)o->offset, o->var->name, n);
}

static void check_memory(struct verifier *v, const struct ptx_inst *i) {
    for (unsigned k = 0; k < i->nops; k++) {
        check_space(v, i, &i->ops[k]);
        if (i->ty != ISA_VOID)
            check_param_alignment(v, i, &i->ops[k]);
    }
    const struct isa_form *f = &isa_forms[i->form];
    unsigned bytes = isa_type_bits((enum isa_type)i->ty) / 8 * (i->mods.vec ? i->mods.vec : 1);
    bool wide = bytes == 32 && i->mods.space == ISA_SPACE_GLOBAL && v->m->sm >= 100;
    if (i->mods.vec && bytes > 16 && !wide)
        error(v, i->pos, "'%s' accesses at most 16 bytes, not %u", f->opcode, bytes);
}

// ---- Calls -------------------------------------------------------------------------------------

static uint64_t param_bytes(const struct ptx_param *p) {
    return p->var ? p->var->size : isa_type_bits((enum isa_type)p->reg->type) / 8;
}

static void check_value(struct verifier *v, const struct ptx_operand *o, const struct ptx_param *p,
                        const char *what, uint32_t index, const char *callee) {
    uint64_t want = param_bytes(p), have = want;
    if (p->var && p->var->unsized)
        return;
    if (o->kind == PTX_OPERAND_SYM)
        have = o->var->size;
    else if (o->kind == PTX_OPERAND_REG)
        have = isa_type_bits((enum isa_type)o->reg->type) / 8;
    if (have != want)
        error(v, o->pos, "%s %u of '%s' has %llu bytes, expected %llu", what, index + 1, callee,
              (unsigned long long)have, (unsigned long long)want);
}

static void check_signature(struct verifier *v, const struct ptx_inst *i, const char *callee,
                            const struct ptx_param *rets, uint32_t nrets,
                            const struct ptx_param *params, uint32_t nparams) {
    const struct ptx_call *c = i->call;
    if (c->nrets != nrets)
        error(v, i->pos, "'%s' returns %u values, the call takes %u", callee, nrets, c->nrets);
    if (c->nargs != nparams)
        error(v, i->pos, "'%s' has %u parameters, the call passes %u", callee, nparams, c->nargs);
    if (c->nrets != nrets || c->nargs != nparams)
        return;
    for (uint32_t k = 0; k < nrets; k++)
        check_value(v, &c->rets[k], &rets[k], "return value", k, callee);
    for (uint32_t k = 0; k < nparams; k++)
        check_value(v, &c->args[k], &params[k], "argument", k, callee);
}

static void check_call(struct verifier *v, const struct ptx_inst *i) {
    const struct ptx_call *c = i->call;
    const struct ptx_func *f = c->callee;
    if (f)
        check_signature(v, i, f->name, f->rets, f->nrets, f->params, f->nparams);
    else if (c->proto)
        check_signature(v, i, c->proto->name, c->proto->rets, c->proto->nrets, c->proto->params,
                        c->proto->nparams);
    for (uint32_t k = 0; !f && c->targets && k < c->targets->n; k++) {
        const struct ptx_func *t = c->targets->funcs[k];
        check_signature(v, i, t->name, t->rets, t->nrets, t->params, t->nparams);
    }
}

// ---- The module --------------------------------------------------------------------------------

static void check_negations(struct verifier *v, const struct ptx_inst *i) {
    if (i->nops == 4 && i->ops[1].negated != i->ops[2].negated && i->ops[3].negated)
        error(v, i->pos, "vmad can negate the product or c, not both");
}

static void check_inst(struct verifier *v, const struct ptx_inst *i) {
    check_version(v, i);
    if (i->op == ISA_OP_VMAD)
        check_negations(v, i);
    if (isa_op_info[i->op].klass == ISA_CLASS_MEMORY)
        check_memory(v, i);
    if (i->call)
        check_call(v, i);
}

static void check_function(struct verifier *v, const struct ptx_func *f) {
    for (uint32_t i = 0; i < f->body.len; i++) {
        const struct ptx_stmt *s = &f->body.data[i];
        if (s->kind == PTX_STMT_INST)
            check_inst(v, s->inst);
        if (s->kind == PTX_STMT_VAR && s->var->space == ISA_SPACE_CONST)
            error(v, s->pos, ".const variables must stand at module level");
    }
    if (f->maxntid[0] && f->reqntid[0])
        error(v, f->pos, "'%s' has both .maxntid and .reqntid", f->name);
    if (f->is_entry && !f->has_body && f->linkage != PTX_LINK_EXTERN)
        error(v, f->pos, "kernel '%s' has no body", f->name);
}

bool ptx_verify(const struct ptx_module *m, struct strbuf *err) {
    struct verifier v = {.m = m, .err = err, .ok = true};
    if (!m->sm)
        error(&v, (struct ptx_pos){1, 1}, ".target names no architecture such as sm_90");
    if (m->address_size != 64)
        error(&v, (struct ptx_pos){1, 1}, "only .address_size 64 is supported");
    for (uint32_t i = 0; i < m->funcs.len; i++)
        check_function(&v, m->funcs.data[i]);
    return v.ok;
}
