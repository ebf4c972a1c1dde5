// Kernel IR to text. The form, line by line (parse.c reads the same, and // comments):
//
//   ir ptx 8.5 sm 90
//   file 1 "a.cu"
//   var global @x visible size 4 align 4 offset 0 [dynamic] [managed]
//   shared @s internal size 128 align 4 offset 0
//   shared_bytes 128
//   kernel @k visible param_bytes 8 shared 128 frame 0 align 1 maxntid 0 0 0 ...
//   func @f internal (b32, b64) -> (b32) frame 0 align 1
//   init @x 2a000000
//   reloc @x 8 size 8 @var:y + 0 [generic]
//   body @f {
//     param @p ... / local @l internal size 16 align 8 offset 0
//   bb0 "entry" <- bb1, bb2:
//       %3:b32 = add:u32 {sat} %1, 0x5:b32 loc=1:33
//       cbr:void %4 -> bb1, bb2
//   }
#include <ctype.h>
#include <inttypes.h>

#include "ir/text.h"

static void print_quoted(struct strbuf *out, const char *s) {
    strbuf_puts(out, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 32 || c > 126 || c == '"' || c == '\\')
            strbuf_printf(out, "\\%02x", c);
        else
            strbuf_append(out, s, 1);
    }
    strbuf_puts(out, "\"");
}

static void print_name(struct strbuf *out, const char *s) {
    bool plain = *s != 0;
    for (const char *c = s; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || *c == '_' || *c == '$' || *c == '.');
    strbuf_puts(out, "@");
    if (plain)
        strbuf_puts(out, s);
    else
        print_quoted(out, s);
}

static void print_symbol_ref(struct strbuf *out, const struct kir_symbol *s) {
    struct strbuf name = {0};
    print_name(&name, s->space == ISA_SPACE_GENERIC ? s->func->name : s->name);
    strbuf_printf(out, "@%s:%s", kir_symbol_kind(s), strbuf_str(&name) + 1);
    strbuf_free(&name);
}

static void print_symbol(struct strbuf *out, const struct kir_symbol *s) {
    print_name(out, s->name);
    strbuf_printf(out, " %s size %" PRIu64 " align %" PRIu32 " offset %" PRIu64,
                  kir_linkage_name(s->linkage), s->size, s->align, s->offset);
    strbuf_puts(out, s->dynamic ? " dynamic" : "");
    strbuf_puts(out, s->managed ? " managed" : "");
    strbuf_puts(out, "\n");
}

static void print_types(struct strbuf *out, uint32_t n, const uint8_t *types) {
    strbuf_puts(out, "(");
    for (uint32_t k = 0; k < n; k++)
        strbuf_printf(out, "%s%s", k ? ", " : "", kir_type_name(types[k]));
    strbuf_puts(out, ")");
}

static void print_proto(struct strbuf *out, const struct kir_proto *p) {
    print_types(out, p->nparams, p->params);
    strbuf_puts(out, " -> ");
    print_types(out, p->nrets, p->rets);
}

static void print_value(struct strbuf *out, const struct kir_value *v) {
    if (!v)
        strbuf_puts(out, "null");
    else if (v->kind == KIR_VALUE_INST)
        strbuf_printf(out, "%%%" PRIu32, v->id);
    else if (v->kind == KIR_VALUE_UNDEF)
        strbuf_printf(out, "undef:%s", kir_type_name(v->type));
    else if (v->type == KIR_B128)
        strbuf_printf(out, "0x%016" PRIx64 "%016" PRIx64 ":b128", v->bits.u64[1], v->bits.u64[0]);
    else
        strbuf_printf(out, "0x%" PRIx64 ":%s", v->bits.u64[0], kir_type_name(v->type));
}

