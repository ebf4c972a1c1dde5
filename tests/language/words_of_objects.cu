// An object is read and written word by word through pointers of another type, as CUB's shuffles do,
// and looked at through its own type between: the compiler may not take the two for different memory.
#include "check.h"

struct found {
    int key;
    long long place;
};

// The lane before's object, in words, like cub::ShuffleUp.
__device__ static found from_before(found mine, int distance) {
    constexpr int words = sizeof(found) / sizeof(unsigned);
    found result;
    unsigned *in = reinterpret_cast<unsigned *>(&mine), *out = reinterpret_cast<unsigned *>(&result);
#pragma unroll
    for (int i = 0; i < words; ++i)
        out[i] = __shfl_up_sync(~0u, in[i], distance);
    return result;
}

__global__ void greatest(const int *keys, long long *place) {
    found best{keys[threadIdx.x], (long long)threadIdx.x};
    for (int distance = 1; distance < 32; distance *= 2) {
        found other = from_before(best, distance);
        if (threadIdx.x >= distance && (other.key > best.key || (other.key == best.key && other.place < best.place)))
            best = other;
    }
    if (threadIdx.x == 31)
        *place = best.place;
}

__device__ __noinline__ float halved(float *value, unsigned *words) {
    *value = 8.0f;
    words[0] -= 1u << 23;
    return *value;
}

__global__ void pun(float *value, float *seen) {
    *seen = halved(value, reinterpret_cast<unsigned *>(value));
}

int main() {
    int *keys = shared_array<int>(32);
    long long *place = shared_array<long long>(1);
    float *floats = shared_array<float>(2);
    random_words random;
    int expected = 0;
    for (int i = 0; i < 32; ++i) {
        keys[i] = (int)(random() % 1000);
        if (keys[i] > keys[expected])
            expected = i;
    }
    greatest<<<1, 32>>>(keys, place);
    pun<<<1, 1>>>(floats, floats + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(*place == expected);
    CHECK(floats[0] == 4.0f && floats[1] == 4.0f);
    return failures != 0;
}
