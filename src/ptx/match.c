// Which form of the instruction table an instruction is. Modifiers are matched first, form by
// form; then the operands against each form whose modifiers fit. When none does, the message comes
// from the form that got furthest.
#include <stdio.h>
#include <string.h>

#include "isa/matrix.h"
#include "isa/ops/image.h"
#include "isa/video.h"
#include "ptx/parser.h"

// One form's modifiers matched: what they set, or how far it got.
struct match {
    const struct isa_form *form;
    uint8_t ty, ty2;
    struct isa_mods mods;
    uint8_t choice[PTX_MAX_SLOTS]; // 1 + index; 0: left out
    uint32_t reach;                // offset in the opcode's text up to which modifiers matched
    unsigned slot;                 // the slot that failed
};

// ---- Modifiers ---------------------------------------------------------------------------------

// Does `.word` stand at offset `at` of the opcode's text?
static bool word_at(const struct ptx_token *t, uint32_t at, const char *word) {
    size_t n = strlen(word);
    if (at + 1 + n > t->len || t->text[at] != '.' || memcmp(t->text + at + 1, word, n))
        return false;
    return at + 1 + n == t->len || t->text[at + 1 + n] == '.';
}

// The longest of the slot's words that stands there.
static const struct isa_choice *find_choice(const struct isa_slot *s, const struct ptx_token *t,
                                            uint32_t at) {
    const struct isa_choice *best = NULL;
    for (unsigned i = 0; i < s->nchoices; i++)
        if (word_at(t, at, s->choices[i].text) &&
            (!best || strlen(s->choices[i].text) > strlen(best->text)))
            best = &s->choices[i];
    return best;
}

static bool match_modifiers(struct match *m, const struct isa_form *form,
                            const struct ptx_token *t) {
    *m = (struct match){.form = form, .reach = (uint32_t)strlen(form->opcode)};
    for (unsigned i = 0; i < form->nsets; i++)
        isa_apply(form->sets[i], &m->ty, &m->ty2, &m->mods);
    for (m->slot = 0; m->slot < form->nslots; m->slot++) {
        const struct isa_slot *s = &form->slots[m->slot];
        const struct isa_choice *c = find_choice(s, t, m->reach);
        if (c) {
            isa_apply(c->set, &m->ty, &m->ty2, &m->mods);
            m->choice[m->slot] = (uint8_t)(c - s->choices + 1);
            m->reach += (uint32_t)strlen(c->text) + 1;
        } else if (!s->optional) {
            return false;
        }
    }
    return m->reach == t->len;
}

static bool is_type(const struct isa_slot *s) {
    uint8_t field = s->choices[0].set.field;
    return field == ISA_FIELD_TYPE || field == ISA_FIELD_TYPE2;
}

// Is a type chosen in a slot after this one?
static bool type_follows(const struct match *m, unsigned slot) {
    for (unsigned i = slot + 1; i < m->form->nslots; i++)
        if (m->choice[i] && is_type(&m->form->slots[i]))
            return true;
    return false;
}

// The assembler takes the modifiers before the type in any order (div.ftz.rn.f32); so, when no
// form fits as it is written, does this. A word goes to the first slot that is free and has it.
static bool match_reordered(struct match *m, const struct isa_form *form,
                            const struct ptx_token *t) {
    *m = (struct match){.form = form, .reach = (uint32_t)strlen(form->opcode)};
    for (unsigned i = 0; i < form->nsets; i++)
        isa_apply(form->sets[i], &m->ty, &m->ty2, &m->mods);
    while (m->reach < t->len) {
        const struct isa_choice *c = NULL;
        for (m->slot = 0; m->slot < form->nslots; m->slot++)
            if (!m->choice[m->slot] && !type_follows(m, m->slot) &&
                (c = find_choice(&form->slots[m->slot], t, m->reach)))
                break;
        if (!c)
            return false;
        isa_apply(c->set, &m->ty, &m->ty2, &m->mods);
        m->choice[m->slot] = (uint8_t)(c - form->slots[m->slot].choices + 1);
        m->reach += (uint32_t)strlen(c->text) + 1;
    }
    for (unsigned i = 0; i < form->nslots; i++)
        if (!m->choice[i] && !form->slots[i].optional)
            return false;
    return true;
}

