// The plan's interpreter: a plan as it is built leaves in memory what the interpreter of kernel IR
// leaves; one with a wrong statement is caught, and the statement named.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/interp/interp.h"
#include "plan/interp/plan_interp.h"
#include "planned.h"

static int failures;

enum { WORDS = 1 << 14, PITCH = 24 };

struct memory {
    uint32_t a[WORDS], b[WORDS];
};

static char told[512];
static jmp_buf faulted;
static uint32_t fault;

static void tell(const char *text) {
    snprintf(told, sizeof told, "%s", text);
}

static void on_fault(struct kd_block *b, uint32_t thread, uint32_t what, uint64_t address,
                     const char *file, uint32_t line) {
    fault = what;
    longjmp(faulted, 1);
}

static void on_yield(struct kd_block *b) {
}

static const struct kd_rt rt = {.kd_rt_fault_at = on_fault, .kd_rt_yield = on_yield};

// One block on fresh memory, as the plan says; NULL: as the interpreter runs it.
static void run_block(struct planned *p, const struct planned_for *how, const struct plan *plan,
                      struct memory *m) {
    static _Alignas(64) uint8_t shared[1024];
    const uint32_t usual[3] = {256, 1, 1}, *ntid = how->ntid[0] ? how->ntid : usual;
    struct kir_func *f = p->module->funcs.data[0];
    uint8_t params[24] = {0};
    uint64_t a = (uint64_t)(uintptr_t)m->a, b = (uint64_t)(uintptr_t)m->b;
    uint32_t n = PITCH;
    memcpy(params, &a, 8);
    memcpy(params + 8, &b, 8);
    memcpy(params + 16, &n, 4);
    for (uint32_t k = 0, x = 12345; k < WORDS; k++, x = x * 1664525u + 1013904223u) {
        m->a[k] = x;
        m->b[k] = x >> 22; // indices, too
    }
    memset(shared, 0xab, sizeof shared);
    struct kd_block block = {.params = params,
                             .shared = shared,
                             .shared_window_bytes = sizeof shared,
                             .ntid = {ntid[0], ntid[1], ntid[2]},
                             .nctaid = {1, 1, 1},
                             .nthreads = ntid[0] * ntid[1] * ntid[2]};
    block.nwarps = (block.nthreads + KD_WARP - 1) / KD_WARP;
    told[0] = 0;
    fault = 0;
    if (setjmp(faulted))
        return;
    if (plan)
        plan_interp_block(plan_interp_new(&p->arena, p->module, &plan, tell), f, &block, &rt);
    else
        kir_interp_block(p->module, f, &block, &rt);
}

// The plan's text with `from`, behind `at` (NULL: anywhere), replaced.
static void change(const struct plan *p, const char *at, const char *from, const char *to,
                   struct strbuf *text) {
    struct strbuf out = {0};
    plan_print(p, &out);
    const char *found = at ? strstr(out.data, at) : out.data;
    found = found ? strstr(found, from) : NULL;
    if (!found) {
        printf("no '%s' in\n%s", from, out.data);
        exit(1);
    }
    strbuf_append(text, out.data, (size_t)(found - out.data));
    strbuf_puts(text, to);
    strbuf_puts(text, found + strlen(from));
    strbuf_free(&out);
}

// What becomes of the kernel by its plan with a change (from NULL: none). want: is told; NULL: it
// agrees with the interpreter; "": nothing is told, and memory is not the same.
static void expect(const char *what, const char *body, struct planned_for how, const char *at,
                   const char *from, const char *to, const char *want) {
    static _Alignas(64) struct memory mine, oracle;
    struct planned p;
    struct strbuf text = {0}, err = {0};
    planned_body(&p, body, &how);
    run_block(&p, &how, NULL, &oracle);
    const struct plan *plan = p.plan;
    if (from) {
        change(plan, at, from, to, &text);
        plan = plan_parse(&p.arena, &p.plan->in, strbuf_str(&text), &err);
    }
    if (!plan || fault) {
        printf("%s: %s\n", what, plan ? "it faults" : strbuf_str(&err));
        exit(1);
    }
    run_block(&p, &how, plan, &mine);
    bool agrees = !fault && !memcmp(&mine, &oracle, sizeof mine);
    bool caught = fault == KD_FAULT_ILLEGAL_INSTRUCTION && want && *want && strstr(told, want);
    bool differs = want && !*want && !fault && !agrees;
    if (want ? !caught && !differs : !agrees) {
        printf("%s, with '%s': %s, told '%s'\n", what, from ? to : "no change",
               agrees ? "agrees" : "does not agree", told);
        failures++;
    }
    strbuf_free(&text);
    strbuf_free(&err);
    planned_end(&p);
}

