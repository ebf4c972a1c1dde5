#include "codegen/llvm_memory.h"

#include <pthread.h>
#include <sys/mman.h>

#include "support/memory.h"

static _Thread_local void *reserve; // mapped, never touched; NULL: none
static _Thread_local size_t reserve_bytes;

static void unmap(void) {
    if (reserve)
        munmap(reserve, reserve_bytes);
    reserve = NULL;
    reserve_bytes = 0;
}

bool llvm_memory_give_up_reserve(void) {
    if (!reserve)
        return false;
    unmap();
    memory_is_short(true);
    return true;
}

// ---- C++'s operator new ---------------------------------------------------------------------
// It asks a handler of the process, which stays what it was for all other threads and work.

typedef void (*new_handler)(void);
new_handler set_new_handler(new_handler) __asm__("_ZSt15set_new_handlerPFvvE");
_Noreturn void throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv");

static new_handler former;

static void handle_new(void) {
    if (llvm_memory_give_up_reserve())
        return;
    if (former)
        former();
    else
        throw_bad_alloc();
}

static void install(void) {
    former = set_new_handler(handle_new);
}

// ---- Interface ------------------------------------------------------------------------------

void llvm_memory_reserve(size_t bytes) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    unmap();
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        memory_ran_out();
    reserve = p;
    reserve_bytes = bytes;
}

void llvm_memory_end(void) {
    unmap();
    memory_is_short(false);
}
