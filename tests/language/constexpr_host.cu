// Without -expt-relaxed-constexpr a constexpr function without specifiers is the host's alone
// (guide 18.8): what it calls is chosen among the host's functions, also where the device has a
// better one.
#include "check.h"

struct stream {
    int id;
};

struct estimator {
    int cleared = 0;
    // The device's is an exact match, the host's takes a conversion.
    template <class Group> __device__ constexpr void clear(const Group &group) {
        cleared += group.thread_rank();
    }
    __host__ constexpr void clear(stream s) {
        cleared += s.id;
    }
};

template <class T> struct owner {
    estimator e;
    constexpr void clear(stream s);
    constexpr int twice(stream s) {
        if constexpr (sizeof(T) == 4) {
            e.clear(s);
        }
        return 2 * e.cleared;
    }
};

template <class T> constexpr void owner<T>::clear(stream s) {
    e.clear(s);
}

struct group {
    __device__ unsigned thread_rank() const {
        return threadIdx.x;
    }
};

__global__ void clear(int *out) {
    estimator e;
    e.clear(group());
    out[threadIdx.x] = e.cleared;
}

int main() {
    int *out = shared_array<int>(4);
    clear<<<1, 4>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out[3] == 3);
    owner<int> o;
    o.clear(stream{7});
    CHECK(o.e.cleared == 7 && o.twice(stream{1}) == 16);
    return failures != 0;
}