// The words that could have stood where matching ended, without repetition.
static void expected_words(const struct match *m, struct strbuf *out) {
    unsigned first = m->slot;
    while (first > 0 && !m->choice[first - 1])
        first--;
    for (unsigned i = first; i < m->form->nslots; i++) {
        const struct isa_slot *s = &m->form->slots[i];
        for (unsigned k = 0; k < s->nchoices; k++) {
            char word[64];
            snprintf(word, sizeof word, ".%s ", s->choices[k].text);
            if (!out->data || !strstr(out->data, word))
                strbuf_puts(out, word);
        }
        if (!s->optional)
            break;
    }
}

static _Noreturn void modifier_error(struct ptx_parser *p, const struct ptx_token *t, size_t first,
                                     size_t n) {
    struct match m;
    uint32_t reach = 0;
    for (size_t i = 0; i < n; i++) {
        match_modifiers(&m, &isa_forms[first + i], t);
        if (m.reach > reach)
            reach = m.reach;
    }
    struct strbuf words = {0};
    for (size_t i = 0; i < n; i++) {
        match_modifiers(&m, &isa_forms[first + i], t);
        if (m.reach == reach)
            expected_words(&m, &words);
    }
    char list[400];
    snprintf(list, sizeof list, "%s", words.len ? strbuf_str(&words) : "nothing more ");
    list[strlen(list) - 1] = 0;
    strbuf_free(&words);
    struct ptx_pos pos = {t->pos.line, t->pos.col + reach};
    int taken = reach > 100 ? 100 : (int)reach;
    uint32_t end = reach + 1;
    while (end < t->len && t->text[end] != '.')
        end++;
    if (reach < t->len)
        ptx_fail(p, pos, "unexpected '%.*s' after '%.*s'; expected %s",
                 end - reach > 60 ? 60 : (int)(end - reach), t->text + reach, taken, t->text, list);
    ptx_fail(p, pos, "expected a modifier after '%.*s': %s", taken, t->text, list);
}

// ---- Operands ----------------------------------------------------------------------------------

// What a fragment operand consists of, from the modifiers.
static struct isa_fragment fragment_of(const struct match *m, const struct isa_operand_form *f) {
    struct isa_matrix x = isa_matrix_of((isa_op)m->form->op, &m->mods);
    return isa_fragment_of(&x, isa_frag_by_name(f->name));
}

static bool is_bits(enum isa_type t) {
    return t >= ISA_B8 && t <= ISA_B128;
}

static bool is_int(enum isa_type t) {
    return (t >= ISA_U8 && t <= ISA_S64) || t == ISA_U16X2 || t == ISA_S16X2;
}

bool ptx_type_fits(enum isa_type reg, enum isa_type t, bool relaxed) {
    if (reg == t)
        return true;
    if (reg == ISA_PRED || t == ISA_PRED)
        return false;
    unsigned have = isa_type_bits(reg), want = isa_type_bits(t);
    bool wide_enough = relaxed && !isa_type_is_float(reg) ? have >= want : have == want;
    if (!wide_enough)
        return false;
    if (is_bits(reg) || is_bits(t))
        return true;
    if (is_int(reg) && is_int(t))
        return true;
    return reg == ISA_F32 && t == ISA_TF32;
}

// Why an operand does not fit, for the message of the best form.
struct trouble {
    unsigned operand; // 1 + index; 0: their number is wrong
    struct ptx_pos pos;
    char text[256];
};

#define TROUBLE(why, at, ...)                                                                      \
    (snprintf((why)->text, sizeof(why)->text, __VA_ARGS__), (why)->pos = (at), false)

static bool check_register(const struct ptx_operand *o, enum isa_type t, bool relaxed,
                           struct trouble *why) {
    if (o->kind != PTX_OPERAND_REG || o->negated || o->part)
        return TROUBLE(why, o->pos, "expected a register of type .%s", isa_type_name(t));
    if (!ptx_type_fits((enum isa_type)o->reg->type, t, relaxed))
        return TROUBLE(why, o->pos, "expected a register of type .%s, found '%s' of type .%s",
                       isa_type_name(t), o->reg->name, isa_type_name(o->reg->type));
    return true;
}

