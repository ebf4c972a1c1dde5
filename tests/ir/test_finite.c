// Which loops are proven to end by themselves (passes/flow/finite.h): beside each loop that is, one
// that differs in what decides, and is not.
#include <stdio.h>
#include <string.h>

#include "passes/flow/finite.h"
#include "ptx/ast.h"

static const char head[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n"
    ".visible .global .align 4 .u32 word;\n.const .align 4 .b8 table[256];\n"
    ".func (.param .b32 r) pure(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x];\n"
    "  add.u32 %a, %a, 1; st.param.b32 [r], %a; ret; }\n"
    ".func (.param .b32 r) looks(.param .b32 x) { .reg .b32 %a;\n"
    "  ld.global.u32 %a, [word]; st.param.b32 [r], %a; ret; }\n"
    ".visible .entry k(.param .u64 p, .param .u32 n) {\n"
    "  .reg .b64 %p; .reg .b64 %q; .reg .b32 %i, %n, %v, %w, %s; .reg .pred %c, %d, %e;\n"
    "  .local .align 4 .b8 frame[64]; .shared .align 8 .b8 bars[8]; .reg .b64 %l;\n"
    "  ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %i, %tid.x; mov.u32 %s, %nctaid.x;\n"
    "  mov.u64 %q, %p; mov.u32 %v, 0; mov.u32 %w, 0;\n"
    "L:\n";
static const char tail[] = "\nX:\n  st.global.u32 [%p], %i; st.global.u32 [%p+4], %v; ret;\n}\n";

static const struct {
    const char *what, *body;
    enum finite known;
} cases[] = {
    {"counts to a register", "add.u32 %i, %i, 1; setp.lt.u32 %c, %i, %n; @%c bra L;",
     LOOP_IS_FINITE},
    {"counts to a word of memory",
     "ld.global.u32 %v, [%p]; add.u32 %i, %i, 1; setp.lt.u32 %c, %i, %v; @%c bra L;",
     LOOP_READS_DATA},
    {"counts to a word of read-only memory",
     "ld.global.nc.u32 %v, [%p]; add.u32 %i, %i, 1; setp.lt.u32 %c, %i, %v; @%c bra L;",
     LOOP_IS_FINITE},
    {"counts to a word of constant memory",
     "ld.const.u32 %v, [table]; add.u32 %i, %i, 1; setp.lt.u32 %c, %i, %v; @%c bra L;",
     LOOP_IS_FINITE},
    {"adds up data while it counts",
     "ld.volatile.global.u32 %w, [%q]; add.u32 %v, %v, %w; add.u64 %q, %q, 4;"
     "add.u32 %i, %i, %s; setp.lt.s32 %c, %i, %n; @%c bra L;",
     LOOP_IS_FINITE},
    {"data decides what is added, not for how long",
     "ld.global.u32 %w, [%q]; add.u64 %q, %q, 4; setp.eq.u32 %d, %w, 7; @%d bra M;"
     "add.u32 %v, %v, 1;\nM: add.u32 %i, %i, 1; setp.lt.u32 %c, %i, %n; @%c bra L;",
     LOOP_IS_FINITE},
    {"data decides whether it counts",
     "ld.global.u32 %w, [%q]; setp.eq.u32 %d, %w, 7; @%d bra M;"
     "add.u32 %i, %i, 1;\nM: setp.lt.u32 %c, %i, %n; @%c bra L;",
     LOOP_READS_DATA},
    {"data decides whether it asks",
     "ld.global.u32 %w, [%q]; add.u32 %i, %i, 1; setp.eq.u32 %d, %w, 7; @%d bra L;"
     "setp.lt.u32 %c, %i, %n; @%c bra L;",
     LOOP_READS_DATA},
    {"searches among n words",
     "ld.global.u32 %w, [%q]; add.u64 %q, %q, 4; setp.eq.u32 %d, %w, 7; @%d bra X;"
     "add.u32 %i, %i, 1; setp.lt.u32 %c, %i, %n; @%c bra L;",
     LOOP_IS_FINITE},
    {"searches until it finds",
     "ld.global.u32 %w, [%q]; add.u64 %q, %q, 4; setp.ne.u32 %d, %w, 7; @%d bra L;",
     LOOP_READS_DATA},
    {"looks n times, strongly",
     "ld.volatile.global.u32 %w, [%p]; setp.eq.u32 %d, %w, 7; @%d bra X;"
     "add.u32 %i, %i, 1; setp.lt.u32 %c, %i, %n; @%c bra L;",
     LOOP_MAY_WAIT},
    {"steps over the bound of an equality",
     "ld.global.u32 %w, [%p]; setp.eq.u32 %d, %w, 7; @%d bra X;"
     "add.u32 %i, %i, 2; setp.ne.u32 %c, %i, %n; @%c bra L;",
     LOOP_READS_DATA},
    {"comes to the bound of an equality",
     "ld.global.u32 %w, [%p]; setp.eq.u32 %d, %w, 7; @%d bra X;"
     "add.u32 %i, %i, -1; setp.ne.u32 %c, %i, %n; @%c bra L;",
     LOOP_IS_FINITE},
    {"counts away from its bound",
     "ld.global.u32 %w, [%p]; setp.eq.u32 %d, %w, 7; @%d bra X;"
     "add.u32 %i, %i, -1; setp.lt.s32 %c, %i, %n; @%c bra L;",
     LOOP_READS_DATA},
    {"halves",
     "ld.global.u32 %w, [%p]; setp.eq.u32 %d, %w, 7; @%d bra X;"
     "shr.u32 %i, %i, 1; setp.gt.u32 %c, %i, 0; @%c bra L;",
     LOOP_IS_FINITE},
    {"two conditions in one branch",
     "ld.global.u32 %w, [%q]; add.u64 %q, %q, 4; setp.ne.u32 %d, %w, 7; add.u32 %i, %i, 1;"
     "setp.lt.and.u32 %c, %i, %n, %d; @%c bra L;",
     LOOP_IS_FINITE},
    {"either condition stays",
     "ld.global.u32 %w, [%q]; add.u64 %q, %q, 4; setp.ne.u32 %d, %w, 7; add.u32 %i, %i, 1;"
     "setp.lt.or.u32 %c, %i, %n, %d; @%c bra L;",
     LOOP_READS_DATA},
    {"spins on a volatile word",
     "ld.volatile.global.u32 %v, [%p]; setp.eq.u32 %c, %v, 0; @%c bra L;", LOOP_MAY_WAIT},
    {"spins on a word and fences",
     "ld.global.u32 %v, [%p]; membar.gl; setp.eq.u32 %c, %v, 0; @%c bra L;", LOOP_MAY_WAIT},
    {"spins on an acquire load",
     "ld.acquire.gpu.global.u32 %v, [%p]; setp.eq.u32 %c, %v, 0; @%c bra L;", LOOP_MAY_WAIT},
    {"looks by adding nothing",
     "atom.global.add.u32 %v, [%p], 0; setp.eq.u32 %c, %v, 0; @%c bra L;", LOOP_MAY_WAIT},
    {"takes a lock", "atom.global.cas.b32 %v, [%p], 0, 1; setp.ne.u32 %c, %v, 0; @%c bra L;",
     LOOP_MAY_WAIT},
    {"retries with what it found",
     "mov.u32 %w, %v; add.u32 %i, %w, 1; atom.global.cas.b32 %v, [%p], %w, %i;"
     "setp.ne.u32 %c, %v, %w; @%c bra L;",
     LOOP_IS_FINITE},
    {"retries with what it wants",
     "mov.u32 %w, 5; add.u32 %i, %w, 1; atom.global.cas.b32 %v, [%p], %w, %i;"
     "setp.ne.u32 %c, %v, %w; @%c bra L;",
     LOOP_MAY_WAIT},
    {"keeps what it saw in its frame",
     "ld.volatile.global.u32 %w, [%p]; st.local.u32 [frame+4], %w; bar.warp.sync 0xffffffff;"
     "mov.u64 %l, frame; add.u64 %l, %l, %q; sub.u64 %l, %l, %p;"
     "ld.local.u32 %v, [%l+4]; setp.eq.u32 %c, %v, 0; @%c bra L;",
     LOOP_MAY_WAIT},
    {"keeps a counter in its frame",
     "add.u32 %i, %i, 1; st.local.u32 [frame+4], %i; mov.u64 %l, frame; add.u64 %l, %l, %q;"
     "sub.u64 %l, %l, %p; ld.local.u32 %v, [%l+4]; setp.lt.u32 %c, %v, %n; @%c bra L;",
     LOOP_IS_FINITE},
    {"asks a function that looks",
     "{ .param .b32 r; .param .b32 x; st.param.b32 [x], %i; call (r), looks, (x);"
     "ld.param.b32 %v, [r]; } setp.eq.u32 %c, %v, 0; @%c bra L;",
     LOOP_MAY_WAIT},
    {"asks a function that computes",
     "{ .param .b32 r; .param .b32 x; st.param.b32 [x], %i; call (r), pure, (x);"
     "ld.param.b32 %i, [r]; } setp.lt.u32 %c, %i, %n; @%c bra L;",
     LOOP_IS_FINITE},
    {"watches which lanes are there", "activemask.b32 %v; setp.ne.u32 %c, %v, -1; @%c bra L;",
     LOOP_MAY_WAIT},
    {"never ends", "add.u32 %i, %i, 1; st.volatile.global.u32 [%p], %i; bra L;", LOOP_READS_DATA},
    {"passes the time", "mov.u32 %v, %clock; setp.lt.u32 %c, %v, %n; @%c bra L;", LOOP_IS_FINITE},
    {"an inner loop of unknown length counts",
     "mov.u32 %i, 0;\nM: ld.volatile.global.u32 %w, [%p]; add.u32 %i, %i, 1; setp.eq.u32 %d, %w, 0;"
     "@%d bra M; setp.lt.u32 %c, %i, %n; @%c bra L;",
     LOOP_MAY_WAIT},
};

// What is known of the outermost loop of the kernel.
static int ask(const char *body, enum finite *known) {
    struct arena a = {0};
    struct strbuf text = {0}, err = {0};
    strbuf_puts(&text, head);
    strbuf_puts(&text, body);
    strbuf_puts(&text, tail);
    struct ptx_module *ast = ptx_parse(&a, strbuf_str(&text), text.len, &err);
    struct kir_module *m = ast && ptx_verify(ast, &err) ? kir_from_ptx(ast, &err) : NULL;
    if (!m) {
        printf("%s\n", strbuf_str(&err));
        return 1;
    }
    const struct cfg *c = cfg_build(&a, kir_find_func(m, "k"));
    const uint8_t *loops = finite_loops(&a, c);
    int failed = c->loops.len == 0;
    *known = (enum finite)loops[0];
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&text);
    strbuf_free(&err);
    return failed;
}

int main(void) {
    int failures = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        enum finite known = LOOP_IS_FINITE;
        if (ask(cases[k].body, &known)) {
            printf("%s: no loop\n", cases[k].what);
            failures++;
        } else if (known != cases[k].known) {
            printf("%s: %d, not %d\n", cases[k].what, known, cases[k].known);
            failures++;
        }
    }
    return failures != 0;
}
