// An instantiated graph is never destroyed. Guide, 6.2.8.7.2.
// check: --leak-check full
#include "../suite.h"

int main() {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    OK(cudaGraphInstantiate(&executable, graph, 0)); // bug: api.leak
    OK(cudaGraphLaunch(executable, 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaDeviceSynchronize());
#ifndef BUG
    OK(cudaGraphExecDestroy(executable));
#endif
    return verdict(true);
}
