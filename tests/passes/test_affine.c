// What numbers are made of, and how they move: a kernel's body in, the facts of the address of its
// last store out, as pairs of where something is known and where it is not.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ops/memory.h"
#include "passes/affine/motion.h"
#include "passes/analysis/alignment.h"
#include "ptx/ast.h"

static int failures;

struct facts {
    struct arena arena;
    struct kir_module *module;
    struct cfg *cfg;
    struct affine *affine;
    const struct kir_inst *store; // the last one
};

// 64 threads of a row in a block.
static void find(struct facts *x, const char *body) {
    static const uint32_t ntid[3] = {64, 1, 1};
    struct strbuf err = {0};
    char text[4096];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_80\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
             ".reg .pred %%p;\n.reg .b32 %%t, %%g, %%n, %%x<20>;\n.reg .b64 %%a, %%b, %%w<20>;\n"
             ".shared .align 16 .b8 s[1024];\n"
             "ld.param.u64 %%a, [a]; ld.param.u64 %%b, [b]; ld.param.u32 %%n, [n];\n"
             "mov.u32 %%t, %%tid.x; mov.u32 %%g, %%ctaid.x;\n%s\nret;\n}\n",
             body);
    *x = (struct facts){0};
    struct ptx_module *ast = ptx_parse(&x->arena, text, strlen(text), &err);
    x->module = ast ? kir_from_ptx(ast, &err) : NULL;
    if (!x->module) {
        printf("%s\n%s", text, strbuf_str(&err));
        exit(1);
    }
    struct kir_func *f = x->module->funcs.data[0];
    x->cfg = cfg_build(&x->arena, f);
    x->affine = affine_find(&x->arena, x->cfg, ntid, alignment_find(&x->arena, f, NULL, 0));
    for (uint32_t p = 0; p < x->cfg->nblocks; p++)
        for (const struct kir_inst *i = x->cfg->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_ST)
                x->store = i;
}

static void end(struct facts *x) {
    kir_module_free(x->module);
    arena_free(&x->arena);
}

static void wrong(const char *what, const char *want, const char *got) {
    printf("%s: '%s' instead of '%s'\n", what, got, want);
    failures++;
}

// The line of the last store's address, without the value's number.
static void expect(const char *what, const char *body, const char *want) {
    struct facts x;
    struct strbuf out = {0};
    char number[32];
    find(&x, body);
    affine_print(x.affine, &out);
    snprintf(number, sizeof number, "%%%" PRIu32 " = ", x.store->ops[0]->id);
    char *line = NULL;
    for (char *l = strtok(out.data, "\n"); l; l = strtok(NULL, "\n"))
        if (!strncmp(l, number, strlen(number)))
            line = l + strlen(number);
    if (!line || strcmp(line, want))
        wrong(what, want, line ? line : "nothing");
    strbuf_free(&out);
    end(&x);
}

// How the last store's address moves from block to block; NULL: that is not known.
static void expect_by_block(const char *what, const char *body, const char *want) {
    struct facts x;
    char got[32] = "unknown";
    int64_t by;
    find(&x, body);
    struct affine_motion *m = affine_by_block(&x.arena, x.affine);
    if (affine_moved(m, x.store->ops[0], &by))
        snprintf(got, sizeof got, "%" PRId64, by);
    if (strcmp(got, want))
        wrong(what, want, got);
    end(&x);
}

// How it grows in the innermost loop of the store: terms * constant and the constant.
static void expect_growth(const char *what, const char *body, const char *want) {
    struct facts x;
    struct affine_term term[AFFINE_TERMS];
    struct affine_form by;
    char got[64] = "unknown";
    find(&x, body);
    const struct cfg_loop *l = x.cfg->loop[x.store->block->id];
    if (!l || affine_growth(x.affine, l, x.store->ops[0], term, &by)) {
        int n = snprintf(got, sizeof got, "%" PRId64, l ? by.constant : -1);
        for (unsigned k = 0; k < (l ? by.n : 0); k++)
            n += snprintf(got + n, sizeof got - (size_t)n, " + %" PRId64, term[k].times);
    }
    if (strcmp(got, want))
        wrong(what, want, got);
    end(&x);
}

#define STORE(address) "st.global.u32 [" address "], %n;"

