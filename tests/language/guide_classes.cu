// C++ in the guide's listings: classes with friends, virtual functions in a pool's memory,
// templates with specialisations, functors (18.9), objects that are captured by value (18.7.4),
// wrapped functions (18.6), flags between threads of a warp and registers of devices (18.5.3.3);
// variables of functions (18.5.10.4), the sum of the last block (10.5), an atomic operation of
// one's own (10.14), and what independent threads ask of warp functions (20.6.2).
// Compiled with -extended-lambda.
#include <cuda/atomic>
#include <nvfunctional>

#include "check.h"

// ---- Classes (18.9) ----------------------------------------------------------------------------

class pixel {
  public:
    __device__ pixel() : r_(0), g_(0), b_(0), a_(0) {
    }
    __device__ pixel(unsigned char r, unsigned char g, unsigned char b, unsigned char a = 255)
        : r_(r), g_(g), b_(b), a_(a) {
    }
    __device__ unsigned word() const {
        return r_ | g_ << 8 | b_ << 16 | (unsigned)a_ << 24;
    }

  private:
    unsigned char r_, g_, b_, a_;
    friend pixel operator+(const pixel &, const pixel &); // its definition is the device's
};

__device__ pixel operator+(const pixel &p, const pixel &q) {
    return pixel(p.r_ + q.r_, p.g_ + q.g_, p.b_ + q.b_, p.a_ + q.a_);
}

struct pool {
    char *memory;
    int used;
};

__device__ void *operator new(size_t bytes, pool &p) {
    void *at = p.memory + p.used;
    p.used += (int)(bytes + 15) / 16 * 16;
    return at;
}

__device__ void operator delete(void *, pool &) {
}

class shape {
  public:
    __device__ shape() {
    }
    __device__ virtual int area() const {
        return -1;
    }
    __device__ int twice() const {
        return 2 * area();
    }
    __device__ virtual ~shape() {
    }
};

class rectangle : public shape {
  public:
    __device__ rectangle(int w, int h) : w_(w), h_(h) {
    }
    __device__ int area() const override {
        return w_ * h_;
    }
    __device__ ~rectangle() override {
    }

  private:
    int w_, h_;
};

__device__ shape *make_shape(pool &p, int k) {
    if (k % 2)
        return new (p) rectangle(k, k + 1);
    return new (p) shape;
}

enum { MAX_VALUES = 4 };
template <class T> class values {
    T values_[MAX_VALUES];

  public:
    __device__ values(T clear) {
        for (T &v : values_)
            v = clear;
    }
    __device__ void set(int at, T value) {
        values_[at] = value;
    }
    __device__ void store(T *to) const {
        for (int i = 0; i < MAX_VALUES; i++)
            to[i] = values_[i];
    }
};

template <typename T> __device__ bool positive(T x) {
    return x > 0;
}
template <> __device__ bool positive<int>(int) {
    return true;
}

__global__ void classes(int *out, char *memory) {
    pixel a(1, 2, 3, 4), b(5, 6, 7), none;
    out[0] = (int)(a + b + none).word();
    pool p{memory, 0};
    out[1] = 0;
    for (int k = 0; k < 4; k++) {
        shape *s = make_shape(p, k);
        out[1] += s->twice();
        s->~shape();
    }
    out[2] = p.used;
    values<int> v(3);
    v.set(2, 9);
    v.store(out + 4);
    out[8] = positive<double>(0.5) + 2 * positive(-1) + 4 * positive(-1.0f);
}

class plus_of {
  public:
    __device__ float operator()(float a, float b) const {
        return a + b;
    }
};
class minus_of {
  public:
    __device__ float operator()(float a, float b) const {
        return a - b;
    }
};
template <class F>
__global__ void apply(const float *a, const float *b, float *c, unsigned n, F f) {
    unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        c[i] = f(a[i], b[i]);
}

static void check_classes() {
    int *out = shared_array<int>(16);
    classes<<<1, 1>>>(out, shared_array<char>(256));
    CUDA(cudaDeviceSynchronize());
    CHECK((unsigned)out[0] == (6u | 8u << 8 | 10u << 16 | 3u << 24));
    CHECK(out[1] == 2 * (-1 + 2 - 1 + 12) && out[2] == 4 * 16);
    CHECK(out[4] == 3 && out[6] == 9 && out[7] == 3 && out[8] == 3);
    enum { N = 1000 };
    float *a = shared_array<float>(N), *b = shared_array<float>(N), *c = shared_array<float>(N);
    for (int i = 0; i < N; i++)
        a[i] = i, b[i] = 2;
    apply<<<10, 100>>>(a, b, c, N, plus_of());
    CUDA(cudaDeviceSynchronize());
    CHECK(c[0] == 2 && c[999] == 1001);
    apply<<<10, 100>>>(a, b, c, N, minus_of());
    CUDA(cudaDeviceSynchronize());
    CHECK(c[0] == -2 && c[999] == 997);
}

