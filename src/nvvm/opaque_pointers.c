#include "nvvm/opaque_pointers.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

struct rewriter {
    const char *at, *end;
    struct strbuf *out;
    struct strbuf
        pointee;        // of the last pointer, as long as attributes of that parameter may follow
    size_t pointer_end; // in what has been written
};

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '-';
}

static bool is_among(char c, const char *list) {
    return c && strchr(list, c);
}

// ---- Backwards, in what has been written ----------------------------------------------------
// Each gives the place where something begins that ends at `end`, or `end` where there is none.

static size_t before_spaces(const struct strbuf *b, size_t end) {
    while (end && isspace((unsigned char)b->data[end - 1]))
        --end;
    return end;
}

static size_t quote_start(const struct strbuf *b, size_t end) {
    size_t at = end - 1;
    while (at && b->data[at - 1] != '"')
        --at;
    return at ? at - 1 : end;
}

static size_t bracket_start(const struct strbuf *b, size_t end) {
    size_t depth = 0, at = end;
    while (at) {
        char c = b->data[at - 1];
        if (c == '"') {
            size_t start = quote_start(b, at);
            if (start == at)
                return end;
            at = start;
            continue;
        }
        --at;
        if (is_among(c, "}])>"))
            ++depth;
        else if (is_among(c, "{[(<") && !--depth)
            return at;
    }
    return end;
}

static size_t word_start(const struct strbuf *b, size_t end) {
    size_t at = end;
    while (at && is_word(b->data[at - 1]))
        --at;
    return at;
}

static bool ends_with_word(const struct strbuf *b, size_t end, const char *word) {
    size_t n = strlen(word);
    return word_start(b, end) == end - n && !memcmp(b->data + end - n, word, n);
}

// Where " addrspace(3)" begins, of which `end` is the end; the space in front of it is part of it.
static size_t address_space_start(const struct strbuf *b, size_t end) {
    if (!end || b->data[end - 1] != ')')
        return end;
    size_t open = bracket_start(b, end);
    if (open == end || !ends_with_word(b, open, "addrspace"))
        return end;
    return before_spaces(b, open - strlen("addrspace"));
}

static size_t type_start(const struct strbuf *b, size_t end) {
    size_t at = address_space_start(b, end); // of a pointer that is `ptr` by now
    if (!at)
        return end;
    char c = b->data[at - 1];
    if (c == ')') { // parameters, and in front of them what is returned
        size_t open = bracket_start(b, at);
        return open == at ? end : type_start(b, before_spaces(b, open));
    }
    if (is_among(c, "}]>")) {
        size_t open = bracket_start(b, at);
        return open == at ? end : open;
    }
    size_t start = c == '"' ? quote_start(b, at) : word_start(b, at);
    if (start == at)
        return end;
    return start && b->data[start - 1] == '%' ? start - 1 : start;
}

// ---- Forwards -------------------------------------------------------------------------------

static void put(struct rewriter *r, const char *from) {
    strbuf_append(r->out, from, (size_t)(r->at - from));
}

static void forget_pointee(struct rewriter *r) {
    strbuf_free(&r->pointee);
    r->pointee = (struct strbuf){0};
}

static void put_pointer(struct rewriter *r) {
    struct strbuf *b = r->out;
    ++r->at;
    size_t end = before_spaces(b, b->len);
    // Behind a pointer the address space is that pointer's own.
    size_t space = end == r->pointer_end ? end : address_space_start(b, end);
    size_t start = type_start(b, space);
    if (start == space) { // no type in front of it
        strbuf_puts(b, "*");
        return;
    }
    struct strbuf address_space = {0};
    strbuf_append(&address_space, b->data + space, end - space);
    forget_pointee(r);
    strbuf_append(&r->pointee, b->data + start, space - start);
    b->len = start;
    strbuf_puts(b, "ptr");
    strbuf_puts(b, strbuf_str(&address_space));
    strbuf_free(&address_space);
    r->pointer_end = b->len;
}

static void put_quoted(struct rewriter *r) {
    const char *from = r->at++;
    while (r->at < r->end && *r->at != '"')
        ++r->at;
    r->at += r->at < r->end;
    put(r, from);
}

static void put_comment(struct rewriter *r) {
    const char *from = r->at;
    while (r->at < r->end && *r->at != '\n')
        ++r->at;
    put(r, from);
}

static bool next_is(const struct rewriter *r, char c) {
    const char *p = r->at;
    while (p < r->end && isspace((unsigned char)*p))
        ++p;
    return p < r->end && *p == c;
}

static bool is_one_of(const char *word, size_t n, const char *const *list) {
    for (; *list; ++list)
        if (strlen(*list) == n && !memcmp(word, *list, n))
            return true;
    return false;
}

static void put_word(struct rewriter *r) {
    static const char *const typed[] = {"byval", "sret", "inalloca", NULL};
    const char *from = r->at;
    while (r->at < r->end && is_word(*r->at))
        ++r->at;
    put(r, from);
    if (r->pointee.len && is_one_of(from, (size_t)(r->at - from), typed) && !next_is(r, '('))
        strbuf_printf(r->out, "(%s)", strbuf_str(&r->pointee));
}

void opaque_pointers_rewrite(const char *text, size_t size, struct strbuf *out) {
    struct rewriter r = {.at = text, .end = text + size, .out = out};
    while (r.at < r.end) {
        char c = *r.at;
        if (c == '*') {
            put_pointer(&r);
        } else if (c == '"') {
            put_quoted(&r);
        } else if (c == ';') {
            put_comment(&r);
        } else if (is_word(c)) {
            put_word(&r);
        } else {
            if (is_among(c, ",{}%@=")) // the end of a parameter's attributes
                forget_pointee(&r);
            strbuf_append(out, r.at++, 1);
        }
    }
    forget_pointee(&r);
}
