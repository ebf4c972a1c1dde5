// A growing string on the heap, for printers and logs.
#ifndef KUDZU_SUPPORT_STRBUF_H
#define KUDZU_SUPPORT_STRBUF_H

#include <stddef.h>

struct strbuf {
    char *data; // NUL-terminated once anything was appended, else NULL
    size_t len, cap;
};

void strbuf_append(struct strbuf *b, const char *s, size_t n);
void strbuf_puts(struct strbuf *b, const char *s);
void strbuf_printf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// The text, "" when empty; stays owned by the buffer.
const char *strbuf_str(const struct strbuf *b);
void strbuf_free(struct strbuf *b);

#endif