static bool is_address_type(enum isa_type t) {
    return t == ISA_U64 || t == ISA_S64 || t == ISA_B64 || t == ISA_U32 || t == ISA_S32 ||
           t == ISA_B32;
}

static bool check_source(const struct ptx_operand *o, enum isa_type t, bool relaxed,
                         struct trouble *why) {
    uint64_t bits;
    switch (o->kind) {
    case PTX_OPERAND_IMM:
        if (ptx_constant_bits((struct ptx_constant){.kind = (uint8_t)o->n, .bits = o->imm}, t,
                              &bits))
            return true;
        return TROUBLE(why, o->pos, "expected a constant of type .%s", isa_type_name(t));
    case PTX_OPERAND_SREG:
        if (isa_type_is_float(t) || isa_sreg_bits((enum isa_sreg)o->sreg) < isa_type_bits(t) ||
            (t == ISA_PRED) != (isa_sreg_bits((enum isa_sreg)o->sreg) == 1))
            return TROUBLE(why, o->pos, "'%s' cannot be read as .%s",
                           isa_sreg_name((enum isa_sreg)o->sreg), isa_type_name(t));
        return true;
    case PTX_OPERAND_SYM:
        if (!is_address_type(t))
            return TROUBLE(why, o->pos, "an address cannot stand for a value of type .%s",
                           isa_type_name(t));
        return true;
    case PTX_OPERAND_REG:
        return check_register(o, t, relaxed, why);
    default:
        return TROUBLE(why, o->pos, "expected a register or constant of type .%s",
                       isa_type_name(t));
    }
}

static bool check_vector(const struct ptx_operand *o, unsigned n, enum isa_type t, bool relaxed,
                         bool is_dst, struct trouble *why) {
    if (o->kind != PTX_OPERAND_VEC)
        return TROUBLE(why, o->pos, "expected a vector such as {%%r1, %%r2}");
    if (o->n != n)
        return TROUBLE(why, o->pos, "expected a vector of %u elements, found %u", n, o->n);
    for (unsigned i = 0; i < n; i++) {
        const struct ptx_operand *e = &o->elems[i];
        if (e->kind == PTX_OPERAND_SINK && is_dst)
            continue;
        if (is_dst ? !check_register(e, t, relaxed, why) : !check_source(e, t, relaxed, why))
            return false;
    }
    return true;
}

// mov of a vector: elements of the whole's width divided by their number.
static enum isa_type element_type(enum isa_type whole, unsigned n) {
    switch (n ? isa_type_bits(whole) / n : 0) {
    case 8:
        return ISA_B8;
    case 16:
        return ISA_B16;
    case 32:
        return ISA_B32;
    case 64:
        return ISA_B64;
    default:
        return ISA_VOID;
    }
}

static bool check_packed(const struct match *m, const struct ptx_operand *o, bool is_dst,
                         struct trouble *why) {
    if (o->kind != PTX_OPERAND_VEC)
        return TROUBLE(why, o->pos, "expected a vector such as {%%r1, %%r2}");
    enum isa_type t = element_type((enum isa_type)m->ty, o->n);
    if (t == ISA_VOID || (o->n != 2 && o->n != 4))
        return TROUBLE(why, o->pos, "a vector of %u elements does not make up a .%s", o->n,
                       isa_type_name(m->ty));
    return check_vector(o, o->n, t, false, is_dst, why);
}

static bool check_address(const struct ptx_operand *o, struct trouble *why) {
    if (o->kind != PTX_OPERAND_ADDR && !o->element)
        return TROUBLE(why, o->pos, "expected an address such as [%%rd1+4]");
    if (o->reg && !is_address_type((enum isa_type)o->reg->type))
        return TROUBLE(why, o->pos,
                       "expected a 32- or 64-bit integer register, found '%s' of type "
                       ".%s",
                       o->reg->name, isa_type_name(o->reg->type));
    if (o->func)
        return TROUBLE(why, o->pos, "expected a variable, found function '%s'", o->func->name);
    return true;
}

