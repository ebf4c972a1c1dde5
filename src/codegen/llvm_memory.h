// Memory that LLVM asks for itself. It ends the process when it gets none, and nothing can leave it
// half-way: so it is entered only with a reserve of addresses in hand, which goes back to the
// system when an allocation fails, so that what has begun comes to its end. From then on memory is
// short (support/memory.h): the compiler's own next allocation ends the work in hand.
#ifndef KUDZU_CODEGEN_LLVM_MEMORY_H
#define KUDZU_CODEGEN_LLVM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// The calling thread is about to use LLVM, which is going to need up to so many bytes; a second
// call changes the number. Without that much memory the innermost memory_scope_run is left.
void llvm_memory_reserve(size_t bytes);
// The calling thread has done with LLVM. Memory is no longer short.
void llvm_memory_end(void);
// An allocation of the calling thread failed. True: it is worth another try.
bool llvm_memory_give_up_reserve(void);

#endif
