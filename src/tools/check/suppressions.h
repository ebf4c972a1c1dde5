// Reports that are not told of.
#ifndef KUDZU_TOOLS_CHECK_SUPPRESSIONS_H
#define KUDZU_TOOLS_CHECK_SUPPRESSIONS_H

#include <stdbool.h>

#include "support/check/check_record.h"
#include "support/vec.h"

// What a report has to be like, all that is set. NULL: anything will do.
struct check_suppression {
    bool is_regex;                    // of an XML file; else patterns of a shell
    const char *kind, *kernel, *file; // kernel: or a function, or a call
    const char *error;
    int32_t error_number; // 0: any
};
typedef VEC(struct check_suppression) check_suppressions;

// Reads a file: lines "KIND [KERNEL [FILE]]" of patterns with * ? [], # begins a comment; or XML as
// check_write_xml writes it. False: after a message.
bool check_suppressions_read(struct arena *arena, const char *path, check_suppressions *out);
bool check_suppressed(const check_suppressions *all, const struct check_record *r);

#endif
