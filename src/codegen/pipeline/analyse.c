// The analyses of all functions of a kernel, at one width.
#include "codegen/pipeline/analyse.h"

#include <stdio.h>

#include "codegen/pipeline/traits.h"
#include "passes/flow/call_shapes.h"
#include "passes/flow/waiting.h"
#include "support/debug.h"

static bool calls_die(struct cg *c, struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CALL &&
                (i->callee ? c->can_exit[i->callee->index] : c->pointers_exit))
                return true;
    return false;
}

static struct flow *analyse(struct cg *c, struct kir_func *f) {
    bool parks = c->parks && f == c->kernel;
    struct flow *fl =
        flow_analyse(c->arena, f, c->width, c->team, &c->spec, parks || calls_die(c, f), c->calls);
    fl->parks = parks;
    return fl;
}

// Every needed function at c->width, until what is taken to be uniform in calls is so.
static void analyse_needed(struct cg *c, struct flow **fl) {
    struct call_shapes *s = call_shapes_new(c->arena, c->ir, c->needed, c->address_taken);
    c->calls = s;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t n = 0; n < c->ir->funcs.len; n++) {
            struct kir_func *f = c->ir->funcs.data[n];
            if (!c->needed[n] || f->is_extern || !s->stale[n])
                continue;
            s->stale[n] = 0;
            fl[n] = analyse(c, f);
            call_shapes_narrow(s, fl[n]);
            again = true;
        }
    }
}

void because(struct cg *c, const char *why, const struct kir_inst *at) {
    c->why_stacks = why;
    c->stacks_at = at;
}

bool analyse_all(struct pipeline *p) {
    struct cg *c = p->c;
    struct flow **fl = p->fl;
    bool independent = true;
    // Whoever asks about a phase does so until it has ended, here or in a caller.
    p->waits = traits_of(c).mbarrier_wait;
    analyse_needed(c, fl);
    for (uint32_t n = 0; n < c->ir->funcs.len; n++) {
        if (!c->needed[n] || c->ir->funcs.data[n]->is_extern)
            continue;
        waiting_find(fl[n]);
        p->waits |= waiting_any(fl[n]);
        // A function may be called with some lanes; then a barrier in it meets pending ones.
        const struct kir_inst *dependent = c->width > 1 ? waiting_dependent(fl[n]) : NULL;
        if (dependent && independent)
            because(c, "threads of one warp may have to wait for each other", dependent);
        independent &= !dependent;
    }
    return independent;
}

void debug_masks(const struct cg *c, const struct flow *fl) {
    if (!debug_on("mask"))
        return;
    static const char *const modes[] = {"block", "warp stacks", "thread stacks", "interpreter"};
    fprintf(stderr, "kudzu: %s: mode %s, width %u, team of %u\n", c->kernel->name, modes[c->mode],
            c->width, c->team);
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        struct kir_block *b = fl->cfg->order[p];
        fprintf(stderr, "  block %u%s%s%s ->", b->id, fl->full[b->id] ? " full" : "",
                fl->join[b->id] ? " join" : "", fl->divergent[b->id] ? " divergent" : "");
        for (uint32_t k = 0; k < b->last->ntargets; k++)
            fprintf(stderr, " %u%s", b->last->targets[k]->id,
                    fl->deferred[b->id][k] ? " (deferred)" : "");
        fputc('\n', stderr);
    }
}
