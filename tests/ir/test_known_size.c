// What the size of a block decides, and what it does not; ranges hold every thread's number.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/ir.h"
#include "passes/analysis/number_range.h"
#include "passes/loops/known_size.h"
#include "ptx/ast.h"

static int failures;

static struct kir_module *read_ptx(struct arena *a, const char *what, const char *body) {
    char text[8192];
    struct strbuf err = {0};
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_80\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u32 n) {\n"
             ".reg .pred %%p, %%q;\n.reg .b32 %%t, %%n, %%i, %%v, %%c, %%x<40>;\n"
             ".reg .b64 %%a, %%o, %%w<40>;\n"
             "ld.param.u64 %%a, [a]; ld.param.u32 %%n, [n];\nmov.u32 %%t, %%tid.x;\n%s\nret;\n}\n",
             body);
    struct ptx_module *ast = ptx_parse(a, text, strlen(text), &err);
    struct kir_module *m = ast ? kir_from_ptx(ast, &err) : NULL;
    if (!m) {
        printf("%s: %s\n%s", what, strbuf_str(&err), text);
        failures++;
    }
    strbuf_free(&err);
    return m;
}

// Whether the pass finds something in `body` for blocks of `threads`, and whether the kernel then
// has this text in it (else, if it begins with '!', has not).
static void expect(const char *what, const char *body, uint32_t threads, bool finds,
                   const char *has) {
    struct arena a = {0};
    struct strbuf err = {0}, out = {0};
    const uint32_t ntid[3] = {threads, 1, 1};
    struct kir_module *m = read_ptx(&a, what, body);
    if (!m)
        return;
    struct kir_func *k = m->funcs.data[0];
    bool found = known_size_any(k, ntid);
    known_size(k, ntid);
    kir_print_module(m, &out);
    bool want = has && has[0] != '!';
    bool there = has && strstr(strbuf_str(&out), has + !want);
    if (found != finds || (has && there != want) || !kir_validate(m, &err) ||
        known_size_any(k, ntid)) {
        printf("%s: found %d\n%s%s", what, found, strbuf_str(&err), strbuf_str(&out));
        failures++;
    }
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&err);
    strbuf_free(&out);
}

static void values(void) {
    const char *largest = "max.u32 %v, %t, 448; st.global.u32 [%a], %v;";
    expect("a maximum above all threads", largest, 64, true, "0x1c0:b32");
    expect("a maximum among the threads", largest, 512, false, " = max:");
    const char *least = "min.s32 %v, %t, 100; st.global.u32 [%a], %v;";
    expect("a minimum above all threads", least, 100, true, "! = min:");
    expect("a minimum among the threads", least, 102, false, " = min:");
    const char *below = "setp.lt.u32 %p, %t, 64; @%p st.global.u32 [%a], %t;";
    expect("a test that all pass", below, 64, true, "!setp");
    expect("a test that one fails", below, 65, false, "setp");
    const char *wraps = "add.s32 %v, %t, -1; setp.gt.u32 %p, %v, 5; @%p st.global.u32 [%a], %t;";
    expect("numbers around zero have no order without sign", wraps, 4, false, "setp");
    const char *negative = "add.s32 %v, %t, -64; setp.gt.u32 %p, %v, 5;"
                           "@%p st.global.u32 [%a], %t;";
    expect("below zero all are large", negative, 64, true, "!setp");
    const char *iterations = "max.u32 %v, %t, 448; sub.s32 %v, %v, %t; add.s32 %v, %v, 63;"
                             "shr.u32 %v, %v, 6; st.global.u32 [%a], %v;";
    expect("a loop's count", iterations, 64, true, "0x7:b32");
    expect("a loop's count of some threads", iterations, 128, true, " = shr:");
    const char *parts = "and.b32 %x0, %t, 63; rem.u32 %x1, %t, 80; shr.u32 %x2, %t, 6;"
                        "add.s32 %v, %x0, %x1; add.s32 %v, %v, %x2; st.global.u32 [%a], %v;";
    expect("all bits and all of a remainder", parts, 64, true, "! = rem:");
    expect("neither", parts, 128, false, " = and:");
    expect("the same in all threads anyway", "max.u32 %v, %n, 0; st.global.u32 [%a], %v;", 64,
           false, " = max:");
}

