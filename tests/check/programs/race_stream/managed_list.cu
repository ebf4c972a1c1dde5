// The host walks a list in managed memory whose elements a kernel still changes. Guide, 19.1: the
// host waits for the device first.
#include "../suite.h"

struct Node {
    long value;
    Node *next;
};

__global__ void raise(Node *first) {
    for (Node *n = first; n; n = n->next)
        n->value += 1; // bug: race.host
}

int main() {
    Node *first = nullptr;
    for (int i = 0; i < 5; ++i) {
        Node *n;
        OK(cudaMallocManaged(&n, sizeof *n));
        n->value = i;
        n->next = first;
        first = n;
    }
    raise<<<1, 1>>>(first);
    OK(cudaGetLastError());
#ifndef BUG
    OK(cudaDeviceSynchronize());
#endif
    int sum = 0;
    for (Node *n = first; n; n = n->next)
        sum += n->value; // with
    OK(cudaDeviceSynchronize());
    while (first) {
        Node *next = first->next;
        OK(cudaFree(first));
        first = next;
    }
    return verdict(sum == 15);
}
