// When LLVM ends its work: a fatal error, a call of abort() or exit(). It would end the process
// with it. Instead the work in hand ends, as when memory runs out (support/memory.h), and the
// process goes on.
//
// What LLVM was doing is neither finished nor taken back: its context, with all that hangs on it,
// stays as it is for ever and is not touched again, and neither is the stack that the work was done
// on (large_stack.h). Everything else of LLVM's is shared by no two contexts, but for tables that
// are filled once when it is initialised. It reports errors without holding a lock. So other
// contexts, of the same thread too, can go on.
#ifndef KUDZU_CODEGEN_LLVM_FAILURE_H
#define KUDZU_CODEGEN_LLVM_FAILURE_H

#include <stdbool.h>
#include <stddef.h>

// The calling thread is about to use LLVM, within memory_scope_run, and has done with it. In
// between a failure leaves the scope by memory_abandon(), and log (may be NULL) tells what LLVM
// said.
void llvm_failure_watch(char *log, size_t log_size);
void llvm_failure_end(void);
// Whether the calling thread's last work with LLVM ended so.
bool llvm_has_failed(void);

// LLVM is about to end the process: comes back only when the calling thread does not use LLVM.
void llvm_failure_leave(const char *text);

// For tests: the n-th object from now (0: the next one) fails as LLVM would.
enum llvm_failure_kind { LLVM_FAILURE_ERROR, LLVM_FAILURE_ABORT, LLVM_FAILURE_EXIT };
void llvm_failure_provoke(long n, enum llvm_failure_kind kind);
// Where it would fail.
void llvm_failure_point(void);

#endif
