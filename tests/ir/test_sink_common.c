// Phis of one computation: which go, and which must stay.
#include <stdio.h>
#include <string.h>

#include "ir/clean/simplify.h"

static int failures;

static const char head[] = "ir ptx 8.5 sm 90\nshared_bytes 0\n"
                           "kernel @k visible param_bytes 8 shared 0 maxntid 0 0 0 reqntid 0 0 0 "
                           "minnctapersm 0 maxnreg 0 frame 0 align 1\nbody @k {\n"
                           "  param @out internal size 8 align 8 offset 0\n"
                           "bb0:\n"
                           "    %0:b64 = symaddr:b64 sym=@param:out\n"
                           "    %1:b64 = ld:u64 {space=param} %0\n"
                           "    %2:b32 = sreg:b32 sreg=%tid.x\n"
                           "    %3:b32 = sreg:b32 sreg=%clock\n"
                           "    %4:pred = setp:u32 {cmp=eq} %3, 0x0:b32\n"
                           "    cbr:void %4 -> bb1, bb2\n";
static const char tail[] = "    st:u32 {space=global} %1, %9 offset=0\n    ret:void\n}\n";

// Two ways that compute %7 and %8, joined as %9; phis: how many must be left.
static void expect(const char *what, const char *one, const char *two, int phis) {
    char text[2048];
    snprintf(text, sizeof text,
             "%sbb1 <- bb0:\n%s    bra:void -> bb3\nbb2 <- bb0:\n%s    bra:void -> bb3\n"
             "bb3 <- bb1, bb2:\n    %%9:b32 = phi:b32 %%7, %%8\n%s",
             head, one, two, tail);
    struct strbuf err = {0}, out = {0};
    struct kir_module *m = kir_parse(text, strlen(text), &err);
    if (!m) {
        printf("%s: %s\n", what, strbuf_str(&err));
        failures++;
        return;
    }
    kir_simplify(m);
    if (!kir_validate(m, &err)) {
        printf("%s: not valid: %s\n", what, strbuf_str(&err));
        failures++;
    }
    kir_print_module(m, &out);
    int found = 0;
    for (const char *p = strbuf_str(&out); (p = strstr(p, "phi:")); p++)
        found++;
    if (found != phis) {
        printf("%s: %d phis, not %d:\n%s", what, found, phis, strbuf_str(&out));
        failures++;
    }
    kir_module_free(m);
    strbuf_free(&err);
    strbuf_free(&out);
}

int main(void) {
    expect("the same sum", "    %7:b32 = add:u32 %2, %3\n", "    %8:b32 = add:u32 %2, %3\n", 0);
    expect("operands in another order", "    %7:b32 = add:u32 %2, %3\n",
           "    %8:b32 = add:u32 %3, %2\n", 0);
    expect("a difference does not commute", "    %7:b32 = sub:u32 %2, %3\n",
           "    %8:b32 = sub:u32 %3, %2\n", 1);
    expect("two steps",
           "    %5:b32 = sreg:b32 sreg=%ctaid.x\n    %7:b32 = mul:u32 {half=lo} %5, %2\n",
           "    %6:b32 = sreg:b32 sreg=%ctaid.x\n    %8:b32 = mul:u32 {half=lo} %2, %6\n", 0);
    expect("other constants", "    %7:b32 = add:u32 %2, 0x1:b32\n",
           "    %8:b32 = add:u32 %2, 0x2:b32\n", 1);
    expect("another type", "    %7:b32 = shr:u32 %2, 0x1:b32\n",
           "    %8:b32 = shr:s32 %2, 0x1:b32\n", 1);
    expect("clocks differ", "    %7:b32 = sreg:b32 sreg=%clock\n",
           "    %8:b32 = sreg:b32 sreg=%clock\n", 1);
    expect("memory may differ", "    %7:b32 = ld:u32 {space=global} %1\n",
           "    %8:b32 = ld:u32 {space=global} %1\n", 1);
    return failures != 0;
}
