// Whether a program looks at what a function returned to it, by the code behind the call.
#ifndef KUDZU_SUPPORT_IGNORED_RESULT_H
#define KUDZU_SUPPORT_IGNORED_RESULT_H

#include <stdbool.h>

// returns[0]: where the function returns to, returns[1]: where that function does, ... True: on
// every path the register with the result is overwritten before it is read. False: it is read,
// stored, or nobody knows: on processors other than x86-64, and with instructions that are not
// known here.
bool result_is_ignored(void *const *returns, int n);

#endif
