// Which indices of 16 bits are computed in words of 32, which masks become extensions, and that
// both are the same numbers.
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"
#include "passes/analysis/index_words.h"
#include "ptx/ast.h"

static int failures;

enum { NO_CHANGE, WORDS, LOW_WORD };

static struct kir_module *module(struct arena *a, struct strbuf *err, const char *body) {
    char text[4096];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_80\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u32 n) {\n"
             ".reg .pred %%p;\n.reg .b16 %%h, %%i, %%j;\n.reg .b32 %%t, %%u, %%n, %%x;\n"
             ".reg .b64 %%a, %%o;\n"
             "ld.param.u64 %%a, [a]; ld.param.u32 %%n, [n];\n"
             "mov.u32 %%t, %%tid.x; mov.u32 %%u, %%tid.y;\n%s\n"
             "st.global.u32 [%%a], %%x; st.global.u64 [%%a+8], %%o;\nret;\n}\n",
             body);
    struct ptx_module *ast = ptx_parse(a, text, strlen(text), err);
    return ast ? kir_from_ptx(ast, err) : NULL;
}

// `body` leaves what is looked at in %x or %o.
static void expect(const char *what, const char *body, int change) {
    struct arena a = {0};
    struct strbuf err = {0}, out = {0};
    struct kir_module *m = module(&a, &err, body);
    if (!m) {
        printf("%s: %s\n", what, strbuf_str(&err));
        failures++;
        return;
    }
    struct kir_func *k = m->funcs.data[0];
    bool any = index_words(k, false), changed = index_words(k, true);
    kir_print_module(m, &out);
    const char *text = strbuf_str(&out);
    bool short_ones = strstr(text, "b16") != NULL, low = strstr(text, "cvt:u64:u32") != NULL;
    bool right = any == (change != NO_CHANGE) && changed == any && kir_validate(m, &err);
    right &= change != WORDS || !short_ones;
    right &= change != LOW_WORD || low;
    right &= change != NO_CHANGE || short_ones || strstr(text, "0xffffffff") != NULL;
    if (!right || index_words(k, false)) {
        printf("%s: found %d\n%s%s", what, any, strbuf_str(&err), text);
        failures++;
    }
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&err);
    strbuf_free(&out);
}

#define O "mov.u64 %o, 0;"
#define X "mov.u32 %x, 0;"
#define PLACE "cvt.u16.u32 %h, %u; shl.b16 %h, %h, 3; cvt.u16.u32 %i, %t; add.s16 %h, %h, %i;" O

static void words(void) {
    expect("a place in a block", PLACE "cvt.u32.u16 %x, %h;", WORDS);
    expect("extended to 64 bits", PLACE X "cvt.u64.u16 %o, %h;", WORDS);
    expect("a quotient by a product's upper half",
           PLACE "mul.hi.u16 %i, %h, -3855; shr.u16 %i, %i, 5; mul.lo.s16 %j, %i, 34;"
                 "sub.s16 %h, %h, %j; cvt.u32.u16 %x, %h;",
           WORDS);
    expect("a quotient", PLACE "div.u16 %h, %h, 34; cvt.u32.u16 %x, %h;", WORDS);
    expect("a whole product", PLACE "mul.wide.u16 %x, %h, 12;", WORDS);
    expect("around a loop",
           PLACE "mov.u32 %x, 0; L: cvt.u32.u16 %u, %h; add.u32 %x, %x, %u; add.s16 %h, %h, 128;"
                 "setp.lt.u32 %p, %x, %n; @%p bra L;",
           WORDS);
    expect("from 64 bits", O "cvt.u64.u32 %o, %t; cvt.u16.u64 %h, %o; cvt.u32.u16 %x, %h;", WORDS);
    expect("of what was loaded",
           O "ld.global.u32 %n, [%a]; cvt.u16.u32 %h, %n; add.s16 %h, %h, 1; cvt.u32.u16 %x, %h;",
           NO_CHANGE);
    expect("partly of what was loaded",
           PLACE "ld.global.u16 %i, [%a]; add.s16 %h, %h, %i; cvt.u32.u16 %x, %h;", NO_CHANGE);
    expect("of another thread",
           O "shfl.sync.bfly.b32 %n, %t, 1, 31, -1; cvt.u16.u32 %h, %n; cvt.u32.u16 %x, %h;",
           NO_CHANGE);
    expect("with its sign", PLACE "cvt.s32.s16 %x, %h;", NO_CHANGE);
    expect("shifted with its sign", PLACE "shr.s16 %h, %h, 2; cvt.u32.u16 %x, %h;", NO_CHANGE);
}

static void masks(void) {
    const char *sum = X "mul.wide.u32 %o, %n, 4; cvt.u64.u32 %a, %t; add.s64 %o, %o, %a;"
                        "and.b64 %o, %o, 4294967295; ld.param.u64 %a, [a];";
    expect("the low word of a sum", sum, LOW_WORD);
    expect("a wider mask",
           X "mul.wide.u32 %o, %n, 4; and.b64 %o, %o, 8589934591; cvt.u16.u32 %h, %n;"
             "st.global.u16 [%a], %h;",
           NO_CHANGE);
    expect("of what was loaded", X "ld.global.u64 %o, [%a]; and.b64 %o, %o, 4294967295;",
           NO_CHANGE);
}

int main(void) {
    words();
    masks();
    if (failures)
        printf("%d failures\n", failures);
    return failures != 0;
}
