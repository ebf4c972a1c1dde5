#include "device/helpers/print_format.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ARGUMENTS = 32, MAX_FIELD = 1 << 16 };

struct sink {
    char *out;
    size_t size, length;
    void (*string)(void *data, const char *text); // NULL: strings are printed
    void *data;
};

static void put(struct sink *s, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++, s->length++)
        if (s->length + 1 < s->size)
            s->out[s->length] = text[i];
}

static void pad(struct sink *s, char c, long n) {
    for (; n > 0; n--)
        put(s, &c, 1);
}

struct arguments {
    const uint8_t *next;
    int32_t count;
};

static uint64_t take(struct arguments *a, unsigned bytes) {
    uint64_t v = 0, at = ((uint64_t)a->next + bytes - 1) & ~(uint64_t)(bytes - 1);
    memcpy(&v, (const void *)at, bytes);
    a->next = (const uint8_t *)at + bytes;
    a->count++;
    return v;
}

// One conversion: %[flags][width][.precision][size]type.
struct spec {
    bool left, plus, space, alternate, zero;
    bool has_precision;
    int width, precision;
    int size; // -2 hh, -1 h, 0, 1 l, 2 ll
    char type;
};

static int number(const char **p) {
    int n = 0;
    for (; **p >= '0' && **p <= '9'; (*p)++)
        n = n < MAX_FIELD ? n * 10 + (**p - '0') : MAX_FIELD;
    return n < MAX_FIELD ? n : MAX_FIELD;
}

static int width_or_star(const char **p, struct arguments *a, bool *ok) {
    if (**p != '*')
        return number(p);
    (*p)++;
    if (a->count == MAX_ARGUMENTS) {
        *ok = false;
        return 0;
    }
    int64_t n = (int32_t)take(a, 4);
    return (int)(n > MAX_FIELD ? MAX_FIELD : n < -MAX_FIELD ? -MAX_FIELD : n);
}

static void parse_flags(const char **p, struct spec *s) {
    for (;; (*p)++) {
        switch (**p) {
        case '-':
            s->left = true;
            break;
        case '+':
            s->plus = true;
            break;
        case ' ':
            s->space = true;
            break;
        case '#':
            s->alternate = true;
            break;
        case '0':
            s->zero = true;
            break;
        default:
            return;
        }
    }
}

static void parse_size(const char **p, struct spec *s) {
    for (;; (*p)++) {
        if (**p == 'h')
            s->size = s->size == -1 ? -2 : -1;
        else if (**p == 'l')
            s->size = s->size == 1 ? 2 : 1;
        else if (**p == 'j' || **p == 'z' || **p == 't')
            s->size = 2;
        else if (**p != 'L' && **p != 'q')
            return;
    }
}

// False: arguments ran out within it.
static bool parse_spec(const char **p, struct spec *s, struct arguments *a) {
    bool ok = true;
    memset(s, 0, sizeof *s);
    parse_flags(p, s);
    s->width = width_or_star(p, a, &ok);
    if (s->width < 0) {
        s->left = true;
        s->width = -s->width;
    }
    if (**p == '.') {
        (*p)++;
        s->precision = width_or_star(p, a, &ok);
        s->has_precision = s->precision >= 0;
    }
    parse_size(p, s);
    s->type = **p;
    if (s->type)
        (*p)++;
    return ok;
}

// prefix (sign, 0x), zeros, body, in a field.
static void put_field(struct sink *out, const struct spec *s, const char *prefix, const char *body,
                      size_t n, long zeros) {
    long used = (long)strlen(prefix) + (zeros > 0 ? zeros : 0) + (long)n;
    if (!s->left)
        pad(out, ' ', s->width - used);
    put(out, prefix, strlen(prefix));
    pad(out, '0', zeros);
    put(out, body, n);
    if (s->left)
        pad(out, ' ', s->width - used);
}

static size_t digits(char *end, uint64_t v, unsigned base, bool upper) {
    const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char *p = end;
    for (; v; v /= base)
        *--p = set[v % base];
    return (size_t)(end - p);
}

static void put_integer(struct sink *out, const struct spec *s, uint64_t v, bool negative,
                        unsigned base) {
    char buffer[32], *end = buffer + sizeof buffer;
    size_t n = digits(end, v, base, s->type == 'X');
    long precision = s->has_precision ? s->precision : 1;
    const char *prefix = "";
    bool is_signed = s->type == 'd' || s->type == 'i';
    if (is_signed)
        prefix = negative ? "-" : s->plus ? "+" : s->space ? " " : "";
    else if (s->alternate && base == 16 && v)
        prefix = s->type == 'X' ? "0X" : "0x";
    if (s->alternate && base == 8 && precision <= (long)n)
        precision = (long)n + 1;
    if (s->zero && !s->left && !s->has_precision)
        precision = s->width - (long)strlen(prefix);
    put_field(out, s, prefix, end - n, n, precision - (long)n);
}

