// What device code calls in the graph that it is part of (guide 6.2.8.7.8), and where one kernel
// follows another on a programmatic edge (6.2.8.3).
#ifndef KUDZU_GRAPH_FUNCTIONS_H
#define KUDZU_GRAPH_FUNCTIONS_H

#include "kudzu/system_functions.h"

typedef unsigned long long cudaGraphConditionalHandle; // as in driver_types.h

// Sets the value that a conditional node looks at: the handle is its address. What NVIDIA's handles
// are, its device runtime library knows alone: on a GPU this ends the kernel with a message.
__attribute__((device)) static inline void
cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
    unsigned on_cpu; // docs/compiler.md
    asm("{\n\t.reg .b32 %%kudzu_cpu;\n\tmov.b32 %%kudzu_cpu, 0;\n\tmov.b32 %0, %%kudzu_cpu;\n\t}"
        : "=r"(on_cpu));
    if (on_cpu)
        *(volatile unsigned int *)handle = value;
    else
        __assertfail("cudaGraphSetConditional needs NVIDIA's device runtime library", __FILE__,
                     __LINE__, __func__, 1);
}

// Waits until the grids that this one depends on have ended and their writes are visible.
__attribute__((device)) static inline void cudaGridDependencySynchronize(void) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Lets the grids that depend on this one begin.
__attribute__((device)) static inline void cudaTriggerProgrammaticLaunchCompletion(void) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif
