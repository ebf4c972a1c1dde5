// Programmatic dependent launch (guide 6.2.8.6): grids that begin before the one that they depend
// on has ended, in streams, by events and in graphs; what they wait for, and what waits for them.
#include <atomic>
#include <thread>
#include <vector>

#include "check.h"

// Which case it is, beside the condition.
#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        CHECK(condition);                                                                          \
        if (!(condition))                                                                          \
            printf(__VA_ARGS__), putchar(10);                                                      \
    } while (0)

static const int threads = 64;

struct flags {    // in memory that host and device see
    int seen;     // the secondary has begun
    int in_time;  // the primary saw that before it gave up
    int released; // the primary may end
    int wrong;
};

__device__ unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

// Until *what is set, or for 20 s.
__device__ bool wait_for(volatile int *what) {
    unsigned long long begin = now();
    while (!*what)
        if (now() - begin > 20000000000ull)
            return false;
    return true;
}

template <bool triggers> __global__ void primary(flags *f, int *data) {
    if (triggers)
        cudaTriggerProgrammaticLaunchCompletion();
    if (threadIdx.x == 0 && wait_for(&f->seen))
        atomicAdd(&f->in_time, 1);
    __syncthreads();
    data[blockIdx.x * blockDim.x + threadIdx.x] = 7;
}

__global__ void secondary(flags *f, const int *data, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 100; // its preamble
    *(volatile int *)&f->seen = 1;
    cudaGridDependencySynchronize();
    if (data[i] != 7)
        atomicAdd(&f->wrong, 1);
    out[i] += data[i];
}

__global__ void third(flags *f, const int *data, const int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (data[i] != 7 || out[i] != 107)
        atomicAdd(&f->wrong, 1);
}

static flags *f;
static int *data, *out;

static void fresh(int elements) {
    *f = flags();
    CUDA(cudaMemset(data, 0, elements * sizeof(int)));
    CUDA(cudaMemset(out, 0, elements * sizeof(int)));
    CUDA(cudaDeviceSynchronize());
}

template <typename... P, typename... A>
static void launch(cudaStream_t s, int blocks, void (*kernel)(P...), cudaLaunchAttribute *attribute,
                   A... args) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = s;
    config.attrs = attribute;
    config.numAttrs = attribute ? 1 : 0;
    CUDA(cudaLaunchKernelEx(&config, kernel, args...));
}

static cudaLaunchAttribute serial() {
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    return a;
}

static cudaLaunchAttribute with_event(cudaEvent_t e, bool at_start) {
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticEvent;
    a.val.programmaticEvent.event = e;
    a.val.programmaticEvent.triggerAtBlockStart = at_start;
    return a;
}

static void expect_overlap(int blocks, const char *what) {
    EXPECT(f->in_time == blocks && f->wrong == 0,
           "%s: %d of %d blocks saw the other kernel, %d wrong", what, f->in_time, blocks,
           f->wrong);
}

// The primary's blocks end when the secondary's preamble has run.
static void overlap(cudaStream_t s) {
    cudaLaunchAttribute a = serial();
    fresh(2 * threads);
    launch(s, 2, primary<true>, nullptr, f, data);
    launch(s, 2, secondary, &a, f, (const int *)data, out);
    third<<<2, threads, 0, s>>>(f, data, out);
    CUDA(cudaStreamSynchronize(s));
    expect_overlap(2, "in a stream");
}

