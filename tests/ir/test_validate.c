// The validator: one valid module, and for each rule a change that breaks it.
#include <stdio.h>
#include <stdlib.h>

#include "ir/ir.h"

static const char base[] =
    "ir ptx 8.5 sm 90\n"
    "var global @g visible size 16 align 8 offset 0\n"
    "shared @s internal size 64 align 4 offset 0\n"
    "shared_bytes 64\n"
    "kernel @k visible param_bytes 16 shared 64 maxntid 0 0 0 reqntid 0 0 0 minnctapersm 0 "
    "maxnreg 0 frame 16 align 8\n"
    "func @f internal (b32, b64) -> (b32) frame 0 align 1\n"
    "func @e extern () -> () frame 0 align 1 extern\n"
    "init @var:g 000102030405060708090a0b0c0d0e0f\n"
    "reloc @var:g 8 size 8 @func:f 0\n"
    "body @k {\n"
    "  param @a internal size 8 align 8 offset 0\n"
    "  param @b internal size 4 align 4 offset 8\n"
    "  local @l internal size 16 align 8 offset 0\n"
    "bb0:\n"
    "    %0:b64 = symaddr:b64 sym=@param:a\n"
    "    %1:b64 = ld:u64 {space=param} %0\n"
    "    %2:b32 = sreg:b32 sreg=%tid.x\n"
    "    %3:pred = setp:u32 {cmp=lt} %2, 0x10:b32\n"
    "    %4:b64 = symaddr:b64 sym=@local:l\n"
    "    st:u32 {space=local, vec=2} %4, %2, %2\n"
    "    cbr:void %3 -> bb1, bb2\n"
    "bb1 <- bb0, bb1:\n"
    "    %5:b32 = phi:b32 0x0:b32, %6\n"
    "    %6:b32 = add:u32 %5, 0x1:b32\n"
    "    %7:b32 = call:void %6, %1 callee=@f\n"
    "    %8:pred = setp:u32 {cmp=lt} %7, 0x5:b32\n"
    "    cbr:void %8 -> bb1, bb2\n"
    "bb2 <- bb0, bb1:\n"
    "    %9:b32 = phi:b32 %2, %6\n"
    "    %10:b64 = mul:u32 {half=wide} %9, 0x4:b32\n"
    "    %11:b32 = atom:u32 {space=global, atom=cas} %1, %9, %2\n"
    "    %12:b32 = bar.red:void {boolop=popc} 0x0:b32, %3\n"
    "    bar.sync:void 0x1:b32, 0x20:b32 flag\n"
    "    %13:b64 = mov.pack:b64 {vec=2} %11, %12\n"
    "    %14:b32, %15:pred = shfl:b32 {mode=bfly} %9, 0x1:b32, 0x1f:b32, 0xffffffff:b32\n"
    "    %16:b32 = vote:b32 {mode=ballot} %15, 0xffffffff:b32\n"
    "    %17:b64 = symaddr:b64 sym=@func:f\n"
    "    %18:b32 = call:void %17, %14, %13 proto=(b32, b64) -> (b32)\n"
    "    st:u32 {space=global} %10, %18\n"
    "    ret:void\n"
    "}\n"
    "body @f {\n"
    "bb0:\n"
    "    %0:b32 = param:b32\n"
    "    %1:b64 = param:b64 index=1\n"
    "    %2:b32 = cvt:u32:u64 %1\n"
    "    %3:b32 = add:u32 %0, %2\n"
    "    ret:void %3\n"
    "}\n";

