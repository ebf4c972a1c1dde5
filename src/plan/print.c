// The text form of a plan. A block has its mask behind its number, an instruction what is planned
// for it behind `//`:
//
//     plan add width 16 team 1
//     bb2 block:
//         %9:f32 = ld:f32 {space=global} %8 // is vector | under block | access line
//
// `streams` behind the team says that stores may go past the caches. `is` has a representation for
// each result, `under` the lanes that act, `access` the kind with its number of lanes or
// components, and what else is known of it.
#include <inttypes.h>

#include "plan/plan.h"
#include "plan/words.h"

static void print_results(const struct plan *p, const struct kir_inst *i, struct strbuf *out) {
    for (uint32_t r = 0; r < i->nres; r++) {
        const struct plan_value *v = &p->values[i->res[r]->id];
        const char *shared = plan_sharing_words[v->sharing];
        strbuf_printf(out, "%s%s%s%s", r ? ", " : " is ", plan_form_words[v->form],
                      *shared ? " " : "", shared);
    }
}

// Parts with factors, then the constant.
static void print_sum(const struct affine_form *x, struct strbuf *out) {
    for (unsigned k = 0; k < x->n; k++) {
        const struct affine_term *t = &x->term[k];
        strbuf_printf(out, "%s %" PRId64, k ? " plus" : "", t->times);
        for (unsigned m = 0; m < AFFINE_FACTORS && t->factor[m]; m++)
            strbuf_printf(out, " by %s%%%" PRIu32, t->by_zeros[m] ? "u32 " : "", t->factor[m]->id);
    }
    if (x->constant)
        strbuf_printf(out, " plus %" PRId64, x->constant);
}

static void print_step(const struct lane_step *s, struct strbuf *out) {
    strbuf_puts(out, " step");
    print_sum(&s->by, out);
    if (!s->narrow)
        return;
    strbuf_puts(out, " narrow");
    print_sum(&s->narrow_by, out);
    strbuf_printf(out, " of %%%" PRIu32 " %s", s->narrow->id,
                  s->narrow_signed ? "signed" : "unsigned");
}

static void print_access(const struct plan_access *a, struct strbuf *out) {
    strbuf_printf(out, "access %s", plan_kind_words[a->kind]);
    if (a->n)
        strbuf_printf(out, " %u", a->n);
    if (a->same)
        strbuf_printf(out, " same 0x%" PRIx32, a->same);
    for (unsigned k = 0; k < PLAN_FLAGS; k++)
        if (*(const bool *)((const char *)a + plan_flags[k].offset))
            strbuf_printf(out, " %s", plan_flags[k].word);
    if (a->row)
        strbuf_puts(out, a->last ? " row last" : " row");
    if (a->beside)
        strbuf_puts(out, a->leads ? " beside leads" : " beside");
    if (a->window.chunks)
        strbuf_printf(out, " window %" PRId64 " %" PRId64 " n %u chunks %u members %u",
                      a->window.lo, a->window.bytes, a->window.n, a->window.chunks,
                      a->window.members);
    if (a->words)
        strbuf_printf(out, " words %" PRId64 " n %u", a->words_lo, a->words);
    if (a->kind == PLAN_STEPS)
        print_step(&a->step, out);
}

static void print_operation(const struct plan *p, const struct kir_inst *i, struct strbuf *out) {
    const struct plan_access *a = plan_access_of(p, i);
    strbuf_puts(out, "    ");
    kir_print_inst(i, out);
    if (i->nres || plan_has_mask(i))
        strbuf_puts(out, " //");
    print_results(p, i, out);
    if (plan_has_mask(i)) {
        strbuf_puts(out, i->nres ? " | under " : " under ");
        if (a && a->lane >= 0)
            strbuf_printf(out, "lane %d", a->lane);
        else
            strbuf_puts(out, plan_mask_words[p->masks[i->block->id]]);
    }
    if (a) {
        strbuf_puts(out, " | ");
        print_access(a, out);
    }
    strbuf_puts(out, "\n");
}

void plan_print(const struct plan *p, struct strbuf *out) {
    const struct flow *fl = p->in.fl;
    strbuf_printf(out, "plan %s width %u team %u%s\n", fl->func->name, fl->width, fl->team,
                  p->streams ? " streams" : "");
    for (uint32_t k = 0; k < fl->cfg->nblocks; k++) {
        const struct kir_block *b = fl->cfg->order[k];
        strbuf_printf(out, "bb%" PRIu32 " %s:\n", b->id, plan_mask_words[p->masks[b->id]]);
        for (const struct kir_inst *i = b->first; i; i = i->next)
            print_operation(p, i, out);
    }
}
