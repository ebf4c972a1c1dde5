// Several PTX modules to one text. Names that modules share (.visible, .extern, .weak, .common)
// are resolved to one definition each; internal names that collide are renamed; then everything
// is printed in an order in which names stand before their uses: function and kernel declarations,
// variables, function bodies.
#include <stdio.h>
#include <string.h>

#include "isa/device_functions.h"
#include "ptx/names.h"
#include "ptx/print.h"

enum { BUCKETS = 4096 };

// How firmly a module defines a name; the greatest wins.
enum strength { REFERENCE, COMMON, WEAK, STRONG };

struct symbol {
    const char *name;
    struct ptx_var *var; // of the definition that wins: exactly one of the two is set
    struct ptx_func *func;
    enum strength strength;
    size_t module;
    bool internal; // seen in one module only
    bool called;   // or its address is taken: a function that is only declared need not be there
    bool printed, printing;
    struct symbol *from; // whose initialiser it is printed for
    uint32_t next_reloc;
    struct symbol *next; // same bucket
};

struct linker {
    struct arena arena;
    struct ptx_module **modules;
    size_t n;
    struct symbol *buckets[BUCKETS];
    VEC(struct symbol *) symbols; // in the order in which they were met
    struct strbuf *err;
    bool ok;
    size_t renamed;
};

__attribute__((format(printf, 2, 3))) static void error(struct linker *l, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    strbuf_printf(l->err, "link: error: %s\n", text);
    l->ok = false;
}

static struct symbol *find(struct linker *l, const char *name) {
    for (struct symbol *s = l->buckets[ptx_hash(name, strlen(name)) % BUCKETS]; s; s = s->next)
        if (!strcmp(s->name, name))
            return s;
    return NULL;
}

static struct symbol *add(struct linker *l, const char *name, size_t module) {
    struct symbol *s = arena_new(&l->arena, struct symbol);
    struct symbol **bucket = &l->buckets[ptx_hash(name, strlen(name)) % BUCKETS];
    *s = (struct symbol){.name = name, .module = module, .next = *bucket};
    *bucket = s;
    vec_push(&l->arena, &l->symbols, s);
    return s;
}

// ---- Resolution --------------------------------------------------------------------------------

static enum strength var_strength(const struct ptx_var *v) {
    switch (v->linkage) {
    case PTX_LINK_EXTERN:
        return REFERENCE;
    case PTX_LINK_COMMON:
        return COMMON;
    case PTX_LINK_WEAK:
        return WEAK;
    default:
        return STRONG;
    }
}

static enum strength func_strength(const struct ptx_func *f) {
    if (!f->has_body && !f->alias)
        return REFERENCE;
    return f->linkage == PTX_LINK_WEAK ? WEAK : STRONG;
}

static bool same_size(const struct ptx_param *a, const struct ptx_param *b) {
    uint64_t x = a->var ? a->var->size : isa_type_bits((enum isa_type)a->reg->type) / 8;
    uint64_t y = b->var ? b->var->size : isa_type_bits((enum isa_type)b->reg->type) / 8;
    return !a->var == !b->var && x == y;
}

static bool same_params(const struct ptx_func *a, const struct ptx_func *b) {
    if (a->nparams != b->nparams)
        return false;
    for (uint32_t i = 0; i < a->nparams; i++)
        if (!same_size(&a->params[i], &b->params[i]))
            return false;
    return true;
}

static bool same_signature(const struct ptx_func *a, const struct ptx_func *b) {
    if (a->is_entry != b->is_entry || a->nrets != b->nrets)
        return false;
    for (uint32_t i = 0; i < a->nrets; i++)
        if (!same_size(&a->rets[i], &b->rets[i]))
            return false;
    return same_params(a, b);
}

// A kernel that is launched from another module is declared as a function there: compilers know no
// other declaration for it.
static bool declares_kernel(const struct ptx_func *declared, const struct ptx_func *kernel) {
    return !declared->is_entry && func_strength(declared) == REFERENCE && !declared->nrets &&
           kernel->is_entry && same_params(declared, kernel);
}

