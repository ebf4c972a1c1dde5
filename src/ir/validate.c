// Checks every rule that ir.h states: the shape of modules, functions and blocks, SSA form, and
// each instruction's operands and results.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ir/order.h"
#include "ir/text.h"
#include "ir/validate.h"

enum { MAX_MESSAGES = 20, MAX_TEXT = 300 };

static void report(struct kir_check *c, const char *fmt, va_list args) {
    char text[MAX_TEXT];
    c->problems++;
    if (c->problems > MAX_MESSAGES || !c->err)
        return;
    vsnprintf(text, sizeof text, fmt, args);
    if (c->f)
        strbuf_printf(c->err, "%s: ", c->f->name);
    strbuf_puts(c->err, text);
    strbuf_puts(c->err, "\n");
}

void kir_problem(struct kir_check *c, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    report(c, fmt, args);
    va_end(args);
}

void kir_inst_problem(struct kir_check *c, const struct kir_inst *i, const char *fmt, ...) {
    struct strbuf line = {0};
    va_list args;
    va_start(args, fmt);
    uint32_t before = c->problems;
    report(c, fmt, args);
    va_end(args);
    if (before < MAX_MESSAGES && c->err) {
        kir_print_inst(i, &line);
        strbuf_printf(c->err, "    bb%" PRIu32 ": %s\n", i->block ? i->block->id : 0,
                      strbuf_str(&line));
    }
    strbuf_free(&line);
}

// ---- blocks and edges ------------------------------------------------------------------------

static bool owns(const struct kir_func *f, const struct kir_block *b) {
    return b && b->func == f && b->id < f->blocks.len && f->blocks.data[b->id] == b;
}

static bool check_list(struct kir_check *c, const struct kir_block *b) {
    const struct kir_inst *prev = NULL;
    for (const struct kir_inst *i = b->first; i; prev = i, i = i->next) {
        if (i->prev != prev || i->block != b) {
            kir_problem(c, "bb%" PRIu32 ": the list of instructions is broken", b->id);
            return false;
        }
        if (i->op == ISA_OP_NONE || i->op >= ISA_OP_COUNT || !isa_op_info[i->op].name) {
            kir_problem(c, "bb%" PRIu32 ": an instruction has no opcode", b->id);
            return false;
        }
        if (kir_is_terminator(i->op) != (i == b->last)) {
            kir_inst_problem(c, i, "a terminator stands last in its block, and nothing else does");
            return false;
        }
        for (uint32_t k = 0; k < i->ntargets; k++)
            if (!owns(c->f, i->targets[k])) {
                kir_problem(c, "bb%" PRIu32 ": a target is no block of the function", b->id);
                return false;
            }
    }
    if (b->last == prev && prev)
        return true;
    kir_problem(c, "bb%" PRIu32 " is empty or its list is broken", b->id);
    return false;
}

// The edges that come to each block, as the terminators have them.
struct incoming {
    uint32_t *first, *from; // of block b: from[first[b]] up to first[b + 1]
    uint32_t *count;        // by block: edges from it that are not found yet; all 0 between blocks
};

static struct incoming find_incoming(const struct kir_func *f, struct arena *tmp) {
    uint32_t n = f->blocks.len;
    struct incoming in = {arena_array(tmp, uint32_t, n + 2), NULL, arena_array(tmp, uint32_t, n)};
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t k = 0; k < f->blocks.data[b]->last->ntargets; k++)
            in.first[f->blocks.data[b]->last->targets[k]->id + 2]++;
    for (uint32_t b = 1; b < n + 2; b++)
        in.first[b] += in.first[b - 1];
    in.from = arena_array(tmp, uint32_t, in.first[n + 1] + 1);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t k = 0; k < f->blocks.data[b]->last->ntargets; k++)
            in.from[in.first[f->blocks.data[b]->last->targets[k]->id + 1]++] = b;
    return in;
}

static bool preds_match(const struct kir_func *f, const struct kir_block *b, struct incoming *in) {
    uint32_t first = in->first[b->id], end = in->first[b->id + 1], k;
    bool ok = b->preds.len == end - first;
    for (k = first; k < end; k++)
        in->count[in->from[k]]++;
    for (k = 0; ok && k < b->preds.len; k++) {
        const struct kir_block *p = b->preds.data[k];
        ok = owns(f, p) && in->count[p->id];
        if (ok)
            in->count[p->id]--;
    }
    for (k = first; k < end; k++)
        in->count[in->from[k]] = 0;
    return ok;
}

