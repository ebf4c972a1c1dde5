// What `kudzu explain` tells of a kernel: notes on instructions, taken while code is generated.
#ifndef KUDZU_CODEGEN_NOTES_H
#define KUDZU_CODEGEN_NOTES_H

#include "passes/flow/flow.h"
#include "support/strbuf.h"

struct note {
    const struct kir_inst *inst; // NULL: the kernel
    bool costs;                  // a price is paid here
    const char *text;
};

struct notes {
    struct arena arena;
    VEC(struct note) list;
};

// Takes a note on i; one that was taken before is not taken again. n NULL: nobody asks, and nothing
// is done.
void note_on(struct notes *n, const struct kir_inst *i, bool costs, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

bool note_is_on(const struct notes *n, const struct kir_inst *i);

// Why v is another thing in each thread, as the end of a sentence: "it comes from ... (line 7)".
// NULL when nobody asks. The text is n's.
const char *note_why(struct notes *n, const struct flow *fl, const struct kir_value *v);

#endif
