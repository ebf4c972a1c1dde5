// Calls that fail, one a name: `calls NAME bug` has the bug at the line that is marked so, `calls NAME`
// does the same and looks at the error, or frees.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void work(int *a) {
    a[threadIdx.x] = 1;
}

static const size_t absurd = ~(size_t)0 / 4;
static bool failed;

static cudaError_t passes_on(void **p) {
    return cudaMalloc(p, absurd);
}

// Optimisation makes one call of two that are alike.
static void apart() {
    asm volatile("");
}

static void keeps(cudaError_t error) {
    failed |= error != cudaSuccess;
}

static void ignored(bool bug) {
    void *p;
    if (bug) {
        apart();
        cudaMalloc(&p, absurd); // bug: ignored
        apart();
    } else if (cudaMalloc(&p, absurd) != cudaSuccess) {
        puts("none");
    }
}

static void through(bool bug) {
    void *p;
    if (bug) {
        apart();
        passes_on(&p); // bug: through
        apart();
    } else {
        keeps(passes_on(&p));
    }
}

static void stored(bool bug) {
    void *p;
    cudaError_t error = cudaSuccess;
    if (bug) {
        apart();
        cudaMalloc(&p, absurd); // bug: stored
        apart();
    } else {
        error = cudaMalloc(&p, absurd);
    }
    keeps(error);
}

static void asked(bool bug) {
    void *p;
    cudaMalloc(&p, absurd); // bug: asked
    if (bug)
        cudaDeviceSynchronize();
    cudaGetLastError();
}

static void launch(bool bug) {
    work<<<1, 4096>>>(nullptr); // bug: launch
    cudaDeviceSynchronize();
    if (!bug)
        cudaGetLastError();
}

static void driver(bool bug) {
    CUdeviceptr p;
    if (bug) {
        apart();
        cuMemAlloc(&p, absurd); // bug: driver
        apart();
    } else {
        failed |= cuMemAlloc(&p, absurd) != CUDA_SUCCESS;
    }
}

static void twice(bool bug) {
    void *p;
    keeps(cudaMalloc(&p, 100));
    keeps(cudaFree(p));
    if (bug)
        keeps(cudaFree(p)); // bug: twice
}

static void copy(bool bug) {
    char h[200] = "", *p;
    keeps(cudaMalloc(&p, 100));
    keeps(cudaMemcpy(p, h, bug ? 101 : 100, cudaMemcpyHostToDevice)); // bug: copy
    keeps(cudaFree(p));
}

static void memory(bool bug) {
    void *p;
    keeps(cudaMalloc(&p, 1000)); // bug: memory
    if (!bug)
        keeps(cudaFree(p));
}

static void pool(bool bug) {
    void *p;
    keeps(cudaMallocAsync(&p, 1000, 0)); // bug: pool
    if (!bug)
        keeps(cudaFreeAsync(p, 0));
}

static void event(bool bug) {
    cudaEvent_t e;
    keeps(cudaEventCreate(&e)); // bug: event
    if (!bug)
        keeps(cudaEventDestroy(e));
}

static void reset(bool bug) {
    cudaStream_t s;
    keeps(cudaStreamCreate(&s)); // bug: reset
    if (!bug)
        keeps(cudaStreamDestroy(s));
    keeps(cudaDeviceReset());
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(bool);
    } cases[] = {{"ignored", ignored}, {"through", through}, {"stored", stored}, {"asked", asked},
                 {"launch", launch},   {"driver", driver},   {"twice", twice},   {"copy", copy},
                 {"memory", memory},   {"pool", pool},       {"event", event},   {"reset", reset}};
    keeps(cudaFree(0));
    for (auto &c : cases)
        if (argc > 1 && !strcmp(argv[1], c.name))
            c.run(argc > 2);
    puts("done");
}
