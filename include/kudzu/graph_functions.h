// What device code calls in the graph that it is part of (guide 6.2.8.7.8), and where one kernel
// follows another on a programmatic edge (6.2.8.3).
#ifndef KUDZU_GRAPH_FUNCTIONS_H
#define KUDZU_GRAPH_FUNCTIONS_H

typedef unsigned long long cudaGraphConditionalHandle; // as in driver_types.h

// Sets the value that a conditional node looks at.
extern "C" __attribute__((device)) void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
                                                                unsigned int value);

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
