// The __nv_atomic_ functions (guide 10.14) in all orders and scopes, and the atomic functions on
// halves, bfloat16, vectors and 128-bit words.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

typedef unsigned long long ull;
typedef unsigned int u32;
struct alignas(16) quad {
    ull a, b;
};

// ---- One thread: what each function returns and leaves, in every order and scope
// --------------------

#define EXPECT(condition) bad = condition ? bad : __LINE__

template <typename T, int Order, int Scope> __device__ void integers(T *p, int &bad) {
    *p = 5;
    EXPECT(__nv_atomic_fetch_add(p, 7, Order, Scope) == 5 && *p == 12);
    EXPECT(__nv_atomic_fetch_sub(p, 2, Order, Scope) == 12 && *p == 10);
    __nv_atomic_add(p, (T)-3, Order, Scope);
    EXPECT(*p == 7);
    __nv_atomic_sub(p, (T)-1, Order, Scope);
    EXPECT(*p == 8);
}

template <typename T, int Order, int Scope> __device__ void ordered(T *p, int &bad) {
    const T big = (T)-1; // the greatest of unsigned types
    *p = 5;
    EXPECT(__nv_atomic_fetch_min(p, 4, Order, Scope) == 5 && *p == 4);
    EXPECT(__nv_atomic_fetch_min(p, big, Order, Scope) == 4 && *p == (big < 4 ? big : 4));
    *p = 5;
    EXPECT(__nv_atomic_fetch_max(p, big, Order, Scope) == 5 && *p == (big > 5 ? big : 5));
    __nv_atomic_max(p, 9, Order, Scope);
    EXPECT(*p == (big > 9 ? big : 9));
    __nv_atomic_min(p, 3, Order, Scope);
    EXPECT(*p == 3);
    *p = 0x5a;
    EXPECT(__nv_atomic_fetch_and(p, 0x33, Order, Scope) == 0x5a && *p == 0x12);
    EXPECT(__nv_atomic_fetch_or(p, 0x41, Order, Scope) == 0x12 && *p == 0x53);
    EXPECT(__nv_atomic_fetch_xor(p, 0xff, Order, Scope) == 0x53 && *p == 0xac);
    __nv_atomic_and(p, 0xf0, Order, Scope);
    __nv_atomic_or(p, 0x03, Order, Scope);
    __nv_atomic_xor(p, 0x01, Order, Scope);
    EXPECT(*p == 0xa2);
}

template <typename T, int Order, int Scope> __device__ void floats(T *p, int &bad) {
    *p = 0.5;
    EXPECT(__nv_atomic_fetch_add(p, 0.25, Order, Scope) == 0.5 && *p == 0.75);
    EXPECT(__nv_atomic_fetch_sub(p, 2, Order, Scope) == 0.75 && *p == -1.25);
    __nv_atomic_add(p, 1, Order, Scope);
    __nv_atomic_sub(p, 0.5, Order, Scope);
    EXPECT(*p == -0.75);
}

template <typename T, int Order, int Scope> __device__ void exchanges(T *p, int &bad) {
    T seven = 7, nine = 9, seen = 0;
    *p = 5;
    __nv_atomic_exchange(p, &seven, &seen, Order, Scope);
    EXPECT(seen == 5 && *p == 7);
    EXPECT(__nv_atomic_exchange_n(p, (T)8, Order, Scope) == 7 && *p == 8);
    seen = 8;
    EXPECT(__nv_atomic_compare_exchange(p, &seen, &nine, true, Order, 0, Scope) && *p == 9);
    seen = 8;
    EXPECT(!__nv_atomic_compare_exchange_n(p, &seen, (T)1, false, Order, 2, Scope));
    EXPECT(seen == 9 && *p == 9);
}

