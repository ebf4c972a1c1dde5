// How much one compilation may do. The time that a kernel's analyses take grows with its text, for
// some forms (loops inside each other, loops that are entered anywhere) with its square. They count
// what they do, and beyond a limit the work in hand ends as when memory runs out (memory.h). The
// count is of steps, not of time: what one machine compiles all do.
#ifndef KUDZU_SUPPORT_WORK_H
#define KUDZU_SUPPORT_WORK_H

#include <stdint.h>

// From now on the calling thread may do so many steps, each of a few nanoseconds. Within
// memory_scope_run.
void work_begin(uint64_t steps);
// No limit any more; what was refused is forgotten.
void work_end(void);
// So many steps are done. Leaves the innermost scope when that is more than is allowed.
void work_spend(uint64_t steps);
// Leaves the innermost scope. why: a literal, in plain English.
_Noreturn void work_refuse(const char *why);
// Why the calling thread's last work was refused; NULL: it was not, since work_begin.
const char *work_refusal(void);

#endif
