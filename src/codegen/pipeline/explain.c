// The report of `kudzu explain`: how a kernel is run, and the notes taken, in the source's order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/core/state.h"
#include "codegen/pipeline/explain.h"
#include "isa/ops/move.h"
#include "passes/flow/waiting.h"

// The instruction itself, or the nearest one in its block whose line is known.
static const struct kir_inst *placed(const struct kir_inst *i) {
    for (const struct kir_inst *at = i; at; at = at->next)
        if (at->line)
            return at;
    for (const struct kir_inst *at = i; at; at = at->prev)
        if (at->line)
            return at;
    return i;
}

static const char *place(const struct kir_inst *at) {
    static _Thread_local char text[32];
    at = at ? placed(at) : NULL;
    if (!at || !at->line)
        return "";
    snprintf(text, sizeof text, " (line %u)", at->line);
    return text;
}

// The instruction for which stacks are needed; loops that wait have none of their own.
static void print_stacks_at(const struct cg *c, struct strbuf *out) {
    const struct kir_inst *at = c->stacks_at;
    if (at && !kir_is_terminator((isa_op)at->op))
        strbuf_printf(out, ", at '%s'", isa_op_info[at->op].name);
    strbuf_printf(out, "%s\n", place(at));
}

static const struct kir_inst *waiting_loop(const struct flow *fl) {
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++)
        if (fl->loop_waits[k])
            return fl->cfg->loops.data[k]->header->last;
    return NULL;
}

static void report_mode(const struct cg *c, const struct flow *fl, struct strbuf *out) {
    switch (c->mode) {
    case KD_MODE_BLOCK:
        strbuf_puts(out, "+ whole blocks run in one call; barriers are points between loops\n");
        if (c->parks)
            strbuf_printf(out,
                          "- threads of a warp may come apart to barriers or warp operations: "
                          "each asks whether all are there%s\n",
                          place(c->stacks_at ? c->stacks_at : waiting_loop(fl)));
        if (c->splits)
            strbuf_printf(out, "- warps that wait for what others write keep a stack meanwhile%s\n",
                          place(waiting_loop(fl)));
        break;
    case KD_MODE_WARP_STACKS:
        strbuf_printf(out, "- each warp has a stack of its own: %s", c->why_stacks);
        print_stacks_at(c, out);
        break;
    default:
        strbuf_printf(out, "- each thread has a stack of its own, nothing runs in vectors: %s",
                      c->why_stacks ? c->why_stacks : "a width of 1 was asked for");
        print_stacks_at(c, out);
    }
    if (c->width > 1)
        strbuf_printf(out, "+ vectors of %u threads\n", c->width);
    else if (c->why_scalars)
        strbuf_printf(out, "- one thread after the other, no vectors: %s%s\n", c->why_scalars,
                      place(c->scalars_at));
    if (c->team > 1)
        strbuf_printf(out, "+ teams of %u vectors share what they have alike\n", c->team);
    else if (c->why_no_team)
        strbuf_printf(out, "- no teams of vectors: %s%s\n", c->why_no_team, place(c->no_team_at));
}

static const char *condition_of(struct cg *c, const struct flow *fl, const struct kir_block *b) {
    return b->last->nops ? note_why(c->notes, fl, b->last->ops[0]) : "";
}

static bool leaves(const struct cfg *cfg, const struct kir_block *b) {
    const struct cfg_loop *l = cfg->loop[b->id];
    for (uint32_t k = 0; l && k < b->last->ntargets; k++)
        if (!cfg_in_loop(l, cfg->loop[b->last->targets[k]->id]))
            return true;
    return false;
}

// The last lanes of a loop, one after the other: told of where it is asked whether few are left.
static bool picks_lane(const struct kir_inst *branch) {
    const struct kir_value *v = branch->nops ? branch->ops[0] : NULL;
    return v && v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_GROUP_LOWEST;
}

// Divergent branches and loops that wait, of one function.
static void note_control(struct cg *c, const struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        const struct cfg_loop *l = fl->cfg->loop[b->id];
        if (l && l->header == b && fl->loop_waits[l->index])
            note_on(c->notes, b->last, true,
                    fl->loop_waits[l->index] < WAITS_PERHAPS
                        ? "loop that waits for what others write"
                        : "loop that nothing proves to end by itself: when it has run for long, "
                          "others run in between");
        if (!fl->divergent[b->id] || note_is_on(c->notes, b->last) || picks_lane(b->last))
            continue;
        if (leaves(fl->cfg, b))
            note_on(
                c->notes, b->last, true,
                "threads leave the loop in different iterations, it goes on under masks until the "
                "last has left: %s",
                condition_of(c, fl, b));
        else
            note_on(c->notes, b->last, true, "threads part, both ways run under masks: %s",
                    condition_of(c, fl, b));
    }
}

static int by_line(const void *x, const void *y) {
    const struct note *a = x, *b = y;
    if (a->inst->file != b->inst->file)
        return a->inst->file < b->inst->file ? -1 : 1;
    if (a->inst->line != b->inst->line)
        return a->inst->line < b->inst->line ? -1 : 1;
    return strcmp(a->text, b->text);
}

static const char *file_of(const struct cg *c, uint32_t n) {
    const char *name = n < c->ir->files.len ? c->ir->files.data[n] : NULL;
    return name ? name : "?";
}

static void report_place(const struct cg *c, struct strbuf *out) {
    for (uint32_t b = 0; b < c->kernel->blocks.len; b++) {
        const struct kir_block *at = c->kernel->blocks.data[b];
        const struct kir_inst *i = at->first ? placed(at->first) : NULL;
        if (!i || !i->line)
            continue;
        strbuf_printf(out, "@ %s:%u\n", file_of(c, i->file), i->line);
        return;
    }
}

void cg_report(struct cg *c, struct flow *const *flows, bool all, struct strbuf *out) {
    struct notes *n = c->notes;
    for (uint32_t f = 0; f < c->ir->funcs.len && c->width > 1; f++)
        if (flows[f])
            note_control(c, flows[f]);
    report_place(c, out);
    report_mode(c, flows[c->kernel->index], out);
    if (!n->list.len)
        return;
    for (uint32_t k = 0; k < n->list.len; k++)
        n->list.data[k].inst = placed(n->list.data[k].inst);
    qsort(n->list.data, n->list.len, sizeof *n->list.data, by_line);
    for (uint32_t k = 0; k < n->list.len; k++) {
        const struct note *x = &n->list.data[k], *before = x - 1;
        bool again = k && before->inst->file == x->inst->file &&
                     before->inst->line == x->inst->line && !strcmp(before->text, x->text);
        if (!again && (all || x->costs))
            strbuf_printf(out, "%s:%u: %c %s\n", file_of(c, x->inst->file), x->inst->line,
                          x->costs ? '-' : '+', x->text);
    }
}
