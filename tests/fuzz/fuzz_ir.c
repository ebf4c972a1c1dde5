// Any bytes as PTX and as IR text. Nothing may crash; what is accepted must be valid, must stay
// valid through the clean-ups, and must survive a round trip as text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ir/clean/simplify.h"
#include "ptx/ast.h"

static void expect_valid(const struct kir_module *m, const char *when) {
    struct strbuf err = {0};
    if (!kir_validate(m, &err)) {
        fprintf(stderr, "invalid %s:\n%s\n", when, strbuf_str(&err));
        abort();
    }
    strbuf_free(&err);
}

static void round_trip(const struct kir_module *m) {
    struct strbuf first = {0}, second = {0}, err = {0};
    kir_print_module(m, &first);
    struct kir_module *again = kir_parse(strbuf_str(&first), first.len, &err);
    if (again)
        kir_print_module(again, &second);
    if (!again || strcmp(strbuf_str(&first), strbuf_str(&second))) {
        fprintf(stderr, "round trip: %s\n%s\n----\n%s\n", strbuf_str(&err), strbuf_str(&first),
                strbuf_str(&second));
        abort();
    }
    kir_module_free(again);
    strbuf_free(&first);
    strbuf_free(&second);
    strbuf_free(&err);
}

static void try_ptx(const char *text, size_t len) {
    struct arena a = {0};
    struct strbuf err = {0};
    struct ptx_module *ast = ptx_parse(&a, text, len, &err);
    struct kir_module *m = ast && ptx_verify(ast, &err) ? kir_from_ptx(ast, &err) : NULL;
    if (!m && !err.len)
        abort(); // refused without a reason
    if (m) {
        expect_valid(m, "after lowering");
        round_trip(m);
    }
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&err);
}

static void try_ir(const char *text, size_t len) {
    struct strbuf err = {0};
    struct kir_module *m = kir_parse(text, len, &err);
    if (!m && !err.len)
        abort();
    if (m && kir_validate(m, &err)) {
        kir_simplify(m);
        expect_valid(m, "after the clean-ups");
        round_trip(m);
    }
    kir_module_free(m);
    strbuf_free(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_ptx((const char *)data, size);
    try_ir((const char *)data, size);
    return 0;
}
