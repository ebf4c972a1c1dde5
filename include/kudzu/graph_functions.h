// What device code calls in the graph that it is part of (guide 6.2.8.7.8).
#ifndef KUDZU_GRAPH_FUNCTIONS_H
#define KUDZU_GRAPH_FUNCTIONS_H

typedef unsigned long long cudaGraphConditionalHandle; // as in driver_types.h

// Sets the value that a conditional node looks at: the handle is its address.
__attribute__((device)) static inline void
cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
    *(volatile unsigned int *)handle = value;
}

#endif