static void agrees(const char *what, const char *body, struct planned_for how) {
    expect(what, body, how, NULL, NULL, NULL, NULL);
}

#define AT(base, words) "mul.wide.u32 %w0, " words ", 4; add.s64 %w1, " base ", %w0;"
// What was loaded goes to the thread's own word of a.
#define KEPT                                                                                       \
    "mov.u32 %x30, %tid.y; mov.u32 %x31, %ntid.x; mad.lo.s32 %x32, %x30, %x31, %t;"                \
    "mul.wide.u32 %w30, %x32, 4; add.s64 %w31, %a, %w30; st.global.u32 [%w31], %x0;"

static const struct planned_for usual, eight = {.width = 8}, team = {.team = 4},
                                       rows = {.ntid = {8, 32, 1}}, part = {.ntid = {100, 1, 1}};

static void accesses(void) {
    const char *line = AT("%b", "%t") "ld.global.u32 %x0, [%w1]; add.u32 %x0, %x0, 1;" KEPT;
    agrees("neighbours", line, usual);
    agrees("neighbours, not all lanes", line, part);
    agrees("neighbours, narrow", line, eight);
    agrees("neighbours in teams", line, team);
    expect("neighbours", line, usual, "ld:u32 {space=global}", "access line", "access one",
           "'access one' does not hold for thread 1 (lane 1)");
    expect("neighbours", line, usual, "ld:u32 {space=global}", "access line", "access each", NULL);
    expect("neighbours", line, usual, "st:u32", "access line", "access strided 2",
           "'access strided' does not hold");
    const char *apart = "mul.lo.s32 %x1, %t, 2;" AT("%b", "%x1") "st.global.u32 [%w1], %t;";
    agrees("every other word", apart, usual);
    expect("every other word", apart, usual, "st:u32", "access strided 2", "access line",
           "st:u32 {space=global}");
    expect("every other word", apart, usual, "st:u32", "access strided 2", "access line",
           "'access line' does not hold for thread 1 (lane 1)");
    const char *scattered =
        AT("%b", "%t") "ld.global.u32 %x1, [%w1];" AT("%b", "%x1") "ld.global.u32 %x0, [%w1];" KEPT;
    agrees("what was loaded is an index", scattered, usual);
    expect("what was loaded is an index", scattered, usual, "access each", "access each",
           "access one", "'access one' does not hold");
    const char *eights = "mov.u32 %x1, %tid.y; mad.lo.s32 %x2, %x1, 100, %t;" AT(
        "%b", "%x2") "ld.global.u32 %x0, [%w1];" KEPT;
    agrees("rows of eight", eights, rows);
    expect("rows of eight", eights, rows, NULL, "access pieces 8", "access line",
           "'access line' does not hold for thread 8 (lane 8)");
    expect("rows of eight", eights, rows, NULL, "access pieces 8", "access pieces 4", NULL);
}

static void windows(void) {
    const char *third = "mul.lo.s32 %x1, %t, 3;" AT("%b", "%x1") "ld.global.u32 %x0, [%w1];" KEPT;
    agrees("every third word", third, usual);
    expect("every third word", third, usual, NULL, "strided 3", "strided 2",
           "'access strided' does not hold");
    agrees("every third word, not all lanes", third, part);
    const char *pair = "mul.wide.u32 %w0, %t, 2; add.s64 %w1, %a, %w0;"
                       "st.global.u8 [%w1], %t; st.global.u8 [%w1+1], %n;";
    agrees("both bytes of a structure", pair, usual);
    agrees("two times four words",
           "mul.wide.u32 %w0, %t, 32; add.s64 %w1, %a, %w0;"
           "st.global.v4.u32 [%w1], {%n, %g, %t, %n}; st.global.v4.u32 [%w1+16], {%t, %n, %n, %t};",
           usual);
}

static void steps(void) {
    const char *by_n = "cvt.s64.s32 %w2, %n; cvt.u64.u32 %w3, %t; mul.lo.s64 %w4, %w2, %w3;"
                       "shl.b64 %w0, %w4, 2; add.s64 %w1, %b, %w0; st.global.u32 [%w1], %t;";
    agrees("a distance that the launch knows", by_n, usual);
    expect("a distance that the launch knows", by_n, usual, NULL, "step 4 by", "step 8 by",
           "'access steps' does not hold");
    const char *runs = "mov.u32 %x1, %tid.y; cvt.u64.u32 %w2, %n; cvt.u64.u32 %w3, %x1;"
                       "mul.lo.s64 %w4, %w2, %w3; cvt.u64.u32 %w5, %t; add.s64 %w6, %w4, %w5;"
                       "shl.b64 %w7, %w6, 2; add.s64 %w1, %b, %w7; ld.global.u32 %x0, [%w1];" KEPT;
    agrees("rows of eight, a pitch that the launch knows", runs, rows);
    expect("rows of eight, a pitch that the launch knows", runs, rows, NULL, "access runs 8",
           "access runs 16", "'access runs' does not hold for thread 8 (lane 8)");
    expect("asked when it runs", runs, rows, NULL, "access runs 8", "access runs 16 tested", NULL);
}