static bool compatible(const struct symbol *s, const struct ptx_var *v, const struct ptx_func *f) {
    if (s->func)
        return f && (same_signature(s->func, f) || declares_kernel(s->func, f) ||
                     declares_kernel(f, s->func));
    if (!v || s->var->space != v->space)
        return false;
    bool sizes_may_differ = s->var->unsized || v->unsized || v->linkage == PTX_LINK_COMMON ||
                            s->var->linkage == PTX_LINK_COMMON;
    return sizes_may_differ || s->var->size == v->size;
}

static bool wins(const struct symbol *s, enum strength strength, const struct ptx_var *v) {
    if (strength == COMMON && s->strength == COMMON)
        return v && s->var && v->size > s->var->size;
    return strength > s->strength;
}

// Enters a name that modules share.
static void resolve(struct linker *l, size_t module, const char *name, enum strength strength,
                    struct ptx_var *v, struct ptx_func *f) {
    struct symbol *s = find(l, name);
    if (!s) {
        s = add(l, name, module);
        s->var = v;
        s->func = f;
        s->strength = strength;
        return;
    }
    if (!compatible(s, v, f)) {
        error(l, "'%s' in module %zu does not match its declaration in module %zu", name,
              module + 1, s->module + 1);
        return;
    }
    if (strength == STRONG && s->strength == STRONG) {
        error(l, "Multiple definition of '%s' in module %zu, first defined in module %zu", name,
              module + 1, s->module + 1);
        return;
    }
    if (wins(s, strength, v)) {
        s->var = v;
        s->func = f;
        s->strength = strength;
        s->module = module;
    }
}

static void resolve_module(struct linker *l, size_t module) {
    struct ptx_module *m = l->modules[module];
    for (uint32_t i = 0; i < m->vars.len; i++) {
        struct ptx_var *v = m->vars.data[i];
        if (v->linkage != PTX_LINK_INTERNAL)
            resolve(l, module, v->name, var_strength(v), v, NULL);
    }
    for (uint32_t i = 0; i < m->funcs.len; i++) {
        struct ptx_func *f = m->funcs.data[i];
        if (f->linkage != PTX_LINK_INTERNAL || (!f->has_body && !f->alias))
            resolve(l, module, f->name, func_strength(f), NULL, f);
    }
}

static void note_use(struct linker *l, const struct ptx_func *f) {
    struct symbol *s = f && !f->has_body ? find(l, f->name) : NULL;
    if (s)
        s->called = true;
}

static void note_operand(struct linker *l, const struct ptx_operand *o) {
    note_use(l, o->func);
    for (uint32_t i = 0; o->elems && i < o->n; i++)
        note_use(l, o->elems[i].func);
}

static void note_initializer(struct linker *l, const struct ptx_var *v) {
    for (uint32_t i = 0; i < v->relocs.len; i++)
        note_use(l, v->relocs.data[i].func);
}

static void note_instruction(struct linker *l, const struct ptx_inst *inst) {
    for (uint32_t i = 0; i < inst->nops; i++)
        note_operand(l, &inst->ops[i]);
    const struct ptx_call *c = inst->call;
    if (!c)
        return;
    note_use(l, c->callee);
    note_operand(l, &c->target);
    for (uint32_t i = 0; i < c->nargs; i++)
        note_operand(l, &c->args[i]);
}

static void note_statement(struct linker *l, const struct ptx_stmt *s) {
    if (s->kind == PTX_STMT_INST)
        note_instruction(l, s->inst);
    else if (s->kind == PTX_STMT_VAR)
        note_initializer(l, s->var);
    else if (s->kind == PTX_STMT_TARGETS)
        for (uint32_t i = 0; s->targets->funcs && i < s->targets->n; i++)
            note_use(l, s->targets->funcs[i]);
}

static void note_uses(struct linker *l, const struct ptx_module *m) {
    for (uint32_t i = 0; i < m->vars.len; i++)
        note_initializer(l, m->vars.data[i]);
    for (uint32_t i = 0; i < m->funcs.len; i++) {
        const struct ptx_func *f = m->funcs.data[i];
        note_use(l, f->alias);
        for (uint32_t k = 0; k < f->body.len; k++)
            note_statement(l, &f->body.data[k]);
    }
}