static void check_edges(struct kir_check *c, const struct kir_block *b, struct incoming *in) {
    if (!preds_match(c->f, b, in))
        kir_problem(c, "bb%" PRIu32 ": preds do not match the edges", b->id);
    bool phis = true;
    for (const struct kir_inst *i = b->first; i; i = i->next) {
        if (i->op == ISA_OP_PHI && !phis)
            kir_inst_problem(c, i, "phis stand first in their block");
        phis = phis && i->op == ISA_OP_PHI;
    }
}

static bool check_blocks(struct kir_check *c, struct arena *tmp) {
    const struct kir_func *f = c->f;
    uint32_t before = c->problems;
    for (uint32_t k = 0; k < f->blocks.len; k++) {
        const struct kir_block *b = f->blocks.data[k];
        if (b->id != k || b->func != f) {
            kir_problem(c, "block %" PRIu32 " has id %" PRIu32, k, b->id);
            return false;
        }
    }
    for (uint32_t k = 0; k < f->blocks.len; k++)
        if (!check_list(c, f->blocks.data[k]))
            return false;
    struct incoming in = find_incoming(f, tmp);
    for (uint32_t k = 0; k < f->blocks.len; k++)
        check_edges(c, f->blocks.data[k], &in);
    if (f->blocks.data[0]->preds.len)
        kir_problem(c, "the entry block has a predecessor");
    return c->problems == before;
}

// ---- values ----------------------------------------------------------------------------------

static bool check_result(struct kir_check *c, const struct kir_inst *i, uint32_t k,
                         const struct kir_value **seen) {
    const struct kir_value *v = i->res[k];
    if (!v || v->kind != KIR_VALUE_INST || v->def != i || v->result != k ||
        v->id >= c->f->value_count) {
        kir_problem(c, "bb%" PRIu32 ": %s: result %" PRIu32 " does not belong to it", i->block->id,
                    isa_op_info[i->op].name, k);
        return false;
    }
    if (seen[v->id]) {
        kir_inst_problem(c, i, "%%%" PRIu32 " is defined twice", v->id);
        return false;
    }
    seen[v->id] = v;
    return true;
}

static bool check_operand(struct kir_check *c, const struct kir_inst *i, uint32_t k,
                          const struct kir_value **seen) {
    const struct kir_value *v = i->ops[k];
    bool ok = v && v->kind <= KIR_VALUE_UNDEF && v->id < c->f->value_count && v->type != KIR_VOID &&
              v->type <= KIR_F64;
    if (ok && v->kind == KIR_VALUE_INST)
        ok = seen[v->id] == v;
    else if (ok)
        ok = !seen[v->id] || seen[v->id] == v;
    if (ok && v->kind == KIR_VALUE_CONST && kir_type_bits(v->type) < 64)
        ok = !(v->bits.u64[0] >> kir_type_bits(v->type));
    if (!ok)
        kir_problem(c, "bb%" PRIu32 ": %s: operand %" PRIu32 " is no value of the function",
                    i->block->id, isa_op_info[i->op].name, k);
    return ok;
}

