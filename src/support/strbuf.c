#include "support/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/memory.h"

static void reserve(struct strbuf *b, size_t more) {
    size_t need = b->len + more + 1;
    if (need <= b->cap)
        return;
    size_t cap = b->cap ? b->cap : 256;
    while (cap < need)
        cap *= 2;
    char *p = memory_resize(b->data, cap);
    if (!p)
        memory_ran_out();
    b->data = p;
    b->cap = cap;
}

void strbuf_append(struct strbuf *b, const char *s, size_t n) {
    reserve(b, n);
    memcpy(b->data + b->len, s, n);
    b->len += n;
    b->data[b->len] = 0;
}

void strbuf_puts(struct strbuf *b, const char *s) {
    strbuf_append(b, s, strlen(s));
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    reserve(b, (size_t)n);
    va_start(ap, fmt);
    vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
}

const char *strbuf_str(const struct strbuf *b) {
    return b->data ? b->data : "";
}

void strbuf_free(struct strbuf *b) {
    memory_free(b->data);
    *b = (struct strbuf){0};
}
