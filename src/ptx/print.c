// AST -> PTX text. Immediates are printed at their operand's type, so that parsing gives the same
// bits; modifiers come from the choices in the instruction's form.
#include <inttypes.h>
#include <string.h>

#include "isa/grammar.h"
#include "isa/video.h"
#include "ptx/print.h"

static const char *const linkages[] = {
    [PTX_LINK_INTERNAL] = "",   [PTX_LINK_VISIBLE] = ".visible ", [PTX_LINK_EXTERN] = ".extern ",
    [PTX_LINK_WEAK] = ".weak ", [PTX_LINK_COMMON] = ".common ",
};

static const char *space_name(uint8_t space) {
    static const char *const names[ISA_SPACE_COUNT] = {
        [ISA_SPACE_GENERIC] = "generic",
        [ISA_SPACE_GLOBAL] = "global",
        [ISA_SPACE_SHARED] = "shared",
        [ISA_SPACE_CONST] = "const",
        [ISA_SPACE_LOCAL] = "local",
        [ISA_SPACE_PARAM] = "param",
        [ISA_SPACE_CLUSTER] = "shared::cluster",
    };
    return names[space];
}

// ---- Operands ----------------------------------------------------------------------------------

static void print_immediate(uint64_t bits, uint8_t type, struct strbuf *out) {
    switch (type) {
    case ISA_F32:
    case ISA_TF32:
        strbuf_printf(out, "0f%08" PRIX64, bits);
        break;
    case ISA_F64:
        strbuf_printf(out, "0d%016" PRIX64, bits);
        break;
    case ISA_S8:
    case ISA_S16:
    case ISA_S32:
    case ISA_S64: {
        unsigned shift = 64 - isa_type_bits((enum isa_type)type);
        int64_t v = (int64_t)(bits << shift) >> shift;
        if (v == INT64_MIN)
            strbuf_puts(out, "0x8000000000000000");
        else
            strbuf_printf(out, "%" PRId64, v);
        break;
    }
    default:
        strbuf_printf(out, bits > 0xffff ? "0x%" PRIx64 : "%" PRIu64, bits);
        break;
    }
}

static void print_offset(int64_t offset, struct strbuf *out) {
    if (offset > 0)
        strbuf_printf(out, "+%" PRId64, offset);
    else if (offset == INT64_MIN)
        strbuf_puts(out, "+0x8000000000000000");
    else if (offset < 0)
        strbuf_printf(out, "-%" PRId64, -offset);
}

static void print_base(const struct ptx_operand *o, struct strbuf *out) {
    if (o->reg || o->var || o->func)
        strbuf_puts(out, o->reg ? o->reg->name : o->var ? o->var->name : o->func->name);
    else
        strbuf_puts(out, "0");
    print_offset(o->offset, out);
}

static void print_operand(const struct ptx_operand *o, struct strbuf *out);

static void print_elements(const struct ptx_operand *elems, uint32_t n, const char *between,
                           struct strbuf *out) {
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            strbuf_puts(out, between);
        print_operand(&elems[i], out);
    }
}

static void print_operand(const struct ptx_operand *o, struct strbuf *out) {
    switch (o->kind) {
    case PTX_OPERAND_REG:
        strbuf_printf(out, "%s%s",
                      !o->negated                ? ""
                      : o->reg->type == ISA_PRED ? "!"
                                                 : "-",
                      o->reg->name);
        if (o->part) {
            char part[8];
            isa_part_print(o->part, part);
            strbuf_printf(out, ".%s", part);
        }
        break;
    case PTX_OPERAND_IMM:
        print_immediate(o->imm, o->type, out);
        break;
    case PTX_OPERAND_SREG:
        strbuf_puts(out, isa_sreg_name((enum isa_sreg)o->sreg));
        break;
    case PTX_OPERAND_VEC:
        strbuf_puts(out, "{");
        print_elements(o->elems, o->n, ", ", out);
        strbuf_puts(out, "}");
        break;
    case PTX_OPERAND_PAIR:
        print_elements(o->elems, o->n, "|", out);
        break;
    case PTX_OPERAND_SINK:
        strbuf_puts(out, "_");
        break;
    case PTX_OPERAND_SYM:
        print_base(o, out);
        break;
    case PTX_OPERAND_ADDR:
        strbuf_puts(out, "[");
        print_base(o, out);
        strbuf_puts(out, "]");
        break;
    case PTX_OPERAND_TEX:
        strbuf_puts(out, "[");
        print_operand(&o->elems[0], out);
        if (o->sampler) {
            strbuf_puts(out, ", ");
            print_operand(o->sampler, out);
        }
        strbuf_puts(out, ", {");
        print_elements(o->elems + 1, o->n - 1, ", ", out);
        strbuf_puts(out, "}]");
        break;
    case PTX_OPERAND_LABEL:
        strbuf_puts(out, o->label->name);
        break;
    case PTX_OPERAND_TARGETS:
        strbuf_puts(out, o->targets->name);
        break;
    }
}