template <typename T, int Scope> __device__ void loads(T *p, int &bad) {
    T in = (T)0x7b, out = 0;
#define WITH(order)                                                                                \
    *p = (T)0x7c, out = 0;                                                                         \
    EXPECT(__nv_atomic_load_n(p, order, Scope) == (T)0x7c);                                        \
    __nv_atomic_load(p, &out, order, Scope);                                                       \
    EXPECT(out == (T)0x7c);
    WITH(__NV_ATOMIC_RELAXED)
    WITH(__NV_ATOMIC_CONSUME) WITH(__NV_ATOMIC_ACQUIRE) WITH(__NV_ATOMIC_SEQ_CST)
#undef WITH
#define WITH(order)                                                                                \
    __nv_atomic_store_n(p, (T)3, order, Scope);                                                    \
    EXPECT(*p == 3);                                                                               \
    __nv_atomic_store(p, &in, order, Scope);                                                       \
    EXPECT(*p == in);
        WITH(__NV_ATOMIC_RELAXED) WITH(__NV_ATOMIC_RELEASE) WITH(__NV_ATOMIC_SEQ_CST)
#undef WITH
}

template <int Order, int Scope> __device__ void all(quad *memory, int &bad) {
    integers<int, Order, Scope>((int *)memory, bad);
    integers<u32, Order, Scope>((u32 *)memory, bad);
    integers<ull, Order, Scope>((ull *)memory, bad);
    ordered<int, Order, Scope>((int *)memory, bad);
    ordered<u32, Order, Scope>((u32 *)memory, bad);
    ordered<long long, Order, Scope>((long long *)memory, bad);
    ordered<ull, Order, Scope>((ull *)memory, bad);
    floats<float, Order, Scope>((float *)memory, bad);
    floats<double, Order, Scope>((double *)memory, bad);
    exchanges<int, Order, Scope>((int *)memory, bad);
    exchanges<ull, Order, Scope>((ull *)memory, bad);
    exchanges<__int128, Order, Scope>((__int128 *)memory, bad);
    quad v = {1, 2}, w = {3, 4}, seen;
    *memory = v;
    __nv_atomic_exchange(memory, &w, &seen, Order, Scope);
    EXPECT(seen.a == 1 && seen.b == 2 && memory->a == 3 && memory->b == 4);
    unsigned short *narrow = (unsigned short *)memory, expected = 6;
    narrow[0] = 5, narrow[1] = 1000;
    EXPECT(!__nv_atomic_compare_exchange_n(narrow, &expected, (unsigned short)9, false, Order, 5,
                                           Scope));
    EXPECT(expected == 5 && __nv_atomic_compare_exchange_n(narrow, &expected, (unsigned short)9,
                                                           false, Order, 0, Scope));
    EXPECT(narrow[0] == 9 && narrow[1] == 1000);
    __nv_atomic_thread_fence(Order, Scope);
}

template <int Order, int Scope> __global__ void alone(quad *global, int *bad_line) {
    __shared__ quad local;
    int bad = 0;
    all<Order, Scope>(threadIdx.x ? global : &local, bad);
    atomicMax(bad_line, bad);
}

template <int Scope> __global__ void loads_alone(quad *global, int *bad_line) {
    __shared__ quad local;
    int bad = 0;
    quad *memory = threadIdx.x ? global : &local;
    loads<unsigned char, Scope>((unsigned char *)memory, bad);
    loads<short, Scope>((short *)memory, bad);
    loads<u32, Scope>((u32 *)memory, bad);
    loads<long, Scope>((long *)memory, bad);
    loads<__int128, Scope>((__int128 *)memory, bad);
    atomicMax(bad_line, bad);
}

static void expect_none(const char *kernel, const int *bad) {
    CUDA(cudaDeviceSynchronize());
    if (*bad)
        printf("%s: line %d\n", kernel, *bad), failures++;
}

// ---- Many threads
// ---------------------------------------------------------------------------------

struct counters {
    quad quads, pairs;
    float2 two, two_block;
    float4 four;
    __half2 h2;
    __nv_bfloat162 b2;
    __half h[2];
    __nv_bfloat16 b[2];
    ull lost;
    u32 sum, tickets;
};

