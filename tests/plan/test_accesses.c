// How memory is accessed: kernel IR in, plan out, as pairs of where a kind is chosen and where it
// is not.
#include <stdio.h>
#include <string.h>

#include "planned.h"

static int failures;

// The line of the last load or store that tests ask about.
static char *last_access(char *text) {
    char *found = NULL;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, "| access") && !strstr(line, "space=param") &&
            !strstr(line, "st:f32 {space=shared}"))
            found = line;
    return found;
}

// Whether the last access is planned so; '!' before it: whether it is not.
static void expect(const char *what, const char *body, struct planned_for how, const char *want) {
    struct planned p;
    struct strbuf out = {0}, err = {0};
    planned_body(&p, body, &how);
    bool valid = plan_validate(p.plan, &err);
    plan_print(p.plan, &out);
    char *line = last_access(out.data);
    bool has = want[0] != '!', there = line && strstr(line, want + !has);
    // Nothing may follow the kind that was not asked for, but a value's number.
    if (there && has && want[strlen(want) - 1] != '%')
        there = !strcmp(strstr(line, want), want);
    if (!valid || !line || there != has) {
        printf("%s: '%s'\n%s\n%s", what, want, line ? line : "no access", strbuf_str(&err));
        failures++;
    }
    strbuf_free(&out);
    strbuf_free(&err);
    planned_end(&p);
}

#define AT(base, words) "mul.wide.u32 %w0, " words ", 4; add.s64 %w1, " base ", %w0;"
// What is loaded has to go somewhere: into a store that is not asked about.
#define KEPT(value) "mov.b32 %f9, " value "; st.shared.f32 [s], %f9;"
#define LOAD "ld.global.f32 %f0, [%w1]; st.shared.f32 [s], %f0;"
#define STORE "st.global.u32 [%w1], %n;"

static const struct planned_for usual, narrow = {.level = KD_LEVEL_X86_64_V3, .width = 8},
                                       quick = {.quick = true}, team = {.team = 4},
                                       rows = {.ntid = {8, 32, 1}};

static void places(void) {
    expect("an index that is the block's", AT("%a", "%g") LOAD, usual, "access one");
    expect("an index that is the thread's", AT("%a", "%t") LOAD, usual, "!access one");
    expect("one lane has one place", AT("%a", "%t") LOAD, (struct planned_for){.width = 1},
           "access one");
    expect("neighbours", AT("%a", "%t") LOAD, usual, "access line");
    expect("neighbours' bytes",
           "cvt.u64.u32 %w0, %t; add.s64 %w1, %a, %w0;"
           "ld.global.u8 %x0, [%w1];" KEPT("%x0"),
           usual, "access line");
    expect("a thread's own four words",
           "mul.wide.u32 %w0, %t, 16; add.s64 %w1, %a, %w0;"
           "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%w1]; add.f32 %f0, %f0, %f1;"
           "add.f32 %f0, %f0, %f2; add.f32 %f0, %f0, %f3; st.shared.f32 [s], %f0;",
           usual, "access line");
    expect("the other way round", "sub.s32 %x0, 255, %t;" AT("%a", "%x0") LOAD, usual,
           "!access line");
    expect("what was loaded", AT("%b", "%t") "ld.global.u32 %x0, [%w1];" AT("%a", "%x0") LOAD,
           usual, "access each");
}

static void pieces(void) {
    expect("rows of eight",
           "mov.u32 %x0, %tid.y; mad.lo.s32 %x1, %x0, 100, %t;" AT("%a", "%x1") LOAD, rows,
           "access pieces 8");
    expect("rows of eight that follow each other",
           "mov.u32 %x0, %tid.y; mad.lo.s32 %x1, %x0, 8, %t;" AT("%a", "%x1") LOAD, rows,
           "access line");
    expect("one word a row of eight",
           "mov.u32 %x0, %tid.y; mul.lo.s32 %x1, %x0, 5;" AT("%a", "%x1") LOAD, rows,
           "access pieces 8 same 0x3");
    expect("a store has no such pieces",
           "mov.u32 %x0, %tid.y; mul.lo.s32 %x1, %x0, 5;" AT("%a", "%x1") STORE, rows, "!pieces");
    expect("four words of 32 lanes",
           "shr.u32 %x0, %t, 2; and.b32 %x1, %t, 3; mad.lo.s32 %x2, %x0, 20, %x1;" AT("%a", "%x2")
               LOAD,
           (struct planned_for){.width = 32}, "access pieces 4");
    expect("four halves of 32 lanes",
           "shr.u32 %x0, %t, 2; and.b32 %x1, %t, 3; mad.lo.s32 %x2, %x0, 20, %x1;"
           "mul.wide.u32 %w0, %x2, 2; add.s64 %w1, %a, %w0; ld.global.u16 %x3, [%w1];" KEPT("%x3"),
           (struct planned_for){.width = 32}, "!pieces");
    expect("pairs are too short",
           "shr.u32 %x0, %t, 1; and.b32 %x1, %t, 1; mad.lo.s32 %x2, %x0, 7, %x1;" AT("%a", "%x2")
               LOAD,
           usual, "!pieces");
}