// ---- Instructions ------------------------------------------------------------------------------

static void print_call(const struct ptx_call *c, struct strbuf *out) {
    strbuf_puts(out, " ");
    if (c->nrets) {
        strbuf_puts(out, "(");
        print_elements(c->rets, c->nrets, ", ", out);
        strbuf_puts(out, "), ");
    }
    print_operand(&c->target, out);
    if (c->nargs || c->proto || c->targets) {
        strbuf_puts(out, ", (");
        print_elements(c->args, c->nargs, ", ", out);
        strbuf_puts(out, ")");
    }
    if (c->proto || c->targets)
        strbuf_printf(out, ", %s", c->proto ? c->proto->name : c->targets->name);
}

void ptx_print_inst(const struct ptx_inst *i, struct strbuf *out) {
    const struct isa_form *f = &isa_forms[i->form];
    if (i->guard)
        strbuf_printf(out, "@%s%s ", i->guard_negated ? "!" : "", i->guard->name);
    strbuf_puts(out, f->opcode);
    for (unsigned s = 0; s < f->nslots; s++)
        if (i->choice[s])
            strbuf_printf(out, ".%s", f->slots[s].choices[i->choice[s] - 1].text);
    if (i->call)
        print_call(i->call, out);
    for (unsigned k = 0; k < (unsigned)i->nops + i->npolicy; k++) {
        strbuf_puts(out, k ? ", " : " ");
        print_operand(&i->ops[k], out);
    }
    strbuf_puts(out, ";");
}

// ---- Variables ---------------------------------------------------------------------------------

// What stands before the name of a variable or parameter.
static void print_var_type(const struct ptx_var *v, struct strbuf *out) {
    strbuf_printf(out, ".%s", space_name(v->space));
    if (v->const_bank)
        strbuf_printf(out, "[%u]", v->const_bank);
    if (v->managed)
        strbuf_puts(out, " .attribute(.managed)");
    if (v->align_stated)
        strbuf_printf(out, " .align %u", v->align);
    if (v->vec > 1)
        strbuf_printf(out, " .v%u", v->vec);
    strbuf_printf(out, " .%s",
                  v->ref ? ptx_ref_name(v->ref) : isa_type_name((enum isa_type)v->type));
    if (!v->is_ptr)
        return;
    strbuf_puts(out, " .ptr");
    if (v->ptr_space != ISA_SPACE_GENERIC)
        strbuf_printf(out, " .%s", space_name(v->ptr_space));
    if (v->ptr_align)
        strbuf_printf(out, " .align %u", v->ptr_align);
}

static void print_var_name(const struct ptx_var *v, struct strbuf *out) {
    strbuf_printf(out, " %s", v->name);
    for (uint32_t i = 0; i < v->ndims; i++) {
        if (i == 0 && v->unsized)
            strbuf_puts(out, "[]");
        else
            strbuf_printf(out, "[%" PRIu64 "]", v->dims[i]);
    }
}

static void print_reloc(const struct ptx_reloc *r, struct strbuf *out) {
    const char *name = r->var ? r->var->name : r->func->name;
    strbuf_printf(out, r->generic ? "generic(%s)" : "%s", name);
    print_offset(r->addend, out);
}

struct init_printer {
    const struct ptx_var *v;
    struct strbuf *out;
    uint32_t next; // relocation
    unsigned bytes;
};

static void print_scalar(struct init_printer *s, uint64_t index) {
    uint64_t offset = index * s->bytes, bits = 0;
    while (s->next < s->v->relocs.len &&
           s->v->relocs.data[s->next].offset + s->v->relocs.data[s->next].size <= offset)
        s->next++;
    const struct ptx_reloc *r =
        s->next < s->v->relocs.len && s->v->relocs.data[s->next].offset <= offset
            ? &s->v->relocs.data[s->next]
            : NULL;
    if (r && r->bytewise) {
        strbuf_printf(s->out, "0x%" PRIX64 "(", (uint64_t)0xff << (8 * (offset - r->offset)));
        print_reloc(r, s->out);
        strbuf_puts(s->out, ")");
    } else if (r) {
        print_reloc(r, s->out);
    } else {
        memcpy(&bits, s->v->init + offset, s->bytes);
        print_immediate(bits, s->v->type, s->out);
    }
}

