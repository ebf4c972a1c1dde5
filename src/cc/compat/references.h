// Sources of the editions before 12: they use texture and surface references.
#ifndef KUDZU_CC_REFERENCES_H
#define KUDZU_CC_REFERENCES_H

#include "cc/options/options.h"

// Does the source, or a file that it includes, name the templates texture<> or surface<> and
// declare none of its own? Since version 12 programs may use these names for what they like.
bool uses_references(struct arena *arena, const struct cc_options *o, const char *source);

// Whether clang's messages (in files) tell of a declaration that takes such a template's name:
// functions and variables are not looked for in the text.
bool references_are_in_the_way(struct arena *arena, const cc_strings *diagnostics);

#endif
