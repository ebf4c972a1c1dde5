// See cases.h.
#include "cases.h"
#include "isa/ops/cluster.h"
#include "isa/ops/integer.h"
#include "isa/ops/logic.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned hw_register_bits(enum isa_type t) {
    unsigned bits = isa_type_bits(t);
    return bits == 8 ? 32 : bits;
}

bool hw_is_approximate(const struct hw_case *c) {
    return c->mods.approx || c->mods.full;
}

static bool is_known(const struct hw_cases *out, const char *text) {
    for (unsigned k = out->count; k-- > 0;) {
        const char *other = out->data[k].text;
        if (!strcmp(other, text))
            return true;
        if (strncmp(other, text, 3)) // forms of one opcode stand together
            return false;
    }
    return false;
}

static void append(struct hw_cases *out, const struct hw_case *c) {
    if (is_known(out, c->text))
        return;
    if (out->count == out->capacity) {
        out->capacity = out->capacity ? 2 * out->capacity : 1024;
        out->data = realloc(out->data, out->capacity * sizeof *out->data);
        if (!out->data)
            abort();
    }
    out->data[out->count++] = *c;
}

static void add_text(struct hw_case *c, const char *text) {
    size_t at = strlen(c->text);
    snprintf(c->text + at, sizeof c->text - at, "%s", text);
}

static struct hw_register *add_register(struct hw_register *list, unsigned *count, const char *name,
                                        enum isa_type t) {
    struct hw_register *r = &list[(*count)++];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->type = (uint8_t)t;
    return r;
}

static void add_source(struct hw_case *c, const char *name, enum isa_type t) {
    add_register(c->sources, &c->nsources, name, t);
}

static void add_result(struct hw_case *c, const char *name, enum isa_type t) {
    add_register(c->results, &c->nresults, name, t);
}

// {a0, a1, ...}: mov's elements.
static void add_elements(struct hw_case *c, const char *name, bool is_result) {
    static const uint8_t types[] = {[16] = ISA_B16, [32] = ISA_B32, [64] = ISA_B64};
    unsigned n = c->mods.vec;
    enum isa_type t = (enum isa_type)types[isa_type_bits((enum isa_type)c->ty) / n];
    add_text(c, "{");
    for (unsigned k = 0; k < n; k++) {
        char element[16];
        snprintf(element, sizeof element, "%s%u", name, k);
        add_text(c, k ? ", %" : "%");
        add_text(c, element);
        if (is_result)
            add_result(c, element, t);
        else
            add_source(c, element, t);
    }
    add_text(c, "}");
}

static void add_immediate(struct hw_case *c) {
    char text[16];
    snprintf(text, sizeof text, "%u", c->immediate);
    add_text(c, text);
    c->has_immediate = true;
    c->immediate_at = c->nsources;
}

// The part of a register that an operand of a video instruction is: they take turns.
static void add_part(struct hw_case *c, const struct isa_operand_form *o, unsigned turn) {
    static const char *const parts[][6] = {
        [ISA_PART_SEL] = {"b0", "h1", "b3", "h0", "b1", "b2"},
        [ISA_PART_HSEL] = {"h10", "h32", "h01", "h23", "h12", "h30"},
        [ISA_PART_BSEL] = {"b3210", "b7654", "b0123", "b6420", "b1357", "b5555"},
        [ISA_PART_HMASK] = {"h10", "h0", "h1", "h10", "h0", "h1"},
        [ISA_PART_BMASK] = {"b3210", "b0", "b31", "b210", "b2", "b30"},
    };
    unsigned slot = c->nresults && !c->nsources ? 2 : c->nsources - 1;
    const char *part = parts[o->part][(turn / 2 + 2 * slot) % 6];
    if (slot > 2 || (o->part_optional && (turn + slot) % 4 == 0))
        return;
    add_text(c, ".");
    add_text(c, part);
    c->video.part[slot] = isa_part_parse(part, strlen(part));
}

