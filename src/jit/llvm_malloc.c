// The linker puts these in the place of the C library's functions for what is linked into this
// library, LLVM above all: an allocation that fails while a thread has a reserve for LLVM is made
// again without it (codegen/llvm_memory.h). Blocks are the C library's as before.
#include <stddef.h>

#include "codegen/llvm_memory.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);

void *__wrap_malloc(size_t size) {
    void *p = __real_malloc(size);
    return p || !llvm_memory_give_up_reserve() ? p : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size) {
    void *p = __real_calloc(n, size);
    return p || !llvm_memory_give_up_reserve() ? p : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size) {
    void *q = __real_realloc(p, size);
    return q || !size || !llvm_memory_give_up_reserve() ? q : __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size) {
    void *p = __real_aligned_alloc(align, size);
    return p || !llvm_memory_give_up_reserve() ? p : __real_aligned_alloc(align, size);
}
