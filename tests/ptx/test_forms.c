// Every form of the instruction table, written out: with each choice of each modifier once, with
// and without what may be left out. All must parse, verify and print as they were written.
#include <stdio.h>
#include <string.h>

#include "isa/grammar.h"
#include "isa/matrix.h"
#include "ptx/ast.h"

static unsigned failures, lines;
static bool only_list; // write the lines, for tests of what comes after the parser

// A register, or a constant where there must be one, that fits the type.
static const char *operand_of(enum isa_type t, bool constant) {
    if (constant)
        return "1";
    switch (t) {
    case ISA_PRED:
        return "p1";
    case ISA_F32:
        return "f1";
    case ISA_F64:
        return "d1";
    default:
        break;
    }
    switch (isa_type_bits(t)) {
    case 8:
        return "c1";
    case 16:
        return "h1";
    case 64:
        return "l1";
    case 128:
        return "q1";
    default:
        return "r1";
    }
}

static void write_vector(struct strbuf *out, enum isa_type t, unsigned n) {
    strbuf_puts(out, "{");
    for (unsigned i = 0; i < n; i++)
        strbuf_printf(out, "%s%s", i ? ", " : "", operand_of(t, false));
    strbuf_puts(out, "}");
}

static void write_coordinates(struct strbuf *out, enum isa_type t, struct isa_geometry g) {
    strbuf_puts(out, "[l1, {");
    for (unsigned i = 0; i < g.text; i++)
        strbuf_printf(out, "%s%s", i ? ", " : "", operand_of(i < g.indices ? ISA_U32 : t, false));
    strbuf_puts(out, "}]");
}

static void write_operand(struct strbuf *out, const struct isa_operand_form *f, enum isa_type ty,
                          enum isa_type ty2, const struct isa_mods *m, bool optional, isa_op op) {
    enum isa_type t = isa_rule_type(f->rule, ty, ty2);
    static const char *const parts[] = {"", ".h1", ".h03", ".b7061", ".h10", ".b310"};
    if (f->part) {
        strbuf_printf(out, "%s%s", operand_of(t, false),
                      optional || !f->part_optional ? parts[f->part] : "");
        return;
    }
    switch (f->kind) {
    case ISA_OPERAND_PAIR:
        if (f->vec && m->vec)
            write_vector(out, t, m->vec);
        else
            strbuf_puts(out, operand_of(t, false));
        strbuf_printf(out, "|%s", operand_of(isa_rule_type(f->pair_rule, ty, ty2), false));
        break;
    case ISA_OPERAND_ADDR:
        strbuf_puts(out, "[l1+8]");
        break;
    case ISA_OPERAND_TEX:
        write_coordinates(out, t, isa_geometry((enum isa_mode)m->mode));
        break;
    case ISA_OPERAND_TENSOR:
        strbuf_puts(out, "[l1, ");
        write_vector(out, t, m->vec);
        strbuf_puts(out, "]");
        break;
    case ISA_OPERAND_IM2COL:
        write_vector(out, t, m->scale ? 2 : m->vec - 2u);
        break;
    case ISA_OPERAND_SELECT:
        write_vector(out, t, 2);
        break;
    case ISA_OPERAND_GEOM: {
        unsigned dims = isa_geometry((enum isa_mode)m->mode).dims;
        write_vector(out, t, dims == 3 ? 4 : dims);
        break;
    }
    case ISA_OPERAND_IMM:
        if (!strcmp(f->name, "immBytes")) {
            strbuf_puts(out, "16");
            break;
        }
        if (!strcmp(f->name, "immZero")) {
            strbuf_puts(out, "0");
            break;
        }
        strbuf_puts(out, operand_of(t, true));
        break;
    case ISA_OPERAND_PRED:
        strbuf_puts(out, "!p1");
        break;
    case ISA_OPERAND_VEC_DST:
    case ISA_OPERAND_VEC_SRC: {
        unsigned bits = isa_type_bits(ty) / 2;
        write_vector(out,
                     bits == 8    ? ISA_B8
                     : bits == 16 ? ISA_B16
                     : bits == 32 ? ISA_B32
                                  : ISA_B64,
                     2);
        break;
    }
    case ISA_OPERAND_FRAG_DST:
    case ISA_OPERAND_FRAG_SRC: {
        struct isa_matrix x = isa_matrix_of(op, m);
        struct isa_fragment g = isa_fragment_of(&x, isa_frag_by_name(f->name));
        write_vector(out, (enum isa_type)g.type, g.registers);
        break;
    }
    case ISA_OPERAND_LABEL:
        strbuf_puts(out, "L");
        break;
    case ISA_OPERAND_TARGETS:
        strbuf_puts(out, "list");
        break;
    case ISA_OPERAND_CALL:
        strbuf_puts(out, "f");
        break;
    default:
        if (f->vec && m->vec)
            write_vector(out, t, m->vec);
        else
            strbuf_puts(out, operand_of(t, false));
    }
}