static void strides(void) {
    const char *two = "mul.lo.s32 %x0, %t, 2;" AT("%a", "%x0") STORE;
    expect("every other word, without masks' registers", two, narrow, "access apart");
    expect("every other word", two, usual, "access strided 2");
    expect("every fourth word", "mul.lo.s32 %x0, %t, 4;" AT("%a", "%x0") STORE, usual,
           "access strided 4");
    expect("with a mask of few words", "mul.lo.s32 %x0, %t, 8;" AT("%a", "%x0") STORE, usual,
           "access strided 8 sparse");
    expect("a distance of half words", "mul.wide.u32 %w0, %t, 6; add.s64 %w1, %a, %w0;" STORE,
           usual, "access apart");
    expect("too far for vectors", "mul.lo.s32 %x0, %t, 100;" AT("%a", "%x0") STORE, usual,
           "access apart");
    expect("too far, in a team", "mul.lo.s32 %x0, %t, 100;" AT("%a", "%x0") STORE, team,
           "access each");
    expect("too far, quick", "mul.lo.s32 %x0, %t, 100;" AT("%a", "%x0") STORE, quick,
           "access each");
}

static void windows(void) {
    const char *member = "mul.lo.s32 %x0, %t, 3;" AT("%a", "%x0") LOAD;
    expect("a member of a structure", member, usual, "window 0 184 n 16 chunks 3 members 1");
    expect("not where code has to be there soon", member, quick, "!window");
    expect(
        "not of what others may write",
        "mul.lo.s32 %x0, %t, 3;" AT("%a", "%x0") "ld.volatile.global.f32 %f0, [%w1];" KEPT("%f0"),
        usual, "!window");
    expect("not of stores", "mul.lo.s32 %x0, %t, 3;" AT("%a", "%x0") STORE, usual, "!window");
    expect("members from the first one on",
           "mul.lo.s32 %x0, %t, 3;" AT(
               "%a", "%x0") "ld.global.u32 %x1, [%w1]; ld.global.u32 %x2, [%w1+8];" KEPT("%x1")
               KEPT("%x2"),
           usual, "window 0 192 n 16 chunks 3 members 2");
    expect(
        "up to a barrier",
        "mul.lo.s32 %x0, %t, 3;" AT(
            "%a",
            "%x0") "ld.global.u32 %x1, [%w1]; bar.sync 0; ld.global.u32 %x2, [%w1+8];" KEPT("%x1")
            KEPT("%x2"),
        usual, "window 8 184 n 16 chunks 3 members 1");
}

#define WORD_AT(n, register) "ld.global.u32 " register ", [%w1+" #n "];"