// A warp's piece of a matrix: as many registers as shape and type ask for. One needs no braces.
static bool check_fragment(const struct match *m, const struct isa_operand_form *f,
                           const struct ptx_operand *o, struct trouble *why) {
    struct isa_fragment g = fragment_of(m, f);
    bool is_dst = f->kind == ISA_OPERAND_FRAG_DST;
    enum isa_type t = (enum isa_type)g.type;
    if (o->kind != PTX_OPERAND_VEC && g.registers == 1)
        return is_dst ? check_register(o, t, false, why) : check_source(o, t, false, why);
    return check_vector(o, g.registers, t, false, is_dst, why);
}

// Layers and samples come first and are integers.
static enum isa_type coordinate_type(const struct match *m, const struct isa_operand_form *f,
                                     unsigned k) {
    bool index = k < isa_geometry((enum isa_mode)m->mods.mode).indices;
    return index ? ISA_U32 : isa_rule_type(f->rule, m->ty, m->ty2);
}

// A register with a handle, or the name of a reference of that kind.
static bool check_handle(const struct ptx_operand *o, uint8_t ref, struct trouble *why) {
    if (o->kind != PTX_OPERAND_SYM)
        return check_register(o, ISA_U64, false, why);
    if (!o->var || o->var->ref != ref || o->offset)
        return TROUBLE(why, o->pos, "expected a register or the name of a .%s", ptx_ref_name(ref));
    return true;
}

static bool is_texture(const struct match *m) {
    return m->form->op == ISA_OP_TEX || m->form->op == ISA_OP_TLD4;
}

// A texture object and as many coordinates as the geometry has. PTX lets 1d have a bare one.
static bool check_texture(const struct match *m, const struct isa_operand_form *f,
                          const struct ptx_operand *o, struct trouble *why) {
    struct isa_geometry g = isa_geometry((enum isa_mode)m->mods.mode);
    if (o->kind != PTX_OPERAND_TEX)
        return TROUBLE(why, o->pos, "expected a texture and coordinates such as [%%rd1, {%%f1}]");
    if (o->n != 1u + g.text)
        return TROUBLE(why, o->pos, "expected %u coordinates, found %u", g.text, o->n - 1);
    if (!check_handle(&o->elems[0], is_texture(m) ? PTX_REF_TEXTURE : PTX_REF_SURFACE, why))
        return false;
    if (o->sampler && !is_texture(m))
        return TROUBLE(why, o->sampler->pos, "surfaces have no sampler");
    if (o->sampler && !check_handle(o->sampler, PTX_REF_SAMPLER, why))
        return false;
    for (unsigned i = 1; i <= g.used; i++)
        if (!check_source(&o->elems[i], coordinate_type(m, f, i - 1), false, why))
            return false;
    return true;
}

// A tensor map and as many coordinates as the tensor has dimensions.
static bool check_tensor(const struct match *m, const struct ptx_operand *o, struct trouble *why) {
    if (o->kind != PTX_OPERAND_TEX)
        return TROUBLE(why, o->pos,
                       "expected a tensor map and coordinates such as [%%rd1, {%%r1}]");
    if (o->n != 1u + m->mods.vec)
        return TROUBLE(why, o->pos, "expected %u coordinates, found %u", m->mods.vec, o->n - 1);
    if (o->sampler)
        return TROUBLE(why, o->sampler->pos, "expected coordinates such as {%%r1}");
    if (!check_source(&o->elems[0], ISA_U64, false, why))
        return false;
    for (unsigned i = 1; i < o->n; i++)
        if (!check_source(&o->elems[i], ISA_S32, false, why))
            return false;
    return true;
}

// An element a dimension, four for three; one need not be a vector.
static bool check_geometry(const struct match *m, const struct isa_operand_form *f,
                           const struct ptx_operand *o, struct trouble *why) {
    unsigned dims = isa_geometry((enum isa_mode)m->mods.mode).dims;
    enum isa_type t = isa_rule_type(f->rule, m->ty, m->ty2);
    if (dims == 1 && o->kind != PTX_OPERAND_VEC)
        return check_source(o, t, false, why);
    return check_vector(o, dims == 3 ? 4 : dims, t, false, false, why);
}

