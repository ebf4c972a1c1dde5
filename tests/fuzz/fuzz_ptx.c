// Any bytes: the parser, verifier, printer and linker must not crash, and what was accepted must
// survive printing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ptx/ast.h"

static void check_printed(const struct ptx_module *m) {
    struct arena a = {0};
    struct strbuf first = {0}, second = {0}, err = {0};
    ptx_print(m, &first);
    struct ptx_module *again = ptx_parse(&a, strbuf_str(&first), first.len, &err);
    if (again)
        ptx_print(again, &second);
    if (!again || strcmp(strbuf_str(&first), strbuf_str(&second))) {
        fprintf(stderr, "printed PTX changed:\n%s\n%s\n", strbuf_str(&err), strbuf_str(&first));
        abort();
    }
    arena_free(&a);
    strbuf_free(&first);
    strbuf_free(&second);
    strbuf_free(&err);
}

static void check_linked(const char *text, size_t len) {
    const char *const texts[] = {text, text};
    const size_t lens[] = {len, len};
    struct strbuf out = {0}, err = {0};
    ptx_link(texts, lens, 2, &out, &err);
    strbuf_free(&out);
    strbuf_free(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena a = {0};
    struct strbuf err = {0};
    struct ptx_module *m = ptx_parse(&a, (const char *)data, size, &err);
    if (!m && !err.len)
        abort(); // refused without a reason
    if (m) {
        bool ok = ptx_verify(m, &err);
        check_printed(m);
        if (ok)
            check_linked((const char *)data, size);
    }
    arena_free(&a);
    strbuf_free(&err);
    return 0;
}
