// cuda::atomic, cuda::atomic_ref, latches, semaphores and barriers of <cuda/...> and <cuda/std/...>
// (guide 5.5, 10.14, 10.26), alone against plain arithmetic and between threads.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda/std/barrier>

#include <new>
#include <thread>

#include "check.h"

#define EXPECT(condition) bad = (condition) ? bad : __LINE__

// Every member once. Results of T's own arithmetic are what is expected.
template <typename T, cuda::thread_scope Scope> __host__ __device__ int members(T *memory) {
    int bad = 0;
    cuda::atomic_ref<T, Scope> r(*memory);
    r = (T)20;
    EXPECT(*memory == (T)20 && r.load() == (T)20 && (T)r == (T)20);
    r.store((T)6, cuda::memory_order_release);
    EXPECT(r.exchange((T)9) == (T)6 && *memory == (T)9);
    T expected = (T)8;
    EXPECT(!r.compare_exchange_strong(expected, (T)1) && expected == (T)9);
    EXPECT(r.compare_exchange_weak(expected, (T)12, cuda::memory_order_acq_rel,
                                   cuda::memory_order_acquire));
    EXPECT(r.fetch_add(3, cuda::memory_order_relaxed) == (T)12 && *memory == (T)15);
    EXPECT(r.fetch_sub(5) == (T)15 && *memory == (T)10);
    EXPECT(r.fetch_min((T)4) == (T)10 && *memory == (T)4 && r.fetch_min((T)5) == (T)4);
    EXPECT(r.fetch_max((T)40) == (T)4 && *memory == (T)40 && r.fetch_max((T)5) == (T)40);
    EXPECT((r += 2) == (T)42 && (r -= 12) == (T)30 && *memory == (T)30);
    EXPECT(++r == (T)31 && r++ == (T)31 && --r == (T)31 && r-- == (T)31 && *memory == (T)30);
    r.wait((T)31);
    r.notify_all();
    volatile cuda::atomic<T, Scope> v((T)2);
    v = (T)5;
    EXPECT(v.load(cuda::memory_order_acquire) == (T)5 && v.exchange((T)7) == (T)5);
    EXPECT(v.fetch_add(2) == (T)7 && v == (T)9 && ++v == (T)10);
    return bad;
}

template <typename T, cuda::thread_scope Scope> __host__ __device__ int bits(T *memory) {
    int bad = members<T, Scope>(memory);
    cuda::atomic_ref<T, Scope> r(*memory);
    r = (T)0x5a;
    EXPECT(r.fetch_and((T)0x33) == (T)0x5a && *memory == (T)0x12);
    EXPECT(r.fetch_or((T)0x41) == (T)0x12 && *memory == (T)0x53);
    EXPECT(r.fetch_xor((T)0x7f) == (T)0x53 && *memory == (T)0x2c);
    EXPECT((r |= (T)1) == (T)0x2d && (r &= (T)0xf) == (T)0xd && (r ^= (T)1) == (T)0xc);
    return bad;
}

// Narrow values lie between others, which must stay.
template <typename T> __host__ __device__ int narrow(unsigned char *bytes) {
    int bad = 0;
    for (int at = 0; at < 4; at += (int)sizeof(T)) {
        for (int i = 0; i < 8; i++)
            bytes[i] = (unsigned char)(0xa0 + i);
        bad += bits<T, cuda::thread_scope_device>((T *)(bytes + at));
        for (int i = 0; i < 8; i++)
            if (i < at || i >= at + (int)sizeof(T))
                EXPECT(bytes[i] == 0xa0 + i);
    }
    return bad;
}

struct pair {
    int a;
    float b;
};

__host__ __device__ int everything(void *memory, int *numbers) {
    int bad = narrow<signed char>((unsigned char *)memory);
    bad += narrow<unsigned char>((unsigned char *)memory);
    bad += narrow<short>((unsigned char *)memory);
    bad += narrow<unsigned short>((unsigned char *)memory);
    bad += bits<int, cuda::thread_scope_system>((int *)memory);
    bad += bits<unsigned int, cuda::thread_scope_block>((unsigned int *)memory);
    bad += bits<long, cuda::thread_scope_device>((long *)memory);
    bad += bits<unsigned long long, cuda::thread_scope_thread>((unsigned long long *)memory);
    bad += members<float, cuda::thread_scope_device>((float *)memory);
    bad += members<double, cuda::thread_scope_block>((double *)memory);

    using pointers = cuda::atomic<int *, cuda::thread_scope_device>;
    pointers &p = *new (memory) pointers(numbers);
    EXPECT(p.fetch_add(3) == numbers && p.load() == numbers + 3 && --p == numbers + 2);
    using pairs = cuda::std::atomic<pair>;
    pairs &q = *new (memory) pairs(pair{1, 2});
    pair seen = q.exchange(pair{3, 4});
    EXPECT(seen.a == 1 && seen.b == 2 && q.load().a == 3 && q.load().b == 4);
    cuda::std::atomic_flag &flag = *new (memory) cuda::std::atomic_flag();
    EXPECT(!flag.test() && !flag.test_and_set() && flag.test_and_set());
    flag.clear();
    EXPECT(!flag.test());
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    cuda::std::atomic_thread_fence(cuda::std::memory_order_acquire);
    return bad;
}

