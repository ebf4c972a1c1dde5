// Two outputs of one program, compared line by line; numbers may differ by a tolerance.
#ifndef KUDZU_TOOLS_COMPARE_TEXT_H
#define KUDZU_TOOLS_COMPARE_TEXT_H

#include <regex.h>
#include <stddef.h>

struct text_comparison {
    double tolerance;      // of numbers, relative to the larger one
    const regex_t *ignore; // lines that match on either side are not compared; NULL: none
    size_t lines;          // compared
    size_t different;      // of them, beyond the tolerance
    double largest;        // relative difference of two numbers in one place, within it or not
};

// Compares the texts and counts in *c. `different` is called for each line that differs, with its
// number from 1; a line that one side lacks is NULL. The texts' newlines are overwritten.
void compare_texts(struct text_comparison *c, char *a, char *b,
                   void (*different)(size_t line, const char *a, const char *b));

#endif