static void print_rows(struct init_printer *s, uint32_t dim, uint64_t base, uint64_t count) {
    const struct ptx_var *v = s->v;
    bool innermost = dim == v->ndims;
    uint64_t n = innermost ? v->vec : v->dims[dim];
    if (innermost && v->vec == 1) {
        print_scalar(s, base);
        return;
    }
    strbuf_puts(s->out, "{");
    for (uint64_t i = 0; i < n; i++) {
        if (i)
            strbuf_puts(s->out, ", ");
        if (innermost)
            print_scalar(s, base + i);
        else
            print_rows(s, dim + 1, base + i * (count / n), count / n);
    }
    strbuf_puts(s->out, "}");
}

void ptx_print_var(const struct ptx_var *v, struct strbuf *out) {
    strbuf_puts(out, linkages[v->linkage]);
    print_var_type(v, out);
    print_var_name(v, out);
    if (v->init && v->ref) {
        uint64_t bits;
        memcpy(&bits, v->init, sizeof bits);
        strbuf_puts(out, " = ");
        ptx_print_sampler(bits, out);
    } else if (v->init) {
        unsigned bytes = isa_type_bits((enum isa_type)v->type) / 8;
        struct init_printer s = {.v = v, .out = out, .bytes = bytes};
        strbuf_puts(out, " = ");
        print_rows(&s, 0, 0, v->size / bytes);
    }
    strbuf_puts(out, ";\n");
}

void ptx_print_var_declaration(const struct ptx_var *v, struct strbuf *out) {
    struct ptx_var declared = *v;
    declared.init = NULL;
    declared.linkage = PTX_LINK_EXTERN;
    ptx_print_var(&declared, out);
}

// ---- Functions ---------------------------------------------------------------------------------

static void print_params(const struct ptx_param *params, uint32_t n, struct strbuf *out) {
    strbuf_puts(out, "(");
    for (uint32_t i = 0; i < n; i++) {
        strbuf_puts(out, i ? ", " : "");
        if (params[i].var) {
            print_var_type(params[i].var, out);
            print_var_name(params[i].var, out);
        } else {
            const struct ptx_reg *r = params[i].reg;
            strbuf_printf(out, ".reg .%s %s", isa_type_name((enum isa_type)r->type), r->name);
        }
    }
    strbuf_puts(out, ")");
}

static void print_triple(const char *name, const uint32_t v[3], struct strbuf *out) {
    if (v[0])
        strbuf_printf(out, "%s %u, %u, %u\n", name, v[0], v[1], v[2]);
}

static void print_number(const char *name, uint32_t v, struct strbuf *out) {
    if (v)
        strbuf_printf(out, "%s %u\n", name, v);
}

static void print_signature(const struct ptx_func *f, struct strbuf *out) {
    strbuf_printf(out, "%s%s ", linkages[f->linkage], f->is_entry ? ".entry" : ".func");
    if (f->nrets) {
        print_params(f->rets, f->nrets, out);
        strbuf_puts(out, " ");
    }
    strbuf_puts(out, f->name);
    if (f->nparams)
        print_params(f->params, f->nparams, out);
    if (f->noreturn)
        strbuf_puts(out, " .noreturn");
}

void ptx_print_declaration(const struct ptx_func *f, struct strbuf *out) {
    print_signature(f, out);
    strbuf_puts(out, ";\n");
}

static void print_directives(const struct ptx_func *f, struct strbuf *out) {
    print_triple(".maxntid", f->maxntid, out);
    print_triple(".reqntid", f->reqntid, out);
    print_number(".minnctapersm", f->minnctapersm, out);
    print_number(".maxnctapersm", f->maxnctapersm, out);
    print_number(".maxnreg", f->maxnreg, out);
    print_triple(".reqnctapercluster", f->reqnctapercluster, out);
    print_number(".maxclusterrank", f->maxclusterrank, out);
    if (f->explicitcluster)
        strbuf_puts(out, ".explicitcluster\n");
    for (uint32_t i = 0; i < f->pragmas.len; i++)
        strbuf_printf(out, ".pragma \"%s\";\n", f->pragmas.data[i]);
}

static void print_reg_decl(const struct ptx_reg_decl *d, struct strbuf *out) {
    strbuf_puts(out, ".reg ");
    if (d->vec > 1)
        strbuf_printf(out, ".v%u ", d->vec);
    strbuf_printf(out, ".%s %s", isa_type_name((enum isa_type)d->type), d->name);
    if (d->range)
        strbuf_printf(out, "<%u>", d->range);
    strbuf_puts(out, ";\n");
}

