// The linker: what it resolves, keeps once, renames and reports. Its output must be PTX again.
#include <stdio.h>
#include <string.h>

#include "ptx/ast.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
enum { MAX_MODULES = 4 };

static unsigned failures;

static void check(bool ok, const char *test, const char *what, const char *text) {
    if (ok)
        return;
    printf("%s: %s\n%s\n", test, what, text);
    failures++;
}

static unsigned count(const char *text, const char *word) {
    unsigned n = 0;
    while ((text = strstr(text, word))) {
        n++;
        text += strlen(word);
    }
    return n;
}

static bool link_texts(const char *const *texts, struct strbuf *out, struct strbuf *err) {
    size_t n = 0, len[MAX_MODULES];
    for (; texts[n]; n++)
        len[n] = strlen(texts[n]);
    return ptx_link(texts, len, n, out, err);
}

// Links, parses the result, and returns it as the parser prints it ("" when that fails).
static void expect_links(const char *test, const char *const *texts, struct strbuf *printed) {
    struct strbuf out = {0}, err = {0};
    struct arena a = {0};
    check(link_texts(texts, &out, &err), test, "does not link", strbuf_str(&err));
    struct ptx_module *m = ptx_parse(&a, strbuf_str(&out), out.len, &err);
    check(m && ptx_verify(m, &err), test, "result is no PTX", strbuf_str(&err));
    if (m)
        ptx_print(m, printed);
    arena_free(&a);
    strbuf_free(&out);
    strbuf_free(&err);
}

static void expect_error(const char *test, const char *const *texts, const char *message) {
    struct strbuf out = {0}, err = {0};
    check(!link_texts(texts, &out, &err), test, "links", strbuf_str(&out));
    check(strstr(strbuf_str(&err), message) != NULL, test, message, strbuf_str(&err));
    check(out.len == 0, test, "leaves output behind", strbuf_str(&out));
    strbuf_free(&out);
    strbuf_free(&err);
}

static void test_extern(void) {
    const char *const texts[] = {
        HEAD ".extern .func (.param .b32 r) f(.param .b32 a);\n"
             ".extern .global .u32 counter;\n"
             ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
             ".extern .shared .align 8 .b8 dyn[];\n"
             ".visible .entry k() { .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
             "call (%r1), f, (%r2); ld.global.u32 %r1, [counter]; mov.u64 %rd1, dyn; ret; }\n",
        ".version 8.3\n.target sm_90\n.address_size 64\n"
        ".visible .func (.param .b32 r) f(.param .b32 a) { ret; }\n"
        ".visible .global .u32 counter = 7;\n",
        NULL,
    };
    struct strbuf p = {0};
    expect_links("extern", texts, &p);
    const char *s = strbuf_str(&p);
    check(strstr(s, ".version 8.3\n.target sm_90\n") == s, "extern", "not the newest target", s);
    check(count(s, "counter = 7;") == 1, "extern", "variable is lost", s);
    check(count(s, ".extern") == 2, "extern", "only vprintf and dyn may stay undefined", s);
    check(count(s, "{\n") == 2, "extern", "expected two bodies", s);
    strbuf_free(&p);
}

static void test_weak(void) {
    const char *const texts[] = {
        HEAD ".weak .func t() { .reg .b32 %r<2>; mov.u32 %r1, 1; ret; }\n"
             ".weak .entry kt() { call t; ret; }\n.common .global .b8 c[4];\n",
        HEAD ".weak .func t() { .reg .b32 %r<2>; mov.u32 %r1, 2; ret; }\n"
             ".weak .entry kt() { call t; ret; }\n.common .global .b8 c[16];\n",
        HEAD ".visible .func t() { .reg .b32 %r<2>; mov.u32 %r1, 3; ret; }\n",
        NULL,
    };
    struct strbuf p = {0};
    expect_links("weak", texts, &p);
    const char *s = strbuf_str(&p);
    check(count(s, "mov.u32") == 1 && count(s, "mov.u32 %r1, 3") == 1, "weak",
          "the strong definition must win", s);
    check(count(s, "kt\n") == 1, "weak", "expected one kernel", s);
    check(count(s, "c[16]") == 1 && count(s, "c[4]") == 0, "weak", "the largest .common wins", s);
    strbuf_free(&p);
}

static void test_internal(void) {
    const char *const texts[] = {
        HEAD ".global .u32 x = 1;\n.func help() { ret; }\n"
             ".global .u64 px = x;\n.visible .entry a() { call help; ret; }\n"
             ".file 1 \"a.cu\"\n",
        HEAD ".global .u32 x = 2;\n.func help() { trap; }\n.global .u64 px = generic(x);\n"
             ".file 1 \"b.cu\"\n"
             ".visible .entry b() { .reg .b32 %r<2>; .loc 1 5 1 call help;"
             " ld.global.u32 %r1, [x]; ret; }\n",
        NULL,
    };
    struct strbuf p = {0};
    expect_links("internal", texts, &p);
    const char *s = strbuf_str(&p);
    check(count(s, " x = 1;") == 1 && count(s, " x = 2;") == 0, "internal", "x of the second", s);
    check(count(s, "x$m2_") == 4, "internal", "renamed where it is declared and used", s);
    check(count(s, "help$m2_") == 3, "internal", "renamed function", s);
    check(strstr(s, "\"a.cu\"") && strstr(s, "\"b.cu\"") && strstr(s, ".loc 3 5 1"), "internal",
          "files are numbered anew", s);
    strbuf_free(&p);
}

