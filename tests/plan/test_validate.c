// The plan's validator and parser: one plan, and for each rule a change that breaks it.
#include <stdio.h>
#include <string.h>

#include "planned.h"

static int failures;

// A store of neighbours that some lanes make, a load of every third word, one at a distance that
// the launch knows, one of its own place a lane, and one that is whole.
static const char body[] =
    "mul.wide.u32 %w0, %t, 12; add.s64 %w1, %a, %w0; ld.global.u32 %x0, [%w1];"
    "cvt.s64.s32 %w2, %n; cvt.u64.u32 %w3, %t; mul.lo.s64 %w4, %w2, %w3; add.s64 %w5, %b, %w4;"
    "ld.global.u32 %x1, [%w5]; mul.wide.u32 %w6, %x1, 4; add.s64 %w7, %a, %w6;"
    "ld.global.u32 %x2, [%w7]; add.u32 %x0, %x0, %x1; add.u32 %x0, %x0, %x2; "
    "ld.volatile.global.v2.u32 {%x3, %x4}, [%w7];"
    "add.u32 %x0, %x0, %x3; add.u32 %x0, %x0, %x4;"
    "setp.ge.u32 %p, %t, %n; @%p bra out;"
    "mul.wide.u32 %w8, %t, 4; add.s64 %w9, %b, %w8; st.global.u32 [%w9], %x0;"
    "mul.wide.u32 %w10, %t, 2; add.s64 %w11, %b, %w10;"
    "st.global.u8 [%w11+256], %x0; st.global.u8 [%w11+257], %n;"
    "mul.wide.u32 %w12, %t, 32; add.s64 %w13, %b, %w12;"
    "st.global.v4.u32 [%w13+512], {%n, %t, %n, %t}; st.global.v4.u32 [%w13+528], {%n, %t, %n, %t}; "
    "out:";
enum {
    STRIDED,
    STEPS,
    EACH,
    WHOLE,
    LINE,
    FIRST,
    LAST,
    LEADS,
    SECOND
}; // its accesses of global memory

static struct plan_access *access_of(struct plan *p, unsigned n) {
    for (uint32_t k = 0; k < p->accesses.len; k++)
        if (p->accesses.data[k]->inst->mods.space == ISA_SPACE_GLOBAL && !n--)
            return p->accesses.data[k];
    return NULL;
}

// Whether the plan, after a change, is refused with this in the message.
static void refused(struct plan *p, const char *message) {
    struct strbuf err = {0};
    if (plan_validate(p, &err) || !strstr(strbuf_str(&err), message)) {
        printf("'%s' is not refused: %s\n", message, strbuf_str(&err));
        failures++;
    }
    strbuf_free(&err);
}

#define BREAK(n, change, message)                                                                  \
    do {                                                                                           \
        struct plan_access *a = access_of(p, n), old = *a;                                         \
        change;                                                                                    \
        refused(p, message);                                                                       \
        *a = old;                                                                                  \
    } while (0)

static void break_accesses(struct plan *p) {
    BREAK(EACH, a->kind = PLAN_ONE, "places of their own");
    BREAK(EACH, a->kind = PLAN_LINE, "no constant offsets");
    BREAK(EACH, a->kind = PLAN_STEPS, "steps have a distance");
    BREAK(EACH, a->whole = true, "another access's plan");
    BREAK(EACH, (a->kind = PLAN_RUNS, a->n = 3), "equal parts of a group");
    BREAK(EACH, (a->kind = PLAN_RUNS, a->n = 4, a->guess = true), "a guess is tested");
    BREAK(EACH, (a->kind = PLAN_RUNS, a->n = 4, a->same = 1), "one place each, or none");
    BREAK(EACH, a->in_block = true, "not all lanes' places");
    BREAK(EACH, a->by_page = true, "only neighbours");
    BREAK(EACH, a->lane = 16, "no such lane");
    BREAK(EACH, a->count = 2, "another access's plan");
    BREAK(WHOLE, (a->kind = PLAN_RUNS, a->n = 4), "taken apart");
    BREAK(LINE, a->kind = PLAN_RUNS, "constant offsets are known");
    BREAK(LINE, a->n = 8, "a number is there");
    BREAK(LINE, (a->kind = PLAN_PIECES, a->n = 8, a->same = 1), "do not follow");
    BREAK(LINE, (a->kind = PLAN_STRIDED, a->n = 2), "no such distance");
    BREAK(STRIDED, a->kind = PLAN_LINE, "do not follow");
    BREAK(STRIDED, a->window.lo = 4, "not in its window");
    BREAK(STRIDED, a->window.chunks = 2, "too few chunks");
    BREAK(EACH, (a->words = 3, a->words_lo = 0), "a power of two");
    BREAK(EACH, (a->words = 2, a->words_lo = 4), "not in its words");
    BREAK(EACH, (a->words = 2, a->words_lo = -8), "not in its words");
    BREAK(LINE, (a->words = 2, a->words_lo = 0), "not in its words");
    BREAK(STEPS, a->step.by.n = 0, "steps have a distance");
    BREAK(FIRST, a->row = access_of(p, LINE), "no part of its row");
    BREAK(LINE, a->lone = true, "lone");
    BREAK(LINE, a->past = true, "may not be late");
    BREAK(LEADS, a->leads = false, "beside it");
    BREAK(SECOND, a->beside = a, "beside it");
}