static void print_mods(struct strbuf *out, const struct isa_mods *mods) {
    const char *sep = " {";
    for (unsigned k = 0; k < kir_mod_field_count; k++) {
        const struct kir_mod_field *f = &kir_mod_fields[k];
        unsigned v = *((const uint8_t *)mods + f->offset);
        if (!v)
            continue;
        strbuf_printf(out, "%s%s", sep, f->name);
        if (f->values)
            strbuf_printf(out, "=%s", v < f->nvalues ? f->values[v] : "?");
        else if (!f->is_flag)
            strbuf_printf(out, "=%u", v);
        sep = ", ";
    }
    if (sep[0] == ',')
        strbuf_puts(out, "}");
}

static void print_extras(struct strbuf *out, const struct kir_inst *i) {
    if (i->sreg)
        strbuf_printf(out, " sreg=%s", isa_sreg_name(i->sreg));
    if (i->sym) {
        strbuf_puts(out, " sym=");
        print_symbol_ref(out, i->sym);
    }
    if (i->offset)
        strbuf_printf(out, " offset=%" PRId64, i->offset);
    if (i->index)
        strbuf_printf(out, " index=%" PRIu32, i->index);
    if (i->flag)
        strbuf_puts(out, " flag");
    if (i->callee) {
        strbuf_puts(out, " callee=");
        print_name(out, i->callee->name);
    }
    if (i->proto) {
        strbuf_puts(out, " proto=");
        print_proto(out, i->proto);
    }
    for (uint32_t k = 0; k < i->ntargets; k++)
        strbuf_printf(out, "%sbb%" PRIu32, k ? ", " : " -> ", i->targets[k]->id);
    if (i->file || i->line)
        strbuf_printf(out, " loc=%" PRIu32 ":%" PRIu32, i->file, i->line);
}

void kir_print_inst(const struct kir_inst *i, struct strbuf *out) {
    for (uint32_t k = 0; k < i->nres; k++)
        strbuf_printf(out, "%s%%%" PRIu32 ":%s", k ? ", " : "", i->res[k]->id,
                      kir_type_name(i->res[k]->type));
    strbuf_printf(out, "%s%s:%s", i->nres ? " = " : "", isa_op_info[i->op].name,
                  isa_type_name(i->ty));
    if (i->ty2)
        strbuf_printf(out, ":%s", isa_type_name(i->ty2));
    print_mods(out, &i->mods);
    for (uint32_t k = 0; k < i->nops; k++) {
        strbuf_puts(out, k ? ", " : " ");
        print_value(out, i->ops[k]);
    }
    print_extras(out, i);
}

static void print_block(const struct kir_block *b, struct strbuf *out) {
    strbuf_printf(out, "bb%" PRIu32, b->id);
    if (b->label) {
        strbuf_puts(out, " ");
        print_quoted(out, b->label);
    }
    for (uint32_t k = 0; k < b->preds.len; k++)
        strbuf_printf(out, "%sbb%" PRIu32, k ? ", " : " <- ", b->preds.data[k]->id);
    strbuf_puts(out, ":\n");
    for (const struct kir_inst *i = b->first; i; i = i->next) {
        strbuf_puts(out, "    ");
        kir_print_inst(i, out);
        strbuf_puts(out, "\n");
    }
}

static void print_declaration(const struct kir_func *f, struct strbuf *out) {
    strbuf_puts(out, f->is_kernel ? "kernel " : "func ");
    print_name(out, f->name);
    strbuf_printf(out, " %s ", kir_linkage_name(f->linkage));
    if (f->is_kernel) {
        strbuf_printf(out, "param_bytes %" PRIu32 " shared %" PRIu32, f->param_bytes,
                      f->shared_static);
        strbuf_printf(out, " maxntid %u %u %u reqntid %u %u %u minnctapersm %u maxnreg %u",
                      f->maxntid[0], f->maxntid[1], f->maxntid[2], f->reqntid[0], f->reqntid[1],
                      f->reqntid[2], f->minnctapersm, f->maxnreg);
        if (f->cluster[0] || f->max_cluster || f->cluster_required)
            strbuf_printf(out, " cluster %u %u %u of %u %s", f->cluster[0], f->cluster[1],
                          f->cluster[2], f->max_cluster,
                          f->cluster_required ? "required" : "optional");
    } else {
        print_proto(out, &f->proto);
    }
    strbuf_printf(out, " frame %" PRIu32 " align %" PRIu32, f->frame_bytes, f->frame_align);
    strbuf_puts(out, f->is_extern ? " extern" : "");
    strbuf_puts(out, f->noreturn ? " noreturn" : "");
    strbuf_puts(out, "\n");
}

