// Which kernels are a grid-stride loop and nothing else.
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"
#include "passes/loops/stride_loop.h"
#include "ptx/ast.h"

static int failures;

// for (i = ctaid * ntid + tid; i < n; i += nctaid * ntid) a[i] += 1, with other text in some
// places.
struct form {
    const char *index, *limit, *before, *step, *body, *test, *behind;
};
static const struct form plain = {
    .index = "mad.lo.s32 %i, %b, %s, %t;",
    .limit = "ld.param.u32 %n, [n];",
    .before = "setp.ge.s32 %p, %i, %n; @%p bra END;",
    .step = "mul.lo.s32 %d, %g, %s;",
    .body = "",
    .test = "setp.lt.s32 %q, %i, %n; @%q bra LOOP;",
    .behind = "",
};

static void text_of(const struct form *f, char *out, size_t size) {
    snprintf(out, size,
             ".version 8.0\n.target sm_80\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u32 n, .param .u64 m) {\n"
             ".reg .pred %%p, %%q;\n.reg .b32 %%b, %%s, %%t, %%g, %%i, %%n, %%d, %%v, %%c;\n"
             ".reg .b64 %%a, %%o, %%m;\n.shared .b32 shared[64];\n"
             "ld.param.u64 %%a, [a]; ld.param.u64 %%m, [m]; %s\n"
             "mov.u32 %%b, %%ctaid.x; mov.u32 %%s, %%ntid.x; mov.u32 %%t, %%tid.x;\n"
             "mov.u32 %%g, %%nctaid.x; mov.u32 %%c, 0; %s\n%s\n%s\n"
             "LOOP: mul.wide.s32 %%o, %%i, 4; add.s64 %%o, %%a, %%o;\n"
             "ld.global.u32 %%v, [%%o]; add.u32 %%v, %%v, 1; %s\nst.global.u32 [%%o], %%v;\n"
             "add.s32 %%i, %%i, %%d; %s\n%s\nEND: ret;\n}\n",
             f->limit, f->index, f->before, f->step, f->body, f->test, f->behind);
}

// n, m of a launch: the loop's limit is 1000.
static uint8_t params[24];

static void launch(uint32_t n, uint64_t m) {
    memcpy(params + 8, &n, sizeof n);
    memcpy(params + 16, &m, sizeof m);
}

static void expect(const char *what, const struct form *f, bool is_one) {
    char text[4096];
    struct strbuf err = {0}, out = {0};
    struct arena a = {0};
    text_of(f, text, sizeof text);
    struct ptx_module *ast = ptx_parse(&a, text, strlen(text), &err);
    struct kir_module *m = ast ? kir_from_ptx(ast, &err) : NULL;
    if (!m) {
        printf("%s: %s\n", what, strbuf_str(&err));
        failures++;
        return;
    }
    struct kir_func *k = m->funcs.data[0];
    const uint32_t ntid[3] = {0};
    struct launch_number limit = stride_loop_find(k);
    bool opened = stride_loop_open(k, ntid);
    kir_print_module(m, &out);
    bool has_loop = strstr(strbuf_str(&out), "phi") != NULL;
    if (!limit.n == is_one || opened != is_one || has_loop == is_one ||
        (is_one && kj_launch_number(limit.steps, limit.n, params) != 1000) ||
        !kir_validate(m, &err)) {
        printf("%s: %s\n%s", what, strbuf_str(&err), strbuf_str(&out));
        failures++;
    }
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&err);
    strbuf_free(&out);
}

#define WITH(field, text)                                                                          \
    ({                                                                                             \
        struct form changed = plain;                                                               \
        changed.field = text;                                                                      \
        changed;                                                                                   \
    })

