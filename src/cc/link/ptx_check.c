#include "cc/link/ptx_check.h"

#include <stdlib.h>
#include <string.h>

#include "isa/ops/block.h"
#include "ptx/ast.h"

// Of every compute capability (guide, table of technical specifications).
enum { MAX_STATIC_SHARED = 48 * 1024, MAX_CONSTANT = 64 * 1024 };

// ---- Messages -----------------------------------------------------------------------------------

// "ptx:12:8: error: text" a line.
static void read_messages(struct arena *arena, const struct strbuf *err, ptx_problems *problems) {
    for (char *line = arena_strdup(arena, err->data ? err->data : ""), *next; line; line = next) {
        char *at = line;
        struct ptx_problem p = {0};
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (strncmp(at, "ptx:", 4) != 0)
            continue;
        p.line = (uint32_t)strtoul(at + 4, &at, 10);
        p.column = *at == ':' ? (uint32_t)strtoul(at + 1, &at, 10) : 0;
        p.text = strncmp(at, ": error: ", 9) ? at : at + 9;
        vec_push(arena, problems, p);
    }
}

// ---- What functions use -------------------------------------------------------------------------

struct function_use {
    const struct ptx_func *func;
    VEC(const struct ptx_var *) shared;
    VEC(uint32_t) callees; // numbers of functions
    uint64_t frame, stack;
    uint32_t barriers;
};

struct uses {
    struct arena *arena;
    const struct ptx_module *module;
    struct function_use *functions; // by number
};

static void use_variable(struct uses *u, struct function_use *f, const struct ptx_var *v) {
    if (!v || v->space != ISA_SPACE_SHARED || v->unsized)
        return;
    for (uint32_t i = 0; i < f->shared.len; ++i)
        if (f->shared.data[i] == v)
            return;
    vec_push(u->arena, &f->shared, v);
}

static void use_function(struct uses *u, struct function_use *f, struct ptx_func *callee) {
    if (!callee)
        return;
    uint32_t id = ptx_func_target(callee)->id;
    for (uint32_t i = 0; i < f->callees.len; ++i)
        if (f->callees.data[i] == id)
            return;
    vec_push(u->arena, &f->callees, id);
}

static void use_operand(struct uses *u, struct function_use *f, const struct ptx_operand *o) {
    use_variable(u, f, o->var);
    use_function(u, f, o->func);
    for (uint32_t i = 0; o->elems && i < o->n; ++i) {
        use_variable(u, f, o->elems[i].var);
        use_function(u, f, o->elems[i].func);
    }
}

static void use_instruction(struct uses *u, struct function_use *f, const struct ptx_inst *i) {
    bool barrier =
        i->op == ISA_OP_BAR_SYNC || i->op == ISA_OP_BAR_ARRIVE || i->op == ISA_OP_BAR_RED;
    for (uint32_t k = 0; k < i->nops; ++k) {
        const struct ptx_operand *o = &i->ops[k];
        use_operand(u, f, o);
        bool number = barrier && k == i->ndst && o->kind == PTX_OPERAND_IMM && o->imm < 16;
        if (number && f->barriers <= o->imm)
            f->barriers = (uint32_t)o->imm + 1;
    }
    if (!i->call)
        return;
    use_function(u, f, i->call->callee);
    for (uint32_t k = 0; k < i->call->nargs; ++k)
        use_operand(u, f, &i->call->args[k]);
    for (uint32_t k = 0; i->call->targets && k < i->call->targets->n; ++k)
        use_function(u, f, i->call->targets->funcs[k]);
}

static uint64_t align_up(uint64_t n, uint64_t align) {
    return align ? (n + align - 1) / align * align : n;
}

static void read_function(struct uses *u, struct function_use *f) {
    for (uint32_t i = 0; i < f->func->body.len; ++i)
        if (f->func->body.data[i].kind == PTX_STMT_INST)
            use_instruction(u, f, f->func->body.data[i].inst);
    for (uint32_t i = 0; i < f->func->vars.len; ++i) {
        const struct ptx_var *v = f->func->vars.data[i];
        if (v->space == ISA_SPACE_LOCAL)
            f->frame = align_up(f->frame, v->align) + v->size;
        use_variable(u, f, v);
    }
    f->stack = f->frame;
}

static struct uses read_uses(struct arena *arena, const struct ptx_module *m) {
    struct uses u = {arena, m, arena_array(arena, struct function_use, m->funcs.len + 1)};
    for (uint32_t i = 0; i < m->funcs.len; ++i) {
        u.functions[i] = (struct function_use){.func = m->funcs.data[i]};
        read_function(&u, &u.functions[i]);
    }
    return u;
}

// The functions that can run in a kernel, itself first.
typedef VEC(uint32_t) function_list;

static function_list reached_from(struct uses *u, uint32_t kernel) {
    bool *seen = arena_array(u->arena, bool, u->module->funcs.len);
    memset(seen, 0, u->module->funcs.len * sizeof *seen);
    function_list list = {0};
    vec_push(u->arena, &list, kernel);
    seen[kernel] = true;
    for (uint32_t i = 0; i < list.len; ++i) {
        const struct function_use *f = &u->functions[list.data[i]];
        for (uint32_t k = 0; k < f->callees.len; ++k)
            if (!seen[f->callees.data[k]]) {
                seen[f->callees.data[k]] = true;
                vec_push(u->arena, &list, f->callees.data[k]);
            }
    }
    return list;
}

