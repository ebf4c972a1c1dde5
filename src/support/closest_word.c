#include "support/closest_word.h"

#include <string.h>

enum { MOST = 48 }; // letters of a word; longer ones are like nothing

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

// Damerau's distance of neighbours that change places once.
static unsigned distance(const char *a, size_t n, const char *b, size_t m) {
    unsigned rows[3][MOST + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t k = 0; k <= m; k++)
        last[k] = (unsigned)k;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (unsigned)i;
        for (size_t k = 1; k <= m; k++) {
            now[k] = least(least(last[k], now[k - 1]) + 1, last[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = least(now[k], before[k - 2] + 1);
        }
        unsigned *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[m];
}

const char *closest_word(const char *word, size_t n, const char *const *list, size_t count) {
    const char *best = NULL;
    unsigned fewest = n <= 4 ? 2 : n <= 8 ? 3 : 4; // one more than is close enough
    for (size_t i = 0; i < count && n <= MOST; i++) {
        size_t m = strlen(list[i]);
        unsigned errors = m <= MOST && m ? distance(word, n, list[i], m) : fewest;
        if (errors >= fewest || errors >= n)
            continue;
        fewest = errors;
        best = list[i];
    }
    return best;
}
