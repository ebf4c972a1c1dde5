// "Did you mean ...?": the word that somebody may have had in mind.
#ifndef KUDZU_SUPPORT_CLOSEST_WORD_H
#define KUDZU_SUPPORT_CLOSEST_WORD_H

#include <stddef.h>

// The word of the list that takes the fewest typing errors (a letter too much, too few, another
// one, or two that changed places) to become `word` of n letters. NULL: none is close enough, which
// is one error in up to four letters, two in up to eight, and three in longer words. Of several the
// first.
const char *closest_word(const char *word, size_t n, const char *const *list, size_t count);

#endif
