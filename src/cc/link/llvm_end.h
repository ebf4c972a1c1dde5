// When LLVM gives up in a program of kudzu's: a fatal error, no memory, abort(), or an access where
// nothing is, as when its recursion has used up the stack. The program then ends with an error
// message and exit status 1, as it does for errors of the user's.
#ifndef KUDZU_CC_LLVM_END_H
#define KUDZU_CC_LLVM_END_H

// what: stands in front of each message, a literal ("device link").
void llvm_end_watch(const char *what);

#endif