// Initialisers that refer to each other across modules.
// Code for a target before sm_70 keeps its lanes together beside code for a later one.
static void test_lockstep(void) {
    const char *const texts[] = {".version 6.0\n.target sm_30\n.address_size 64\n"
                                 ".visible .func f() { ret; }\n",
                                 HEAD ".extern .func f();\n.visible .entry k() { call f; ret; }\n",
                                 NULL};
    const char *const later[] = {HEAD ".visible .entry k() { ret; }\n", NULL};
    struct strbuf old_one = {0}, none = {0};
    expect_links("lockstep", texts, &old_one);
    expect_links("no lockstep", later, &none);
    check(count(strbuf_str(&old_one), ".target sm_80") == 1, "lockstep", "another target",
          strbuf_str(&old_one));
    check(count(strbuf_str(&old_one), ".pragma \"" PTX_LOCKSTEP "\"") == 1, "lockstep", "no pragma",
          strbuf_str(&old_one));
    check(count(strbuf_str(&none), PTX_LOCKSTEP) == 0, "no lockstep", "a pragma",
          strbuf_str(&none));
    strbuf_free(&old_one);
    strbuf_free(&none);
}

static void test_cycle(void) {
    const char *const texts[] = {
        HEAD ".extern .global .u64 b;\n.visible .global .u64 a = b;\n",
        HEAD ".extern .global .u64 a;\n.visible .global .u64 b = a;\n",
        NULL,
    };
    struct strbuf p = {0};
    expect_links("cycle", texts, &p);
    strbuf_free(&p);
}

// A module takes the address of another one's kernel, which it has declared as a function.
static void test_kernel_address(void) {
    const char *const outer = HEAD ".extern .func inner(.param .b32 x);\n"
                                   ".visible .entry outer() { .reg .b64 %rd<2>;\n"
                                   "mov.u64 %rd1, inner; ret; }\n";
    const char *const inner =
        HEAD ".extern .func outer();\n.visible .entry inner(.param .u32 x) {\n"
             ".reg .b64 %rd<2>; mov.u64 %rd1, outer; ret; }\n";
    const char *const orders[][3] = {{outer, inner, NULL}, {inner, outer, NULL}};
    for (int i = 0; i < 2; i++) {
        struct strbuf p = {0};
        expect_links("kernel address", orders[i], &p);
        const char *s = strbuf_str(&p);
        check(count(s, ".visible .entry inner") >= 1 && count(s, "{\n") == 2 &&
                  !count(s, ".extern"),
              "kernel address", "two kernels and no function", s);
        strbuf_free(&p);
    }
    const char *const called[] = {HEAD ".extern .func f();\n.visible .entry k() { call f; ret; }\n",
                                  HEAD ".visible .entry f() { ret; }\n", NULL};
    expect_error("kernel called", called, "module 1 calls 'f', which is a kernel in module 2");
    const char *const size[] = {HEAD ".extern .func f(.param .b64 a);\n",
                                HEAD ".visible .entry f(.param .b32 a) { ret; }\n", NULL};
    expect_error("kernel of other size", size, "'f' in module 2 does not match its declaration");
    const char *const absent[] = {HEAD ".extern .func f();\n.visible .entry k() {\n"
                                       ".reg .b64 %rd<2>; mov.u64 %rd1, f; ret; }\n",
                                  NULL};
    expect_error("kernel absent", absent, "Undefined reference to 'f' in module 1");
}

// What is declared and not used need not be there; what an initialiser names does.
static void test_unused(void) {
    const char *const unused[] = {HEAD ".extern .func f();\n.visible .entry k() { ret; }\n", NULL};
    struct strbuf p = {0};
    expect_links("unused", unused, &p);
    strbuf_free(&p);
    const char *const named[] = {HEAD ".extern .func f();\n.visible .global .u64 at = f;\n"
                                      ".visible .entry k() { ret; }\n",
                                 NULL};
    expect_error("named", named, "Undefined reference to 'f' in module 1");
}

static void test_errors(void) {
    const char *const undefined[] = {
        HEAD ".extern .func f();\n.visible .entry k() { call f; ret; }\n", NULL};
    expect_error("undefined", undefined, "Undefined reference to 'f' in module 1");
    const char *const twice[] = {HEAD ".visible .func f() { ret; }\n",
                                 HEAD ".visible .func f() { ret; }\n", NULL};
    expect_error("twice", twice,
                 "Multiple definition of 'f' in module 2, first defined in module 1");
    const char *const mismatch[] = {HEAD ".extern .func f(.param .b32 a);\n",
                                    HEAD ".visible .func f(.param .b64 a) { ret; }\n", NULL};
    expect_error("mismatch", mismatch, "'f' in module 2 does not match its declaration");
    const char *const kind[] = {HEAD ".extern .global .u32 f;\n",
                                HEAD ".visible .func f() { ret; }\n", NULL};
    expect_error("kind", kind, "'f' in module 2 does not match its declaration");
    const char *const syntax[] = {HEAD, HEAD ".visible .func f( { ret; }\n", NULL};
    expect_error("syntax", syntax, "module 2:\nptx:4:19: error: expected .param or .reg");
    const char *const nothing[] = {NULL};
    expect_error("nothing", nothing, "nothing to link");
}

int main(void) {
    test_extern();
    test_weak();
    test_internal();
    test_cycle();
    test_lockstep();
    test_kernel_address();
    test_unused();
    test_errors();
    return failures != 0;
}
