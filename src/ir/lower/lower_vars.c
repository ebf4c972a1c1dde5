// Variables: symbols for those in memory, their initialisers, and what each variable that a
// function declares becomes.
#include <inttypes.h>

#include "ir/lower/lower.h"
#include "isa/ops/memory.h"

enum { MAX_LOCAL_BYTES = 512 * 1024, MAX_PARAM_BYTES = 32764, MAX_SHARED_VARIABLE = 1 << 24 };

static uint8_t linkage_of(uint8_t l) {
    static const uint8_t map[] = {[PTX_LINK_INTERNAL] = KIR_LINK_INTERNAL,
                                  [PTX_LINK_VISIBLE] = KIR_LINK_VISIBLE,
                                  [PTX_LINK_EXTERN] = KIR_LINK_EXTERN,
                                  [PTX_LINK_WEAK] = KIR_LINK_WEAK,
                                  [PTX_LINK_COMMON] = KIR_LINK_COMMON};
    return map[l];
}

static struct kir_symbol *make_symbol(struct lower_module *lm, const struct ptx_var *v,
                                      const char *name) {
    struct kir_symbol *s = arena_new(&lm->m->arena, struct kir_symbol);
    s->name = arena_strdup(&lm->m->arena, name);
    s->space = v->space;
    s->linkage = linkage_of(v->linkage);
    s->size = v->size;
    s->align = v->align ? v->align : 1;
    s->managed = v->managed;
    s->index = -1;
    return s;
}

static bool add_variable(struct lower_module *lm, const struct ptx_var *v, const char *name,
                         struct kir_symbol **out) {
    struct kir_symbol *s = *out = make_symbol(lm, v, name);
    switch (v->space) {
    case ISA_SPACE_GLOBAL:
    case ISA_SPACE_CONST:
        s->index = (int)lm->m->vars.len;
        vec_push(&lm->m->arena, &lm->m->vars, s);
        return true;
    case ISA_SPACE_SHARED:
        if (v->size > MAX_SHARED_VARIABLE)
            return lower_error(lm, v->pos, "shared variable '%s' is too large", v->name);
        s->dynamic = v->unsized;
        vec_push(&lm->m->arena, &lm->m->shared, s);
        return true;
    default:
        return lower_error(lm, v->pos, "a .%s variable cannot stand outside a function",
                           v->space == ISA_SPACE_LOCAL ? "local" : "param");
    }
}

bool lower_module_vars(struct lower_module *lm) {
    const struct ptx_module *ast = lm->ast;
    lm->vars = arena_array(&lm->tmp, struct kir_symbol *, ast->vars.len);
    for (uint32_t k = 0; k < ast->vars.len; k++)
        if (!add_variable(lm, ast->vars.data[k], ast->vars.data[k]->name, &lm->vars[k]))
            return false;
    return true;
}

struct kir_symbol *lower_func_symbol(struct lower_module *lm, const struct ptx_func *f) {
    f = ptx_func_target((struct ptx_func *)f);
    struct kir_symbol **s = &lm->func_syms[f->id];
    if (!*s) {
        *s = arena_new(&lm->m->arena, struct kir_symbol);
        (*s)->name = lm->funcs[f->id]->name;
        (*s)->space = ISA_SPACE_GENERIC;
        (*s)->align = 1;
        (*s)->index = -1;
        (*s)->func = lm->funcs[f->id];
    }
    return *s;
}

static bool initialise(struct lower_module *lm, const struct ptx_var *v, struct kir_symbol *s) {
    struct arena *a = &lm->m->arena;
    if (v->init)
        s->init = arena_memdup(a, v->init, v->size);
    for (uint32_t k = 0; k < v->relocs.len; k++) {
        const struct ptx_reloc *r = &v->relocs.data[k];
        struct kir_reloc to = {
            .offset = r->offset, .addend = r->addend, .generic = r->generic, .size = r->size};
        if (r->offset > v->size || r->size > v->size - r->offset)
            return lower_error(lm, r->pos, "initialiser of '%s' lies outside the variable",
                               v->name);
        if (r->func)
            to.sym = lower_func_symbol(lm, r->func);
        else if (!r->var->func && lm->vars[r->var->id]->index >= 0)
            to.sym = lm->vars[r->var->id];
        else
            return lower_error(
                lm, r->pos,
                "an initialiser can name .global and .const variables and functions, "
                "not '%s'",
                r->var->name);
        vec_push(a, &s->relocs, to);
    }
    return true;
}

bool lower_initialisers(struct lower_module *lm) {
    for (uint32_t k = 0; k < lm->ast->vars.len; k++)
        if (!initialise(lm, lm->ast->vars.data[k], lm->vars[k]))
            return false;
    return true;
}

