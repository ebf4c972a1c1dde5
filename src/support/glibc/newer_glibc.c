// What glibc has since 2.30 and LLVM's archives call where they were made with a newer one: linked
// into programs that run with older releases, too (cmake/portable.cmake).
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Whether the process has one thread alone, and may do without atomic operations: it may not.
extern char __libc_single_threaded;
HIDDEN char __libc_single_threaded;

extern uint32_t arc4random(void);
HIDDEN uint32_t arc4random(void) {
    uint32_t x;
    if (getrandom(&x, sizeof x, 0) != sizeof x)
        abort();
    return x;
}

// The statistics of LLVM alone ask for it.
struct counts {
    size_t count[10];
};
extern struct counts mallinfo2(void);
HIDDEN struct counts mallinfo2(void) {
    return (struct counts){0};
}