static void forms(void) {
    expect("an element of an array", "mul.wide.u32 %w0, %t, 4; add.s64 %w1, %a, %w0;" STORE("%w1"),
           "param 0 + 4 * tid.x, base param 0");
    expect("an index of the grid",
           "mov.u32 %x0, %ntid.x; mad.lo.s32 %x1, %g, %x0, %t; mul.wide.s32 %w0, %x1, 4;"
           "add.s64 %w1, %a, %w0;" STORE("%w1"),
           "param 0 + 4 * %7, base param 0");
    expect("what cannot wrap",
           "add.s32 %x0, %t, 5; cvt.s64.s32 %w0, %x0; add.s64 %w1, %a, %w0;" STORE("%w1"),
           "param 0 + tid.x + 5, base param 0");
    expect("what may be below zero",
           "add.s32 %x0, %t, -5; cvt.u64.u32 %w0, %x0; add.s64 %w1, %a, %w0;" STORE("%w1"),
           "param 0 + u32 %5, base param 0");
    expect("the same by its sign",
           "add.s32 %x0, %t, -5; cvt.s64.s32 %w0, %x0; add.s64 %w1, %a, %w0;" STORE("%w1"),
           "param 0 + tid.x + -5, base param 0");
    expect("a row by a pitch that the launch knows",
           "mad.lo.s32 %x0, %g, %n, %t; cvt.s64.s32 %w0, %x0; shl.b64 %w0, %w0, 3;"
           "sub.s64 %w1, %a, %w0;" STORE("%w1"),
           "param 0 + -8 * %6, base param 0");
    expect("terms that go",
           "add.s64 %w0, %a, %b; sub.s64 %w1, %w0, %b; sub.s64 %w1, %w1, %a;" STORE("%w1"), "0");
    expect("bits beside each other",
           "shl.b32 %x0, %g, 6; or.b32 %x1, %x0, %t; cvt.u64.u32 %w1, %x1;" STORE("%w1"), "u32 %5");
    expect("bits that may be the same",
           "shl.b32 %x0, %g, 5; or.b32 %x1, %x0, %t; cvt.s64.s32 %w1, %x1;" STORE("%w1"), "%5");
    expect("in shared memory, by a generic address",
           "mov.u32 %x0, s; cvt.u64.u32 %w0, %t; cvta.shared.u64 %w1, %w0; st.u32 [%w1], %n;",
           "tid.x, window");
    expect("a constant that the size of the block makes",
           "mov.u32 %x0, %ntid.x; shl.b32 %x0, %x0, 1; cvt.u64.u32 %w1, %x0;" STORE("%w1"),
           "128, 128 to 128, zeros 1");
}

static void by_block(void) {
    expect_by_block("each block's part",
                    "shl.b32 %x0, %g, 6; add.s32 %x0, %x0, %t; mul.wide.s32 %w0, %x0, 4;"
                    "add.s64 %w1, %a, %w0;" STORE("%w1"),
                    "256");
    expect_by_block("all blocks' part",
                    "mul.wide.s32 %w0, %t, 4; add.s64 %w1, %a, %w0;" STORE("%w1"), "0");
    expect_by_block(
        "by what the launch knows",
        "mul.lo.s32 %x0, %g, %n; cvt.s64.s32 %w0, %x0; add.s64 %w1, %a, %w0;" STORE("%w1"),
        "unknown");
    expect_by_block(
        "by the size of the block",
        "mov.u32 %x0, %ntid.x; mul.wide.u32 %w0, %x0, %g; add.s64 %w1, %a, %w0;" STORE("%w1"),
        "64");
    expect_by_block("what is made of what stays",
                    "and.b32 %x0, %t, 12; cvt.u64.u32 %w0, %x0; add.s64 %w1, %a, %w0;" STORE("%w1"),
                    "0");
    expect_by_block("a part of the index",
                    "and.b32 %x0, %g, 12; cvt.u64.u32 %w0, %x0; add.s64 %w1, %a, %w0;" STORE("%w1"),
                    "unknown");
    expect_by_block(
        "what was loaded",
        "ld.global.u32 %x0, [%b]; mul.wide.s32 %w0, %x0, 4; add.s64 %w1, %a, %w0;" STORE("%w1"),
        "unknown");
}

#define LOOP(before, next)                                                                         \
    "mov.u32 %x0, 0; mul.wide.u32 %w0, %t, 4; add.s64 %w1, %a, %w0;" before                        \
    "L: st.global.u32 [%w1], %x0;" next "add.s32 %x0, %x0, 1; setp.lt.s32 %p, %x0, %n; @%p bra L;"

static void growth(void) {
    expect_growth("by a constant", LOOP("", "add.s64 %w1, %w1, 256;"), "256");
    expect_growth("by what the launch knows",
                  LOOP("cvt.s64.s32 %w2, %n;", "add.s64 %w1, %w1, %w2;"), "0 + 1");
    expect_growth("in two steps, back by one",
                  LOOP("cvt.s64.s32 %w2, %n;", "add.s64 %w1, %w1, %w2; sub.s64 %w1, %w1, 4;"),
                  "-4 + 1");
    expect_growth("by what grows itself",
                  LOOP("cvt.s64.s32 %w2, %n;", "add.s64 %w1, %w1, %w2; add.s64 %w2, %w2, 4;"),
                  "unknown");
    expect_growth("a product of the counter",
                  "mov.u32 %x0, 0; L: mad.lo.s32 %x1, %x0, %n, %t; mul.wide.s32 %w0, %x1, 4;"
                  "add.s64 %w1, %a, %w0;" STORE(
                      "%w1") "add.s32 %x0, %x0, 3; setp.lt.s32 %p, %x0, %n; @%p bra L;",
                  "0 + 12");
    expect_growth("what stays",
                  "mov.u32 %x0, 0; L: st.global.u32 [%a], %x0; add.s32 %x0, %x0, 1;"
                  "setp.lt.s32 %p, %x0, %n; @%p bra L;",
                  "0");
    expect_growth("doubled", LOOP("", "shl.b64 %w1, %w1, 1;"), "unknown");
}

int main(void) {
    forms();
    by_block();
    growth();
    printf("%d failures\n", failures);
    return failures != 0;
}
