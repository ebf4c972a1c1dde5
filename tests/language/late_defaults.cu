// Default arguments that members of class templates get where they are defined outside of the
// class, which nvcc takes.
#include "check.h"

namespace library {

template <class T, int N> struct table {
    T kept;
    __host__ __device__ table(T x, int n);
    __host__ __device__ T sum(T x, int y = 100) const;
    __host__ __device__ T times(T x, int n) const;
    __host__ __device__ T operator()(T a, T b) const;
    __host__ __device__ T calls() const;
    __host__ __device__ T in_class(T x) const {
        return times(x);
    }
    static __host__ __device__ T scaled(T x, T by);
    struct part {
        __host__ __device__ int of(int a, int b);
    };
};

template <class T, int N>
__host__ __device__ table<T, N>::table(T x, int n = sizeof(T)) : kept{x + n} {
}
template <class T, int N> __host__ __device__ T table<T, N>::sum(T x = 3, int y) const {
    return x + y + kept;
}
template <class T, int N> __host__ __device__ T table<T, N>::times(T x, int n = N) const {
    return x * n;
}
template <class T, int N> __host__ __device__ T table<T, N>::operator()(T a, T b = 5) const {
    return a + b;
}
template <class T, int N> __host__ __device__ T table<T, N>::scaled(T x, T by = T(N)) {
    return x * by;
}
template <class T, int N> __host__ __device__ T table<T, N>::calls() const {
    return scaled(2) + times(1) + this->times(2);
}
template <class T, int N> __host__ __device__ int table<T, N>::part::of(int a, int b = N + 1) {
    return a + b;
}

// Before the namespace ends, and no template.
struct user {
    static __host__ __device__ int sum() {
        table<int, 7> t(1); // keeps 5
        table<int, 7>::part part;
        int sums = t.sum() * 1000000 + t.calls() * 10000;           // 108, 35
        return sums + part.of(1) * 100 + t(1) * 10 + t.in_class(1); // 9, 6, 7
    }
};

} // namespace library

// A part of the template's arguments is given; classes are made of the template before it has the
// default.
template <class T> struct of_pointer;
template <class T> struct of_pointer<T *> { __device__ int size(int n); };
template <class T> __device__ int of_pointer<T *>::size(int n = sizeof(T)) {
    return n;
}

template <class T> struct early { __device__ int size(int n); };
__device__ early<char> of_char;
struct holder {
    early<double> of_double;
};
template <class T> __device__ int early<T>::size(int n = sizeof(T)) {
    return n;
}

// Not asked for unless a call needs it.
template <class T> struct never { __host__ __device__ int get(int n); };
template <class T> __host__ __device__ int never<T>::get(int n = T::missing) {
    return n;
}

__global__ void call(int *out) {
    of_pointer<short *> p;
    holder h;
    out[0] = library::user::sum();
    out[1] = p.size() * 100 + of_char.size() * 10 + h.of_double.size();
    out[2] = never<int>().get(4);
}

int main() {
    int *out;
    CHECK(cudaMallocManaged(&out, 3 * sizeof *out) == cudaSuccess);
    call<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out[0] == 108350967 && library::user::sum() == 108350967);
    CHECK(out[1] == 218 && out[2] == 4);
    return failures != 0;
}