static void print_targets(const struct ptx_targets *t, struct strbuf *out) {
    strbuf_printf(out, "%s: %s ", t->name, t->labels ? ".branchtargets" : ".calltargets");
    for (uint32_t i = 0; i < t->n; i++)
        strbuf_printf(out, "%s%s", i ? ", " : "",
                      t->labels ? t->labels[i]->name : t->funcs[i]->name);
    strbuf_puts(out, ";\n");
}

static void print_proto(const struct ptx_proto *proto, struct strbuf *out) {
    strbuf_printf(out, "%s: .callprototype ", proto->name);
    if (proto->nrets)
        print_params(proto->rets, proto->nrets, out);
    strbuf_puts(out, " _ ");
    print_params(proto->params, proto->nparams, out);
    strbuf_puts(out, proto->noreturn ? " .noreturn;\n" : ";\n");
}

static void print_loc(const struct ptx_loc *l, struct strbuf *out) {
    strbuf_printf(out, ".loc %u %u %u", l->file, l->line, l->col);
    if (l->inlined)
        strbuf_printf(out, ", %s", l->inlined);
    strbuf_puts(out, "\n");
}

static void print_stmt(const struct ptx_stmt *s, struct strbuf *out) {
    if (s->kind != PTX_STMT_LABEL)
        strbuf_puts(out, "\t");
    switch (s->kind) {
    case PTX_STMT_INST:
        ptx_print_inst(s->inst, out);
        strbuf_puts(out, "\n");
        break;
    case PTX_STMT_LABEL:
        strbuf_printf(out, "%s:\n", s->label->name);
        break;
    case PTX_STMT_OPEN:
        strbuf_puts(out, "{\n");
        break;
    case PTX_STMT_CLOSE:
        strbuf_puts(out, "}\n");
        break;
    case PTX_STMT_REG:
        print_reg_decl(s->reg, out);
        break;
    case PTX_STMT_VAR:
        ptx_print_var(s->var, out);
        break;
    case PTX_STMT_LOC:
        print_loc(s->loc, out);
        break;
    case PTX_STMT_PRAGMA:
        strbuf_printf(out, ".pragma \"%s\";\n", s->pragma->text);
        break;
    case PTX_STMT_PROTO:
        print_proto(s->proto, out);
        break;
    case PTX_STMT_TARGETS:
        print_targets(s->targets, out);
        break;
    }
}

void ptx_print_function(const struct ptx_func *f, struct strbuf *out) {
    strbuf_puts(out, "\n");
    print_signature(f, out);
    strbuf_puts(out, "\n");
    print_directives(f, out);
    strbuf_puts(out, "{\n");
    for (uint32_t i = 0; i < f->body.len; i++)
        print_stmt(&f->body.data[i], out);
    strbuf_puts(out, "}\n");
}

static void print_item(const struct ptx_module *m, const struct ptx_item *item,
                       struct strbuf *out) {
    switch (item->kind) {
    case PTX_ITEM_VAR:
        ptx_print_var(item->var, out);
        break;
    case PTX_ITEM_VAR_DECL:
        ptx_print_var_declaration(item->var, out);
        break;
    case PTX_ITEM_FUNC_DECL:
        ptx_print_declaration(item->func, out);
        break;
    case PTX_ITEM_FUNC:
        ptx_print_function(item->func, out);
        break;
    case PTX_ITEM_ALIAS:
        strbuf_printf(out, ".alias %s, %s;\n", item->func->name, item->func->alias->name);
        break;
    case PTX_ITEM_FILE:
        strbuf_printf(out, ".file %u \"%s\"\n", item->index, m->files.data[item->index]);
        break;
    case PTX_ITEM_PRAGMA:
        strbuf_printf(out, ".pragma \"%s\";\n", item->text);
        break;
    }
}

void ptx_print_header(const struct ptx_module *m, struct strbuf *out) {
    strbuf_printf(out, ".version %u.%u\n", m->version_major, m->version_minor);
    char features[] = {m->features, 0};
    if (m->sm)
        strbuf_printf(out, ".target sm_%u%s%s\n", m->sm, features, m->debug ? ", debug" : "");
    strbuf_printf(out, ".address_size %u\n", m->address_size);
}

void ptx_print(const struct ptx_module *m, struct strbuf *out) {
    ptx_print_header(m, out);
    for (uint32_t i = 0; i < m->items.len; i++)
        print_item(m, &m->items.data[i], out);
}