__global__ void together(counters *c) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&c->four, make_float4(1, 2, 3, (float)(t & 1)));
    atomicAdd(&c->two, make_float2(1, -1));
    float2 old = atomicAdd_system(&c->two_block, make_float2(1, 0));
    if (old.x < 0 || old.x >= 4096)
        atomicAdd(&c->lost, 1ull);
    if (t < 64) { // sums that both types hold exactly
        atomicAdd(&c->h2, __floats2half2_rn(1, 2));
        atomicAdd(&c->b2, __floats2bfloat162_rn(1, 2));
        atomicAdd(&c->h[1], __float2half(1));
        atomicAdd(&c->b[1], __float2bfloat16(1));
    }
    // Both words of a pair move together.
    quad seen = {0, 0}, next;
    do {
        next.a = seen.a + 1, next.b = seen.b + 3;
    } while (!__nv_atomic_compare_exchange(&c->quads, &seen, &next, false, __NV_ATOMIC_ACQ_REL,
                                           __NV_ATOMIC_ACQUIRE));
    quad expected, found = {0, 0};
    do {
        expected = found;
        found = atomicCAS(&c->pairs, expected, quad{expected.a + 2, expected.b + 5});
    } while (found.a != expected.a || found.b != expected.b);
    __nv_atomic_fetch_add(&c->sum, (u32)t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

// A token goes around the blocks: each reads what the one before it wrote.
__global__ void relay(u32 *turn, ull *data, u32 rounds) {
    u32 me = blockIdx.x;
    for (u32 round = 0; round < rounds; round++) {
        u32 mine = round * gridDim.x + me;
        while (__nv_atomic_load_n(turn, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) != mine)
            ;
        *data = *data * 3 + mine;
        __nv_atomic_store_n(turn, mine + 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    }
}

__global__ void exchange(quad *q, quad *out) {
    *out = atomicExch(q, quad{11, 12});
}

int main() {
    quad *memory = shared_array<quad>(2);
    int *bad = shared_array<int>(1);
#define ALONE(order, scope)                                                                        \
    alone<order, scope><<<1, 2>>>(memory, bad), expect_none("alone " #order " " #scope, bad);
    ALONE(0, 3)
    ALONE(1, 3) ALONE(2, 3) ALONE(3, 3) ALONE(4, 3) ALONE(5, 3) ALONE(5, 0) ALONE(4, 1) ALONE(2, 2)
        ALONE(5, 4)
#define LOADS(scope) loads_alone<scope><<<1, 2>>>(memory, bad), expect_none("loads " #scope, bad);
            LOADS(0) LOADS(1) LOADS(2) LOADS(3) LOADS(4)

                counters *c = shared_array<counters>(1);
    together<<<32, 128>>>(c);
    CUDA(cudaDeviceSynchronize());
    CHECK(c->four.x == 4096 && c->four.y == 8192 && c->four.z == 12288 && c->four.w == 2048);
    CHECK(c->two.x == 4096 && c->two.y == -4096 && c->two_block.x == 4096 && !c->lost);
    CHECK((float)c->h2.x == 64 && (float)c->h2.y == 128);
    CHECK((float)c->b2.x == 64 && (float)c->b2.y == 128);
    CHECK((float)c->h[0] == 0 && (float)c->h[1] == 64);
    CHECK((float)c->b[0] == 0 && (float)c->b[1] == 64);
    CHECK(c->quads.a == 4096 && c->quads.b == 3 * 4096);
    CHECK(c->pairs.a == 2 * 4096 && c->pairs.b == 5 * 4096);
    CHECK(c->sum == 4096u * 4095 / 2);

    memory[0] = quad{5, 6};
    exchange<<<1, 1>>>(memory, memory + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(memory[0].a == 11 && memory[0].b == 12 && memory[1].a == 5 && memory[1].b == 6);

    u32 *turn = shared_array<u32>(1);
    ull *data = shared_array<ull>(1), expected = 0;
    relay<<<4, 1>>>(turn, data, 100);
    CUDA(cudaDeviceSynchronize());
    for (u32 i = 0; i < 400; i++)
        expected = expected * 3 + i;
    CHECK(*turn == 400 && *data == expected);
    return failures != 0;
}