#define LOOP(begin, step, test)                                                                    \
    begin "LOOP: mul.wide.s32 %o, %i, 4; add.s64 %o, %a, %o; st.global.u32 [%o], %t;" step test    \
          " @%p bra LOOP;"

static void loops(void) {
    const char *four = "{cmp=lt} %";
    const char *rows = LOOP("shr.u32 %i, %t, 5;", "add.s32 %i, %i, 8;", "setp.lt.u32 %p, %i, 32;");
    expect("rows of a tile", rows, 256, true, ", 0x3:b32");
    expect("rows of a tile, some threads one less", rows, 288, false, four);
    const char *ahead =
        LOOP("add.s32 %i, %t, -64;", "add.s32 %i, %i, 64;", "setp.lt.u32 %p, %i, 448;");
    expect("begins a step ahead", ahead, 64, true, ", 0x7:b32");
    const char *down =
        LOOP("add.s32 %i, %t, 512;", "add.s32 %i, %i, -128;", "setp.ge.s32 %p, %i, 128;");
    expect("downwards", down, 128, true, ", 0x3:b32");
    const char *wraps =
        LOOP("mov.u32 %i, %t;", "add.s32 %i, %i, 1073741824;", "setp.ne.s32 %p, %i, 5;");
    expect("one thread is equal to it", wraps, 64, false, NULL);
    const char *unknown = LOOP("mov.u32 %i, %t;", "add.s32 %i, %i, 64;", "setp.lt.s32 %p, %i, %n;");
    expect("up to what the launch says", unknown, 64, false, "{cmp=lt}");
    const char *byn = LOOP("mov.u32 %i, %t;", "add.s32 %i, %i, %n;", "setp.lt.s32 %p, %i, 512;");
    expect("by what the launch says", byn, 64, false, "{cmp=lt}");
    const char *halves = LOOP("mov.u32 %i, %t; mov.u32 %c, 64;", "add.f16x2 %i, %i, %c;",
                              "setp.lt.u32 %p, %i, 512;");
    expect("two halves in a word", halves, 64, false, "0x200:b32");
    const char *alike = LOOP("mov.u32 %i, 0;", "add.s32 %i, %i, 1;", "setp.lt.s32 %p, %i, 4;");
    expect("all threads count alike already", alike, 64, false, "0x4:b32");
    const char *endless = LOOP("mov.u32 %i, %t;", "add.s32 %i, %i, 64;", "setp.ge.s32 %p, %i, 0;");
    expect("goes on for long", endless, 64, false, NULL);
    const char *two = LOOP("mov.u32 %i, %t;",
                           "add.s32 %i, %i, 64; setp.eq.s32 %q, %t, 3;"
                           "@%q bra END;",
                           "setp.lt.s32 %p, %i, 512;") " END:";
    expect("another way out", two, 64, false, "0x200:b32");
}

// ---- ranges of random values against every thread's numbers ------------------------------------

static uint32_t seed = 1;

