// Statements of a plan that do not hold.
#include <inttypes.h>
#include <stdio.h>

#include "plan/interp/internal.h"

void plan_broken(struct plan_step *s, const struct interp_thread *t, const struct kir_inst *i,
                 const char *statement, uint64_t own, uint64_t said) {
    struct strbuf text = {0};
    if (s->in->failed)
        return;
    strbuf_printf(&text, "plan of %s, bb%" PRIu32 ": ", s->plan->in.fl->func->name, i->block->id);
    kir_print_inst(i, &text);
    strbuf_printf(&text,
                  ": '%s' does not hold for thread %" PRIu32 " (lane %u): 0x%" PRIx64
                  ", by the plan 0x%" PRIx64 "\n",
                  statement, t->id, plan_lane_of(s, t), own, said);
    if (s->p->tell)
        s->p->tell(strbuf_str(&text));
    else
        fputs(strbuf_str(&text), stderr);
    strbuf_free(&text);
    interp_fault(s->in, t, KD_FAULT_ILLEGAL_INSTRUCTION);
}