// ---- Functions as values (18.6, 18.7.4) --------------------------------------------------------

__device__ int of_device() {
    return 1;
}
__host__ __device__ int of_both() {
    return 2;
}
static int of_host() {
    return 3;
}

__host__ __device__ int sum_of_both() {
    nvstd::function<int()> f = of_both, g = []() { return 10; };
    return f() + g();
}

__global__ void wrapped(int *out) {
    nvstd::function<int()> f = of_device, g = of_both, h = []() { return 10; };
    out[0] = f() + g() + h();
    out[1] = sum_of_both();
}

template <typename F> __global__ void call(F f, int *out) {
    *out = f();
}

struct holder {
    int value = 10;
    void by_value(int *out) {
        auto f = [=, *this] __device__ { return value + 1; };
        call<<<1, 1>>>(f, out);
        value = 0; // the kernel has a copy
    }
    void by_pointer(int *out) { // works here, where the object's memory is the device's as well
        auto f = [=] __device__ { return value + 2; };
        call<<<1, 1>>>(f, out);
        CUDA(cudaDeviceSynchronize());
    }
};

static void check_functions() {
    int *out = shared_array<int>(4);
    wrapped<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 13 && out[1] == 12 && sum_of_both() == 12);
    nvstd::function<int()> f = of_host, none;
    CHECK(f() == 3 && !none && f);
    holder h;
    h.by_value(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 11);
    h.value = 20;
    h.by_pointer(out);
    CHECK(out[0] == 22);
}

// ---- Flags (18.5.3.3) --------------------------------------------------------------------------

__global__ void by_reference(int *flag, int *data, int *bad) {
    cuda::atomic_ref<int, cuda::thread_scope_device> f{*flag};
    if (threadIdx.x == 0) {
        while (f.load(cuda::memory_order_acquire) == 0)
            ;
        *bad += *data != 42;
    } else if (threadIdx.x == 1) {
        *data = 42;
        f.store(1, cuda::memory_order_release);
    }
}

__global__ void by_object(cuda::atomic<int, cuda::thread_scope_device> *flag, int *data, int *bad) {
    if (threadIdx.x == 0) {
        while (flag->load(cuda::memory_order_acquire) == 0)
            ;
        *bad += *data != 42;
    } else if (threadIdx.x == 1) {
        *data = 42;
        flag->store(1, cuda::memory_order_release);
    }
}

__global__ void by_functions(int *flag, int *data, int *bad) {
    if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        *bad += *data != 42;
    } else if (threadIdx.x == 1) {
        *data = 42;
        __threadfence();
        atomicExch(flag, 1);
    }
}

__global__ void registers(int *to, int *from, int *got) {
    int value = 13;
    asm volatile("st.relaxed.mmio.sys.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
    asm volatile("ld.relaxed.mmio.sys.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    *got = value;
}

static void check_flags() {
    int *w = shared_array<int>(8);
    by_reference<<<1, 2>>>(w, w + 1, w + 7);
    by_object<<<1, 2>>>((cuda::atomic<int, cuda::thread_scope_device> *)(w + 2), w + 3, w + 7);
    by_functions<<<1, 2>>>(w + 4, w + 5, w + 7);
    CUDA(cudaDeviceSynchronize());
    CHECK(w[0] == 1 && w[2] == 1 && w[4] == 1 && w[7] == 0);
    registers<<<1, 1>>>(w, w + 1, w + 6);
    CUDA(cudaDeviceSynchronize());
    CHECK(w[0] == 13 && w[6] == 42);
}

// ---- Variables of functions (18.5.10.4) --------------------------------------------------------

struct pair {
    int x, y;
};

__device__ int counted() {
    static int calls;
    static int begin = 11;
    static __device__ int more;
    static __constant__ int fixed = 100;
    static pair p = {22, 33};
    static __managed__ int seen;
    seen = ++calls;
    more += 2;
    return calls + begin + more + fixed + p.y + seen;
}

__global__ void statics(int *out) {
    for (int i = 0; i < 3; i++)
        out[i] = counted();
}

static void check_statics() {
    int *out = shared_array<int>(3);
    statics<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 3; i++)
        CHECK(out[i] == (i + 1) + 11 + 2 * (i + 1) + 100 + 33 + (i + 1));
}

// ---- The last block adds up (10.5) -------------------------------------------------------------

__device__ unsigned blocks_done;
__shared__ bool is_last;

__device__ float sum_of_part(const float *in, int n) {
    __shared__ float sums[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; threadIdx.x == 0 && i < (int)blockDim.x; i++)
        sum += sums[i];
    return sum;
}

__global__ void sum_of_all(const float *in, int n, volatile float *out) {
    float part = sum_of_part(in, n);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = part;
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += out[i];
        out[0] = sum;
        blocks_done = 0;
    }
}

