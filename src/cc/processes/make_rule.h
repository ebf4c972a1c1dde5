// Dependency files, as compilers write them for make.
#ifndef KUDZU_CC_MAKE_RULE_H
#define KUDZU_CC_MAKE_RULE_H

#include "cc/processes/cc.h"

// Appends the prerequisites of the first rule in the text.
void make_rule_prerequisites(struct arena *arena, const char *text, cc_strings *paths);

#endif
