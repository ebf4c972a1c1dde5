#define _GNU_SOURCE // strtod_l
#include "ptx/lexer.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

void ptx_lexer_init(struct ptx_lexer *l, const char *text, size_t len) {
    // Text may end with a NUL of its own (images store it so).
    const char *nul = len ? memchr(text, 0, len) : NULL;
    *l = (struct ptx_lexer){
        .at = text, .end = nul ? nul : text + len, .line_start = text, .line = 1};
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_start(char c) {
    return is_letter(c) || c == '_' || c == '$' || c == '%';
}

static bool is_name_char(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static int hex_digit(char c) {
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static char peek(const struct ptx_lexer *l, size_t ahead) {
    return (size_t)(l->end - l->at) > ahead ? l->at[ahead] : 0;
}

static void newline(struct ptx_lexer *l) {
    l->line++;
    l->line_start = l->at;
}

static void skip_line(struct ptx_lexer *l) {
    while (l->at < l->end && *l->at != '\n')
        l->at++;
}

// Skips /* ... */; false when it never ends.
static bool skip_comment(struct ptx_lexer *l) {
    l->at += 2;
    while (l->at < l->end) {
        if (*l->at == '*' && peek(l, 1) == '/') {
            l->at += 2;
            return true;
        }
        if (*l->at++ == '\n')
            newline(l);
    }
    return false;
}

static struct ptx_pos position(const struct ptx_lexer *l) {
    return (struct ptx_pos){l->line, (uint32_t)(l->at - l->line_start) + 1};
}

// false: a comment that begins at *pos does not end.
static bool skip_space(struct ptx_lexer *l, struct ptx_pos *pos) {
    while (l->at < l->end) {
        char c = *l->at;
        if (c == '\n') {
            l->at++;
            newline(l);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            l->at++;
        } else if (c == '/' && peek(l, 1) == '/') {
            skip_line(l);
        } else if (c == '/' && peek(l, 1) == '*') {
            *pos = position(l);
            if (!skip_comment(l))
                return false;
        } else if (c == '#' && l->at == l->line_start) {
            skip_line(l);
        } else {
            return true;
        }
    }
    return true;
}

static void bad(struct ptx_token *t, const char *why) {
    t->kind = PTX_TOKEN_BAD;
    t->text = why;
    t->len = (uint32_t)strlen(why);
}

// Takes `.x` and `::x` that hang on a name.
static void lex_name(struct ptx_lexer *l, struct ptx_token *t) {
    t->kind = PTX_TOKEN_NAME;
    l->at++;
    for (;;) {
        if (is_name_char(peek(l, 0)))
            l->at++;
        else if (peek(l, 0) == '.' && is_name_char(peek(l, 1)))
            l->at += 2;
        else if (peek(l, 0) == ':' && peek(l, 1) == ':' && is_name_char(peek(l, 2)))
            l->at += 3;
        else
            break;
    }
    t->len = (uint32_t)(l->at - t->text);
}

static void lex_directive(struct ptx_lexer *l, struct ptx_token *t) {
    t->kind = PTX_TOKEN_DIRECTIVE;
    l->at++;
    while (is_name_char(peek(l, 0)) || (peek(l, 0) == ':' && peek(l, 1) == ':'))
        l->at += peek(l, 0) == ':' ? 2 : 1;
    t->len = (uint32_t)(l->at - t->text);
    if (t->len == 1)
        bad(t, "expected a name after '.'");
}

// 0f and 0d with 8 and 16 hexadecimal digits.
static void lex_exact_float(struct ptx_lexer *l, struct ptx_token *t, unsigned digits) {
    l->at += 2;
    unsigned n = 0;
    for (int d; (d = hex_digit(peek(l, 0))) >= 0; n++, l->at++)
        t->value = t->value << 4 | (uint64_t)d;
    t->kind = digits == 8 ? PTX_TOKEN_F32 : PTX_TOKEN_F64;
    if (n != digits)
        bad(t, digits == 8 ? "expected 8 hexadecimal digits after '0f'"
                           : "expected 16 hexadecimal digits after '0d'");
}

static void lex_digits(struct ptx_lexer *l, struct ptx_token *t, unsigned base) {
    bool any = false, overflow = false;
    for (;; l->at++) {
        int d = hex_digit(peek(l, 0));
        if (d < 0 || (base < 16 && !is_digit(peek(l, 0))))
            break;
        if ((unsigned)d >= base) {
            bad(t, "digit is too large for its base");
            return;
        }
        overflow |= t->value > (UINT64_MAX - (unsigned)d) / base;
        t->value = t->value * base + (unsigned)d;
        any = true;
    }
    t->kind = PTX_TOKEN_INT;
    if (peek(l, 0) == 'U') {
        t->is_unsigned = true;
        l->at++;
    }
    if (!any)
        bad(t, "expected digits");
    else if (overflow)
        bad(t, "integer does not fit in 64 bits");
    else if (is_name_char(peek(l, 0)))
        bad(t, "unexpected character after number");
}

// Decimal floating point: digits, then a point or an exponent.
static bool is_decimal_float(const struct ptx_lexer *l) {
    size_t n = 0;
    while (is_digit(peek(l, n)))
        n++;
    char c = peek(l, n);
    if (c == '.')
        return true;
    if (c != 'e' && c != 'E')
        return false;
    c = peek(l, n + 1);
    return is_digit(c) || ((c == '+' || c == '-') && is_digit(peek(l, n + 2)));
}

static void lex_decimal_float(struct ptx_lexer *l, struct ptx_token *t) {
    char copy[512];
    size_t n = 0;
    while (l->at < l->end && n + 1 < sizeof copy) {
        char c = *l->at, before = n ? copy[n - 1] : 0;
        bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
        if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign)
            break;
        copy[n++] = c;
        l->at++;
    }
    copy[n] = 0;
    char *stop;
    // Not strtod: the program that loads the module may have set a locale with another point.
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double v = strtod_l(copy, &stop, c_locale);
    freelocale(c_locale);
    memcpy(&t->value, &v, sizeof v);
    t->kind = PTX_TOKEN_F64;
    if (*stop || is_name_char(peek(l, 0)))
        bad(t, "malformed floating-point number");
}

static void lex_number(struct ptx_lexer *l, struct ptx_token *t) {
    char second = peek(l, 0) == '0' ? peek(l, 1) : 0;
    if (second == 'f' || second == 'F') {
        lex_exact_float(l, t, 8);
    } else if (second == 'd' || second == 'D') {
        lex_exact_float(l, t, 16);
    } else if (second == 'x' || second == 'X') {
        l->at += 2;
        lex_digits(l, t, 16);
    } else if (second == 'b' || second == 'B') {
        l->at += 2;
        lex_digits(l, t, 2);
    } else if (is_decimal_float(l)) {
        lex_decimal_float(l, t);
    } else {
        lex_digits(l, t, second && is_digit(second) ? 8 : 10);
    }
    if (t->kind != PTX_TOKEN_BAD)
        t->len = (uint32_t)(l->at - t->text);
}

static void lex_string(struct ptx_lexer *l, struct ptx_token *t) {
    t->kind = PTX_TOKEN_STRING;
    t->text = ++l->at;
    while (l->at < l->end && *l->at != '"' && *l->at != '\n')
        l->at += *l->at == '\\' && peek(l, 1) && peek(l, 1) != '\n' ? 2 : 1;
    t->len = (uint32_t)(l->at - t->text);
    if (peek(l, 0) == '"')
        l->at++;
    else
        bad(t, "string does not end on its line");
}

struct ptx_token ptx_lexer_next(struct ptx_lexer *l) {
    struct ptx_pos comment = {0};
    bool ok = skip_space(l, &comment);
    struct ptx_token t = {.text = l->at, .pos = ok ? position(l) : comment};
    if (!ok)
        bad(&t, "comment does not end");
    else if (l->at >= l->end)
        t.kind = PTX_TOKEN_END;
    else if (is_name_start(*l->at) && !(*l->at == '%' && !is_name_char(peek(l, 1))))
        lex_name(l, &t);
    else if (*l->at == '.' && !is_digit(peek(l, 1)))
        lex_directive(l, &t);
    else if (is_digit(*l->at) || *l->at == '.')
        lex_number(l, &t);
    else if (*l->at == '"')
        lex_string(l, &t);
    else {
        t.kind = PTX_TOKEN_PUNCT;
        t.punct = *l->at++;
        t.len = 1;
    }
    return t;
}