__global__ void alone(void *memory, int *numbers, int *bad) {
    *bad = everything(memory, numbers);
}

struct shared_state {
    cuda::atomic<unsigned int, cuda::thread_scope_device> count, order;
    cuda::atomic<char, cuda::thread_scope_device> letters[8];
    cuda::std::atomic<double> sum;
    cuda::latch<cuda::thread_scope_device> latch{64};
    cuda::counting_semaphore<cuda::thread_scope_device, 3> three{3};
    cuda::binary_semaphore<cuda::thread_scope_device> one{1};
    cuda::atomic<int, cuda::thread_scope_device> inside{0}, most{0};
    unsigned long long unprotected;
};

__global__ void together(shared_state *s) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    s->count.fetch_add(1, cuda::memory_order_relaxed);
    s->letters[t % 8]++;
    s->sum += 0.5;
    if (threadIdx.x == 0) { // 64 blocks
        s->latch.count_down();
        s->latch.wait();
        if (s->count.load() < 64)
            s->order.store(1);
        s->three.acquire();
        s->most.fetch_max(++s->inside);
        --s->inside;
        s->three.release();
        s->one.acquire();
        s->unprotected = s->unprotected * 5 + 1;
        s->one.release();
    }
}

// The host writes and waits, the kernel waits and answers.
__global__ void answer(cuda::atomic<int> *ball, int rounds) {
    for (int i = 0; i < rounds; i++) {
        while (ball->load(cuda::memory_order_acquire) != 2 * i + 1)
            ;
        ball->store(2 * i + 2, cuda::memory_order_release);
    }
}

__global__ void phases(int *values) {
    __shared__ cuda::std::barrier<> bar;
    __shared__ int slots[64];
    if (threadIdx.x == 0)
        init(&bar, 64);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        slots[threadIdx.x] = (int)threadIdx.x * (i + 1);
        bar.arrive_and_wait();
        sum += slots[63 - threadIdx.x];
        bar.arrive_and_wait();
    }
    values[threadIdx.x] = sum;
}

// Objects of a thread's own, in its local memory.
__global__ void own_objects(int *out) {
    const int t = (int)threadIdx.x;
    cuda::atomic<int, cuda::thread_scope_thread> a{t};
    cuda::std::atomic<int> b(3);
    cuda::atomic<unsigned long long> c[4];
    int v = 5;
    a.fetch_add(2);
    b += a.load();
    cuda::atomic_ref<int, cuda::thread_scope_block>(v).fetch_max(t);
    for (int i = 0; i < 4; i++)
        c[i] = i;
    c[t & 3].fetch_add(10);
    out[t] = b.load() + v + 100 * (int)c[1].load() + 10000 * (int)c[3];
}

static void check_own_objects() {
    int *out = shared_array<int>(32);
    own_objects<<<1, 32>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++)
        CHECK(out[t] == t + 5 + (t > 5 ? t : 5) + 100 * ((t & 3) == 1 ? 11 : 1) +
                            10000 * ((t & 3) == 3 ? 13 : 3));
}

int main() {
    unsigned long long *memory = shared_array<unsigned long long>(4);
    int *numbers = shared_array<int>(8), *bad = shared_array<int>(1);
    alone<<<1, 1>>>(memory, numbers, bad);
    CUDA(cudaDeviceSynchronize());
    if (*bad)
        printf("device: line %d\n", *bad), failures++;
    if (int line = everything(memory, numbers))
        printf("host: line %d\n", line), failures++;

    shared_state *s = new (shared_array<shared_state>(1)) shared_state();
    together<<<64, 32>>>(s);
    CUDA(cudaDeviceSynchronize());
    CHECK(s->count == 2048 && s->sum == 1024 && s->order == 0);
    for (int i = 0; i < 8; i++)
        CHECK(s->letters[i].load() == (char)256);
    CHECK(s->most >= 1 && s->most <= 3 && s->inside == 0 && s->latch.try_wait());
    unsigned long long expected = 0;
    for (int i = 0; i < 64; i++)
        expected = expected * 5 + 1;
    CHECK(s->unprotected == expected);

    check_own_objects();

    auto *ball = new (shared_array<cuda::atomic<int>>(1)) cuda::atomic<int>(0);
    answer<<<1, 1>>>(ball, 100);
    for (int i = 0; i < 100; i++) {
        ball->store(2 * i + 1, cuda::memory_order_release);
        while (ball->load(cuda::memory_order_acquire) != 2 * i + 2)
            std::this_thread::yield();
    }
    CUDA(cudaDeviceSynchronize());

    int *values = shared_array<int>(64);
    phases<<<1, 64>>>(values);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(values[i] == (63 - i) * 10);
    return failures != 0;
}
