// Relaxed and volatile vector accesses are seen whole: one block writes words that all hold one
// number while others read them. CUB's decoupled look-back lays a status beside its value that way.
#include "check.h"

enum { TURNS = 30000, READERS = 3 };

struct words2 {
    static __device__ void put(unsigned int *p, unsigned int x) {
        asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %1};" ::"l"(p), "r"(x) : "memory");
    }
    static __device__ bool torn(unsigned int *p) {
        unsigned int a, b;
        asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];"
                     : "=r"(a), "=r"(b)
                     : "l"(p)
                     : "memory");
        return a != b;
    }
};

struct words4 {
    static __device__ void put(unsigned int *p, unsigned int x) {
        asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(x)
                     : "memory");
    }
    static __device__ bool torn(unsigned int *p) {
        unsigned int a, b, c, d;
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(p)
                     : "memory");
        return a != b || a != c || a != d;
    }
};

struct long2words {
    static __device__ void put(unsigned int *p, unsigned int x) {
        asm volatile("st.release.gpu.v2.u64 [%0], {%1, %1};" ::"l"(p), "l"((long long)x)
                     : "memory");
    }
    static __device__ bool torn(unsigned int *p) {
        long long a, b;
        asm volatile("ld.acquire.gpu.v2.u64 {%0, %1}, [%2];"
                     : "=l"(a), "=l"(b)
                     : "l"(p)
                     : "memory");
        return a != b;
    }
};

struct halves2 {
    static __device__ void put(unsigned int *p, unsigned int x) {
        asm volatile("st.relaxed.gpu.v2.u16 [%0], {%1, %1};" ::"l"(p), "h"((short)x) : "memory");
    }
    static __device__ bool torn(unsigned int *p) {
        unsigned short a, b;
        asm volatile("ld.relaxed.gpu.v2.u16 {%0, %1}, [%2];"
                     : "=h"(a), "=h"(b)
                     : "l"(p)
                     : "memory");
        return a != b;
    }
};

// Block 0 writes: its first lane alone, as in a look-back, or each lane its own place. The others
// read, all lanes one place or each its own, from the last to the first.
template <typename W> __global__ void pass(unsigned int *places, unsigned int *torn, bool own) {
    unsigned int lane = threadIdx.x, found = 0;
    unsigned int *p = places + (own ? 31 - lane : 0) * 4;
    for (unsigned int i = 1; i <= TURNS; i++) {
        if (blockIdx.x == 0) {
            if (own || lane == 0)
                W::put(p, i * 0x10001u);
        } else {
            found += W::torn(p);
        }
    }
    if (found)
        atomicAdd(torn, found);
}

template <typename W> static void check() {
    unsigned int *places = shared_array<unsigned int>(128), *torn = shared_array<unsigned int>(1);
    for (int own = 0; own < 2; own++) {
        pass<W><<<1 + READERS, 32>>>(places, torn, own != 0);
        CUDA(cudaDeviceSynchronize());
        CHECK(torn[0] == 0);
        CHECK(places[0] == TURNS * 0x10001u);
    }
}

int main() {
    check<words2>();
    check<words4>();
    check<long2words>();
    check<halves2>();
    return failures != 0;
}
