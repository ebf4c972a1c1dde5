#ifndef KUDZU_CODEGEN_EXPLAIN_H
#define KUDZU_CODEGEN_EXPLAIN_H

#include "codegen/core/state.h"

// After code generation with notes, what became of the kernel, as text. flows: by
// kir_func index, NULL where a function is not needed.
void cg_report(struct cg *c, struct flow *const *flows, bool all, struct strbuf *out);

#endif