static void check_last_block() {
    enum { N = 10000, BLOCKS = 33 };
    float *in = shared_array<float>(N), *out = shared_array<float>(BLOCKS), expected = 0;
    for (int i = 0; i < N; i++)
        expected += in[i] = i % 13;
    for (int round = 0; round < 50; round++) {
        sum_of_all<<<BLOCKS, 64>>>(in, N, out);
        CUDA(cudaDeviceSynchronize());
        CHECK(out[0] == expected);
    }
}

// ---- An atomic operation for old devices (10.14) -----------------------------------------------

// As the guide has it: for the host the macro is no number, so the function is there as well.
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double *address, double value) {
    unsigned long long *word = (unsigned long long *)address, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __double_as_longlong(value + __longlong_as_double(seen)));
    } while (seen != old);
    return __longlong_as_double(old);
}
#endif

__global__ void add_halves(double *sum) {
    atomicAdd(sum, 0.5);
}

static void check_atomic_add() {
    double *sum = shared_array<double>(1);
    add_halves<<<10, 100>>>(sum);
    CUDA(cudaDeviceSynchronize());
    CHECK(*sum == 500);
}

// ---- Threads that are scheduled independently (20.6.2) -----------------------------------------

enum { SIZE = 256 };

__global__ void above(const float *data, int n, float threshold, unsigned *out) {
    int lane = threadIdx.x % warpSize;
    for (int i = lane; i - lane < n; i += warpSize) {
        unsigned active = __ballot_sync(0xffffffff, i < n);
        if (i < n) {
            unsigned bits = __ballot_sync(active, data[i] > threshold);
            if (lane == 0)
                out[i / 32] = bits;
        }
    }
}

__global__ void swapped_in_both_arms(int *out) {
    int t = threadIdx.x, value = 3 * t;
    if (t % warpSize < 16)
        out[t] = __shfl_xor_sync(0xffffffff, value, 16);
    else
        out[t] = __shfl_xor_sync(0xffffffff, value, 16) + 1000;
}

__global__ void butterfly(const float *in, float *out) {
    __shared__ float s[SIZE];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int i = SIZE / 2; i >= 32; i /= 2) {
        if (t < i)
            s[t] += s[t + i];
        __syncthreads();
    }
    if (t < 32)
        for (int i = 16; i >= 2; i /= 2) {
            float other = s[t ^ i];
            __syncwarp();
            s[t] += other;
            __syncwarp();
        }
    if (t == 0)
        *out = s[0] + s[1];
}

static void check_independent_threads() {
    enum { N = 1000 };
    float *data = shared_array<float>(N), *sum = shared_array<float>(1), expected = 0;
    unsigned *bits = shared_array<unsigned>(N / 32 + 1);
    int *out = shared_array<int>(64);
    for (int i = 0; i < N; i++) {
        data[i] = i * 37 % 101;
        expected += i < SIZE ? data[i] : 0;
    }
    above<<<1, 32>>>(data, N, 50, bits);
    butterfly<<<1, SIZE>>>(data, sum);
    swapped_in_both_arms<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK((bits[i / 32] >> i % 32 & 1) == (data[i] > 50));
    CHECK(*sum == expected);
    for (int i = 0; i < 64; i++)
        CHECK(out[i] == 3 * (i ^ 16) + (i % 32 < 16 ? 0 : 1000));
}

int main() {
    check_classes();
    check_functions();
    check_flags();
    check_statics();
    check_last_block();
    check_atomic_add();
    check_independent_threads();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
