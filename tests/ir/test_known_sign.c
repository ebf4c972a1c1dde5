// Which extensions of indices get a sign: what tests on the way leave of a thread's number.
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"
#include "passes/analysis/known_sign.h"
#include "ptx/ast.h"

static int failures;

// `body` branches to END with what it does not let pass; behind it %x is extended without a sign.
static void expect(const char *what, const char *body, uint32_t threads, bool gets_sign) {
    char text[4096];
    struct arena a = {0};
    struct strbuf err = {0}, out = {0};
    const uint32_t ntid[3] = {threads, 1, 1};
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_80\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u32 n) {\n"
             ".reg .pred %%p, %%q;\n.reg .b32 %%t, %%n, %%x, %%y, %%v;\n.reg .b64 %%a, %%o;\n"
             "ld.param.u64 %%a, [a]; ld.param.u32 %%n, [n];\nmov.u32 %%t, %%tid.x;\n%s\n"
             "mul.wide.u32 %%o, %%x, 4; add.s64 %%o, %%a, %%o; ld.global.u32 %%v, [%%o];\n"
             "st.global.u32 [%%a], %%v;\nEND: ret;\n}\n",
             body);
    struct ptx_module *ast = ptx_parse(&a, text, strlen(text), &err);
    struct kir_module *m = ast ? kir_from_ptx(ast, &err) : NULL;
    if (!m) {
        printf("%s: %s\n%s", what, strbuf_str(&err), text);
        failures++;
        return;
    }
    struct kir_func *k = m->funcs.data[0];
    bool any = known_sign(k, NULL, ntid, false), changed = known_sign(k, NULL, ntid, true);
    kir_print_module(m, &out);
    bool has = strstr(strbuf_str(&out), "mul:s32") != NULL;
    if (any != gets_sign || changed != gets_sign || has != gets_sign || !kir_validate(m, &err) ||
        known_sign(k, NULL, ntid, false)) {
        printf("%s: found %d\n%s%s", what, any, strbuf_str(&err), strbuf_str(&out));
        failures++;
    }
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&err);
    strbuf_free(&out);
}

#define LESS(c) "add.s32 %x, %t, -" #c ";"

static void constants(void) {
    expect("three to the left, behind x < 3", "setp.lt.u32 %p, %t, 3; @%p bra END;" LESS(3), 64,
           true);
    expect("the same as a signed comparison", "setp.le.s32 %p, %t, 2; @%p bra END;" LESS(3), 64,
           true);
    expect("with the constant first", "setp.gt.s32 %p, 3, %t; @%p bra END;" LESS(3), 64, true);
    expect("four to the left", "setp.lt.u32 %p, %t, 3; @%p bra END;" LESS(4), 64, false);
    expect("behind the other way", "setp.ge.u32 %p, %t, 3; @%p bra END;" LESS(3), 64, false);
    expect("without a test", LESS(3), 64, false);
    expect("what is never below zero", "setp.lt.u32 %p, %t, 3; @%p bra END; add.s32 %x, %t, 3;", 64,
           false);
    expect("one comparison for both ends",
           "add.s32 %y, %t, -3; setp.gt.u32 %p, %y, 25; @%p bra END;" LESS(2), 64, true);
    expect("one for both ends, too far",
           "add.s32 %y, %t, -3; setp.gt.u32 %p, %y, 25; @%p bra END;" LESS(4), 64, false);
    expect("not the first one", "setp.eq.s32 %p, %t, 0; @%p bra END;" LESS(1), 64, true);
    expect("not the second one", "setp.eq.s32 %p, %t, 1; @%p bra END;" LESS(1), 64, false);
    expect("not the first two",
           "setp.eq.s32 %p, %t, 0; @%p bra END; setp.eq.s32 %p, %t, 1; @%p bra END;" LESS(2), 64,
           true);
    expect("this one alone", "setp.ne.s32 %p, %t, 5; @%p bra END;" LESS(5), 64, true);
}

static void joined(void) {
    const char *both = "setp.lt.u32 %p, %t, 2; setp.gt.u32 %q, %n, 5; or.pred %p, %p, %q;"
                       "@%p bra END;" LESS(2);
    expect("one of two that lead away", both, 64, true);
    const char *either = "setp.lt.u32 %p, %t, 2; setp.gt.u32 %q, %n, 5; and.pred %p, %p, %q;"
                         "@%p bra END;" LESS(2);
    expect("both have to hold to lead away", either, 64, false);
    const char *opposite = "setp.ge.u32 %p, %t, 2; not.pred %p, %p; @%p bra END;" LESS(2);
    expect("not the opposite", opposite, 64, true);
    const char *meets = "setp.lt.u32 %p, %t, 2; @%p bra L; st.global.u32 [%a], %t; L:" LESS(2);
    expect("where both ways meet again", meets, 64, false);
}

static void differences(void) {
    expect("a distance of the launch, without signs",
           "setp.lt.u32 %p, %t, %n; @%p bra END; sub.s32 %x, %t, %n;", 64, true);
    expect("one less",
           "setp.le.u32 %p, %t, %n; @%p bra END; sub.s32 %x, %t, %n;"
           "add.s32 %x, %x, -1;",
           64, true);
    expect("one less of what may be alike",
           "setp.lt.u32 %p, %t, %n; @%p bra END; sub.s32 %x, %t, %n; add.s32 %x, %x, -1;", 64,
           false);
    expect("a distance that may be below zero itself",
           "setp.lt.s32 %p, %t, %n; @%p bra END; sub.s32 %x, %t, %n;", 64, false);
    expect("a distance above zero, with signs",
           "setp.lt.s32 %p, %t, %n; @%p bra END; and.b32 %n, %n, 31; sub.s32 %x, %t, %n;", 64,
           false);
    expect("a small distance, with signs",
           "and.b32 %n, %n, 31; setp.lt.s32 %p, %t, %n; @%p bra END; sub.s32 %x, %t, %n;", 64,
           true);
    expect("a difference in a range, and one less",
           "sub.s32 %y, %n, %t; setp.gt.u32 %p, %y, 31; @%p bra END; setp.eq.s32 %p, %y, 0;"
           "@%p bra END; add.s32 %x, %y, -1;",
           64, true);
    expect("a difference in a range that ends at zero",
           "sub.s32 %y, %n, %t; setp.gt.u32 %p, %y, 31; @%p bra END; add.s32 %x, %y, -1;", 64,
           false);
    expect("a difference that is not negative, and the next",
           "sub.s32 %y, %n, %t; setp.lt.s32 %p, %y, 0; @%p bra END; setp.gt.s32 %p, %y, 31;"
           "@%p bra END; add.s32 %x, %y, 1;",
           64, true);
    expect("the wrong way round", "setp.gt.u32 %p, %t, %n; @%p bra END; sub.s32 %x, %t, %n;", 64,
           false);
    expect("from any number", "setp.lt.u32 %p, %n, %t; @%p bra END; sub.s32 %x, %n, %t;", 64,
           false);
}

static void launches(void) {
    const char *any = "setp.le.s32 %p, %n, 2; @%p bra END; add.s32 %x, %n, -3;";
    expect("a number of the launch, positive", any, 64, true);
    const char *large = "setp.le.u32 %p, %n, 2; @%p bra END; add.s32 %x, %n, -3;";
    expect("a number of the launch, of any size", large, 64, false);
    const char *wraps = "setp.lt.s32 %p, %n, 0; @%p bra END; add.s32 %x, %n, 1;";
    expect("the largest number and one", wraps, 64, false);
}

int main(void) {
    constants();
    joined();
    differences();
    launches();
    return failures != 0;
}