// Functions that the device provides, those that nothing uses, and dynamic shared memory, stay
// undefined.
static bool may_stay_undefined(const struct symbol *s) {
    if (s->var)
        return s->var->space == ISA_SPACE_SHARED && s->var->unsized;
    return !s->called || device_provides(s->name) || device_lacks(s->name);
}

static void check_undefined(struct linker *l) {
    for (uint32_t i = 0; i < l->symbols.len; i++) {
        const struct symbol *s = l->symbols.data[i];
        if (s->strength == REFERENCE && !s->internal && !may_stay_undefined(s))
            error(l, "Undefined reference to '%s' in module %zu", s->name, s->module + 1);
    }
}

// What a module takes for a function may be another one's kernel, which has an address but cannot
// be called.
static void check_calls(struct linker *l, size_t module, const struct ptx_func *f) {
    for (uint32_t i = 0; i < f->body.len; i++) {
        const struct ptx_stmt *stmt = &f->body.data[i];
        if (stmt->kind != PTX_STMT_INST || !stmt->inst->call || !stmt->inst->call->callee)
            continue;
        const struct ptx_func *callee = stmt->inst->call->callee;
        const struct symbol *s = callee->has_body ? NULL : find(l, callee->name);
        if (s && s->func && s->func->is_entry)
            error(l, "module %zu calls '%s', which is a kernel in module %zu", module + 1, s->name,
                  s->module + 1);
    }
}

static void check_module_calls(struct linker *l, size_t module) {
    const struct ptx_module *m = l->modules[module];
    for (uint32_t i = 0; i < m->funcs.len; i++)
        check_calls(l, module, m->funcs.data[i]);
}

// ---- Internal names ----------------------------------------------------------------------------

// A name of one module alone: kept when no other symbol has it.
static const char *internal_name(struct linker *l, size_t module, const char *name) {
    const char *chosen = name;
    while (find(l, chosen))
        chosen = arena_printf(&l->arena, "%s$m%zu_%zu", name, module + 1, l->renamed++);
    return chosen;
}

static void name_internals(struct linker *l, size_t module) {
    struct ptx_module *m = l->modules[module];
    for (uint32_t i = 0; i < m->vars.len; i++) {
        struct ptx_var *v = m->vars.data[i];
        if (v->linkage != PTX_LINK_INTERNAL)
            continue;
        v->name = internal_name(l, module, v->name);
        struct symbol *s = add(l, v->name, module);
        s->var = v;
        s->internal = true;
    }
    for (uint32_t i = 0; i < m->funcs.len; i++) {
        struct ptx_func *f = m->funcs.data[i];
        if (f->linkage != PTX_LINK_INTERNAL || (!f->has_body && !f->alias))
            continue;
        f->name = internal_name(l, module, f->name);
        struct symbol *s = add(l, f->name, module);
        s->func = f;
        s->internal = true;
    }
}

// ---- Source files ------------------------------------------------------------------------------

// Numbers the files of all modules anew and rewrites .loc. What .loc says of inlining refers to
// debug sections, which are not kept.
static void merge_files(struct linker *l, struct strbuf *out) {
    uint32_t base = 0;
    for (size_t k = 0; k < l->n; k++) {
        struct ptx_module *m = l->modules[k];
        for (uint32_t i = 0; i < m->files.len; i++)
            if (m->files.data[i])
                strbuf_printf(out, ".file %u \"%s\"\n", base + i, m->files.data[i]);
        for (uint32_t i = 0; i < m->funcs.len; i++)
            for (uint32_t j = 0; j < m->funcs.data[i]->body.len; j++) {
                struct ptx_stmt *s = &m->funcs.data[i]->body.data[j];
                if (s->kind != PTX_STMT_LOC)
                    continue;
                s->loc->file += base;
                s->loc->inlined = NULL;
            }
        base += m->files.len;
    }
}

