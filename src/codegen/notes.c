#include "codegen/notes.h"

#include <stdarg.h>
#include <stdio.h>

bool note_is_on(const struct notes *n, const struct kir_inst *i) {
    for (uint32_t k = 0; k < n->list.len; k++)
        if (n->list.data[k].inst == i)
            return true;
    return false;
}

void note_on(struct notes *n, const struct kir_inst *i, bool costs, const char *fmt, ...) {
    char text[512];
    va_list args;
    if (!n)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (uint32_t k = 0; k < n->list.len; k++)
        if (n->list.data[k].inst == i && !strcmp(n->list.data[k].text, text))
            return;
    struct note new = {.inst = i, .costs = costs, .text = arena_strdup(&n->arena, text)};
    vec_push(&n->arena, &n->list, new);
}

// The first instruction on the way to v from which its threads' values are no longer one scalar and
// constant offsets.
static const struct kir_inst *cause(const struct flow *fl, const struct kir_value *v,
                                    uint8_t *seen) {
    const struct kir_inst *found = NULL;
    while (v && v->kind == KIR_VALUE_INST && !seen[v->id] &&
           fl->shape[v->id].kind == SHAPE_VARYING) {
        found = v->def;
        seen[v->id] = 1;
        enum isa_class k = isa_op_info[found->op].klass;
        bool through = k == ISA_CLASS_POINTWISE || found->op == ISA_OP_PHI;
        v = NULL;
        for (uint32_t n = 0; through && n < found->nops && !v; n++) {
            const struct kir_value *x = found->ops[n];
            if (x->kind == KIR_VALUE_INST && !seen[x->id] && fl->shape[x->id].kind == SHAPE_VARYING)
                v = x;
        }
    }
    return found;
}

static bool compares_indices(const struct flow *fl, const struct kir_inst *d) {
    bool index = false;
    for (uint32_t k = 0; d->op == ISA_OP_SETP && k < d->nops; k++)
        index |= fl->shape[d->ops[k]->id].kind == SHAPE_OFFSETS;
    return index;
}

static const char *in_words(const struct flow *fl, const struct kir_inst *d) {
    if (compares_indices(fl, d))
        return "it compares what follows from a thread's index";
    if (d->op == ISA_OP_PARAM)
        return "it is a parameter of a function";
    switch (isa_op_info[d->op].klass) {
    case ISA_CLASS_MEMORY:
        return d->op == ISA_OP_ATOM ? "it depends on what an atomic operation returned"
                                    : "it depends on what was loaded";
    case ISA_CLASS_WARP:
        return "it depends on what threads of the warp exchanged";
    case ISA_CLASS_CONTROL:
        return "it depends on what a function returned";
    default:
        return d->op == ISA_OP_PHI ? "it depends on the way that a thread took"
                                   : "it is not a thread's index at a constant stride";
    }
}

const char *note_why(struct notes *n, const struct flow *fl, const struct kir_value *v) {
    if (!n)
        return NULL;
    uint8_t *seen = arena_array(&n->arena, uint8_t, fl->func->value_count + 1);
    const struct kir_inst *d = cause(fl, v, seen);
    if (!d)
        return "threads hold different values";
    const struct kir_inst *at = d;
    while (!at->line && at->next)
        at = at->next;
    char text[160];
    int len = snprintf(text, sizeof text, "%s", in_words(fl, d));
    if (isa_op_info[d->op].klass == ISA_CLASS_POINTWISE && !compares_indices(fl, d))
        len +=
            snprintf(text + len, sizeof text - (size_t)len, " after '%s'", isa_op_info[d->op].name);
    if (at->line)
        snprintf(text + len, sizeof text - (size_t)len, " (line %u)", at->line);
    return arena_strdup(&n->arena, text);
}