// ---- variables of a function -------------------------------------------------------------------

static bool is_scalar(const struct ptx_var *v) {
    return !v->is_array && v->vec <= 1 && isa_type_bits(v->type) <= 64;
}

// The entry for a .param variable that the function declares.
static struct lower_var *entry_of(struct lower_func *lf, const struct ptx_var *v) {
    const struct ptx_func *f = lf->ast;
    if (v->id < f->nparams && f->params[v->id].var == v)
        return &lf->params[v->id];
    if (v->id < f->nrets && f->rets[v->id].var == v)
        return &lf->rets[v->id];
    return &lf->body[v->id];
}

struct lower_var lower_find_var(struct lower_func *lf, const struct ptx_var *v) {
    if (!v->func)
        return (struct lower_var){LOWER_SYMBOL, 0, lf->lm->vars[v->id]};
    return *entry_of(lf, v);
}

static bool is_param_of_body(const struct ptx_var *v) {
    return v && v->func && v->space == ISA_SPACE_PARAM;
}

// Whether an access leaves a scalar a value: all of it, or its low part.
static bool whole_access(const struct ptx_inst *inst, const struct ptx_operand *o) {
    if ((inst->op != ISA_OP_LD && inst->op != ISA_OP_ST && inst->op != ISA_OP_LDU) ||
        inst->mods.vec > 1 || o->offset)
        return false;
    unsigned bits = isa_type_bits(inst->ty), have = isa_type_bits(o->var->type);
    return bits <= have;
}

// A variable whose address is taken, or that is accessed piecewise, lives in memory.
static void scan_operand(struct lower_func *lf, const struct ptx_inst *inst,
                         const struct ptx_operand *o) {
    bool list =
        o->kind == PTX_OPERAND_VEC || o->kind == PTX_OPERAND_PAIR || o->kind == PTX_OPERAND_TEX;
    for (uint32_t k = 0; list && k < o->n; k++)
        scan_operand(lf, inst, &o->elems[k]);
    if ((o->kind != PTX_OPERAND_SYM && o->kind != PTX_OPERAND_ADDR) || !is_param_of_body(o->var))
        return;
    if (o->kind == PTX_OPERAND_SYM || (!o->reg && !whole_access(inst, o)))
        entry_of(lf, o->var)->place = LOWER_SYMBOL;
}

static void scan_passed(struct lower_func *lf, const struct ptx_operand *o, uint32_t n,
                        const struct ptx_param *formal, uint32_t nformal) {
    for (uint32_t k = 0; k < n && k < nformal; k++)
        if (o[k].kind == PTX_OPERAND_SYM && is_param_of_body(o[k].var) && formal[k].var &&
            !is_scalar(formal[k].var))
            entry_of(lf, o[k].var)->place = LOWER_SYMBOL;
}

static void scan_call(struct lower_func *lf, const struct ptx_call *c) {
    const struct ptx_func *f = c->callee;
    if (!f && c->targets && c->targets->n)
        f = c->targets->funcs[0];
    if (f) {
        scan_passed(lf, c->args, c->nargs, f->params, f->nparams);
        scan_passed(lf, c->rets, c->nrets, f->rets, f->nrets);
    } else if (c->proto) {
        scan_passed(lf, c->args, c->nargs, c->proto->params, c->proto->nparams);
        scan_passed(lf, c->rets, c->nrets, c->proto->rets, c->proto->nrets);
    }
}

static void scan_body(struct lower_func *lf) {
    for (uint32_t k = 0; k < lf->ast->body.len; k++) {
        const struct ptx_stmt *s = &lf->ast->body.data[k];
        if (s->kind != PTX_STMT_INST)
            continue;
        if (s->inst->call)
            scan_call(lf, s->inst->call);
        for (uint32_t j = 0; j < s->inst->nops; j++)
            scan_operand(lf, s->inst, &s->inst->ops[j]);
    }
}

static uint8_t first_place(const struct ptx_var *v) {
    return v->space == ISA_SPACE_PARAM && is_scalar(v) ? LOWER_VALUE : LOWER_SYMBOL;
}

static void add_local(struct lower_func *lf, const struct ptx_var *v, struct lower_var *to,
                      const char *kind) {
    struct arena *a = &lf->lm->m->arena;
    to->place = LOWER_SYMBOL;
    to->sym = make_symbol(lf->lm, v, arena_printf(a, "%s.%s%" PRIu32, v->name, kind, v->id));
    to->sym->space = ISA_SPACE_LOCAL;
    to->sym->linkage = KIR_LINK_INTERNAL;
    vec_push(a, &lf->f->locals, to->sym);
}