// ---- Printing ----------------------------------------------------------------------------------

static void print_header(struct linker *l, struct strbuf *out) {
    struct ptx_module top = *l->modules[0];
    for (size_t k = 1; k < l->n; k++) {
        const struct ptx_module *m = l->modules[k];
        if (m->version_major * 100 + m->version_minor >
            top.version_major * 100 + top.version_minor) {
            top.version_major = m->version_major;
            top.version_minor = m->version_minor;
        }
        if (m->sm > top.sm)
            top.sm = m->sm;
        if (top.features != 'a' && m->features)
            top.features = m->features;
        top.lockstep |= m->lockstep;
        top.debug |= m->debug;
    }
    ptx_print_header(&top, out);
    if (top.lockstep && top.sm >= 70)
        strbuf_puts(out, ".pragma \"" PTX_LOCKSTEP "\";\n");
}

static void print_variable(struct linker *l, struct symbol *s, struct strbuf *out) {
    if (s->printed)
        return;
    s->printing = true;
    while (s) { // each after those that its initialiser names
        if (s->next_reloc < s->var->relocs.len) {
            const struct ptx_reloc *r = &s->var->relocs.data[s->next_reloc++];
            struct symbol *other = r->var ? find(l, r->var->name) : NULL;
            if (!other || !other->var || other == s || other->printed)
                continue;
            if (other->printing) { // initialisers refer to each other: declare first
                ptx_print_var_declaration(other->var, out);
                continue;
            }
            other->printing = true;
            other->from = s;
            s = other;
            continue;
        }
        ptx_print_var(s->var, out);
        s->printing = false;
        s->printed = true;
        s = s->from;
    }
}

static void print_all(struct linker *l, struct strbuf *out) {
    print_header(l, out);
    merge_files(l, out);
    for (uint32_t i = 0; i < l->symbols.len; i++)
        if (l->symbols.data[i]->func)
            ptx_print_declaration(l->symbols.data[i]->func, out);
    for (uint32_t i = 0; i < l->symbols.len; i++)
        if (l->symbols.data[i]->var)
            print_variable(l, l->symbols.data[i], out);
    for (uint32_t i = 0; i < l->symbols.len; i++)
        if (l->symbols.data[i]->func && l->symbols.data[i]->func->has_body)
            ptx_print_function(l->symbols.data[i]->func, out);
    for (uint32_t i = 0; i < l->symbols.len; i++) {
        const struct ptx_func *f = l->symbols.data[i]->func;
        if (f && f->alias)
            strbuf_printf(out, ".alias %s, %s;\n", f->name, f->alias->name);
    }
}

static bool parse_all(struct linker *l, const char *const *text, const size_t *len) {
    bool ok = true;
    l->modules = arena_array(&l->arena, struct ptx_module *, l->n);
    for (size_t k = 0; k < l->n; k++) {
        struct strbuf messages = {0};
        l->modules[k] = ptx_parse(&l->arena, text[k], len[k], &messages);
        if (!l->modules[k] || !ptx_verify(l->modules[k], &messages)) {
            strbuf_printf(l->err, "module %zu:\n%s", k + 1, strbuf_str(&messages));
            ok = false;
        }
        strbuf_free(&messages);
    }
    return ok;
}

bool ptx_link(const char *const *text, const size_t *len, size_t n, struct strbuf *out,
              struct strbuf *err) {
    struct linker l = {.n = n, .err = err, .ok = true};
    if (!n)
        error(&l, "nothing to link");
    else if (!parse_all(&l, text, len))
        l.ok = false;
    if (l.ok) {
        for (size_t k = 0; k < n; k++)
            resolve_module(&l, k);
        for (size_t k = 0; k < n; k++)
            note_uses(&l, l.modules[k]);
        check_undefined(&l);
        for (size_t k = 0; k < n; k++)
            check_module_calls(&l, k);
        for (size_t k = 0; k < n; k++)
            name_internals(&l, k);
    }
    if (l.ok)
        print_all(&l, out);
    arena_free(&l.arena);
    return l.ok;
}