// What comes behind the secondary waits for the primary, too.
__global__ void brief(flags *f) {
    *(volatile int *)&f->seen = 1;
}
__global__ void until_released(flags *f) {
    cudaTriggerProgrammaticLaunchCompletion();
    if (threadIdx.x == 0 && wait_for(&f->released))
        f->in_time = 1;
}
static void order_behind(cudaStream_t s) {
    cudaLaunchAttribute a = serial();
    cudaEvent_t e;
    CUDA(cudaEventCreate(&e));
    fresh(1);
    launch(s, 1, until_released, nullptr, f);
    launch(s, 1, brief, &a, f);
    CUDA(cudaEventRecord(e, s));
    volatile flags *v = f;
    for (int i = 0; i < 20000 && !v->seen; i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT(v->seen, "the secondary did not begin beside the primary");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT(cudaEventQuery(e) == cudaErrorNotReady, "the event did not wait for the primary");
    EXPECT(cudaStreamQuery(s) == cudaErrorNotReady, "the stream is done before the primary");
    v->released = 1;
    CUDA(cudaStreamSynchronize(s));
    CUDA(cudaEventQuery(e));
    EXPECT(f->in_time == 1, "the primary was not released");
    CUDA(cudaEventDestroy(e));
}

// Each element's owner adds what a neighbour in another block has: every kernel of the chain needs
// all of the one before it. `some`: only one thread waits, for its block.
template <bool some> __global__ void step(const unsigned *from, unsigned *to, unsigned n) {
    __shared__ unsigned tile[threads];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = (i + n / 2 + 1) % n;
    tile[threadIdx.x] = i;
    if (some && threadIdx.x == 40)
        cudaGridDependencySynchronize();
    if (!some)
        cudaGridDependencySynchronize();
    __syncthreads();
    if (i % 3)
        cudaTriggerProgrammaticLaunchCompletion();
    to[i] = from[i] + from[other] + tile[(threadIdx.x + 1) % threads] % 5 + 1;
}

template <bool some> static void chain(cudaStream_t s, int blocks, int steps) {
    unsigned n = blocks * threads, *d[2];
    std::vector<unsigned> h(n), next(n), got(n);
    cudaLaunchAttribute a = serial();
    for (int k = 0; k < 2; k++)
        CUDA(cudaMalloc(&d[k], n * sizeof(unsigned)));
    CUDA(cudaMemset(d[0], 0, n * sizeof(unsigned)));
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < steps; k++) {
        launch(s, blocks, step<some>, k % 7 == 5 ? nullptr : &a, (const unsigned *)d[k % 2],
               d[1 - k % 2], n);
        for (unsigned i = 0; i < n; i++)
            next[i] =
                h[i] + h[(i + n / 2 + 1) % n] + (i / threads * threads + (i + 1) % threads) % 5 + 1;
        h.swap(next);
    }
    CUDA(
        cudaMemcpyAsync(got.data(), d[steps % 2], n * sizeof(unsigned), cudaMemcpyDeviceToHost, s));
    CUDA(cudaStreamSynchronize(s));
    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i++)
        wrong += got[i] != h[i];
    EXPECT(!wrong, "%u of %u elements of a chain of %d kernels of %d blocks are wrong", wrong, n,
           steps, blocks);
    for (int k = 0; k < 2; k++)
        CUDA(cudaFree(d[k]));
}