static void lane_words(void) {
    const char *two = "mul.lo.s32 %x0, %t, 17;" AT("%a", "%x0") WORD_AT(0, "%x1") WORD_AT(4, "%x2")
        KEPT("%x1") KEPT("%x2");
    const char *eight = "mul.lo.s32 %x0, %t, 17;" AT("%a", "%x0") WORD_AT(-4, "%x1")
        WORD_AT(4, "%x3") WORD_AT(0, "%x2") WORD_AT(8, "%x4") WORD_AT(12, "%x5") WORD_AT(16, "%x6")
            WORD_AT(20, "%x7") WORD_AT(24, "%x8") "add.s32 %x1, %x1, %x2; add.s32 %x1, %x1, %x3;"
                                                  "add.s32 %x1, %x1, %x4; add.s32 %x1, %x1, %x5;"
                                                  "add.s32 %x1, %x1, %x6; add.s32 %x1, %x1, %x7;"
                                                  "add.s32 %x1, %x1, %x8;" KEPT("%x1");
    const struct planned_for four = {.level = KD_LEVEL_X86_64_V2, .width = 4};
    expect("two words of a row a lane", two, usual, "access apart words 0 n 2");
    expect("two words of a row a lane, in a team", two, team, "access each words 0 n 2");
    expect("two words of a row a lane, quick", two, quick, "!words");
    expect("eight words, in any order", eight, usual, "access apart words -4 n 8");
    expect("eight words, registers of eight", eight, narrow, "access apart words -4 n 8");
    expect("eight words, registers of four", eight, four, "access strided 17 sparse words 12 n 4");
    expect("three words are two pairs",
           "mul.lo.s32 %x0, %t, 17;" AT("%a", "%x0") WORD_AT(0, "%x1") WORD_AT(4, "%x2")
               WORD_AT(8, "%x3") KEPT("%x1") KEPT("%x2") KEPT("%x3"),
           usual, "access apart words 4 n 2");
    expect("two times four words",
           "mul.lo.s32 %x0, %t, 20;" AT("%a", "%x0") "ld.global.v4.u32 {%x1, %x2, %x3, %x4}, [%w1];"
                                                     "ld.global.v4.u32 {%x5, %x6, %x7, %x8}, "
                                                     "[%w1+16];" KEPT("%x1") KEPT("%x8"),
           usual, "access apart words 0 n 8");
    expect("what was loaded says where",
           AT("%b", "%t") "ld.global.u32 %x0, [%w1];" AT("%a", "%x0") WORD_AT(0, "%x1")
               WORD_AT(4, "%x2") KEPT("%x1") KEPT("%x2"),
           usual, "access each words 0 n 2");
    expect("words with a gap between them",
           "mul.lo.s32 %x0, %t, 17;" AT("%a", "%x0") WORD_AT(0, "%x1") WORD_AT(8, "%x2") KEPT("%x1")
               KEPT("%x2"),
           usual, "!words");
    expect("memory may change between them",
           "mul.lo.s32 %x0, %t, 17;" AT("%a", "%x0")
               WORD_AT(0, "%x1") "st.global.u32 [%b], %n;" WORD_AT(4, "%x2") KEPT("%x1")
                   KEPT("%x2"),
           usual, "!words");
    expect("a barrier between them",
           "mul.lo.s32 %x0, %t, 17;" AT("%a", "%x0")
               WORD_AT(0, "%x1") "bar.sync 0;" WORD_AT(4, "%x2") KEPT("%x1") KEPT("%x2"),
           usual, "!words");
    expect("what others may write",
           "mul.lo.s32 %x0, %t, 17;" AT("%a", "%x0") "ld.volatile.global.u32 %x1, [%w1];" WORD_AT(
               4, "%x2") KEPT("%x1") KEPT("%x2"),
           usual, "!words");
    expect("bytes",
           "mul.lo.s32 %x0, %t, 17;" AT(
               "%a", "%x0") "ld.global.u8 %x1, [%w1]; ld.global.u8 %x2, [%w1+1];" KEPT("%x1")
               KEPT("%x2"),
           usual, "!words");
    expect("neighbours", AT("%a", "%t") WORD_AT(0, "%x1") WORD_AT(4, "%x2") KEPT("%x1") KEPT("%x2"),
           usual, "access line");
    expect("a vector's words are as many as their places",
           "mul.lo.s32 %x0, %t, 2;" AT("%a", "%x0") WORD_AT(0, "%x1") WORD_AT(4, "%x2") KEPT("%x1")
               KEPT("%x2"),
           usual, "!words");
}

