// Calls of the host's functions from functions of both sides. nvcc warns of them, since the device
// may never come to them; for clang they are errors wherever device code calls the function around.
// Another attempt takes them. A kernel ends with an error where it comes to one all the same; what
// nvcc makes of it has no effect.
#ifndef KUDZU_CC_HOST_CALLS_H
#define KUDZU_CC_HOST_CALLS_H

#include <stdbool.h>

#include "cc/processes/cc.h"
#include "support/strbuf.h"

// Whether clang's errors (in files) are about such calls, or about what is in functions of the
// host's that device code names, and none about anything else. Of functions of the runtime
// missing_parts.h tells more.
bool host_calls_told(struct arena *arena, const cc_strings *diagnostics);

// Appends messages of the attempt before, in which errors of such calls are warnings: clang says
// nothing in the other one of a function that no code is made of.
void host_calls_warn(const char *messages, struct strbuf *out);

// Whether the line is clang's warning of such a call in that attempt.
bool is_host_call_warning(const char *line);
// Of a kernel's address in a function of both sides: nothing is wrong with it.
bool is_kernel_address_warning(const char *line);

#endif
