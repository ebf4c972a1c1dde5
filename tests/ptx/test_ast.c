// What the tree says of a text: types, modifiers, operands, names resolved by scope, initialisers.
#include <stdio.h>
#include <string.h>

#include "isa/ops/block.h"
#include "isa/ops/move.h"
#include "ptx/ast.h"

static unsigned failures;

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            printf("line %d: %s\n", __LINE__, #cond);                                              \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static const char text[] =
    ".version 8.5\n"
    ".target sm_90a\n"
    ".address_size 64\n"
    ".extern .shared .align 16 .b8 dyn[];\n"
    ".global .align 4 .u32 table[2][2] = {{1, 2}, {-1}};\n"
    ".func help() { ret; }\n"
    ".global .u64 where[3] = {table+4, generic(table), help};\n"
    ".global .b8 bytes[9] = {5, 0xFF(help), 0xFF00(help), 0xFF0000(help), 0xFF000000(help),\n"
    "0xFF00000000(help), 0xFF0000000000(help), 0xFF000000000000(help), 0xFF00000000000000(help)};\n"
    ".visible .entry k(.param .u64 .ptr .global .align 8 p, .param .align 4 .b8 s[12])\n"
    ".maxntid 64, 2\n"
    "{\n"
    "  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .b16 %h<3>;\n"
    "  .loc 1 42 7\n"
    "  @!%p1 add.rz.ftz.sat.f32 %f1, %f2, -1.0;\n"
    "  ld.acquire.gpu.global.v2.u32 {%r1, _}, [%rd1+-8];\n"
    "  setp.lt.and.s32 %p1|%p2, %r1, -5, !%p1;\n"
    "  cvt.rni.sat.s8.f32 %h1, %f1;\n"
    "  mov.b64 %rd1, {%r1, %r2};\n"
    "  atom.shared.cas.b32 %r1, [dyn+4], 1, %r2;\n"
    "  bar.red.popc.u32 %r1, 1, 64, !%p1;\n"
    "  mov.u64 %rd2, where+16;\n"
    "  mov.f32 %f1, 0d3FF8000000000000;\n"
    "  add.s16 %h1, %h2, 0x1ffff;\n"
    "  { .reg .b32 %r1; mov.u32 %r1, %tid.y; L: bra L; }\n"
    "L:\n"
    "  bra L;\n"
    "}\n";

static const struct ptx_inst *nth_inst(const struct ptx_func *f, unsigned n) {
    for (uint32_t i = 0; i < f->body.len; i++)
        if (f->body.data[i].kind == PTX_STMT_INST && n-- == 0)
            return f->body.data[i].inst;
    return NULL;
}

static void check_module(const struct ptx_module *m) {
    CHECK(m->version_major == 8 && m->version_minor == 5 && m->sm == 90 && m->features == 'a');
    CHECK(m->vars.len == 4 && m->funcs.len == 2);
    const struct ptx_var *dyn = m->vars.data[0], *table = m->vars.data[1];
    CHECK(dyn->unsized && dyn->size == 0 && dyn->align == 16 && dyn->space == ISA_SPACE_SHARED &&
          dyn->linkage == PTX_LINK_EXTERN);
    static const uint32_t values[4] = {1, 2, 0xffffffff, 0};
    CHECK(table->size == 16 && !memcmp(table->init, values, 16));
    const struct ptx_var *where = m->vars.data[2], *bytes = m->vars.data[3];
    CHECK(where->relocs.len == 3 && where->size == 24 && where->align == 8);
    CHECK(where->relocs.data[0].var == table && where->relocs.data[0].addend == 4 &&
          !where->relocs.data[0].generic);
    CHECK(where->relocs.data[1].var == table && where->relocs.data[1].generic &&
          where->relocs.data[1].offset == 8);
    CHECK(where->relocs.data[2].func == m->funcs.data[0] && where->relocs.data[2].size == 8);
    CHECK(bytes->relocs.len == 1 && bytes->relocs.data[0].offset == 1 &&
          bytes->relocs.data[0].size == 8 && bytes->relocs.data[0].func && bytes->init[0] == 5);
}

static void check_kernel(const struct ptx_func *k) {
    CHECK(k->is_entry && k->has_body && k->linkage == PTX_LINK_VISIBLE && k->nparams == 2);
    CHECK(k->maxntid[0] == 64 && k->maxntid[1] == 2 && k->maxntid[2] == 1);
    const struct ptx_var *p = k->params[0].var, *s = k->params[1].var;
    CHECK(p->is_ptr && p->ptr_space == ISA_SPACE_GLOBAL && p->ptr_align == 8 && p->size == 8);
    CHECK(s->size == 12 && s->align == 4 && s->space == ISA_SPACE_PARAM && s->id == 1);
}

static void check_float(const struct ptx_inst *i) {
    CHECK(i->op == ISA_OP_ADD && i->ty == ISA_F32 && i->ty2 == ISA_VOID);
    CHECK(i->guard && i->guard_negated && !strcmp(i->guard->name, "%p1"));
    CHECK(i->mods.rnd == ISA_RND_RZ && i->mods.ftz && i->mods.sat);
    CHECK(i->nops == 3 && i->ndst == 1 && i->ops[2].kind == PTX_OPERAND_IMM &&
          i->ops[2].imm == 0xbf800000 && i->ops[2].type == ISA_F32);
    CHECK(i->line == 42 && i->file == 1 && i->pos.line == 15 && i->pos.col == 3);
}

static void check_memory(const struct ptx_inst *ld, const struct ptx_inst *atom) {
    CHECK(ld->op == ISA_OP_LD && ld->mods.sem == ISA_SEM_ACQUIRE &&
          ld->mods.scope == ISA_SCOPE_GPU && ld->mods.space == ISA_SPACE_GLOBAL &&
          ld->mods.vec == 2);
    CHECK(ld->ops[0].kind == PTX_OPERAND_VEC && ld->ops[0].n == 2 &&
          ld->ops[0].elems[1].kind == PTX_OPERAND_SINK);
    CHECK(ld->ops[1].kind == PTX_OPERAND_ADDR && ld->ops[1].reg && ld->ops[1].offset == -8);
    CHECK(atom->op == ISA_OP_ATOM && atom->mods.atom == ISA_ATOM_CAS && atom->nops == 4 &&
          atom->mods.sem == ISA_SEM_RELAXED && atom->mods.scope == ISA_SCOPE_GPU);
    CHECK(atom->ops[1].var && !atom->ops[1].reg && atom->ops[1].offset == 4);
}

static void check_rest(const struct ptx_func *k) {
    const struct ptx_inst *setp = nth_inst(k, 2), *cvt = nth_inst(k, 3), *pack = nth_inst(k, 4);
    CHECK(setp->mods.cmp == ISA_CMP_LT && setp->mods.boolop == ISA_BOOL_AND);
    CHECK(setp->ops[0].kind == PTX_OPERAND_PAIR && setp->ops[2].imm == 0xfffffffb &&
          setp->ops[3].negated && setp->ops[3].type == ISA_PRED);
    CHECK(cvt->ty == ISA_S8 && cvt->ty2 == ISA_F32 && cvt->mods.rnd == ISA_RND_RNI &&
          cvt->ops[1].type == ISA_F32);
    CHECK(pack->op == ISA_OP_MOV_PACK && pack->mods.vec == 2 &&
          pack->ops[1].elems[0].type == ISA_B32);
    const struct ptx_inst *bar = nth_inst(k, 6);
    CHECK(bar->op == ISA_OP_BAR_RED && bar->mods.boolop == ISA_BOOL_POPC && bar->mods.aligned &&
          bar->nops == 4 && bar->ndst == 1);
    const struct ptx_inst *sym = nth_inst(k, 7), *wide = nth_inst(k, 8), *cut = nth_inst(k, 9);
    CHECK(sym->ops[1].kind == PTX_OPERAND_SYM && sym->ops[1].var->id == 2 &&
          sym->ops[1].offset == 16);
    CHECK(wide->ops[1].imm == 0x3fc00000);
    CHECK(cut->ops[2].imm == 0xffff);
}

static void check_scopes(const struct ptx_func *k) {
    const struct ptx_inst *outer = nth_inst(k, 4), *inner = nth_inst(k, 10);
    CHECK(!strcmp(inner->ops[0].reg->name, "%r1") &&
          inner->ops[0].reg != outer->ops[1].elems[0].reg);
    CHECK(inner->ops[1].kind == PTX_OPERAND_SREG && inner->ops[1].sreg == ISA_SREG_TID_Y);
    const struct ptx_label *in = nth_inst(k, 11)->ops[0].label,
                           *out = nth_inst(k, 12)->ops[0].label;
    CHECK(in && out && in != out && k->nlabels == 2);
    CHECK(k->body.data[out->stmt].label == out && k->body.data[in->stmt].label == in);
    for (uint32_t i = 0; i < k->regs.len; i++)
        CHECK(k->regs.data[i]->id == i);
}

// As NVIDIA's assembler evaluates them: remainders are unsigned, of a shift's distance six bits
// count, other operators are C's on signed numbers unless an operand is unsigned; 0f gives bits;
// short rows are not filled up.
static void check_initial_values(void) {
    static const char source[] = ".version 8.5\n.target sm_90\n.address_size 64\n"
                                 ".global .u64 e[20] = {-17 % 5, -7 % 3, -7 % -3, 17 % 5, -17 / 5, "
                                 "-17 / 5U, -17 >> 1, -1 < 1, -1 < 1U,\n"
                                 "  (.u64)-17 >> 1, 7 / -2, 5 >> 70, -5 >> 70, 1 << 65, 1 << 64};\n"
                                 ".global .f64 d[3] = {0f3DCCCCCD, 1.5, 0d3FF8000000000000};\n"
                                 ".global .f32 f[3] = {0f3DCCCCCD, 1.5, 0d3FF8000000000000};\n"
                                 ".const .align 2 .s16 matrix[3][4] = {{1,-2,3},{4,5,-6,7}};\n"
                                 ".const .s16 cube[2][2][3] = {{{1,2},{3}},{{4,5,6}}};\n"
                                 ".const .s16 open[][4] = {{1,-2,3},{4,5,-6,7},{8}};\n";
    static const uint64_t integers[20] = {4,
                                          0,
                                          (uint64_t)-7,
                                          2,
                                          (uint64_t)-3,
                                          0x333333333333332f,
                                          (uint64_t)-9,
                                          1,
                                          0,
                                          0x7ffffffffffffff7,
                                          (uint64_t)-3,
                                          0,
                                          (uint64_t)-1,
                                          2,
                                          1};
    static const uint64_t doubles[3] = {0x3dcccccd, 0x3ff8000000000000, 0x3ff8000000000000};
    static const uint32_t floats[3] = {0x3dcccccd, 0x3fc00000, 0x3fc00000};
    static const int16_t matrix[12] = {1, -2, 3, 4, 5, -6, 7}, cube[12] = {1, 2, 3, 4, 5, 6},
                         open[12] = {1, -2, 3, 4, 5, -6, 7, 8};
    struct arena a = {0};
    struct strbuf err = {0};
    struct ptx_module *m = ptx_parse(&a, source, sizeof source - 1, &err);
    CHECK(m && m->vars.len == 6);
    if (m && m->vars.len == 6) {
        static const struct {
            const void *data;
            size_t size;
        } wanted[] = {{integers, sizeof integers}, {doubles, sizeof doubles},
                      {floats, sizeof floats},     {matrix, sizeof matrix},
                      {cube, sizeof cube},         {open, sizeof open}};
        for (uint32_t i = 0; i < 6; i++) {
            const struct ptx_var *v = m->vars.data[i];
            CHECK(v->size == wanted[i].size && !memcmp(v->init, wanted[i].data, wanted[i].size));
        }
    }
    arena_free(&a);
    strbuf_free(&err);
}

int main(void) {
    check_initial_values();
    struct arena a = {0};
    struct strbuf err = {0};
    // The text need not end with a NUL.
    struct ptx_module *m = ptx_parse(&a, text, sizeof text - 1, &err);
    if (!m || !ptx_verify(m, &err)) {
        printf("%s", strbuf_str(&err));
        return 1;
    }
    const struct ptx_func *k = m->funcs.data[1];
    check_module(m);
    check_kernel(k);
    check_float(nth_inst(k, 0));
    check_memory(nth_inst(k, 1), nth_inst(k, 5));
    check_rest(k);
    check_scopes(k);
    arena_free(&a);
    strbuf_free(&err);
    return failures != 0;
}