// The deepest stack of each function. Of recursive ones it has no end: so many rounds are counted.
static void sum_stacks(struct uses *u) {
    bool changed = true;
    for (int round = 0; round < 64 && changed; ++round) {
        changed = false;
        for (uint32_t i = 0; i < u->module->funcs.len; ++i) {
            struct function_use *f = &u->functions[i];
            for (uint32_t k = 0; k < f->callees.len; ++k) {
                uint64_t deep = f->frame + u->functions[f->callees.data[k]].stack;
                if (f->callees.data[k] != i && deep > f->stack) {
                    f->stack = deep;
                    changed = true;
                }
            }
        }
    }
}

// ---- Kernels ------------------------------------------------------------------------------------

static uint64_t parameter_bytes(const struct ptx_func *f) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < f->nparams; ++i)
        if (f->params[i].var)
            bytes = align_up(bytes, f->params[i].var->align) + f->params[i].var->size;
    return bytes;
}

// The kernel's variables in shared memory, with the largest of them.
static uint64_t shared_bytes(struct uses *u, const function_list *reached,
                             const struct ptx_var **largest) {
    VEC(const struct ptx_var *) seen = {0};
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < reached->len; ++i) {
        const struct function_use *f = &u->functions[reached->data[i]];
        for (uint32_t k = 0; k < f->shared.len; ++k) {
            const struct ptx_var *v = f->shared.data[k];
            bool again = false;
            for (uint32_t n = 0; n < seen.len && !again; ++n)
                again = seen.data[n] == v;
            if (again)
                continue;
            vec_push(u->arena, &seen, v);
            bytes = align_up(bytes, v->align) + v->size;
            if (!*largest || v->size > (*largest)->size)
                *largest = v;
        }
    }
    return bytes;
}

static void check_kernel(struct uses *u, uint32_t number, bool whole, ptx_problems *problems,
                         struct ptx_usage *usage) {
    const struct function_use *f = &u->functions[number];
    const struct ptx_var *largest = NULL;
    function_list reached = reached_from(u, number);
    struct kernel_usage k = {.name = f->func->name,
                             .shared = shared_bytes(u, &reached, &largest),
                             .parameters = parameter_bytes(f->func),
                             .frame = f->frame,
                             .stack = f->stack};
    for (uint32_t i = 0; i < reached.len; ++i)
        if (u->functions[reached.data[i]].barriers > k.barriers)
            k.barriers = u->functions[reached.data[i]].barriers;
    if (whole && k.shared > MAX_STATIC_SHARED) {
        const char *text = arena_printf(
            u->arena,
            "the kernel '%s' uses %llu bytes of static shared memory, %d is the limit (dynamic "
            "shared memory may be larger)",
            k.name, (unsigned long long)k.shared, (int)MAX_STATIC_SHARED);
        vec_push(u->arena, problems, ((struct ptx_problem){.symbol = largest->name, .text = text}));
    }
    if (usage)
        vec_push(u->arena, &usage->kernels, k);
}

static void check_memory(struct uses *u, bool whole, ptx_problems *problems,
                         struct ptx_usage *usage) {
    const struct ptx_var *largest = NULL;
    uint64_t global = 0, constant = 0;
    for (uint32_t i = 0; i < u->module->vars.len; ++i) {
        const struct ptx_var *v = u->module->vars.data[i];
        uint64_t *bytes = v->space == ISA_SPACE_GLOBAL  ? &global
                          : v->space == ISA_SPACE_CONST ? &constant
                                                        : NULL;
        if (!bytes || v->linkage == PTX_LINK_EXTERN)
            continue;
        *bytes = align_up(*bytes, v->align) + v->size;
        if (bytes == &constant && (!largest || v->size > largest->size))
            largest = v;
    }
    if (whole && constant > MAX_CONSTANT) {
        const char *text = arena_printf(
            u->arena, "%llu bytes of __constant__ variables are defined, %d is the limit",
            (unsigned long long)constant, (int)MAX_CONSTANT);
        vec_push(u->arena, problems, ((struct ptx_problem){.symbol = largest->name, .text = text}));
    }
    if (usage) {
        usage->global = global;
        usage->constant = constant;
    }
}

struct ptx_module *ptx_check_module(struct arena *arena, const char *text, size_t size, bool whole,
                                    ptx_problems *problems, struct ptx_usage *usage) {
    struct strbuf err = {0};
    struct ptx_module *m = ptx_parse(arena, text, size, &err);
    uint32_t before = problems->len;
    if (!m || !ptx_verify(m, &err))
        read_messages(arena, &err, problems);
    strbuf_free(&err);
    if (!m || problems->len != before)
        return NULL;
    struct uses u = read_uses(arena, m);
    sum_stacks(&u);
    check_memory(&u, whole, problems, usage);
    if (usage)
        usage->sm = m->sm;
    for (uint32_t i = 0; i < m->funcs.len; ++i)
        if (m->funcs.data[i]->is_entry && m->funcs.data[i]->has_body)
            check_kernel(&u, i, whole, problems, usage);
    return problems->len == before ? m : NULL;
}

bool ptx_check(struct arena *arena, const char *text, size_t size, bool whole,
               ptx_problems *problems, struct ptx_usage *usage) {
    return ptx_check_module(arena, text, size, whole, problems, usage) != NULL;
}