// What is replaced by what, and a piece of the message.
static const struct {
    const char *from, *to, *message;
} cases[] = {
    // edges and blocks
    {"bb1 <- bb0, bb1:", "bb1 <- bb0:", "preds do not match"},
    {"bb1 <- bb0, bb1:", "bb1 <- bb0, bb0:", "preds do not match"},
    {"bb2 <- bb0, bb1:", "bb2 <- bb0, bb1, bb1:", "preds do not match"},
    {"cbr:void %8 -> bb1, bb2", "cbr:void %8 -> bb0, bb2", "preds do not match"},
    {"    ret:void\n}", "    trap:void\n}", "terminator"},
    {"    bar.sync:void 0x1:b32, 0x20:b32 flag\n", "    exit:void\n", "terminator"},
    {"cbr:void %3 -> bb1, bb2", "bra:void -> bb1, bb2", "number of targets"},
    {"cbr:void %3 -> bb1, bb2", "brx.idx:u32 %2 -> bb1, bb2", ""},
    {"    ret:void %3\n", "    bra:void -> bb0\n", "preds do not match"},
    {"bb0:\n    %0:b32 = param:b32\n", "bb0 <- bb1:\n    %0:b32 = param:b32\n",
     "named and does not exist"},
    // SSA
    {"%6:b32 = add:u32 %5, 0x1:b32", "%6:b32 = add:u32 %7, 0x1:b32", "does not dominate"},
    {"%10:b64 = mul:u32 {half=wide} %9", "%10:b64 = mul:u32 {half=wide} %6", "does not dominate"},
    {"phi:b32 %2, %6", "phi:b32 %6, %2", "does not dominate"},
    {"phi:b32 0x0:b32, %6", "phi:b32 0x0:b32", "operand for each predecessor"},
    {"phi:b32 0x0:b32, %6", "phi:b32 0x0:b64, %6", "wrong width"},
    {"    %5:b32 = phi:b32 0x0:b32, %6\n    %6:b32 = add:u32 %5, 0x1:b32\n",
     "    %6:b32 = add:u32 0x1:b32, 0x1:b32\n    %5:b32 = phi:b32 0x0:b32, %6\n",
     "phis stand first"},
    {"%3:b32 = add:u32 %0, %2", "%2:b32 = add:u32 %0, %2", "defined twice"},
    {"add:u32 %0, %2", "add:u32 %0, %9", "never defined"},
    // widths and counts
    {"add:u32 %0, %2", "add:u64 %0, %2", "wrong width"},
    {"add:u32 %0, %2", "add:u32 %0", "operands where"},
    {"add:u32 %0, %2", "add:u32 %0, %2, %2", "operands where"},
    {"%3:pred = setp", "%3:b32 = setp", "wrong width"},
    {"cbr:void %3", "cbr:void %2", "wrong width"},
    {"{half=wide} %9", "{half=lo} %1", ""},
    {"%10:b64 = mul", "%10:b32 = mul", "wrong width"},
    {"{space=local, vec=2} %4, %2, %2", "{space=local, vec=2} %4, %2", "belong here"},
    {"{space=local, vec=2} %4, %2, %2", "{space=local, vec=3} %4, %2, %2, %2", "vectors have"},
    {"st:u32 {space=global} %10, %18", "st:u32 {space=global} %18, %18", "64 bits"},
    {"st:u32 {space=global} %10, %18", "st:u64 {space=global} %10, %18", "wrong width"},
    {"{space=global, atom=cas} %1, %9, %2", "{space=global, atom=cas} %1, %9", "belong here"},
    {"bar.red:void {boolop=popc} 0x0:b32, %3", "bar.red:void {boolop=popc} 0x0:b32, %2",
     "wrong width"},
    {"0x1:b32, 0x20:b32 flag", "0x1:b32, 0x20:b32", "operands where"},
    {"mov.pack:b64 {vec=2} %11, %12", "mov.pack:b64 {vec=2} %11", "pieces"},
    {"mov.pack:b64 {vec=2} %11, %12", "mov.pack:b64 {vec=4} %11, %12", "pieces"},
    {"%9, 0x1:b32, 0x1f:b32, 0xffffffff:b32", "%9, 0x1:b32", "operands where"},
    {"%16:b32 = vote", "%16:pred = vote", "wrong width"},
    {"sreg=%tid.x", "", "special register is missing"},
    {"symaddr:b64 sym=@local:l", "symaddr:b64", "symbol is missing"},
    // calls and parameters
    {"%7:b32 = call:void %6, %1 callee=@f", "%7:b32 = call:void %1, %6 callee=@f", "arguments"},
    {"%7:b32 = call:void %6, %1 callee=@f", "%7:b64 = call:void %6, %1 callee=@f", "results"},
    {"%6, %1 callee=@f", "%6, %1 callee=@k", "needs a function"},
    {"%17, %14, %13 proto=(b32, b64) -> (b32)", "%17, %14, %13", "needs a function"},
    {"%17, %14, %13 proto", "%14, %14, %13 proto", "64 bits"},
    {"ret:void %3", "ret:void %1", "prototype"},
    {"ret:void %3", "ret:void", "prototype"},
    {"    ret:void\n}", "    ret:void %2\n}", "prototype"},
    {"param:b64 index=1", "param:b64 index=2", "no parameter"},
    {"%0:b32 = param:b32", "%0:b64 = param:b32", "no parameter"},
    // symbols
    {"@l internal size 16 align 8 offset 0", "@l internal size 24 align 8 offset 0", "outside"},
    {"@l internal size 16 align 8 offset 0", "@l internal size 8 align 8 offset 4", "not aligned"},
    {"@l internal size 16 align 8 offset 0", "@l internal size 16 align 16 offset 0",
     "less aligned"},
    {"@b internal size 4 align 4 offset 8", "@b internal size 4 align 3 offset 9", "power of two"},
    {"@b internal size 4 align 4 offset 8", "@b internal size 4 align 4 offset 16", "outside"},
    {"reloc @var:g 8 size 8", "reloc @var:g 12 size 8", "relocation"},
    {"reloc @var:g 8 size 8 @func:f", "reloc @var:g 8 size 8 @shared:s", "names no variable"},
    {"() -> () frame 0 align 1 extern", "() -> () frame 0 align 1", "is not extern"},
    {"-> (b32) frame 0 align 1\n", "-> (b32) frame 0 align 1 extern\n", "has a body"},
};

