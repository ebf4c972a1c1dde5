// LLVM's text had a type for what each pointer points to (i32*, %S addrspace(3)*) until LLVM 15,
// and NVVM IR of the older dialect still has; LLVM 19 reads `ptr` alone.
#ifndef KUDZU_NVVM_OPAQUE_POINTERS_H
#define KUDZU_NVVM_OPAQUE_POINTERS_H

#include <stddef.h>

#include "support/strbuf.h"

// Appends the text with each typed pointer replaced by `ptr`. The attributes byval, sret and
// inalloca of a parameter get the type that the pointer had, where they name none. What is no LLVM
// text at all comes out as it is, or with an error that LLVM's parser finds.
void opaque_pointers_rewrite(const char *text, size_t size, struct strbuf *out);

#endif