static void runs(void) {
    expect("rows of a width that the launch knows",
           "rem.u32 %x0, %t, %n; div.u32 %x1, %t, %n;"
           "mad.lo.s32 %x2, %x1, 1000, %x0; mul.wide.u32 %w0, %x2, 4; add.s64 %w1, %a, %w0;" LOAD,
           usual, "access runs 16 tested guess");
    expect("no guesses where code has to be there soon",
           "rem.u32 %x0, %t, %n; div.u32 %x1, %t, %n;"
           "mad.lo.s32 %x2, %x1, 1000, %x0; mul.wide.u32 %w0, %x2, 4; add.s64 %w1, %a, %w0;" LOAD,
           quick, "!runs");
    expect(
        "rows of eight threads, a pitch that the launch knows",
        "mov.u32 %x0, %tid.y; cvt.u64.u32 %w2, %n; cvt.u64.u32 %w3, %x0; mul.lo.s64 %w4, %w2, %w3;"
        "cvt.u64.u32 %w5, %t; add.s64 %w6, %w4, %w5; shl.b64 %w7, %w6, 2; add.s64 %w1, %a, "
        "%w7;" LOAD,
        rows, "access runs 8");
    const char *frame = ".local .b8 l[64]; and.b32 %x1, %n, 15; mul.wide.u32 %w0, %x1, 4;"
                        "mov.u64 %w2, l; add.s64 %w1, %w0, %w2; st.local.u32 [%w1], %t;"
                        "ld.local.u32 %x0, [%w1];" KEPT("%x0");
    expect("threads' own memory, at one index", frame, usual, "access each");
    expect("a thread's own memory", frame, (struct planned_for){.width = 1}, "access one");
}

static void steps(void) {
    const char *by_n = "mul.lo.s32 %x0, %t, %n; cvt.s64.s32 %w2, %n; cvt.u64.u32 %w3, %t;"
                       "mul.lo.s64 %w4, %w2, %w3; shl.b64 %w0, %w4, 2; add.s64 %w1, %a, %w0;";
    char body[512];
    snprintf(body, sizeof body, "%s%s", by_n, STORE);
    expect("a distance that the launch knows", body, usual, "access steps step 4 by %");
    expect("quick", body, quick, "!steps");
    snprintf(body, sizeof body, "%sst.volatile.global.v2.u32 [%%w1], {%%n, %%n};", by_n);
    expect("a store that others see as a whole", body, usual, "access each whole");
    snprintf(body, sizeof body, "%s",
             "mul.lo.s32 %x0, %t, %n; mul.wide.s32 %w0, %x0, 4; add.s64 %w1, %a, %w0;" STORE);
    expect("an index that may wrap", body, usual, "narrow 1 by %");
    const char *padded = "add.s32 %x1, %n, 1; mul.lo.s32 %x0, %t, %x1; mul.wide.s32 %w0, %x0, 4;"
                         "add.s64 %w1, %a, %w0;" STORE;
    expect("a row and a word", padded, usual, "step 4 by %3 plus 4 narrow 1 by %3 plus 1 of %");
}

static void masks(void) {
    const char *first =
        "and.b32 %x0, %t, 15; setp.ne.u32 %p, %x0, 3; @%p bra out;" AT("%a", "%t") STORE "out:";
    expect("one lane of a group", first, usual, "under lane 3 | access line");
    expect("one of two groups' lanes", first, (struct planned_for){.width = 32},
           "under block | access line");
    expect("what others may look at",
           "and.b32 %x0, %t, 15; setp.ne.u32 %p, %x0, 3; @%p bra out;" AT(
               "%a", "%t") "st.volatile.global.u32 [%w1], %n; out:",
           usual, "under block | access line");
    expect("some of the lanes",
           "setp.ge.u32 %p, %t, %n; @%p bra out;" AT("%a", "%t") STORE "out:", usual,
           "under block | access line");
    expect("all of the lanes", AT("%a", "%t") STORE, usual, "under all | access line");
    expect("those that exist", AT("%a", "%t") STORE, (struct planned_for){.ntid = {100, 1, 1}},
           "under entry | access line");
}

static void without_masks(void) {
    const char *shared =
        "setp.ge.u32 %p, %t, %n; @%p bra out; mul.lo.s32 %x0, %t, 4; mov.u32 %x1, s;"
        "add.s32 %x2, %x0, %x1; st.shared.u32 [%x2], %n; out:";
    expect("in the block's memory", shared, (struct planned_for){.ntid = {256, 1, 1}},
           "access line in_block");
    expect("not all lanes", shared, (struct planned_for){.ntid = {512, 1, 1}}, "!in_block");
    const char *search = "mov.u32 %x0, %t; again:" AT(
        "%a",
        "%x0") "ld.global.u32 %x1, [%w1];"
               "setp.eq.u32 %p, %x1, %n; @%p bra out; add.s32 %x0, %x0, 1; bra again; out:" KEPT(
                   "%x0");
    expect("a search, without masked loads", search, narrow, "access line by_page");
    expect("a search, with masks' registers", search, usual, "!by_page");
}