static char *replace(const char *from, const char *to) {
    const char *at = strstr(base, from);
    size_t before = at ? (size_t)(at - base) : 0, n = sizeof base + strlen(to);
    char *text = malloc(n);
    if (!at || !text) {
        printf("not in the module: %s\n", from);
        exit(1);
    }
    snprintf(text, n, "%.*s%s%s", (int)before, base, to, at + strlen(from));
    return text;
}

static bool accepted(const char *text, struct strbuf *err) {
    struct kir_module *m = kir_parse(text, strlen(text), err);
    bool ok = m && kir_validate(m, err);
    kir_module_free(m);
    return ok;
}

static int check_case(size_t k) {
    struct strbuf err = {0};
    char *text = replace(cases[k].from, cases[k].to);
    bool ok = accepted(text, &err), bad = false;
    // An empty message: a change that breaks no rule.
    if (ok != !*cases[k].message || (!ok && !strstr(strbuf_str(&err), cases[k].message))) {
        printf("\"%s\" -> \"%s\": %s %s\n", cases[k].from, cases[k].to,
               ok ? "accepted" : "refused:", strbuf_str(&err));
        bad = true;
    }
    free(text);
    strbuf_free(&err);
    return bad;
}

static const struct {
    const char *text, *message;
} syntax[] = {
    {"", "ir:1:1: error: expected 'ir'"},
    {"ir ptx 8.5 sm\n", "ir:1:14: error: expected a number"},
    {"ir ptx 8.5 sm 90\nvar local @x visible size 4 align 4 offset 0\n",
     "ir:2:5: error: expected 'global'"},
    {"ir ptx 8.5 sm 90\nbody @f {\n}\n", "expected a declared function"},
    {"ir ptx 8.5 sm 90\nfunc @f internal () -> () frame 0 align 1\nbody @f {\nbb0:\n    frob:u32\n",
     "ir:5:5: error: expected an opcode"},
    {"ir ptx 8.5 sm 90\nfunc @f internal () -> () frame 0 align 1\nbody @f {\nbb1:\n    "
     "ret:void\n}\n",
     "expected bb0"},
    {"ir ptx 8.5 sm 90\nfunc @f internal () -> () frame 0 align 1\nbody @f {\nbb0:\n    "
     "%0:b32 = add:u32 {frob} 0x1:b32, 0x1:b32\n",
     "ir:5:23: error: expected a modifier"},
    {"ir ptx 8.5 sm 90\nfunc @f internal () -> () frame 0 align 1\nbody @f {\nbb0:\n    "
     "%99999999:b32 = add:u32 0x1:b32, 0x1:b32\n",
     "expected a value"},
};

static int check_syntax(size_t k) {
    struct strbuf err = {0};
    bool ok = accepted(syntax[k].text, &err);
    bool bad = ok || !strstr(strbuf_str(&err), syntax[k].message);
    if (bad)
        printf("expected \"%s\": %s\n", syntax[k].message, strbuf_str(&err));
    strbuf_free(&err);
    return bad;
}

int main(void) {
    struct strbuf err = {0};
    int bad = 0;
    if (!accepted(base, &err)) {
        printf("the base module is refused: %s\n", strbuf_str(&err));
        bad++;
    }
    strbuf_free(&err);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        bad += check_case(k);
    for (size_t k = 0; k < sizeof syntax / sizeof *syntax; k++)
        bad += check_syntax(k);
    printf("%zu cases, %d problems\n",
           sizeof cases / sizeof *cases + sizeof syntax / sizeof *syntax, bad);
    return bad != 0;
}