static bool place_body_var(struct lower_func *lf, const struct ptx_var *v, struct lower_var *to) {
    struct lower_module *lm = lf->lm;
    if (to->place == LOWER_VALUE) {
        to->var = kir_var_new(lf->f, &lf->vars, kir_type_of(v->type));
        return true;
    }
    if (v->space == ISA_SPACE_LOCAL || v->space == ISA_SPACE_PARAM) {
        add_local(lf, v, to, "");
        return true;
    }
    const char *name = arena_printf(&lm->m->arena, "%s.%s.%" PRIu32, lf->ast->name, v->name, v->id);
    if (v->space == ISA_SPACE_SHARED && v->unsized)
        name = v->name;
    return add_variable(lm, v, name, &to->sym) && initialise(lm, v, to->sym);
}

// A parameter or return value of a function (not of a kernel).
static void place_formal(struct lower_func *lf, const struct ptx_param *p, struct lower_var *to,
                         const char *kind) {
    if (!p->var)
        return;
    if (!is_scalar(p->var)) {
        to->place = LOWER_ADDRESS;
        to->var = kir_var_new(lf->f, &lf->vars, KIR_B64);
    } else if (to->place == LOWER_VALUE) {
        to->var = kir_var_new(lf->f, &lf->vars, kir_type_of(p->var->type));
    } else {
        add_local(lf, p->var, to, kind);
    }
}

static bool place_kernel_params(struct lower_func *lf) {
    uint64_t end = 0;
    for (uint32_t k = 0; k < lf->ast->nparams; k++) {
        const struct ptx_var *v = lf->ast->params[k].var;
        if (!v)
            return lower_error(lf->lm, lf->ast->pos, "parameters of .entry '%s' must be in .param",
                               lf->ast->name);
        struct kir_symbol *s = make_symbol(lf->lm, v, v->name);
        s->linkage = KIR_LINK_INTERNAL;
        s->offset = (end + s->align - 1) / s->align * s->align;
        if (s->size > MAX_PARAM_BYTES || s->offset + s->size > MAX_PARAM_BYTES)
            return lower_error(lf->lm, v->pos, "parameters of '%s' need more than %d bytes",
                               lf->ast->name, MAX_PARAM_BYTES);
        end = s->offset + s->size;
        lf->params[k] = (struct lower_var){LOWER_SYMBOL, 0, s};
        vec_push(&lf->lm->m->arena, &lf->f->params, s);
    }
    lf->f->param_bytes = (uint32_t)end;
    return true;
}

// As kir_layout_frame lays them out.
static bool check_frame(struct lower_func *lf) {
    uint64_t bytes = 0, align = 1;
    for (uint32_t k = 0; k < lf->f->locals.len; k++) {
        const struct kir_symbol *s = lf->f->locals.data[k];
        bytes = (bytes + s->align - 1) / s->align * s->align;
        bytes += s->size > MAX_LOCAL_BYTES ? MAX_LOCAL_BYTES + 1 : s->size;
        align = s->align > align ? s->align : align;
        if ((bytes + align - 1) / align * align > MAX_LOCAL_BYTES)
            return lower_error(lf->lm, lf->ast->pos,
                               "'%s' needs more than %d bytes of local memory a thread",
                               lf->ast->name, MAX_LOCAL_BYTES);
    }
    return true;
}

bool lower_func_vars(struct lower_func *lf) {
    const struct ptx_func *f = lf->ast;
    struct arena *tmp = &lf->lm->tmp;
    lf->params = arena_array(tmp, struct lower_var, f->nparams);
    lf->rets = arena_array(tmp, struct lower_var, f->nrets);
    lf->body = arena_array(tmp, struct lower_var, f->vars.len);
    for (uint32_t k = 0; k < f->nparams; k++)
        lf->params[k].place = f->params[k].var ? first_place(f->params[k].var) : LOWER_VALUE;
    for (uint32_t k = 0; k < f->nrets; k++)
        lf->rets[k].place = f->rets[k].var ? first_place(f->rets[k].var) : LOWER_VALUE;
    for (uint32_t k = 0; k < f->vars.len; k++)
        lf->body[k].place = first_place(f->vars.data[k]);
    scan_body(lf);
    for (uint32_t k = 0; k < f->vars.len; k++)
        if (!place_body_var(lf, f->vars.data[k], &lf->body[k]))
            return false;
    if (f->is_entry)
        return place_kernel_params(lf) && check_frame(lf);
    for (uint32_t k = 0; k < f->nparams; k++)
        place_formal(lf, &f->params[k], &lf->params[k], "p");
    for (uint32_t k = 0; k < f->nrets; k++)
        place_formal(lf, &f->rets[k], &lf->rets[k], "r");
    return check_frame(lf);
}
