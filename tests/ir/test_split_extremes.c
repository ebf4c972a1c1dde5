// Which comparisons of a maximum or minimum are taken apart, and which must stay.
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"
#include "passes/loops/split_extremes.h"

static int failures;

static const char head[] = "ir ptx 8.5 sm 90\nshared_bytes 0\n"
                           "kernel @k visible param_bytes 8 shared 0 maxntid 0 0 0 reqntid 0 0 0 "
                           "minnctapersm 0 maxnreg 0 frame 0 align 1\nbody @k {\n"
                           "  param @out internal size 8 align 8 offset 0\n"
                           "bb0:\n"
                           "    %0:b64 = symaddr:b64 sym=@param:out\n"
                           "    %1:b64 = ld:u64 {space=param} %0\n"
                           "    %2:b32 = sreg:b32 sreg=%tid.x\n"
                           "    %3:b32 = sreg:b32 sreg=%tid.y\n"
                           "    %4:b32 = sreg:b32 sreg=%clock\n";
static const char tail[] = "    cbr:void %9 -> bb1, bb2\n"
                           "bb1 <- bb0:\n    bra:void -> bb2\nbb2 <- bb0, bb1:\n    ret:void\n}\n";

// `code` computes %9; wanted: what stands in the kernel then, or "" where nothing changes.
static void expect(const char *what, const char *code, const char *wanted) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", head, code, tail);
    struct strbuf err = {0}, before = {0}, after = {0};
    struct kir_module *m = kir_parse(text, strlen(text), &err);
    if (!m) {
        printf("%s: %s\n", what, strbuf_str(&err));
        failures++;
        return;
    }
    kir_print_module(m, &before);
    split_extremes(m->funcs.data[0]);
    kir_print_module(m, &after);
    bool changed = strcmp(strbuf_str(&before), strbuf_str(&after)) != 0;
    if (!kir_validate(m, &err) || changed != (*wanted != 0) ||
        !strstr(strbuf_str(&after), wanted)) {
        printf("%s: %s\n%s", what, strbuf_str(&err), strbuf_str(&after));
        failures++;
    }
    kir_module_free(m);
    strbuf_free(&err);
    strbuf_free(&before);
    strbuf_free(&after);
}

int main(void) {
    expect("above a maximum",
           "    %5:b32 = max:s32 %2, %3\n    %9:pred = setp:s32 {cmp=ge} %5, %4\n", " = or:pred ");
    expect("below a maximum",
           "    %5:b32 = max:s32 %2, %3\n    %9:pred = setp:s32 {cmp=lt} %5, %4\n", " = and:pred ");
    expect("a maximum on the right",
           "    %5:b32 = max:u32 %2, %3\n    %9:pred = setp:u32 {cmp=ge} %4, %5\n", " = and:pred ");
    expect("a minimum", "    %5:b32 = min:u32 %2, %3\n    %9:pred = setp:u32 {cmp=ls} %5, %4\n",
           " = or:pred ");
    expect("of three",
           "    %5:b32 = max:s32 %2, %3\n    %6:b32 = max:s32 %5, 0x7:b32\n"
           "    %9:pred = setp:s32 {cmp=gt} %6, %4\n",
           " = setp:s32 {cmp=gt} 0x7:b32, %4\n");
    expect("extremes on both sides",
           "    %5:b32 = min:s32 %2, %3\n    %6:b32 = max:s32 %4, %2\n"
           "    %9:pred = setp:s32 {cmp=lt} %5, %6\n",
           " = or:pred ");
    expect("equality is no order",
           "    %5:b32 = max:s32 %2, %3\n    %9:pred = setp:s32 {cmp=eq} %5, %4\n", "");
    expect("another order", "    %5:b32 = max:s32 %2, %3\n    %9:pred = setp:u32 {cmp=ge} %5, %4\n",
           "");
    expect("a maximum that is stored, too",
           "    %5:b32 = max:s32 %2, %3\n    st:u32 {space=global} %1, %5 offset=0\n"
           "    %9:pred = setp:s32 {cmp=ge} %5, %4\n",
           "");
    expect("a sum", "    %5:b32 = add:s32 %2, %3\n    %9:pred = setp:s32 {cmp=ge} %5, %4\n", "");
    return failures != 0;
}
