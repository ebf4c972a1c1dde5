// <cuda/memory>, and the headers of cuda::std that are the host's by another name.
#include <cuda/memory>
#include <cuda/std/algorithm>
#include <cuda/std/bitset>
#include <cuda/std/concepts>
#include <cuda/std/exception>
#include <cuda/std/expected>
#include <cuda/std/memory>
#include <cuda/std/new>
#include <cuda/std/numbers>
#include <cuda/std/ranges>
#include <cuda/std/source_location>
#include <cuda/std/version>

#include "check.h"

using cuda::device::address_space;
using cuda::device::is_address_from;
using cuda::device::is_object_from;

struct pair {
    int a, b;
};

__device__ int in_global[4];
__constant__ int in_constant;

// One bit for each space, in the order of address_space.
template <typename T> __device__ int spaces_of(T &object) {
    int bits = 0;
    for (int k = 0; k < 6; k++) {
        bits |= is_object_from(object, (address_space)k) << k;
        if (is_address_from(&object, (address_space)k) != (bits >> k & 1))
            return -1;
    }
    return bits;
}

__global__ void look(const __grid_constant__ pair parameter, int *out) {
    __shared__ int in_shared;
    volatile int in_local = 1;
    out[0] = spaces_of(in_global);
    out[1] = spaces_of(in_shared);
    out[2] = spaces_of(in_constant);
    out[3] = spaces_of(in_local);
    out[4] = spaces_of(parameter);
    cuda::discard_memory(out + 5, 4);
    out[5] = *cuda::std::assume_aligned<4>(cuda::get_device_address(in_global[0]) + 1);
    out[6] = cuda::std::max(3, cuda::std::min(9, out[5]));
}

__global__ void end_at(int thread, int *out) {
    if ((int)threadIdx.x == thread)
        cuda::std::terminate();
    *out = 1;
}

__host__ __device__ bool addresses() {
    alignas(64) char bytes[128];
    const volatile char *p = bytes;
    return cuda::is_aligned(bytes, 64) && !cuda::is_aligned(bytes + 2, 4) &&
           cuda::align_up(bytes + 1, 32) == bytes + 32 && cuda::align_up(bytes, 32) == bytes &&
           cuda::align_down((int *)bytes + 15, 16) == (int *)bytes + 12 &&
           cuda::ptr_rebind<int>(p + 8) == (const volatile int *)(bytes + 8) &&
           cuda::ptr_in_range(bytes + 3, bytes + 3, bytes + 4) &&
           !cuda::ptr_in_range(bytes + 4, bytes + 3, bytes + 4);
}
static_assert(std::is_same<decltype(cuda::ptr_rebind<int>((const char *)0)), const int *>::value,
              "");
static_assert(std::is_same<decltype(cuda::ptr_rebind<void>((int *)0)), void *>::value, "");

__global__ void addresses_of_device(int *out) {
    *out = addresses();
}

int main() {
    int *out = shared_array<int>(8), values[4] = {5, 6, 7, 8};
    int *address = cuda::get_device_address(in_global[0]);
    CUDA(cudaMemcpy(address, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cuda::get_device_address(in_constant) != nullptr);
    look<<<1, 1>>>(pair{1, 2}, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 1 << 0);
    CHECK(out[1] == (1 << 1 | 1 << 5));
    CHECK(out[2] == 1 << 2);
    CHECK(out[3] == 1 << 3);
    CHECK(out[4] == (1 << 4 | 1 << 0)); // the window of parameters is a part of the global one
    CHECK(out[5] == 6 && out[6] == 6);
    CHECK(addresses());
    addresses_of_device<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 1);
    end_at<<<1, 32>>>(40, out);
    CUDA(cudaDeviceSynchronize());
    end_at<<<1, 32>>>(5, out);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    return failures != 0;
}