static void put_signed(struct sink *out, const struct spec *s, uint64_t v) {
    int64_t i = s->size > 0     ? (int64_t)v
                : s->size == 0  ? (int32_t)v
                : s->size == -1 ? (int16_t)v
                                : (int8_t)v;
    put_integer(out, s, i < 0 ? 0 - (uint64_t)i : (uint64_t)i, i < 0, 10);
}

static void put_unsigned(struct sink *out, const struct spec *s, uint64_t v, unsigned base) {
    uint64_t u = s->size > 0     ? v
                 : s->size == 0  ? (uint32_t)v
                 : s->size == -1 ? (uint16_t)v
                                 : (uint8_t)v;
    put_integer(out, s, u, false, base);
}

// Floating point is the C library's, with a format built here from what was understood.
static void put_double(struct sink *out, const struct spec *s, uint64_t bits) {
    char fmt[16], small[512], *f = fmt;
    double value;
    memcpy(&value, &bits, sizeof value);
    *f++ = '%';
    if (s->left)
        *f++ = '-';
    if (s->plus)
        *f++ = '+';
    if (s->space)
        *f++ = ' ';
    if (s->alternate)
        *f++ = '#';
    if (s->zero)
        *f++ = '0';
    memcpy(f, "*.*", 3);
    f += 3;
    *f++ = s->type;
    *f = 0;
    // More digits than any double has are zeros; the C library's own buffers stay small.
    int precision = s->has_precision ? (s->precision < 1100 ? s->precision : 1100) : -1;
    int width = s->width < 400 ? s->width : 0;
    int n = snprintf(small, sizeof small, fmt, width, precision, value);
    if (n < 0)
        return;
    if ((size_t)n < sizeof small) {
        put_field(out, s, "", small, (size_t)n, 0);
        return;
    }
    char large[2048];
    n = snprintf(large, sizeof large, fmt, width, precision, value);
    put_field(out, s, "", large, (size_t)n < sizeof large ? (size_t)n : sizeof large - 1, 0);
}

static void put_string(struct sink *out, const struct spec *s, const char *text) {
    if (!text)
        text = "(null)";
    size_t n = s->has_precision ? strnlen(text, (size_t)s->precision) : strlen(text);
    put_field(out, s, "", text, n, 0);
}

static void put_pointer(struct sink *out, struct spec *s, uint64_t v) {
    char buffer[32], *end = buffer + sizeof buffer;
    if (!v) {
        put_field(out, s, "", "(nil)", 5, 0);
        return;
    }
    size_t n = digits(end, v, 16, false);
    put_field(out, s, "0x", end - n, n, 0);
}

static bool convert(struct sink *out, struct spec *s, struct arguments *a) {
    char c;
    const char *text;
    switch (s->type) {
    case 'd':
    case 'i':
        put_signed(out, s, take(a, s->size > 0 ? 8 : 4));
        return true;
    case 'u':
        put_unsigned(out, s, take(a, s->size > 0 ? 8 : 4), 10);
        return true;
    case 'o':
        put_unsigned(out, s, take(a, s->size > 0 ? 8 : 4), 8);
        return true;
    case 'x':
    case 'X':
        put_unsigned(out, s, take(a, s->size > 0 ? 8 : 4), 16);
        return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        put_double(out, s, take(a, 8));
        return true;
    case 'c':
        c = (char)take(a, 4);
        put_field(out, s, "", &c, 1, 0);
        return true;
    case 's':
        text = (const char *)take(a, 8);
        if (out->string)
            out->string(out->data, text);
        else
            put_string(out, s, text);
        return true;
    case 'p':
        put_pointer(out, s, take(a, 8));
        return true;
    case 'n': // takes its argument; nothing is written to
        take(a, 8);
        return true;
    default:
        return false;
    }
}

static int32_t format(struct sink *sink, const char *fmt, const void *args) {
    struct arguments a = {args, 0};
    while (*fmt) {
        const char *start = fmt;
        size_t plain = strcspn(fmt, "%");
        put(sink, fmt, plain);
        fmt += plain;
        if (!*fmt)
            break;
        start = fmt++;
        if (*fmt == '%') {
            put(sink, fmt++, 1);
            continue;
        }
        struct spec s;
        bool known = parse_spec(&fmt, &s, &a) && (a.count < MAX_ARGUMENTS) && convert(sink, &s, &a);
        if (!known)
            put(sink, start, (size_t)(fmt - start));
    }
    return a.count;
}

int32_t print_format(char *out, size_t size, const char *fmt, const void *args, size_t *length) {
    struct sink sink = {.out = out, .size = size};
    int32_t count = format(&sink, fmt, args);
    if (size)
        out[sink.length < size ? sink.length : size - 1] = 0;
    *length = sink.length;
    return count;
}

void print_strings(const char *fmt, const void *args, void (*string)(void *data, const char *text),
                   void *data) {
    struct sink sink = {.string = string, .data = data};
    format(&sink, fmt, args);
}
