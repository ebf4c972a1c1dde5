// A line for each number:
//
//     %9 = 4 * tid.x + u32 %3 * ctaid.x + 16, 16 to 1036, zeros 2, base param 8
//
// Factors that threads are told or that are parameters stand by their names, others by the value's
// number, with u32 before it where that is unsigned. `window` is that of the form; from where to
// where it lies, how many low bits are zero, and the pointer that it is an address by follow where
// they are known.
#include <inttypes.h>

#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "passes/affine/affine.h"
#include "passes/analysis/alignment.h"

// A kernel's parameter that stands at a place of its own.
static bool is_parameter(const struct kir_value *v, int64_t *at) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    if (!i || i->op != ISA_OP_LD || i->mods.space != ISA_SPACE_PARAM || i->nres != 1 ||
        i->ops[0]->kind != KIR_VALUE_INST || i->ops[0]->def->op != ISA_OP_SYMADDR)
        return false;
    const struct kir_inst *s = i->ops[0]->def;
    *at = (int64_t)s->sym->offset + s->offset + i->offset;
    return true;
}

static void print_name(const struct kir_value *v, struct strbuf *out) {
    int64_t at;
    if (v->kind != KIR_VALUE_INST)
        strbuf_puts(out, v->kind == KIR_VALUE_UNDEF ? "undef" : "constant");
    else if (v->def->op == ISA_OP_SREG)
        strbuf_puts(out, isa_sreg_name((enum isa_sreg)v->def->sreg) + 1);
    else if (is_parameter(v, &at))
        strbuf_printf(out, "param %" PRId64, at);
    else
        strbuf_printf(out, "%%%" PRIu32, v->id);
}

static void print_form(const struct affine_form *x, struct strbuf *out) {
    for (unsigned k = 0; k < x->n; k++) {
        strbuf_puts(out, k ? " + " : "");
        if (x->term[k].times != 1)
            strbuf_printf(out, "%" PRId64 " * ", x->term[k].times);
        for (unsigned m = 0; m < AFFINE_FACTORS && x->term[k].factor[m]; m++) {
            strbuf_puts(out, m ? " * " : "");
            strbuf_puts(out, x->term[k].by_zeros[m] ? "u32 " : "");
            print_name(x->term[k].factor[m], out);
        }
    }
    if (x->constant || !x->n)
        strbuf_printf(out, "%s%" PRId64, x->n ? " + " : "", x->constant);
    strbuf_puts(out, x->window ? ", window" : "");
}

static void print_value(const struct affine *f, const struct kir_value *v, struct strbuf *out) {
    struct affine_term own;
    struct affine_form x = affine_form_of(f, v, &own);
    struct number_range r = number_range_of(f->range, v);
    const struct kir_value *base = affine_base(f, v);
    unsigned zeros = alignment_zeros(f->zeros, v);
    strbuf_printf(out, "%%%" PRIu32 " = ", v->id);
    print_form(&x, out);
    if (r.known)
        strbuf_printf(out, ", %" PRId64 " to %" PRId64, r.lo, r.hi);
    if (zeros)
        strbuf_printf(out, ", zeros %u", zeros);
    if (base) {
        strbuf_puts(out, ", base ");
        print_name(base, out);
    }
    strbuf_puts(out, "\n");
}

void affine_print(const struct affine *f, struct strbuf *out) {
    for (uint32_t p = 0; p < f->cfg->nblocks; p++)
        for (const struct kir_inst *i = f->cfg->order[p]->first; i; i = i->next)
            for (uint32_t r = 0; r < i->nres; r++)
                if (i->res[r]->type == KIR_B32 || i->res[r]->type == KIR_B64)
                    print_value(f, i->res[r], out);
}
