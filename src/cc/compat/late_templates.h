// Templates that are never used. nvcc's device pass looks into the body of a template when it is
// used, clang when it is defined: names that are not declared there are errors for clang alone.
// Another attempt then leaves bodies for later. The host's pass keeps to the language, as nvcc's
// does.
#ifndef KUDZU_CC_LATE_TEMPLATES_H
#define KUDZU_CC_LATE_TEMPLATES_H

#include "cc/processes/cc.h"

struct rewrites;

// Whether clang's errors (in files) are about names in bodies of templates, and none about anything
// else. `read`: how the text that clang read differs from that of the files.
bool late_templates_told(struct arena *arena, const cc_strings *diagnostics,
                         const struct rewrites *read);

#endif