static bool check_pair(const struct match *m, const struct isa_operand_form *f,
                       const struct ptx_operand *o, struct trouble *why) {
    enum isa_type t = isa_rule_type(f->rule, m->ty, m->ty2);
    enum isa_type second = isa_rule_type(f->pair_rule, m->ty, m->ty2);
    if (o->kind != PTX_OPERAND_PAIR) {
        if (!f->pair_optional)
            return TROUBLE(why, o->pos, "expected two results such as %%p1|%%p2");
        return check_register(o, t, false, why);
    }
    bool first =
        f->vec && m->mods.vec
            ? check_vector(&o->elems[0], m->mods.vec, t, m->form->relaxed, true, why)
            : o->elems[0].kind == PTX_OPERAND_SINK || check_register(&o->elems[0], t, false, why);
    return first && (o->elems[1].kind == PTX_OPERAND_SINK ||
                     check_register(&o->elems[1], second, false, why));
}

// Part of a register, and its sign.
static bool check_part(const struct isa_operand_form *f, const struct ptx_operand *o,
                       struct trouble *why) {
    char text[8];
    if (o->part && !isa_part_fits((enum isa_part)f->part, o->part)) {
        isa_part_print(o->part, text);
        return TROUBLE(why, o->pos, "'.%s' cannot be selected here", text);
    }
    if (f->part && !o->part && !f->part_optional)
        return TROUBLE(why, o->pos, "expected part of a register such as %%r1.b0");
    if (o->negated && f->kind == ISA_OPERAND_SRC && (!f->negatable || o->kind != PTX_OPERAND_REG))
        return TROUBLE(why, o->pos, "this operand cannot be negated");
    return true;
}

// {%r1} where a value or a vector may stand, and the instruction says that it is no vector. A mov
// has forms of their own for vectors.
static bool is_lone_element(const struct match *m, const struct isa_operand_form *f,
                            const struct ptx_operand *o) {
    bool may = f->vec || (m->form->op == ISA_OP_MOV && f->kind != ISA_OPERAND_VEC_DST &&
                          f->kind != ISA_OPERAND_VEC_SRC);
    return may && !m->mods.vec && o->kind == PTX_OPERAND_VEC && o->n == 1;
}

static bool check_operand(const struct match *m, const struct isa_operand_form *f,
                          const struct ptx_operand *given, struct trouble *why) {
    struct ptx_operand whole = is_lone_element(m, f, given) ? given->elems[0] : *given, *o = &whole;
    if (!check_part(f, o, why))
        return false;
    if (f->kind == ISA_OPERAND_SRC)
        o->negated = false;
    o->part = 0;
    enum isa_type t = isa_rule_type(f->rule, m->ty, m->ty2);
    bool relaxed = m->form->relaxed;
    bool may_sink = m->form->op == ISA_OP_ATOM || isa_op_info[m->form->op].klass == ISA_CLASS_ASYNC;
    switch (f->kind) {
    case ISA_OPERAND_DST:
        if (f->vec && m->mods.vec)
            return check_vector(o, m->mods.vec, t, relaxed, true, why);
        return (o->kind == PTX_OPERAND_SINK && may_sink) || check_register(o, t, relaxed, why);
    case ISA_OPERAND_SRC:
        if (f->vec && m->mods.vec)
            return check_vector(o, m->mods.vec, t, relaxed, false, why);
        return check_source(o, t, relaxed, why);
    case ISA_OPERAND_PRED:
        if (o->kind == PTX_OPERAND_REG && o->reg->type == ISA_PRED)
            return true;
        return o->kind == PTX_OPERAND_IMM ? check_source(o, ISA_PRED, false, why)
                                          : TROUBLE(why, o->pos, "expected a predicate register");
    case ISA_OPERAND_PAIR:
        return check_pair(m, f, o, why);
    case ISA_OPERAND_ADDR:
        return check_address(o, why);
    case ISA_OPERAND_TEX:
        return check_texture(m, f, o, why);
    case ISA_OPERAND_TENSOR:
        return check_tensor(m, o, why);
    case ISA_OPERAND_IM2COL:
        return check_vector(o, m->mods.scale ? 2 : m->mods.vec - 2u, t, false, false, why);
    case ISA_OPERAND_SELECT:
        return check_vector(o, 2, t, false, false, why);
    case ISA_OPERAND_GEOM:
        return check_geometry(m, f, o, why);
    case ISA_OPERAND_IMM:
        return o->kind == PTX_OPERAND_IMM ? check_source(o, t, false, why)
                                          : TROUBLE(why, o->pos, "expected a constant");
    case ISA_OPERAND_VEC_DST:
    case ISA_OPERAND_VEC_SRC:
        return check_packed(m, o, f->kind == ISA_OPERAND_VEC_DST, why);
    case ISA_OPERAND_FRAG_DST:
    case ISA_OPERAND_FRAG_SRC:
        return check_fragment(m, f, o, why);
    case ISA_OPERAND_POLICY:
        return check_source(o, ISA_B64, false, why);
    default:
        return true; // labels and calls: their parsers have checked them
    }
}