// A kernel in another stream that waits for an event of the primary's.
template <bool triggers> static void by_event(cudaStream_t s, cudaStream_t other, bool at_start) {
    cudaEvent_t e;
    CUDA(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    cudaLaunchAttribute a = with_event(e, at_start);
    fresh(2 * threads);
    launch(s, 2, primary<triggers>, &a, f, data);
    CUDA(cudaStreamWaitEvent(other, e, 0));
    launch(other, 2, secondary, nullptr, f, (const int *)data, out);
    third<<<2, threads, 0, other>>>(f, data, out);
    CUDA(cudaStreamSynchronize(other));
    CUDA(cudaStreamSynchronize(s));
    expect_overlap(2, at_start ? "by an event at the beginning" : "by an event");
    CUDA(cudaEventSynchronize(e));
    CUDA(cudaEventDestroy(e));
}

static void run_graph(cudaGraph_t g, cudaStream_t s, const char *what) {
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    for (int k = 0; k < 3; k++) {
        fresh(2 * threads);
        CUDA(cudaGraphLaunch(exec, s));
        CUDA(cudaStreamSynchronize(s));
        expect_overlap(2, what);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(g));
}

static void captured(cudaStream_t s) {
    cudaGraph_t g;
    cudaLaunchAttribute a = serial();
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    launch(s, 2, primary<true>, nullptr, f, data);
    launch(s, 2, secondary, &a, f, (const int *)data, out);
    third<<<2, threads, 0, s>>>(f, data, out);
    CUDA(cudaStreamEndCapture(s, &g));
    run_graph(g, s, "in a captured graph");
}

template <bool triggers> static void by_edge(cudaStream_t s, int port) {
    cudaGraph_t g;
    cudaGraphNode_t node[3];
    const int *from = data;
    void *args[3][3] = {{&f, &data}, {&f, &from, &out}, {&f, &from, &out}};
    void *kernels[3] = {(void *)primary<triggers>, (void *)secondary, (void *)third};
    CUDA(cudaGraphCreate(&g, 0));
    for (int k = 0; k < 3; k++) {
        cudaKernelNodeParams p = {};
        p.func = kernels[k];
        p.gridDim = dim3(2);
        p.blockDim = dim3(threads);
        p.kernelParams = args[k];
        CUDA(cudaGraphAddKernelNode(&node[k], g, nullptr, 0, &p));
    }
    cudaGraphEdgeData edge = {};
    edge.type = cudaGraphDependencyTypeProgrammatic;
    edge.from_port = port;
    CUDA(cudaGraphAddDependencies_v2(g, &node[0], &node[1], &edge, 1));
    CUDA(cudaGraphAddDependencies(g, &node[1], &node[2], 1));
    run_graph(g, s,
              port == cudaGraphKernelNodePortProgrammatic ? "by the programmatic port"
                                                          : "by the port of the beginning");
}

// Chains of programmatic edges, launched again and again.
static void long_graph(cudaStream_t s) {
    const int blocks = 6, steps = 20, launches = 30;
    unsigned n = blocks * threads, *d[2];
    cudaLaunchAttribute a = serial();
    cudaGraph_t g;
    cudaGraphExec_t exec;
    std::vector<unsigned> h(n), next(n), got(n);
    for (int k = 0; k < 2; k++)
        CUDA(cudaMalloc(&d[k], n * sizeof(unsigned)));
    CUDA(cudaMemset(d[0], 0, n * sizeof(unsigned)));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < steps; k++)
        launch(s, blocks, step<false>, &a, (const unsigned *)d[k % 2], d[1 - k % 2], n);
    CUDA(cudaStreamEndCapture(s, &g));
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    for (int k = 0; k < launches; k++)
        CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaMemcpyAsync(got.data(), d[0], n * sizeof(unsigned), cudaMemcpyDeviceToHost, s));
    CUDA(cudaStreamSynchronize(s));
    for (int k = 0; k < steps * launches; k++) {
        for (unsigned i = 0; i < n; i++)
            next[i] =
                h[i] + h[(i + n / 2 + 1) % n] + (i / threads * threads + (i + 1) % threads) % 5 + 1;
        h.swap(next);
    }
    EXPECT(got == h, "a graph with programmatic edges computes something else");
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(g));
    for (int k = 0; k < 2; k++)
        CUDA(cudaFree(d[k]));
}

// The threads that wait hold no worker that blocks of the primary need: it has far more blocks than
// workers, of which the last ones trigger late.
__global__ void late(int *done) {
    cudaTriggerProgrammaticLaunchCompletion();
    for (int k = 0; k < 100; k++)
        __nanosleep(100);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(done, 1);
}
__global__ void all_done(const int *done, int blocks, int *wrong) {
    cudaGridDependencySynchronize();
    if (threadIdx.x == 0 && *(volatile const int *)done < blocks)
        atomicAdd(wrong, 1);
}
static void many_blocks(cudaStream_t s) {
    const int blocks = 600;
    cudaLaunchAttribute a = serial();
    fresh(1);
    launch(s, blocks, late, nullptr, data);
    launch(s, 2 * blocks, all_done, &a, (const int *)data, blocks, &f->wrong);
    launch(s, blocks, late, &a, data);
    CUDA(cudaDeviceSynchronize());
    EXPECT(f->wrong == 0, "%d blocks went on before the grid before theirs had ended", f->wrong);
}

int main() {
    cudaStream_t s, other;
    CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA(cudaStreamCreate(&other));
    CUDA(cudaMallocManaged(&f, sizeof *f));
    CUDA(cudaMalloc(&data, 2 * threads * sizeof(int)));
    CUDA(cudaMalloc(&out, 2 * threads * sizeof(int)));
    overlap(s);
    overlap(nullptr);
    order_behind(s);
    chain<false>(s, 1, 40);
    chain<false>(s, 8, 60);
    chain<true>(s, 300, 40);
    chain<true>(other, 8, 60);
    by_event<true>(s, other, false);
    by_event<false>(s, other, true);
    captured(s);
    by_edge<true>(s, cudaGraphKernelNodePortProgrammatic);
    by_edge<false>(s, cudaGraphKernelNodePortLaunchCompletion);
    long_graph(s);
    many_blocks(s);
    return failures;
}
