// What a program and the runtime do together, on whatever device there is: managed variables,
// symbols, printf, the heap, function pointers, cooperative launches, streams, callbacks, errors.
// One line a failure; exit status 0 without any. The kernel's own line must be among the output.
#include <cooperative_groups.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures;
#define CHECK(x) ((x) ? (void)0 : (void)(++failures, printf("line %d: %s\n", __LINE__, #x)))
#define OK(x)                                                                                      \
    do {                                                                                           \
        cudaError_t e_ = (x);                                                                      \
        if (e_ != cudaSuccess)                                                                     \
            ++failures, printf("line %d: %s: %s\n", __LINE__, #x, cudaGetErrorString(e_));         \
    } while (0)

__managed__ int counter = 3;
__device__ __managed__ float values[4] = {1, 2, 3, 4};
__device__ int table[8] = {0, 1, 4, 9, 16, 25, 36, 49};
__constant__ double coefficients[3] = {1, 2, 3};
__device__ int *from_heap;

__global__ void use_managed() {
    counter += 10;
    values[2] *= 2;
}

static void managed() {
    counter += 1;
    values[1] = 7;
    use_managed<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    CHECK(counter == 14 && values[1] == 7 && values[2] == 6);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, &counter));
    CHECK(attributes.type == cudaMemoryTypeManaged);
}

__global__ void use_symbols(double *out) {
    int i = threadIdx.x;
    out[i] = table[i] * coefficients[i % 3];
    table[i] = -i;
}

static void symbols() {
    double host[8], changed[3] = {10, 20, 30}, *out;
    int back[8];
    void *address;
    size_t size = 0;
    OK(cudaMalloc(&out, sizeof host));
    OK(cudaMemcpyToSymbol(coefficients, changed, sizeof changed));
    use_symbols<<<1, 8>>>(out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    OK(cudaMemcpyFromSymbol(back, table, sizeof back));
    for (int i = 0; i < 8; i++)
        CHECK(host[i] == i * i * 10.0 * (i % 3 + 1) && back[i] == -i);
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaGetSymbolSize(&size, table));
    CHECK(size == sizeof back);
    OK(cudaMemset(address, 0, size));
    OK(cudaMemcpyFromSymbol(back, table, sizeof back));
    CHECK(back[7] == 0);
    OK(cudaFree(out));
}

__global__ void print(const char *text) {
    if (threadIdx.x == 2 && blockIdx.x == 1)
        printf("kernel: %d %.2f %s %c %llx\n", -threadIdx.x, 2.5, text, 'x', 0x123456789abull);
}

static void printing() {
    char *text;
    OK(cudaMallocManaged(&text, 16));
    strcpy(text, "managed");
    print<<<2, 32>>>(text);
    OK(cudaDeviceSynchronize());
    OK(cudaFree(text));
}

struct shape {
    __device__ virtual ~shape() {
    }
    __device__ virtual int area() const = 0;
};
struct square : shape {
    int side;
    __device__ square(int s) : side(s) {
    }
    __device__ int area() const override {
        return side * side;
    }
};

__global__ void heap(int *out) {
    int *mine = (int *)malloc(4 * sizeof *mine);
    shape *s = new square(threadIdx.x);
    for (int i = 0; i < 4; i++)
        mine[i] = i * threadIdx.x;
    out[threadIdx.x] = mine[3] + s->area();
    delete s;
    free(mine);
}

__device__ int twice(int x) {
    return 2 * x;
}
__device__ int plus_one(int x) {
    return x + 1;
}
__device__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void calls(int *out) {
    int (*f)(int) = threadIdx.x % 2 ? twice : plus_one;
    out[threadIdx.x] = f(threadIdx.x) + 1000 * fibonacci(threadIdx.x % 8);
}

static int reference_fibonacci(int n) {
    return n < 2 ? n : reference_fibonacci(n - 1) + reference_fibonacci(n - 2);
}

static void functions() {
    int *out;
    OK(cudaMallocManaged(&out, 64 * sizeof *out));
    heap<<<1, 64>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(out[i] == 3 * i + i * i);
    calls<<<1, 64>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(out[i] == (i % 2 ? 2 * i : i + 1) + 1000 * reference_fibonacci(i % 8));
    OK(cudaFree(out));
}

__global__ void neighbours(int *data, int n, int steps) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < steps; step++) {
        int sum = data[i] + data[(i + 1) % n];
        grid.sync();
        data[i] = sum;
        grid.sync();
    }
}

static void cooperative() {
    int blocks = 2, n = blocks * 64, steps = 5, *data;
    std::vector<int> want(n);
    OK(cudaMallocManaged(&data, n * sizeof *data));
    for (int i = 0; i < n; i++)
        want[i] = data[i] = i % 7;
    for (int step = 0; step < steps; step++) {
        std::vector<int> before = want;
        for (int i = 0; i < n; i++)
            want[i] = before[i] + before[(i + 1) % n];
    }
    void *args[] = {&data, &n, &steps};
    OK(cudaLaunchCooperativeKernel((void *)neighbours, blocks, 64, args, 0, 0));
    OK(cudaDeviceSynchronize());
    CHECK(memcmp(data, want.data(), n * sizeof *data) == 0);
    OK(cudaFree(data));
}

__global__ void add(int *data, int value) {
    atomicAdd(&data[threadIdx.x], value);
}

static void CUDART_CB called(void *p) {
    *(int *)p += 1;
}

static void streams() {
    enum { N = 256 };
    cudaStream_t stream;
    cudaEvent_t start, stop;
    int *device, *host, calls_seen = 0;
    float time = -1;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    OK(cudaMallocHost(&host, N * sizeof *host));
    OK(cudaMallocAsync(&device, N * sizeof *device, stream));
    OK(cudaEventRecord(start, stream));
    OK(cudaMemsetAsync(device, 0, N * sizeof *device, stream));
    for (int i = 1; i <= 10; i++)
        add<<<1, N, 0, stream>>>(device, i);
    OK(cudaLaunchHostFunc(stream, called, &calls_seen));
    OK(cudaMemcpyAsync(host, device, N * sizeof *host, cudaMemcpyDeviceToHost, stream));
    OK(cudaEventRecord(stop, stream));
    OK(cudaFreeAsync(device, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaEventElapsedTime(&time, start, stop));
    CHECK(time > 0 && calls_seen == 1 && host[0] == 55 && host[N - 1] == 55);
    OK(cudaFreeHost(host));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(stop));
    OK(cudaStreamDestroy(stream));
}

static void errors() {
    void *p;
    add<<<1, 4096>>>(nullptr, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(&p, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaFree((void *)&p) == cudaErrorInvalidValue);
    CHECK(cudaStreamQuery(0) == cudaSuccess);
    (void)cudaGetLastError();
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, neighbours));
    CHECK(attributes.maxThreadsPerBlock >= 64);
    // The last one: the context is lost.
    add<<<1, 1>>>((int *)16, 1);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaMalloc(&p, 16) == cudaErrorIllegalAddress);
}

int main() {
    managed();
    symbols();
    printing();
    functions();
    cooperative();
    streams();
    errors();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
