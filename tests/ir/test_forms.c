// Every form of the instruction table, with and without a guard: each lowers to valid IR that
// survives a round trip as text.   test_ir_forms PROGRAM-THAT-LISTS-THE-FORMS
#include <stdio.h>
#include <stdlib.h>

#include "ir/ir.h"
#include "ptx/ast.h"

enum { MAX_LINE = 1000 };

// The registers come from outside and go outside, so that nothing is dead or constant.
static const char head[] = ".version 9.2\n.target sm_121a\n.address_size 64\n.func f() { ret; }\n"
                           ".func t(.reg .pred p1, .reg .b32 r1, .reg .b64 l1, .reg .f32 f1,\n"
                           "        .reg .f64 d1)\n{\n.reg .b8 c1;\n.reg .b16 h1;\n.reg .b128 q1;\n"
                           "list: .branchtargets L;\n"
                           "ld.b8 c1, [l1];\nld.b16 h1, [l1];\nld.b128 q1, [l1];\nL:\n";
static const char tail[] = "st.b8 [l1], c1;\nst.b16 [l1], h1;\nst.b32 [l1], r1;\nst.b64 [l1], l1;\n"
                           "st.f32 [l1], f1;\nst.f64 [l1], d1;\nst.b128 [l1], q1;\n"
                           "@p1 st.b8 [l1], c1;\nret;\n}\n";

static bool round_trip(const struct kir_module *m, struct strbuf *err) {
    struct strbuf first = {0}, second = {0};
    kir_print_module(m, &first);
    struct kir_module *again = kir_parse(strbuf_str(&first), first.len, err);
    if (again)
        kir_print_module(again, &second);
    bool same = again && !strcmp(strbuf_str(&first), strbuf_str(&second));
    if (again && !same)
        strbuf_puts(err, "the text form changes when it is parsed\n");
    kir_module_free(again);
    strbuf_free(&first);
    strbuf_free(&second);
    return same;
}

// What the lowering refuses, with its reason.
static bool is_refused(const char *line, const struct strbuf *err) {
    return !strncmp(line, "cvta", 4) && strstr(line, ".u32") &&
           strstr(strbuf_str(err), "generic addresses have 64 bits");
}

static int check(const char *guard, const char *line) {
    struct strbuf text = {0}, err = {0};
    struct arena a = {0};
    strbuf_printf(&text, "%s%s%s\n%s", head, guard, line, tail);
    struct ptx_module *ast = ptx_parse(&a, strbuf_str(&text), text.len, &err);
    struct kir_module *m = ast && ptx_verify(ast, &err) ? kir_from_ptx(ast, &err) : NULL;
    bool ok = m ? kir_validate(m, &err) && round_trip(m, &err) : is_refused(line, &err);
    if (!ok)
        printf("%s%s\n  %s\n", guard, line, strbuf_str(&err));
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&text);
    strbuf_free(&err);
    return !ok;
}

int main(int argc, char **argv) {
    char command[MAX_LINE], line[MAX_LINE];
    if (argc != 2)
        return 2;
    snprintf(command, sizeof command, "'%s' list", argv[1]);
    FILE *list = popen(command, "r");
    int lines = 0, bad = 0;
    while (list && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = 0;
        bad += check("", line) + check("@!p1 ", line);
        lines++;
    }
    bool ended = list && pclose(list) == 0;
    printf("%d lines, %d problems\n", lines, bad);
    return bad || !ended || lines < 1000;
}
