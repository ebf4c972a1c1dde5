#include "ptx/ast.h"

bool ptx_link(const char *const *text, const size_t *len, size_t n, struct strbuf *out,
              struct strbuf *err) {
    strbuf_puts(err, "error: linking is not supported\n");
    return false;
}