static void transposed(void) {
    const char *column = "mov.u32 %x0, %tid.y; cvt.u64.u32 %w2, %n; cvt.u64.u32 %w3, %t;"
                         "mul.lo.s64 %w4, %w2, %w3; cvt.u64.u32 %w5, %x0; add.s64 %w6, %w4, %w5;"
                         "shl.b64 %w7, %w6, 2; add.s64 %w1, %a, %w7;" STORE;
    struct planned_for how = {.ntid = {16, 16, 1}, .team = 4};
    expect("columns, of a team that is rows", column, how, "transposed step 4 by u32 %");
    how.puts_off = true;
    expect("not beside what is put off", column, how, "!transposed");
    how = (struct planned_for){.ntid = {16, 16, 1}};
    expect("a group by itself", column, how, "!transposed");
}

// A tile of 16 rows in shared memory, stored by columns.
static void columns(void) {
    const char *by_17 = "mov.u32 %x0, %tid.y; mov.u64 %w3, s; mul.wide.u32 %w0, %t, 68;"
                        "add.s64 %w1, %w3, %w0; mul.wide.u32 %w2, %x0, 4; add.s64 %w1, %w1, %w2;"
                        "st.shared.u32 [%w1], %t;";
    const char *by_2 = "mov.u32 %x0, %tid.y; mov.u64 %w3, s; mul.wide.u32 %w0, %t, 68;"
                       "add.s64 %w1, %w3, %w0; mul.wide.u32 %w2, %x0, 8; add.s64 %w1, %w1, %w2;"
                       "st.shared.u32 [%w1], %t;";
    const char *overlap = "mov.u32 %x0, %tid.y; mov.u64 %w3, s; mul.wide.u32 %w0, %t, 12;"
                          "add.s64 %w1, %w3, %w0; mul.wide.u32 %w2, %x0, 4; add.s64 %w1, %w1, %w2;"
                          "st.shared.u32 [%w1], %t;";
    struct planned_for how = {.ntid = {16, 16, 1}, .team = 4};
    expect("columns of a tile", by_17, how, "access each transposed");
    expect("every other column", by_2, how, "!transposed");
    expect("lanes' lines overlap", overlap, how, "!transposed");
    how.puts_off = true;
    expect("not beside what is put off", by_17, how, "!transposed");
    how = (struct planned_for){.ntid = {16, 16, 1}};
    expect("a group by itself", by_17, how, "!transposed");
    how = (struct planned_for){.ntid = {16, 16, 1}, .team = 4, .quick = true};
    expect("quick", by_17, how, "!transposed");
}

static void rows_of_members(void) {
    const char *pair = "mul.wide.u32 %w0, %t, 2; add.s64 %w1, %a, %w0;"
                       "st.global.u8 [%w1], %n; st.global.u8 [%w1+1], %g;";
    expect("both bytes of a structure", pair, usual, "access strided 2 row last");
    expect("quick", pair, quick, "!row");
    expect("one is missing",
           "mul.wide.u32 %w0, %t, 4; add.s64 %w1, %a, %w0; st.global.u8 [%w1], %n;"
           "st.global.u8 [%w1+1], %g; st.global.u8 [%w1+3], %g;",
           usual, "!row");
    expect("something sees that one is late",
           "mul.wide.u32 %w0, %t, 2; add.s64 %w1, %a, %w0;"
           "st.global.u8 [%w1], %n; bar.sync 0; st.global.u8 [%w1+1], %g;",
           usual, "!row");
    expect("words of which nobody knows that they are aligned",
           "mul.wide.u32 %w0, %t, 8; add.s64 %w1, %a, %w0;"
           "st.global.u32 [%w1], %n; st.global.u32 [%w1+4], %g;",
           usual, "!row");
    expect("words that are aligned",
           "mul.wide.u32 %w0, %t, 8; and.b64 %w2, %a, -8; add.s64 %w1, %w2, %w0;"
           "st.global.u32 [%w1], %n; st.global.u32 [%w1+4], %g;",
           usual, "row last");
}

#define FOUR "{%n, %g, %t, %n}"

