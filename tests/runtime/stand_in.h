// A driver that implements a few documented entry points in the simplest way, tells what was asked
// of it, and fails on demand. It proves that the runtime needs nothing else, and reaches errors
// that no real device gives.
#ifndef KUDZU_TESTS_RUNTIME_STAND_IN_H
#define KUDZU_TESTS_RUNTIME_STAND_IN_H

#include <dlfcn.h>
#include <stdlib.h>

#include "cuda.h"

enum { STAND_IN_DEVICES = 2 };

struct stand_in {
    int undocumented; // lookups of names that no documentation has
    char last_undocumented[64];
    int calls; // of all entry points except cuGetProcAddress, cuCtxGetCurrent
    int retains[STAND_IN_DEVICES], releases[STAND_IN_DEVICES], resets[STAND_IN_DEVICES];
    int loads, unloads, functions; // functions: kernels that were asked for in a context
    const char *fail_in;           // the entry point that fails next, once, with `failure`
    CUresult failure;
    // Of the last call with a stream:
    const char *last_call;
    CUstream last_stream;
    int last_per_thread; // called in the form in which stream 0 is the thread's own
    // Of the last launch:
    unsigned int grid[3], block[3], shared;
    const char *kernel;
    unsigned int nattributes;
};

// The state of the driver that KUDZU_DRIVER names.
static inline struct stand_in *stand_in_state(void) {
    void *library = dlopen(getenv("KUDZU_DRIVER"), RTLD_NOW | RTLD_LOCAL);
    return library ? (struct stand_in *)dlsym(library, "stand_in") : NULL;
}

#endif
