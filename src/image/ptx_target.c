#include "image/ptx_target.h"

#include <string.h>

struct cursor {
    const char *at, *end;
};

static bool starts(const struct cursor *c, const char *text) {
    size_t n = strlen(text);
    return (size_t)(c->end - c->at) >= n && !memcmp(c->at, text, n);
}

// To behind `text`, or to the end.
static void skip_to(struct cursor *c, const char *text) {
    while (c->at < c->end && !starts(c, text))
        c->at++;
    if (c->at < c->end)
        c->at += strlen(text);
}

static void skip_space(struct cursor *c) {
    for (;;) {
        while (c->at < c->end && (*c->at == ' ' || (*c->at >= '\t' && *c->at <= '\r')))
            c->at++;
        if (starts(c, "//"))
            skip_to(c, "\n");
        else if (starts(c, "/*"))
            skip_to(c, "*/");
        else
            return;
    }
}

static bool accept(struct cursor *c, const char *text) {
    skip_space(c);
    if (!starts(c, text))
        return false;
    c->at += strlen(text);
    return true;
}

static bool in_word(char x) {
    return (x >= '0' && x <= '9') || (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || x == '_' ||
           x == '.';
}

static struct cursor take_word(struct cursor *c) {
    skip_space(c);
    struct cursor word = {c->at, c->at};
    while (c->at < c->end && in_word(*c->at))
        c->at++;
    word.end = c->at;
    return word;
}

static bool is_architecture(struct cursor word, struct ptx_target *out) {
    if (!accept(&word, "sm_") && !accept(&word, "compute_"))
        return false;
    uint32_t sm = 0;
    for (; word.at < word.end && *word.at >= '0' && *word.at <= '9' && sm < 1000; word.at++)
        sm = sm * 10 + (uint32_t)(*word.at - '0');
    *out = (struct ptx_target){sm, word.at < word.end ? *word.at : 0};
    return sm != 0;
}

bool ptx_target_read(const char *ptx, size_t size, struct ptx_target *out) {
    struct cursor c = {ptx, ptx + strnlen(ptx, size)};
    if (!accept(&c, ".version"))
        return false;
    take_word(&c);
    if (!accept(&c, ".target"))
        return false;
    do {
        if (is_architecture(take_word(&c), out))
            return true;
    } while (accept(&c, ","));
    return false;
}

// 10.1 is of no family but its own (guide, table 26).
static bool same_family(uint32_t sm, uint32_t capability) {
    return sm == capability ||
           (sm / 10 == capability / 10 && sm <= capability && sm != 101 && capability != 101);
}

bool ptx_target_runs(struct ptx_target target, uint32_t capability) {
    switch (target.features) {
    case 'a':
        return target.sm == capability;
    case 'f':
        return same_family(target.sm, capability);
    default:
        return target.sm <= capability;
    }
}
