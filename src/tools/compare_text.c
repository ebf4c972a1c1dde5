#include "tools/compare_text.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Where a number stands, its end; else NULL. Digits that go on a word (sm_90, x1) are none.
static const char *number_at(const char *line, const char *at, double *value) {
    char *end;
    if (at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
        return NULL;
    const char *digit = at + (*at == '-' || *at == '+');
    digit += *digit == '.';
    bool word = !strncasecmp(digit, "nan", 3) || !strncasecmp(digit, "inf", 3);
    if (!isdigit((unsigned char)*digit) && !word)
        return NULL;
    *value = strtod(at, &end);
    return end == at || (word && isalpha((unsigned char)*end)) ? NULL : end;
}

static double relative_difference(double a, double b) {
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    double larger = fmax(fabs(a), fabs(b));
    return isfinite(a) && isfinite(b) ? fabs(a - b) / larger : INFINITY;
}

static bool same_line(struct text_comparison *c, const char *a, const char *b) {
    const char *p = a, *q = b;
    bool same = true;
    while (*p || *q) {
        double x, y;
        const char *p_end = number_at(a, p, &x), *q_end = number_at(b, q, &y);
        if (p_end && q_end) {
            double difference = relative_difference(x, y);
            c->largest = fmax(c->largest, difference);
            same = same && difference <= c->tolerance;
            p = p_end;
            q = q_end;
        } else if (*p == *q) {
            ++p;
            ++q;
        } else if (isspace((unsigned char)*p)) {
            ++p; // numbers of other widths move what is set in columns
        } else if (isspace((unsigned char)*q)) {
            ++q;
        } else {
            return false;
        }
    }
    return same;
}

// Cuts the next line off *text; NULL at the end.
static char *next_line(char **text) {
    char *line = *text;
    if (!*line)
        return NULL;
    *text += strcspn(line, "\n");
    if (**text)
        *(*text)++ = 0;
    return line;
}

static bool is_ignored(const struct text_comparison *c, const char *line) {
    return line && c->ignore && !regexec(c->ignore, line, 0, NULL, 0);
}

void compare_texts(struct text_comparison *c, char *a, char *b,
                   void (*different)(size_t line, const char *a, const char *b)) {
    c->lines = c->different = 0;
    c->largest = 0;
    for (size_t number = 1;; ++number) {
        const char *p = next_line(&a), *q = next_line(&b);
        if (!p && !q)
            return;
        if (is_ignored(c, p) || is_ignored(c, q))
            continue;
        c->lines++;
        if (p && q && same_line(c, p, q))
            continue;
        c->different++;
        different(number, p, q);
    }
}