// Pairs operands with the form's: which[i] is the form's operand for operand i. Optional ones are
// taken from the left as long as there are operands for them.
static bool assign(const struct match *m, unsigned nops, uint8_t *which) {
    const struct isa_form *f = m->form;
    unsigned required = 0;
    bool hint = false;
    for (unsigned k = 0; k < f->nslots; k++)
        hint |= m->choice[k] && !strcmp(f->slots[k].choices[0].text, "L2::cache_hint");
    for (unsigned k = 0; k < f->noperands; k++)
        required += !f->operands[k].optional || (hint && f->operands[k].kind == ISA_OPERAND_POLICY);
    if (nops < required)
        return false;
    unsigned spare = nops - required, n = 0;
    for (unsigned k = 0; k < f->noperands; k++) {
        if (f->operands[k].kind == ISA_OPERAND_POLICY && !hint)
            continue;
        bool optional = f->operands[k].optional && f->operands[k].kind != ISA_OPERAND_POLICY;
        if (optional && !spare)
            continue;
        if (n == nops)
            return false;
        spare -= optional;
        which[n++] = (uint8_t)k;
    }
    return n == nops;
}

static bool check_operands(const struct match *m, const struct ptx_inst *i, uint8_t *which,
                           struct trouble *why) {
    const struct isa_form *f = m->form;
    bool is_call = f->noperands && f->operands[0].kind == ISA_OPERAND_CALL;
    if (is_call)
        return true;
    if (!assign(m, i->nops, which)) {
        why->operand = 0;
        return TROUBLE(why, i->pos, "wrong number of operands: %u", i->nops);
    }
    for (unsigned k = 0; k < i->nops; k++) {
        why->operand = k + 1;
        if (!check_operand(m, &f->operands[which[k]], &i->ops[k], why))
            return false;
    }
    return true;
}

// ---- Completing the instruction ----------------------------------------------------------------

static void complete_value(struct ptx_operand *o, enum isa_type t) {
    o->type = (uint8_t)t;
    if (o->kind != PTX_OPERAND_IMM)
        return;
    ptx_constant_bits((struct ptx_constant){.kind = (uint8_t)o->n, .bits = o->imm}, t, &o->imm);
    o->n = 0;
}

static void complete_operand(const struct match *m, const struct isa_operand_form *f,
                             struct ptx_operand *o) {
    enum isa_type t = isa_rule_type(f->rule, m->ty, m->ty2);
    if (f->kind == ISA_OPERAND_ADDR && o->element)
        o->kind = PTX_OPERAND_ADDR;
    if (f->kind == ISA_OPERAND_VEC_DST || f->kind == ISA_OPERAND_VEC_SRC)
        t = element_type((enum isa_type)m->ty, o->n);
    if (f->kind == ISA_OPERAND_FRAG_DST || f->kind == ISA_OPERAND_FRAG_SRC)
        t = (enum isa_type)fragment_of(m, f).type;
    if (f->kind == ISA_OPERAND_PRED)
        t = ISA_PRED;
    if (f->kind == ISA_OPERAND_TENSOR) {
        for (unsigned i = 0; i < o->n; i++)
            complete_value(&o->elems[i], i ? t : ISA_U64);
        return;
    }
    if (f->kind == ISA_OPERAND_TEX) {
        complete_value(&o->elems[0], ISA_U64);
        if (o->sampler)
            complete_value(o->sampler, ISA_U64);
        for (unsigned i = 1; i < o->n; i++)
            complete_value(&o->elems[i], coordinate_type(m, f, i - 1));
        return;
    }
    complete_value(o, t);
    if (o->kind == PTX_OPERAND_PAIR) {
        complete_value(&o->elems[1], isa_rule_type(f->pair_rule, m->ty, m->ty2));
        o = &o->elems[0]; // itself a value, or a vector
        complete_value(o, t);
    }
    for (unsigned i = 0; o->kind == PTX_OPERAND_VEC && i < o->n; i++)
        complete_value(&o->elems[i], t);
}

