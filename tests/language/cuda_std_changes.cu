// What changes pairs, tuples, variants and optional values of cuda::std on the device: assignment,
// swap, emplace; and visits. On device and host, in C++17, where the host's library has most of it
// for the host alone.
#include <vector>

#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>

#include "check.h"

namespace cs = cuda::std;

// Assigned and moved by functions of their own, which count.
struct counted {
    int value, copies, moves;
    __host__ __device__ counted(int v = 0) : value(v), copies(0), moves(0) {
    }
    __host__ __device__ counted(const counted &o)
        : value(o.value), copies(o.copies + 1), moves(o.moves) {
    }
    __host__ __device__ counted(counted &&o)
        : value(o.value), copies(o.copies), moves(o.moves + 1) {
        o.value = -1;
    }
    __host__ __device__ counted &operator=(const counted &o) {
        value = o.value, copies = o.copies + 1;
        return *this;
    }
    __host__ __device__ counted &operator=(counted &&o) {
        value = o.value, moves = o.moves + 1;
        o.value = -1;
        return *this;
    }
    __host__ __device__ ~counted() {
    }
};

struct plain {
    int value, made;
    __host__ __device__ plain(int v = 0) : value(v), made(1) {
    }
    __host__ __device__ plain(const plain &o) : value(o.value), made(o.made + 1) {
    }
    __host__ __device__ plain &operator=(const plain &o) {
        value = o.value, made = o.made + 10;
        return *this;
    }
};

struct size_and_value {
    template <class T> __host__ __device__ int operator()(T x) const {
        return (int)sizeof(T) * 100 + (int)x;
    }
};
struct product {
    template <class T, class U> __host__ __device__ int operator()(T x, U y) const {
        return (int)(x * y) + (int)sizeof(T) * 1000 + (int)sizeof(U) * 100000;
    }
};

struct results {
    int pairs[8], tuples[10], variants[12], optionals[6];
};

__host__ __device__ void pairs(int *out, int n) {
    cs::pair<int, float> a(n, 2.f), b, c(7, 8.f);
    b = a;
    b = cs::pair<short, double>((short)(n + 1), 4.0);
    a = cs::make_pair(10, 20.f);
    cs::swap(a, c);
    out[0] = a.first + (int)a.second * 100, out[1] = b.first + (int)b.second * 100;
    a.swap(b);
    out[2] = a.first + (int)a.second * 100, out[3] = b.first + (int)b.second * 100;
    cs::pair<counted, int> d(counted(3), 1), e;
    e = d;
    out[4] = e.first.value + e.first.copies * 10;
    e = cs::move(d);
    out[5] = e.first.value + d.first.value * 100;
    int x;
    cs::pair<int &, const int> *unused = nullptr;
    cs::tie(x, cs::ignore) = c;
    out[6] = x + (unused != nullptr);
    cs::pair<int, float> array[2][2] = {};
    array[0][1] = a;
    cs::swap(array[0], array[1]);
    out[7] = array[1][1].first;
}

__host__ __device__ void tuples(int *out, int n) {
    cs::tuple<int, float, char> a(n, 2.f, 'x'), b;
    b = a;
    b = cs::make_tuple((short)(n + 1), 4.0, 'y');
    cs::swap(a, b);
    out[0] = cs::get<0>(a) + (int)cs::get<1>(a) * 100, out[1] = cs::get<2>(b);
    a.swap(b);
    out[2] = cs::get<0>(a) + (int)cs::get<1>(a) * 100, out[3] = cs::get<2>(b);
    int x;
    float y;
    cs::tie(x, y, cs::ignore) = b;
    out[4] = x + (int)y * 100;
    cs::tuple<int, double> c;
    c = cs::make_pair(5, 6.f);
    out[5] = cs::get<0>(c) + (int)cs::get<1>(c) * 100;
    cs::tuple<counted, int> d(3, 1), e;
    e = d;
    out[6] = cs::get<0>(e).value + cs::get<0>(e).copies * 10;
    e = cs::move(d);
    out[7] = cs::get<0>(e).value + cs::get<0>(d).value * 100;
    auto [p, q] = e;
    out[8] = p.value + q * 10;
    out[9] = c < cs::make_tuple(5, 7.0) && cs::apply(product(), c) == 30 + 4000 + 800000;
}

__host__ __device__ void variants(int *out, int n) {
    cs::variant<int, double, char> a(n), b(2.5), c('a');
    out[0] = cs::visit(size_and_value(), a), out[1] = cs::visit(size_and_value(), b);
    out[2] = cs::visit(size_and_value(), c), out[3] = cs::visit(product(), a, b);
    a = 4.0;
    out[4] = cs::visit(size_and_value(), a);
    a = c;
    out[5] = cs::visit(size_and_value(), a) + (int)a.index() * 10000;
    b.emplace<0>(9);
    out[6] = cs::get<0>(b) + (cs::holds_alternative<int>(b) ? 100 : 0);
    cs::swap(a, b);
    out[7] = cs::get<int>(a) + cs::get<char>(b);
    a.swap(b);
    out[8] = (int)a.index() * 10 + (int)b.index();
    cs::variant<int, plain> d(plain(5)), e, f(plain(6));
    e = d;
    out[9] = cs::get<1>(e).value + cs::get<1>(e).made * 100;
    f = d;
    out[10] = cs::get<1>(f).value + cs::get<1>(f).made * 100;
    e = 3;
    out[11] = cs::get<0>(e) + (int)e.index() * 10;
}

__host__ __device__ void optionals(int *out, int n) {
    cs::optional<int> a = n, b;
    b = a;
    out[0] = b.value();
    b.reset();
    out[1] = b.has_value();
    b.emplace(8);
    cs::swap(a, b);
    out[2] = *a * 100 + *b;
    a.swap(b);
    a = cs::nullopt;
    b = cs::make_optional(4);
    out[3] = a.value_or(1) * 10 + *b;
    cs::optional<counted> c(counted(2)), d;
    d = c;
    d = cs::move(c);
    out[4] = d->value + c->value * 100;
    d.emplace(6);
    out[5] = d.value().value;
}

__host__ __device__ void everything(results *r, int n) {
    pairs(r->pairs, n);
    tuples(r->tuples, n);
    variants(r->variants, n);
    optionals(r->optionals, n);
}

__global__ void kernel(results *r, int n) {
    everything(r, n);
}

template <size_t N> static void expect(const int (&got)[N], const std::vector<int> &wanted) {
    CHECK(wanted.size() == N);
    for (size_t i = 0; i < N; i++)
        if (got[i] != wanted[i] && ++failures)
            printf("%zu of %zu: %d, not %d\n", i, N, got[i], wanted[i]);
}

static void expect_all(const results &r) {
    expect(r.pairs, {807, 404, 404, 807, 13, -97, 10, 404 % 100});
    expect(r.tuples, {404, 'x', 203, 'y', 404, 605, 13, -97, 13, 1});
    expect(r.variants, {403, 802, 197, 804007, 804, 20197, 109, 9 + 'a', 20, 305, 1205, 3});
    expect(r.optionals, {3, 0, 803, 14, -98, 6});
}

int main() {
    results *r = shared_array<results>(1), here;
    kernel<<<1, 1>>>(r, 3);
    CUDA(cudaDeviceSynchronize());
    expect_all(*r);
    everything(&here, 3);
    expect_all(here);
    return failures != 0;
}