// The form with choice pick[i] of slot i (0: left out), and its optional operands or not.
static void write_line(struct strbuf *out, const struct isa_form *f, const unsigned *pick,
                       bool optional) {
    uint8_t ty = 0, ty2 = 0;
    struct isa_mods m = {0};
    bool hint = false;
    strbuf_puts(out, f->opcode);
    for (unsigned i = 0; i < f->nsets; i++)
        isa_apply(f->sets[i], &ty, &ty2, &m);
    for (unsigned i = 0; i < f->nslots; i++) {
        if (!pick[i])
            continue;
        const struct isa_choice *c = &f->slots[i].choices[pick[i] - 1];
        isa_apply(c->set, &ty, &ty2, &m);
        hint |= !strcmp(c->text, "L2::cache_hint");
        strbuf_printf(out, ".%s", c->text);
    }
    const char *between = " ";
    for (unsigned i = 0; i < f->noperands; i++) {
        const struct isa_operand_form *o = &f->operands[i];
        bool wanted = o->kind == ISA_OPERAND_POLICY ? hint : !o->optional || optional;
        if (!wanted)
            continue;
        strbuf_puts(out, between);
        write_operand(out, o, (enum isa_type)ty, (enum isa_type)ty2, &m, optional, (isa_op)f->op);
        between = ", ";
    }
    strbuf_puts(out, ";");
}

// Wider than the 16 bytes that one access may have?
static bool too_wide(const struct isa_form *f, const unsigned *pick) {
    uint8_t ty = 0, ty2 = 0;
    struct isa_mods m = {0};
    for (unsigned i = 0; i < f->nslots; i++)
        if (pick[i])
            isa_apply(f->slots[i].choices[pick[i] - 1].set, &ty, &ty2, &m);
    return m.vec && isa_type_bits((enum isa_type)ty) * m.vec > 128;
}

static void check_line(const char *line) {
    static const char head[] =
        ".version 9.2\n.target sm_121a\n.address_size 64\n.func f() { ret; }\n"
        ".func t()\n{\n.reg .pred p1;\n.reg .b8 c1;\n.reg .b16 h1;\n.reg .b32 r1;\n.reg .b64 l1;\n"
        ".reg .f32 f1;\n.reg .f64 d1;\n.reg .b128 q1;\nlist: .branchtargets L;\nL:\n";
    struct arena a = {0};
    struct strbuf text = {0}, err = {0}, printed = {0};
    strbuf_printf(&text, "%s%s\n}\n", head, line);
    if (only_list) {
        puts(line);
        strbuf_free(&text);
        return;
    }
    struct ptx_module *m = ptx_parse(&a, strbuf_str(&text), text.len, &err);
    lines++;
    if (!m || !ptx_verify(m, &err)) {
        printf("%s\n  %s", line, strbuf_str(&err));
        failures++;
    } else {
        ptx_print_inst(vec_last(&m->funcs.data[1]->body).inst, &printed);
        if (strcmp(strbuf_str(&printed), line)) {
            printf("%s\n  prints as %s\n", line, strbuf_str(&printed));
            failures++;
        }
    }
    arena_free(&a);
    strbuf_free(&text);
    strbuf_free(&err);
    strbuf_free(&printed);
}

static void try_line(const struct isa_form *f, const unsigned *pick, bool optional) {
    struct strbuf line = {0};
    if (too_wide(f, pick))
        return;
    write_line(&line, f, pick, optional);
    check_line(strbuf_str(&line));
    strbuf_free(&line);
}

// The numbers of columns of wgmma are many and alike: written out once a form, without options.
static unsigned step_of(const struct isa_slot *s, unsigned full) {
    return full && s->nchoices > 16 ? s->nchoices - 1u : 1;
}

static void check_form(const struct isa_form *f) {
    unsigned pick[PTX_MAX_SLOTS];
    for (unsigned full = 0; full < 2; full++) {
        for (unsigned i = 0; i < f->nslots; i++)
            pick[i] = full || !f->slots[i].optional;
        try_line(f, pick, full);
        for (unsigned i = 0; i < f->nslots; i++) {
            unsigned before = pick[i];
            for (unsigned c = 1; c <= f->slots[i].nchoices; c += step_of(&f->slots[i], full)) {
                pick[i] = c;
                try_line(f, pick, full);
            }
            pick[i] = before;
        }
    }
}

int main(int argc, char **argv) {
    only_list = argc > 1 && !strcmp(argv[1], "list");
    for (size_t i = 0; i < isa_form_count; i++) {
        if (isa_forms[i].nslots > PTX_MAX_SLOTS) {
            printf("%s has too many slots\n", isa_forms[i].text);
            return 1;
        }
        check_form(&isa_forms[i]);
    }
    if (only_list)
        return 0;
    printf("%zu forms, %u lines, %u failures\n", isa_form_count, lines, failures);
    return failures != 0;
}