static bool check_values(struct kir_check *c, struct arena *tmp) {
    const struct kir_value **seen = arena_array(tmp, const struct kir_value *, c->f->value_count);
    bool ok = true;
    for (uint32_t b = 0; b < c->f->blocks.len; b++)
        for (const struct kir_inst *i = c->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                ok = check_result(c, i, k, seen) && ok;
    for (uint32_t b = 0; b < c->f->blocks.len; b++)
        for (const struct kir_inst *i = c->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                ok = check_operand(c, i, k, seen) && ok;
    return ok;
}

// Positions: a definition comes before its uses.
static void check_use(struct kir_check *c, const struct kir_order *o, const struct kir_inst *i,
                      uint32_t k, const uint32_t *position) {
    const struct kir_value *v = i->ops[k];
    if (v->kind != KIR_VALUE_INST)
        return;
    uint32_t from = v->def->block->id;
    uint32_t to = i->op == ISA_OP_PHI ? i->block->preds.data[k]->id : i->block->id;
    if (o->number[to] == KIR_UNREACHABLE)
        return;
    bool ok = o->number[from] != KIR_UNREACHABLE && kir_dominates(o, from, to);
    if (ok && i->op != ISA_OP_PHI && from == to)
        ok = position[v->id] < position[i->res && i->nres ? i->res[0]->id : c->f->value_count];
    if (!ok)
        kir_inst_problem(c, i, "%%%" PRIu32 " does not dominate its use", v->id);
}

static void check_dominance(struct kir_check *c, struct arena *tmp) {
    struct kir_order o;
    kir_order_dominators(c->f, tmp, &o);
    // By value: where it is defined in its block. The last entry stands for the instruction that
    // is being looked at when it has no result.
    uint32_t *position = arena_array(tmp, uint32_t, (size_t)c->f->value_count + 1);
    for (uint32_t b = 0; b < c->f->blocks.len; b++) {
        uint32_t n = 0;
        for (const struct kir_inst *i = c->f->blocks.data[b]->first; i; i = i->next, n++)
            for (uint32_t k = 0; k < i->nres; k++)
                position[i->res[k]->id] = n;
    }
    for (uint32_t b = 0; b < c->f->blocks.len; b++) {
        uint32_t n = 0;
        for (const struct kir_inst *i = c->f->blocks.data[b]->first; i; i = i->next) {
            position[c->f->value_count] = n++;
            for (uint32_t k = 0; k < i->nops; k++)
                if (i->op != ISA_OP_PHI || k < i->block->preds.len)
                    check_use(c, &o, i, k, position);
        }
    }
}

// ---- symbols, functions, modules -------------------------------------------------------------

static void check_symbol(struct kir_check *c, const struct kir_symbol *s, enum isa_space space,
                         uint64_t limit) {
    if (s->space != space)
        kir_problem(c, "symbol '%s' stands in the wrong list", s->name);
    if (!s->align || (s->align & (s->align - 1)))
        kir_problem(c, "symbol '%s': alignment %" PRIu32 " is no power of two", s->name, s->align);
    else if (s->offset % s->align)
        kir_problem(c, "symbol '%s' is not aligned", s->name);
    if (!s->dynamic && (s->size > limit || s->offset > limit - s->size))
        kir_problem(c, "symbol '%s' lies outside its memory", s->name);
}

static void check_relocs(struct kir_check *c, const struct kir_symbol *s) {
    for (uint32_t k = 0; k < s->relocs.len; k++) {
        const struct kir_reloc *r = &s->relocs.data[k];
        if ((r->size != 4 && r->size != 8) || r->offset > s->size || r->size > s->size - r->offset)
            kir_problem(c, "symbol '%s': a relocation lies outside it", s->name);
        if (!r->sym || (r->sym->index < 0 && !r->sym->func))
            kir_problem(c, "symbol '%s': a relocation names no variable or function", s->name);
    }
}

static void check_func_symbols(struct kir_check *c) {
    const struct kir_func *f = c->f;
    if (f->params.len && !f->is_kernel)
        kir_problem(c, "a function that is no kernel has a parameter block");
    if (f->is_kernel && (f->proto.nparams || f->proto.nrets))
        kir_problem(c, "a kernel has a prototype");
    for (uint32_t k = 0; k < f->params.len; k++)
        check_symbol(c, f->params.data[k], ISA_SPACE_PARAM, f->param_bytes);
    for (uint32_t k = 0; k < f->locals.len; k++) {
        check_symbol(c, f->locals.data[k], ISA_SPACE_LOCAL, f->frame_bytes);
        if (f->locals.data[k]->align > f->frame_align)
            kir_problem(c, "the frame is less aligned than '%s'", f->locals.data[k]->name);
    }
}

static void check_func(struct kir_check *c) {
    struct arena tmp = {0};
    check_func_symbols(c);
    if (c->f->is_extern && c->f->blocks.len)
        kir_problem(c, "an extern function has a body");
    if (!c->f->is_extern && !c->f->blocks.len)
        kir_problem(c, "a function without a body is not extern");
    if (c->f->blocks.len && check_blocks(c, &tmp) && check_values(c, &tmp)) {
        for (uint32_t b = 0; b < c->f->blocks.len; b++)
            for (const struct kir_inst *i = c->f->blocks.data[b]->first; i; i = i->next)
                kir_check_inst(c, i);
        check_dominance(c, &tmp);
    }
    arena_free(&tmp);
}

bool kir_validate(const struct kir_module *m, struct strbuf *err) {
    struct kir_check c = {.m = m, .err = err};
    for (uint32_t k = 0; k < m->vars.len; k++) {
        const struct kir_symbol *s = m->vars.data[k];
        if (s->index != (int)k)
            kir_problem(&c, "variable '%s' has index %d at %" PRIu32, s->name, s->index, k);
        check_symbol(&c, s, s->space == ISA_SPACE_CONST ? ISA_SPACE_CONST : ISA_SPACE_GLOBAL,
                     UINT64_MAX);
        check_relocs(&c, s);
    }
    for (uint32_t k = 0; k < m->shared.len; k++)
        check_symbol(&c, m->shared.data[k], ISA_SPACE_SHARED, UINT64_MAX);
    for (uint32_t k = 0; k < m->funcs.len; k++) {
        c.f = m->funcs.data[k];
        if (c.f->index != k || c.f->module != m)
            kir_problem(&c, "function %" PRIu32 " has index %" PRIu32, k, c.f->index);
        check_func(&c);
    }
    return c.problems == 0;
}