static void values(void) {
    const char *mixed = AT("%b", "%t") "ld.global.u32 %x1, [%w1]; xor.b32 %x0, %x1, 5;" KEPT;
    agrees("a value a lane", mixed, usual);
    expect("a value a lane", mixed, usual, "xor:b32", "is vector", "is scalar",
           "'is scalar' does not hold for thread 1 (lane 1)");
    expect("a value a lane", mixed, usual, "xor:b32", "is vector", "is scalar", "xor:b32");
    expect("an index", mixed, usual, "sreg=%tid.x", "is offsets", "is scalar",
           "'is scalar' does not hold for thread 1 (lane 1): 0x1, by the plan 0x0");
    expect("a loaded value", mixed, usual, "ld:u32 {space=global}", "is vector", "is scalar",
           "'is scalar' does not hold");
    const char *loop = "mov.u32 %x1, 0; mov.u32 %x0, 7; and.b32 %x2, %t, 5;"
                       "again: mad.lo.s32 %x0, %x0, 3, %x1; add.u32 %x1, %x1, 1;"
                       "setp.le.u32 %p, %x1, %x2; @%p bra again; add.u32 %x0, %x0, %x1;" KEPT;
    agrees("a loop that lanes leave one by one", loop, usual);
    agrees("a loop that lanes leave one by one, in teams", loop, team);
    // A lane that does not exist gives nothing: what is made of that is not stored.
    agrees("a lane that the block has not",
           AT("%b", "%t") "ld.global.u32 %x1, [%w1];"
                          "shfl.sync.idx.b32 %x2, %x1, 24, 31, 127; setp.eq.u32 %p, %t, 99; "
                          "selp.b32 %x0, %x2, %t, %p;" KEPT,
           (struct planned_for){.ntid = {7, 1, 1}});
    const char *arms = "and.b32 %x1, %t, 1; setp.eq.u32 %p, %x1, 1; mov.u32 %x0, 3; @%p bra odd;"
                       "mov.u32 %x0, 4; bra out; odd: mul.lo.u32 %x0, %n, 9; out:" KEPT;
    agrees("two ways", arms, usual);
    expect("two ways", arms, usual, "phi", "is vector", "is scalar", "");
}

static void teams(void) {
    const char *own = AT("%b", "%t") "ld.global.u32 %x1, [%w1]; xor.b32 %x0, %x1, 5;" KEPT;
    expect("an index of each group", own, team, "sreg=%tid.x", "is offsets lag",
           "is offsets shared", "'is offsets shared' does not hold for thread 16 (lane 0)");
    expect("a value a lane", own, team, "xor:b32", "is vector", "is vector shared",
           "'is vector shared' does not hold for thread 16 (lane 0)");
    const char *alike = "and.b32 %x1, %t, 15;" AT("%b", "%x1") "ld.global.u32 %x0, [%w1];" KEPT;
    agrees("what all groups have", alike, team);
}

static void masks(void) {
    const char *third = "and.b32 %x0, %t, 15; setp.ne.u32 %p, %x0, 3; @%p bra out;" AT(
        "%a", "%t") "st.global.u32 [%w1], %n; out:";
    agrees("one lane of a group", third, usual);
    expect("one lane of a group", third, usual, NULL, "under lane 3", "under lane 4",
           "'under lane' does not hold for thread 3 (lane 3)");
    expect("one lane of a group", third, usual, "access line", "access line", "access one", NULL);
    const char *some = "setp.ge.u32 %p, %t, %n; @%p bra out; add.u32 %x0, %t, 1;" KEPT "out:";
    agrees("some of the lanes", some, usual);
    // A block's mask stands in its head and at each of its operations.
    static struct memory memory;
    struct planned p;
    planned_body(&p, some, &usual);
    for (uint32_t b = 0; b < p.module->funcs.data[0]->blocks.len; b++)
        p.plan->masks[b] = PLAN_ALL;
    run_block(&p, &usual, p.plan, &memory);
    if (!fault || !strstr(told, "'under all' does not hold for thread 16 (lane 0): 0x8")) {
        printf("some of the lanes, under all: told '%s'\n", told);
        failures++;
    }
    planned_end(&p);
}

int main(void) {
    accesses();
    teams();
    masks();
    windows();
    steps();
    values();
    if (!failures)
        puts("interp: ok");
    return failures != 0;
}