static void complete(struct ptx_inst *i, const struct match *m, const uint8_t *which) {
    const struct isa_form *f = m->form;
    i->op = f->op;
    i->ty = m->ty;
    i->ty2 = m->ty2;
    i->mods = m->mods;
    i->form = (uint16_t)(f - isa_forms);
    memcpy(i->choice, m->choice, sizeof i->choice);
    unsigned kept = 0;
    for (unsigned k = 0; k < i->nops; k++) {
        const struct isa_operand_form *of = &f->operands[which[k]];
        if (is_lone_element(m, of, &i->ops[k]))
            i->ops[k] = i->ops[k].elems[0];
        complete_operand(m, of, &i->ops[k]);
        bool is_vec = of->kind == ISA_OPERAND_VEC_DST || of->kind == ISA_OPERAND_VEC_SRC;
        if (is_vec)
            i->mods.vec = (uint8_t)i->ops[k].n;
        i->ndst += of->kind == ISA_OPERAND_DST || of->kind == ISA_OPERAND_PAIR ||
                   of->kind == ISA_OPERAND_VEC_DST || of->kind == ISA_OPERAND_FRAG_DST;
        kept += of->kind != ISA_OPERAND_POLICY;
    }
    i->npolicy = (uint8_t)(i->nops - kept);
    i->nops = (uint8_t)kept;
}

static _Noreturn void operand_error(struct ptx_parser *p, const struct ptx_token *t,
                                    const struct ptx_inst *i, const struct trouble *why,
                                    const struct isa_form *form) {
    int shown = t->len > 80 ? 80 : (int)t->len;
    if (!why->operand)
        ptx_fail(p, t->pos, "wrong number of operands (%u) for '%.*s'; expected %s", i->nops, shown,
                 t->text, form->text);
    ptx_fail(p, why->pos, "operand %u of '%.*s': %s", why->operand, shown, t->text, why->text);
}

static bool further(struct ptx_pos a, struct ptx_pos b) {
    return a.line > b.line || (a.line == b.line && a.col > b.col);
}

// What has been found among an opcode's forms.
struct search {
    const struct isa_form *best; // of those whose modifiers fit
    struct trouble trouble;      // why its operands do not
};

static bool
try_forms(struct search *s, const struct ptx_token *t, struct ptx_inst *i, size_t first, size_t n,
          bool (*match)(struct match *, const struct isa_form *, const struct ptx_token *)) {
    for (size_t k = 0; k < n; k++) {
        struct match m;
        struct trouble why = {0};
        uint8_t which[PTX_MAX_OPERANDS] = {0};
        if (!match(&m, &isa_forms[first + k], t))
            continue;
        if (check_operands(&m, i, which, &why)) {
            complete(i, &m, which);
            return true;
        }
        if (!s->best || why.operand > s->trouble.operand ||
            (why.operand == s->trouble.operand && further(why.pos, s->trouble.pos))) {
            s->best = m.form;
            s->trouble = why;
        }
    }
    return false;
}

void ptx_match(struct ptx_parser *p, const struct ptx_token *t, struct ptx_inst *i) {
    size_t word = 0, first;
    while (word < t->len && t->text[word] != '.')
        word++;
    size_t n = isa_find_forms(t->text, word, &first);
    struct search s = {0};
    if (try_forms(&s, t, i, first, n, match_modifiers))
        return;
    if (!s.best && try_forms(&s, t, i, first, n, match_reordered))
        return;
    if (!s.best)
        modifier_error(p, t, first, n);
    operand_error(p, t, i, &s.trouble, s.best);
}