// Comparisons of 16-bit floats have no second result on hardware.
static bool has_second_result(const struct hw_case *c) {
    return c->op != ISA_OP_SETP || (c->ty != ISA_F16 && c->ty != ISA_BF16);
}

static void add_operand(struct hw_case *c, const struct isa_operand_form *o, unsigned turn) {
    enum isa_type t = isa_rule_type(o->rule, (enum isa_type)c->ty, (enum isa_type)c->ty2);
    if (o->kind == ISA_OPERAND_VEC_DST || o->kind == ISA_OPERAND_VEC_SRC) {
        add_elements(c, o->name, o->kind == ISA_OPERAND_VEC_DST);
        return;
    }
    if (o->kind == ISA_OPERAND_IMM) {
        add_immediate(c);
        return;
    }
    if (o->negatable && (turn >> c->nsources & 1)) {
        c->video.negated[c->nsources] = true;
        add_text(c, "-");
    }
    add_text(c, o->kind == ISA_OPERAND_ADDR ? "[%address]" : "%");
    if (o->kind == ISA_OPERAND_ADDR)
        return;
    add_text(c, o->name);
    if (o->kind != ISA_OPERAND_DST && o->kind != ISA_OPERAND_PAIR)
        add_source(c, o->name, t);
    else
        add_result(c, o->name, t);
    if (o->part)
        add_part(c, o, turn);
    if (o->kind == ISA_OPERAND_PAIR && has_second_result(c)) {
        const char *second = c->op == ISA_OP_SETP ? "q" : "p";
        add_text(c, "|%");
        add_text(c, second);
        add_result(c, second,
                   isa_rule_type(o->pair_rule, (enum isa_type)c->ty, (enum isa_type)c->ty2));
    }
}

// What a kernel of this kind reads and writes besides the instruction's own operands.
static void add_state(struct hw_case *c) {
    if (c->op == ISA_OP_ADDC || c->op == ISA_OP_SUBC || c->op == ISA_OP_MADC) {
        add_source(c, "carry_in", ISA_PRED);
        c->carry_in = true;
    }
    if (c->mods.cc)
        add_result(c, "carry_out", ISA_PRED);
    if (c->kind == HW_ATOMIC) {
        add_source(c, "before", (enum isa_type)c->ty);
        add_result(c, "after", (enum isa_type)c->ty);
    }
}

// The choice of parts hangs on the instruction alone, so that others in the table do not change it.
static unsigned turn_of(const char *text, unsigned variant) {
    unsigned h = 0;
    for (; *text; text++)
        h = h * 31 + (unsigned char)*text;
    return h % 7919 + variant;
}

static void finish(struct hw_cases *out, const struct isa_form *f, const struct hw_case *so_far,
                   unsigned variant) {
    struct hw_case c = *so_far;
    unsigned turn = turn_of(c.text, variant);
    for (unsigned k = 0; k < f->noperands; k++) {
        if (f->operands[k].kind == ISA_OPERAND_POLICY)
            continue;
        add_text(&c, k ? ", " : " ");
        add_operand(&c, &f->operands[k], turn);
    }
    add_text(&c, ";");
    add_state(&c);
    if (c.nresults)
        append(out, &c);
}

static void finish_immediates(struct hw_cases *out, const struct isa_form *f,
                              const struct hw_case *so_far) {
    struct hw_case c = *so_far;
    bool wide = c.op == ISA_OP_LOP3 && !c.mods.boolop;
    for (c.immediate = 0; c.immediate < 256; c.immediate += wide ? 1 : 37)
        finish(out, f, &c, 0);
}

static void finish_elements(struct hw_cases *out, const struct isa_form *f,
                            const struct hw_case *so_far) {
    struct hw_case c = *so_far;
    unsigned bits = isa_type_bits((enum isa_type)c.ty);
    for (unsigned n = 2; n <= 4; n *= 2)
        if (bits / n >= 16 && bits / n <= 64) {
            c.mods.vec = (uint8_t)n;
            finish(out, f, &c, 0);
        }
}

