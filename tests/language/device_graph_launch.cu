// Graphs that kernels launch (guide 6.2.8.7.7): fire and forget, tail and sibling launches, and
// what is refused.
#include "check.h"

static int *notes;
__device__ int counter;
__device__ volatile int held; // what was launched does not end yet
static cudaStream_t stream;

// notes[place] = 1, 2, 3 ... in the order of arrival.
__global__ void arrive(int *n, int place) {
    n[place] = atomicAdd(&counter, 1) + 1;
}
__global__ void arrive_late(int *n, int place) {
    for (int i = 0; i < 50 || held; i++)
        __nanosleep(20000);
    n[place] = atomicAdd(&counter, 1) + 1;
}
__global__ void launch_one(int *n, cudaGraphExec_t a, cudaStream_t how) {
    n[20] = cudaGraphLaunch(a, how);
}
__global__ void launch_three(int *n, cudaGraphExec_t forget, cudaGraphExec_t first,
                             cudaGraphExec_t second) {
    held = 1;
    n[20] = cudaGraphLaunch(first, cudaStreamGraphTailLaunch);
    n[21] = cudaGraphLaunch(second, cudaStreamGraphTailLaunch);
    n[22] = cudaGraphLaunch(forget, cudaStreamGraphFireAndForget);
    n[23] = cudaGraphLaunch(forget, cudaStreamGraphFireAndForget); // it runs
    n[24] = cudaGraphLaunch(first, cudaStreamGraphTailLaunch);     // it waits already
    n[25] = cudaGraphLaunch(second, 0);
    n[26] = cudaGetCurrentGraphExec() != nullptr;
    held = 0;
}
__global__ void relaunch(int *n, int times) {
    if (threadIdx.x == 0 && n[0]++ < times)
        n[1] += cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

// A graph of one kernel, instantiated with `flags`.
template <class... P, class... A>
static cudaGraphExec_t graph_of(unsigned flags, void (*kernel)(P...), A... args) {
    cudaGraph_t g;
    cudaGraphExec_t e;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    kernel<<<1, 1, 0, stream>>>(args...);
    CUDA(cudaStreamEndCapture(stream, &g));
    CUDA(cudaGraphInstantiate(&e, g, flags));
    CUDA(cudaGraphDestroy(g));
    return e;
}

template <class... P, class... A>
static cudaGraphExec_t device_graph(void (*kernel)(P...), A... args) {
    cudaGraphExec_t e = graph_of(cudaGraphInstantiateFlagDeviceLaunch, kernel, args...);
    CUDA(cudaGraphUpload(e, stream));
    return e;
}

// Launches the graph, then a kernel behind it that writes to notes[10].
static void run(cudaGraphExec_t e) {
    int zero = 0;
    CUDA(cudaMemcpyToSymbol(counter, &zero, sizeof zero));
    CUDA(cudaGraphLaunch(e, stream));
    arrive<<<1, 1, 0, stream>>>(notes, 10);
    CUDA(cudaStreamSynchronize(stream));
}

static int *cleared() {
    memset(notes, 0, 32 * sizeof *notes);
    return notes;
}

int main() {
    if (!on_kudzu())
        return 77; // NVIDIA's driver refuses launches from the device without its own runtime
                   // library
    notes = shared_array<int>(64);
    int *n = notes;
    CUDA(cudaStreamCreate(&stream));
    cudaGraphExec_t late1 = device_graph(arrive_late, n, 1),
                    late2 = device_graph(arrive_late, n, 2),
                    late3 = device_graph(arrive_late, n, 3);

    run(graph_of(0, launch_one, n, late1, cudaStreamGraphFireAndForget));
    CHECK(n[20] == cudaSuccess && n[1] == 1 && n[10] == 2);
    cleared();
    run(graph_of(0, launch_one, n, late1, cudaStreamGraphTailLaunch));
    CHECK(n[20] == cudaSuccess && n[1] == 1 && n[10] == 2);
    cleared();
    run(graph_of(0, launch_one, n, late1, cudaStreamGraphFireAndForgetAsSibling));
    CHECK(n[20] == cudaSuccess && n[1] == 1 && n[10] == 2);

    cleared(); // tail launches come after what was launched to run at once
    run(graph_of(0, launch_three, n, late1, late2, late3));
    CHECK(n[20] == cudaSuccess && n[21] == cudaSuccess && n[22] == cudaSuccess);
    CHECK(n[1] == 1 && n[2] == 2 && n[3] == 3 && n[10] == 4);
    CHECK(n[23] == cudaErrorInvalidValue && n[24] == cudaErrorInvalidValue);
    CHECK(n[25] == cudaErrorInvalidValue && n[26] == 0);

    cleared(); // two levels: a launched graph launches another one
    cudaGraphExec_t middle = device_graph(launch_one, n, late2, cudaStreamGraphFireAndForget);
    run(graph_of(0, launch_one, n, middle, cudaStreamGraphFireAndForget));
    CHECK(n[2] == 1 && n[10] == 2);
    cleared(); // a sibling of a launched graph
    middle = device_graph(launch_one, n, late2, cudaStreamGraphFireAndForgetAsSibling);
    run(graph_of(0, launch_one, n, middle, cudaStreamGraphTailLaunch));
    CHECK(n[2] == 1 && n[10] == 2);

    cleared();
    run(device_graph(relaunch, n, 100));
    CHECK(n[0] == 101 && n[1] == 0 && n[10] == 1);

    cleared(); // not from a graph; not uploaded; a graph for the host
    launch_one<<<1, 1, 0, stream>>>(n, late1, cudaStreamGraphFireAndForget);
    CUDA(cudaStreamSynchronize(stream));
    CHECK(n[20] == cudaErrorInvalidValue);
    cudaGraphExec_t fresh = graph_of(cudaGraphInstantiateFlagDeviceLaunch, arrive, n, 5);
    run(graph_of(0, launch_one, n, fresh, cudaStreamGraphFireAndForget));
    CHECK(n[20] == cudaErrorInvalidValue && n[5] == 0);
    CUDA(cudaGraphLaunch(fresh, stream)); // uploads it
    CUDA(cudaStreamSynchronize(stream));
    n[5] = 0;
    run(graph_of(0, launch_one, n, fresh, cudaStreamGraphFireAndForget));
    CHECK(n[20] == cudaSuccess && n[5] > 0);
    run(graph_of(0, launch_one, n, graph_of(0, arrive, n, 6), cudaStreamGraphFireAndForget));
    CHECK(n[20] == cudaErrorInvalidValue && n[6] == 0);
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