static uint32_t below(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static const char *const words[] = {"add.s32", "sub.s32", "min.s32", "max.u32", "min.u32",
                                    "max.s32", "and.b32", "or.b32",  "xor.b32", "mul.lo.s32"};
static const char *const by_numbers[] = {"shl.b32", "shr.u32", "shr.s32", "div.u32",
                                         "rem.u32", "div.s32", "rem.s32"};
static const char *const numbers[] = {"0",          "1",           "5",         "63",  "64",
                                      "-1",         "-64",         "255",       "448", "65535",
                                      "2147483647", "-2147483648", "1073741824"};

static void add_random(struct strbuf *s, uint32_t n) {
    enum { WORDS = sizeof words / sizeof *words, NUMBERS = sizeof numbers / sizeof *numbers };
    uint32_t x = below(n), y = below(n), kind = below(8);
    if (kind < 3)
        strbuf_printf(s, "%s %%x%u, %%x%u, %%x%u;\n", words[below(WORDS)], n, x, y);
    else if (kind < 6)
        strbuf_printf(s, "%s %%x%u, %%x%u, %s;\n", words[below(WORDS)], n, x,
                      numbers[below(NUMBERS)]);
    else if (kind < 7)
        strbuf_printf(s, "%s %%x%u, %%x%u, %u;\n", by_numbers[below(7)], n, x, 1 + below(31));
    else
        strbuf_printf(s,
                      "cvt.%s.%s %%w%u, %%x%u;\nshr.%s %%w%u, %%w%u, %u;\n"
                      "mul.wide.%s %%o, %%x%u, %s;\nadd.s64 %%w%u, %%w%u, %%o;\n"
                      "cvt.u32.u64 %%x%u, %%w%u;\n",
                      below(2) ? "s64" : "u64", below(2) ? "s32" : "u32", n, x,
                      below(2) ? "s64" : "u64", n, n, below(40), below(2) ? "s32" : "u32", y,
                      numbers[below(NUMBERS)], n, n, n, n);
}

static bool holds(struct number_range r, const struct kir_value *v, union isa_bits b) {
    if (!r.known)
        return true;
    if (kir_type_bits(v->type) == 64)
        return (int64_t)b.u64[0] >= r.lo && (int64_t)b.u64[0] <= r.hi;
    return (uint32_t)(b.u32[0] - (uint32_t)r.lo) <= (uint64_t)(r.hi - r.lo);
}

static unsigned check_thread(const struct kir_func *f, const struct number_range *ranges,
                             union isa_bits *now, uint32_t t) {
    unsigned known = 0;
    for (const struct kir_inst *i = f->blocks.data[0]->first; i; i = i->next) {
        union isa_bits src[4], dst[2] = {0};
        if (i->nres != 1 || i->nops > 4)
            continue;
        for (uint32_t k = 0; k < i->nops; k++)
            src[k] = i->ops[k]->kind == KIR_VALUE_INST ? now[i->ops[k]->id] : i->ops[k]->bits;
        if (i->op == ISA_OP_SREG)
            dst[0].u64[0] = t;
        else if (!kir_is_computable(i) || !kir_eval(i, src, dst))
            continue;
        uint32_t id = i->res[0]->id;
        now[id] = dst[0];
        known += ranges[id].known;
        if (!holds(ranges[id], i->res[0], dst[0])) {
            printf("thread %u, value %u, operation %u: %" PRIx64 " is not in %" PRId64
                   " ... %" PRId64 "\n",
                   t, id, i->op, dst[0].u64[0], ranges[id].lo, ranges[id].hi);
            failures++;
        }
    }
    return known;
}

static unsigned random_ranges(uint32_t threads) {
    enum { VALUES = 24 };
    struct arena a = {0};
    struct strbuf s = {0};
    unsigned known = 0;
    strbuf_printf(&s, "mov.u32 %%x0, %%t;\n");
    for (uint32_t n = 1; n < VALUES; n++) {
        add_random(&s, n);
        strbuf_printf(&s, "st.global.u32 [%%a + %u], %%x%u;\n", 4 * n, n);
    }
    struct kir_module *m = read_ptx(&a, "random values", strbuf_str(&s));
    struct cfg *c = m ? cfg_build(&a, m->funcs.data[0]) : NULL;
    const uint32_t ntid[3] = {threads, 1, 1};
    if (c) {
        struct number_range *r = number_ranges(&a, c, ntid);
        union isa_bits *now = arena_array(&a, union isa_bits, c->func->value_count + 1);
        for (uint32_t t = 0; t < threads; t++)
            known += check_thread(c->func, r, now, t);
    }
    if (m)
        kir_module_free(m);
    arena_free(&a);
    strbuf_free(&s);
    return known;
}

int main(void) {
    unsigned known = 0;
    values();
    loops();
    for (unsigned n = 0; n < 400; n++)
        known += random_ranges(1 + below(96)) > 0;
    if (known < 300) {
        printf("ranges are known in %u of 400\n", known);
        failures++;
    }
    return failures != 0;
}
