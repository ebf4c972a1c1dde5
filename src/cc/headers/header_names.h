// What headers name: a macro of the user's reaches a header only if that names it, a directory of
// the user's changes what it includes only if it has a file by that name.
#ifndef KUDZU_CC_HEADER_NAMES_H
#define KUDZU_CC_HEADER_NAMES_H

#include "cc/processes/cc.h"

// Sorts the words; each stays once.
void word_set(cc_strings *words);
// Leaves in `words` what is not in `others`; both are sets.
void word_set_leave_out(cc_strings *words, const cc_strings *others);

// Adds all identifiers that the files name and what they include by which spelling, and makes both
// sets. False: a file cannot be read (reported).
bool header_names_read(struct arena *arena, const cc_strings *files, cc_strings *identifiers,
                       cc_strings *includes);

#endif