static void break_results(struct plan *p) {
    const struct kir_inst *line = access_of(p, LINE)->inst, *each = access_of(p, EACH)->inst;
    struct plan_value *address = &p->values[line->ops[0]->id],
                      *loaded = &p->values[each->res[0]->id],
                      *base = &p->values[p->accesses.data[0]->inst->res[0]->id], old = *address;
    address->form = PLAN_SCALAR;
    refused(p, "the same in all lanes");
    *address = old;
    loaded->form = PLAN_OFFSETS;
    refused(p, "no such offsets");
    loaded->form = PLAN_VECTOR;
    base->form = PLAN_VECTOR;
    refused(p, "the same in all lanes");
    base->form = PLAN_SCALAR;
    base->sharing = PLAN_SHARED;
    refused(p, "no team");
    base->sharing = PLAN_OWN;
    uint8_t *mask = &p->masks[line->block->id];
    *mask = PLAN_ALL;
    refused(p, "has no mask");
    *mask = PLAN_BLOCK;
}

// Whether the text, with `from` replaced, is read; to: what is then printed, NULL: nothing is.
static void reads(const struct plan *p, const char *from, const char *to, bool ok) {
    struct arena a = {0};
    struct strbuf out = {0}, err = {0}, text = {0}, again = {0};
    plan_print(p, &out);
    const char *at = strstr(strbuf_str(&out), from);
    if (at) {
        strbuf_append(&text, out.data, (size_t)(at - out.data));
        strbuf_puts(&text, to);
        strbuf_puts(&text, at + strlen(from));
    }
    struct plan *back = at ? plan_parse(&a, &p->in, strbuf_str(&text), &err) : NULL;
    if (back)
        plan_print(back, &again);
    if (!at || (back != NULL) != ok || (ok && strcmp(strbuf_str(&text), strbuf_str(&again)) != 0)) {
        printf("'%s' for '%s': %s\n%s", to, from, strbuf_str(&err), strbuf_str(&out));
        failures++;
    }
    strbuf_free(&out);
    strbuf_free(&err);
    strbuf_free(&text);
    strbuf_free(&again);
    arena_free(&a);
}

static void texts(const struct plan *p) {
    reads(p, "access line", "access line", true);
    reads(p, "access line", "access each", true);
    reads(p, "access line", "access runs 8 same 0x3 tested guess", true);
    reads(p, "access line", "access", false);
    reads(p, "access line", "access ring", false);
    reads(p, "access line", "access line 2 of", false);
    reads(p, "access line", "excess line", false);
    reads(p, "window 0 184", "window 0", false);
    reads(p, "access each\n", "access each words 0 n 2\n", true);
    reads(p, "access each\n", "access each words 0\n", false);
    reads(p, "access each\n", "access each words 0 n 256\n", false);
    reads(p, "under block | access line", "under lane 5 | access line", true);
    reads(p, "under block", "under lane 32", false);
    reads(p, "under block", "under all", false);
    reads(p, " row last", "", false);
    reads(p, " row last", " row", false);
    reads(p, "access line", "access line row", false);
    reads(p, " beside leads", " beside", false);
    reads(p, "is scalar", "is vector shared", true);
    reads(p, "is scalar", "is", false);
    reads(p, "is scalar", "is scalar, scalar", false);
    reads(p, "step 1 by %", "step 1 by %99999", false);
    reads(p, "step 1 by %", "step by %", false);
    reads(p, "step 1 by %", "step 2 by %5 plus 4 by u32 %", true);
    reads(p, "step 1 by %", "step 4 plus by %", false);
    reads(p, "bb0 all:", "bb0 none:", false);
    reads(p, "bb0 all:", "bb1 all:", false);
    reads(p, "width 16", "width 8", false);
    reads(p, "team 1", "team 1 streams", true);
    reads(p, "team 1", "team 1 flows", false);
    reads(p, "    ret:void\n", "", false);
    reads(p, "    ret:void\n", "    ret:void\n    ret:void\n", false);
}

int main(void) {
    struct planned p;
    struct strbuf err = {0};
    planned_body(&p, body, &(struct planned_for){0});
    if (!plan_validate(p.plan, &err)) {
        printf("a plan as it is built: %s", strbuf_str(&err));
        failures++;
    }
    break_accesses(p.plan);
    break_results(p.plan);
    texts(p.plan);
    if (!plan_validate(p.plan, &err)) {
        printf("all is as it was: %s", strbuf_str(&err));
        failures++;
    }
    strbuf_free(&err);
    planned_end(&p);
    if (!failures)
        puts("validate: ok");
    return failures != 0;
}