static void eights(void) {
    const char *two = "mul.wide.u32 %w0, %t, 32; add.s64 %w1, %a, %w0;"
                      "st.global.v4.u32 [%w1], " FOUR "; st.global.v4.u32 [%w1+16], " FOUR ";";
    expect("two times four words", two, usual, "access strided 8 beside");
    expect("where registers hold no line, pairs", two,
           (struct planned_for){.level = KD_LEVEL_X86_64_V3, .width = 16}, "!beside");
    expect("of eight lanes", two, (struct planned_for){.width = 8}, "!beside");
    expect("the third of three",
           "mul.wide.u32 %w0, %t, 32; add.s64 %w1, %a, %w0; st.global.v4.u32 [%w1], " FOUR
           "; st.global.v4.u32 [%w1+16], " FOUR "; st.global.v4.u32 [%w1+32], " FOUR ";",
           usual, "!beside");
    expect("with gaps between lanes",
           "mul.wide.u32 %w0, %t, 48; add.s64 %w1, %a, %w0;"
           "st.global.v4.u32 [%w1], " FOUR "; st.global.v4.u32 [%w1+16], " FOUR ";",
           usual, "!beside");
    expect("with a load between them",
           "mul.wide.u32 %w0, %t, 32; add.s64 %w1, %a, %w0; st.global.v4.u32 [%w1], " FOUR
           "; ld.global.u32 %x0, [%b];" KEPT("%x0") " st.global.v4.u32 [%w1+16], " FOUR ";",
           usual, "!beside");
}

static void lone(void) {
    const char *heads = AT("%b", "%t") "ld.global.u32 %x0, [%w1]; ld.global.u32 %x1, [%w1+4];"
                                       "mul.wide.u32 %w2, %x0, 4; add.s64 %w3, %a, %w2;"
                                       "setp.eq.u32 %p, %x0, %x1; @%p bra out;"
                                       "st.global.u32 [%w3], %t; out:";
    expect("where something begins", heads, usual, "access each lone");
    expect("without masks' registers", heads, (struct planned_for){.level = KD_LEVEL_X86_64_V3},
           "!lone");
    expect("quick", heads, quick, "!lone");
    expect("neighbours",
           "setp.ge.u32 %p, %t, %n;" AT("%a", "%t") "@%p bra out;" STORE "out:", usual, "!lone");
    expect("two stores",
           AT("%b", "%t") "ld.global.u32 %x0, [%w1]; ld.global.u32 %x1, [%w1+4];"
                          "mul.wide.u32 %w2, %x0, 4; add.s64 %w3, %a, %w2;"
                          "setp.eq.u32 %p, %x0, %x1; @%p bra out;"
                          "st.global.u32 [%w3], %t; st.global.u32 [%w3+4], %t; out:",
           usual, "!lone");
}

static void streams(void) {
    const struct planned_for run = {.has_runs = true},
                             quick_run = {.has_runs = true, .quick = true},
                             narrow_run = {
                                 .has_runs = true, .level = KD_LEVEL_X86_64_V3, .width = 8};
    expect("a block at a call", AT("%a", "%t") STORE, usual, "access line");
    expect("what is only written", AT("%a", "%t") STORE, run, "access line past");
    expect("what is read, too", AT("%a", "%t") "ld.global.u32 %x0, [%w1+64];" KEPT("%x0") STORE,
           run, "access line");
    expect("where another parameter is read",
           AT("%a", "%t") "ld.global.u32 %x0, [%b];" KEPT("%x0") STORE, run, "access line past");
    expect("where more is read than written",
           AT("%a", "%t") "ld.global.v2.u32 {%x0, %x1}, [%b];" KEPT("%x0") KEPT("%x1") STORE, run,
           "access line");
    expect("where others may wait", AT("%a", "%t") STORE "membar.gl;", run, "access line");
    expect("where registers hold no line", AT("%a", "%t") STORE, narrow_run, "access line");
    expect("quick", AT("%a", "%t") STORE, quick_run, "access line");
}

int main(void) {
    places();
    pieces();
    strides();
    windows();
    lane_words();
    runs();
    steps();
    masks();
    without_masks();
    transposed();
    columns();
    rows_of_members();
    eights();
    streams();
    lone();
    if (!failures)
        puts("accesses: ok");
    return failures != 0;
}
