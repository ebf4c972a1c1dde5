// Class template arguments that device code leaves to deduction guides, which have no specifiers:
// the program's own, of packs, of members, in namespaces, explicit ones, and those of the standard
// library.
#include "check.h"

#include <array>

template <class... T> struct list;
template <> struct list<> {};
template <class T, class... Rest> struct list<T, Rest...> : list<Rest...> {
    T value;
    __host__ __device__ constexpr list(T v, Rest... rest) : list<Rest...>(rest...), value(v) {
    }
};
template <class... T> list(T...) -> list<T...>;

template <class T> struct pair_of {
    T a, b;
};
template <class T> pair_of(T, T) -> pair_of<T>;

namespace boxes {
template <class T> struct box {
    T value;
    __host__ __device__ explicit box(T v) : value(v) {
    }
};
template <class T> explicit box(T) -> box<T>;
box(char) -> box<int>;
} // namespace boxes

template <class U> struct outer {
    template <class T> struct inner {
        T first;
        U second;
    };
    template <class T> inner(T, U) -> inner<T>;
    __host__ __device__ static U sum(U u) {
        inner i{(char)2, u};
        static_assert(sizeof i.first == 1, "");
        return i.first + i.second;
    }
};

__host__ __device__ int deduced(int seven) {
    list l(seven, 2.5, 'x');
    pair_of p{seven, 5};
    boxes::box b('a');
    static_assert(sizeof b == sizeof(int), "");
    std::array a{1, 2, seven};
    return l.value + (int)(2 * static_cast<list<double, char> &>(l).value) + p.a * p.b + b.value +
           (int)a.size() + outer<int>::sum(seven);
}

__global__ void on_device(int *result) {
    *result = deduced(7);
}

int main() {
    int *device = shared_array<int>(1), expected = 7 + 5 + 35 + 97 + 3 + 9;
    on_device<<<1, 1>>>(device);
    CUDA(cudaDeviceSynchronize());
    CHECK(*device == expected);
    CHECK(deduced(7) == expected);
    return failures != 0;
}