static bool has_operand(const struct isa_form *f, enum isa_operand_kind kind) {
    for (unsigned k = 0; k < f->noperands; k++)
        if (f->operands[k].kind == kind)
            return true;
    return false;
}

// Orders and scopes make no difference to one thread, hints none at all.
static bool is_skipped_slot(const struct hw_case *c, const struct isa_slot *s) {
    static const char *const skipped[] = {"relaxed", "cta", "L2::cache_hint"};
    for (unsigned k = 0; c->kind == HW_ATOMIC && k < sizeof skipped / sizeof *skipped; k++)
        if (!strcmp(s->choices[0].text, skipped[k]))
            return true;
    return false;
}

static bool is_skipped_choice(const struct hw_case *c, const char *text) {
    return c->kind == HW_ATOMIC && !strncmp(text, "shared::", 8);
}

static void expand(struct hw_cases *out, const struct isa_form *f, unsigned slot,
                   const struct hw_case *so_far) {
    if (slot == f->nslots) {
        if (has_operand(f, ISA_OPERAND_IMM))
            finish_immediates(out, f, so_far);
        else if (has_operand(f, ISA_OPERAND_VEC_SRC) || has_operand(f, ISA_OPERAND_VEC_DST))
            finish_elements(out, f, so_far);
        else
            for (unsigned k = 0; k < (isa_is_video((isa_op)so_far->op) ? 3 : 1); k++)
                finish(out, f, so_far, k);
        return;
    }
    const struct isa_slot *s = &f->slots[slot];
    bool is_space = so_far->kind == HW_ATOMIC && !strcmp(s->choices[0].text, "global");
    if (s->optional && !is_space)
        expand(out, f, slot + 1, so_far);
    if (is_skipped_slot(so_far, s))
        return;
    for (unsigned k = 0; k < s->nchoices; k++) {
        struct hw_case c = *so_far;
        if (is_skipped_choice(&c, s->choices[k].text))
            continue;
        isa_apply(s->choices[k].set, &c.ty, &c.ty2, &c.mods);
        if (c.kind == HW_ATOMIC && c.mods.vec) // not recorded
            continue;
        add_text(&c, ".");
        add_text(&c, s->choices[k].text);
        expand(out, f, slot + 1, &c);
    }
}

// Is the form recorded, and as what?
static bool kind_of(const struct isa_form *f, enum hw_kind *kind) {
    switch (isa_op_info[f->op].klass) {
    case ISA_CLASS_POINTWISE:
        *kind = HW_POINTWISE; // not what hangs on where memory lies
        return f->op != ISA_OP_CVTA && f->op != ISA_OP_ISSPACEP && f->op != ISA_OP_MAPA &&
               f->op != ISA_OP_GETCTARANK;
    case ISA_CLASS_WARP:
        *kind = HW_WARP; // without a mask: refused from sm_70 on
        return f->noperands && !strcmp(f->operands[f->noperands - 1].name, "membermask");
    default:
        *kind = HW_ATOMIC;
        return f->op == ISA_OP_ATOM || f->op == ISA_OP_RED;
    }
}

void hw_cases_make(struct hw_cases *out) {
    *out = (struct hw_cases){0};
    for (size_t n = 0; n < isa_form_count; n++) {
        const struct isa_form *f = &isa_forms[n];
        struct hw_case c = {.op = f->op, .ptx = f->ptx, .sm = f->sm};
        if (!kind_of(f, &c.kind))
            continue;
        snprintf(c.text, sizeof c.text, "%s", f->opcode);
        for (unsigned k = 0; k < f->nsets; k++)
            isa_apply(f->sets[k], &c.ty, &c.ty2, &c.mods);
        expand(out, f, 0, &c);
    }
}

void hw_cases_free(struct hw_cases *c) {
    free(c->data);
}