// Limits that each launch computes of n and m.
static void limits(void) {
    static const struct {
        const char *what, *limit;
        uint32_t n;
        uint64_t m;
    } of[] = {
        {"a constant", "mov.u32 %n, 1000;", 0, 0},
        {"a product", "ld.param.u32 %n, [n]; cvt.u32.u64 %v, %m; mul.lo.s32 %n, %n, %v;", 8, 125},
        {"a quarter, rounded to zero",
         "ld.param.u32 %n, [n]; shr.s32 %v, %n, 31; shr.u32 %v, %v, 30; add.s32 %n, %n, %v;"
         "shr.s32 %n, %n, 2;",
         4003, 0},
        {"a quotient", "ld.param.u32 %n, [n]; div.s32 %n, %n, 7;", 7006, 0},
        {"the lesser of two", "ld.param.u32 %n, [n]; min.s32 %n, %n, 1000;", 5000, 0},
        {"the greater, with signs", "ld.param.u32 %n, [n]; max.s32 %n, %n, 1000;", UINT32_MAX, 0},
        {"bits", "ld.param.u32 %n, [n]; and.b32 %n, %n, 1023; xor.b32 %n, %n, 7;", 0xfef, 0},
        {"a product of 64 bits",
         "ld.param.u32 %n, [n]; mul.wide.s32 %o, %n, -5; add.s64 %o, %o, %m; cvt.u32.u64 %n, %o;",
         UINT32_MAX, 995},
    };
    for (unsigned k = 0; k < sizeof of / sizeof of[0]; k++) {
        struct form f = WITH(limit, of[k].limit);
        launch(of[k].n, of[k].m);
        expect(of[k].what, &f, true);
    }
    launch(1000, 0);
}

// What no launch counts on.
static void no_numbers(void) {
    const struct kj_step zero[] = {{KJ_STEP_NUMBER, 32, 0, 0, 8},
                                   {KJ_STEP_PARAM, 32, 0, 0, 8},
                                   {KJ_STEP_DIV, 32, 0, 1, 0},
                                   {KJ_STEP_AND, 32, 2, 0, 0}};
    launch(0, 0);
    if (kj_launch_number(zero, 4, params) != UINT64_MAX) {
        printf("a quotient by zero is a number\n");
        failures++;
    }
    launch(2, 0);
    if (kj_launch_number(zero, 3, params) != 4) {
        printf("8 / 2 is not 4\n");
        failures++;
    }
}

int main(void) {
    struct form f = plain;
    limits();
    no_numbers();
    launch(1000, 0);
    expect("as it is written mostly", &f, true);
    f = WITH(index, "mul.lo.s32 %i, %s, %b; add.s32 %i, %i, %t;");
    expect("a product and a sum", &f, true);
    f = WITH(body, "ld.global.u32 %c, [%m]; add.u32 %v, %v, %c;");
    expect("a load in the body", &f, true);
    f = WITH(before, "");
    expect("nobody asks before the loop", &f, false);
    f = WITH(before, "setp.gt.s32 %p, %i, %n; @%p bra END;");
    expect("another question before the loop", &f, false);
    f = WITH(test, "setp.le.s32 %q, %i, %n; @%q bra LOOP;");
    expect("up to the limit itself", &f, false);
    f = WITH(test, "setp.lt.u32 %q, %i, %n; @%q bra LOOP;");
    expect("another order at the end", &f, false);
    f = WITH(limit, "ld.global.u32 %n, [%m];");
    expect("a limit from memory", &f, false);
    f = WITH(limit, "ld.param.u32 %n, [n]; clz.b32 %n, %n;");
    expect("a limit that launches do not compute", &f, false);
    f = WITH(before, "setp.gt.u64 %q, %m, 5; @%q bra END; ld.param.u32 %n, [n];"
                     "setp.ge.s32 %p, %i, %n; @%p bra END;");
    expect("a limit that not all threads come to", &f, true);
    f = WITH(step, "mul.lo.s32 %d, %g, %s; shl.b32 %d, %d, 1;");
    expect("two grids at a time", &f, false);
    f = WITH(step, "mov.u32 %d, %s;");
    expect("a block at a time", &f, false);
    f = WITH(body, "add.u32 %c, %c, 1; add.u32 %v, %v, %c;");
    expect("iterations are counted", &f, false);
    f = WITH(body, "add.u32 %v, %v, %b;");
    expect("the block is told of", &f, false);
    f = WITH(body, "st.shared.u32 [shared], %v;");
    expect("shared memory", &f, false);
    f = WITH(body, "st.volatile.global.u32 [%m], %v;");
    expect("what others may look at", &f, false);
    f = WITH(body, "atom.global.add.u32 %v, [%m], 1;");
    expect("an atomic operation", &f, false);
    f = WITH(body, "bar.sync 0;");
    expect("a barrier", &f, false);
    f = WITH(behind, "st.global.u32 [%m], %t;");
    expect("a store behind the loop", &f, false);
    f = WITH(behind, "mov.u32 %c, %v; st.global.u32 [%m], %c;");
    expect("what the loop made is used behind it", &f, false);
    return failures != 0;
}
