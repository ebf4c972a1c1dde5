// ir_corpus IN.ptx OUT.ir: writes the IR text of a PTX file, as input for fuzz_ir.
#include <stdio.h>
#include <stdlib.h>

#include "ir/ir.h"
#include "ptx/ast.h"

int main(int argc, char **argv) {
    static char ptx[1 << 20];
    struct arena a = {0};
    struct strbuf err = {0}, out = {0};
    FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!f)
        return 2;
    size_t len = fread(ptx, 1, sizeof ptx, f);
    fclose(f);
    struct ptx_module *ast = ptx_parse(&a, ptx, len, &err);
    struct kir_module *m = ast && ptx_verify(ast, &err) ? kir_from_ptx(ast, &err) : NULL;
    if (!m) {
        fprintf(stderr, "%s: %s", argv[1], strbuf_str(&err));
        return 1;
    }
    kir_print_module(m, &out);
    f = fopen(argv[2], "wb");
    if (!f || fwrite(out.data, 1, out.len, f) != out.len || fclose(f))
        return 1;
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&out);
    return 0;
}