static void print_body(const struct kir_func *f, struct strbuf *out) {
    strbuf_puts(out, "body ");
    print_name(out, f->name);
    strbuf_puts(out, " {\n");
    for (uint32_t k = 0; k < f->params.len; k++) {
        strbuf_puts(out, "  param ");
        print_symbol(out, f->params.data[k]);
    }
    for (uint32_t k = 0; k < f->locals.len; k++) {
        strbuf_puts(out, "  local ");
        print_symbol(out, f->locals.data[k]);
    }
    for (uint32_t k = 0; k < f->blocks.len; k++)
        print_block(f->blocks.data[k], out);
    strbuf_puts(out, "}\n");
}

static bool has_body(const struct kir_func *f) {
    return f->blocks.len || f->params.len || f->locals.len;
}

void kir_print_func(const struct kir_func *f, struct strbuf *out) {
    print_declaration(f, out);
    if (has_body(f))
        print_body(f, out);
}

static void print_initialiser(const struct kir_symbol *s, struct strbuf *out) {
    if (s->init) {
        strbuf_puts(out, "init ");
        print_symbol_ref(out, s);
        strbuf_puts(out, " ");
        for (uint64_t k = 0; k < s->size; k++)
            strbuf_printf(out, "%02x", s->init[k]);
        strbuf_puts(out, "\n");
    }
    for (uint32_t k = 0; k < s->relocs.len; k++) {
        const struct kir_reloc *r = &s->relocs.data[k];
        strbuf_puts(out, "reloc ");
        print_symbol_ref(out, s);
        strbuf_printf(out, " %" PRIu64 " size %u ", r->offset, r->size);
        print_symbol_ref(out, r->sym);
        strbuf_printf(out, " %" PRId64 "%s\n", r->addend, r->generic ? " generic" : "");
    }
}

void kir_print_module(const struct kir_module *m, struct strbuf *out) {
    strbuf_printf(out, "ir ptx %u.%u sm %u%s\n", m->ptx_major, m->ptx_minor, m->target_sm,
                  m->lockstep ? " lockstep" : "");
    for (uint32_t k = 0; k < m->files.len; k++)
        if (m->files.data[k]) {
            strbuf_printf(out, "file %" PRIu32 " ", k);
            print_quoted(out, m->files.data[k]);
            strbuf_puts(out, "\n");
        }
    for (uint32_t k = 0; k < m->vars.len; k++) {
        strbuf_printf(out, "var %s ", kir_space_name(m->vars.data[k]->space));
        print_symbol(out, m->vars.data[k]);
    }
    for (uint32_t k = 0; k < m->shared.len; k++) {
        strbuf_puts(out, "shared ");
        print_symbol(out, m->shared.data[k]);
    }
    strbuf_printf(out, "shared_bytes %" PRIu32 "\n", m->shared_bytes);
    for (uint32_t k = 0; k < m->funcs.len; k++)
        print_declaration(m->funcs.data[k], out);
    for (uint32_t k = 0; k < m->vars.len; k++)
        print_initialiser(m->vars.data[k], out);
    for (uint32_t k = 0; k < m->funcs.len; k++)
        if (has_body(m->funcs.data[k]))
            print_body(m->funcs.data[k], out);
}
