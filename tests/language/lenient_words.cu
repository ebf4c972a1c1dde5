// Code that nvcc takes and that clang 19 wants a word more, or less, for: calls of members that are
// templates, `this` before a static member in a constant expression, constant functions of
// templates that cannot be constant, calls of templates with packs and without, lists of attributes
// behind specifiers, names in asm statements.
#include <type_traits>
#include <vector>

#include "check.h"
#include "lenient_words.h"

struct compare {
    template <bool Less> __host__ __device__ bool operator()(int a, int b) const {
        return Less ? a < b : a > b;
    }
    template <int N> __host__ __device__ int add(int x) const {
        return x + N;
    }
};

template <class Compare, bool Pair> struct table {
    static constexpr auto has_payload = Pair;
    static constexpr int width = 4;
    Compare compare_;

    template <class T> __host__ __device__ constexpr auto extract(T const &slot) const {
        if constexpr (this->has_payload) {
            return slot.first;
        } else {
            return slot;
        }
    }
    template <class T> __host__ __device__ static int made(int n) {
        auto made = T::value(n);
        return made.first;
    }
    __host__ __device__ int count(const int *keys, int key) const {
        int n = 0;
        for (int i = 0; i < this->width; i++) {
            auto const found = [&]() { return this->compare_.operator()<true>(keys[i], key); }();
            n += found + (this->compare_.operator()<false>(keys[i], key) ? 16 : 0);
        }
        // clang-format off
        std::integral_constant<int, this
                                        ->width> width;
        // clang-format on
        return compare_.add<2>(n) - this->compare_.add<1>(0) + width - 4;
    }
    constexpr int on_host(int n) const {
        std::vector<int> v(n);
        if constexpr (Pair)
            v.push_back(1);
        return int(v.size());
    }
};

struct pair {
    int first, second;
    struct value {
        int first;
        __host__ __device__ explicit value(int n) : first(n + 1) {
        }
    };
};

template <class C> __global__ void count(table<C, false> t, const int *keys, int key, int *out) {
    pair p = {5, 6};
    out[0] = t.count(keys, t.extract(key));
    out[1] = table<C, true>().extract(p) + t.template made<pair>(2);
}

// A call without arguments takes the template that has no pack.
template <class... T> struct several {
    static constexpr int value = 2;
};
template <class T> struct single {
    static constexpr int value = 1;
};
#define WRAPPERS                                                                                   \
    template <class... T> constexpr auto wrapper() noexcept -> several<T...> {                     \
        return {};                                                                                 \
    }                                                                                              \
    template <class T> constexpr auto wrapper() noexcept -> single<T> {                            \
        return {};                                                                                 \
    }
WRAPPERS
static_assert(decltype(wrapper<int>())::value == 1, "");
static_assert(decltype(wrapper<int, int>())::value == 2, "");

// clang-format off
#define MUST_USE [[nodiscard]]
#define BOTH __host__ __device__
struct square {
    __host__ __device__ [[nodiscard]] virtual const int &side() const noexcept;
    BOTH MUST_USE int area() const { return a * a; }
    template <class T> BOTH [[nodiscard("the \"]]\" of the area"), maybe_unused]] static constexpr
    int twice(T n) { return 2 * n; }
    __device__ __forceinline__ [[nodiscard,
                                gnu::pure]] int unused(int n) const;
    int a;
};
__host__ __device__ const int &square::side() const noexcept {
    return a;
}
__host__ __device__ inline [[ deprecated("none") ]] MUST_USE square *none() { return nullptr; }
template <class T> BOTH __forceinline__ [[nodiscard]] T same(T n) { return n; }
static [[using gnu: noinline, cold]] int words() { return 7; }
static_assert(__LINE__ == 107, "lists keep their lines");
// clang-format on

// Where there are comparisons of classes a call is taken for one of those.
struct ordered {
    int n;
};
__host__ __device__ bool operator<(ordered a, ordered b);
__host__ __device__ bool operator>(ordered a, ordered b);
template <class T, class S> struct conversion {
    template <int N> __host__ __device__ static void to(T *out, const S *in) {
        out[0] = (T)in[N];
    }
    struct inner {
        template <int N> __host__ __device__ static int to(T *out, const S *in) {
            return out[0] = (T)(in[N] + 1);
        }
    };
};
template <int N, class T, class S> __host__ __device__ int convert(T *out, const S *in) {
    conversion<T, S> c, *p = &c;
    typename conversion<T, S>::inner inner;
    // clang-format off
    conversion<T, S>::to<N>(out, in);
    conversion<T, S>::inner::to<(N > 1 ? 1 : 0)>(out + 1,
                                               in);
    c.to<sizeof(conversion<T, T>) + N>(out + 2, in);
    p->to<sizeof(conversion<T, S>)>(out + 3, in);
    // clang-format on
    return inner.template to<N>(out + 4, in);
}
__global__ void conversions(int *out, const char *in) {
    convert<2>(out, in);
}

__global__ void areas(int *m) {
    square s;
    s.a = 3;
    m[0] = same(s.area()) + s.side() + square::twice(5);
    m[1] = (int)((size_t)room<char>::bytes() % 32 + (size_t)room<int>::bytes() % 32) +
           aligned_table[1];
}

// clang wants %% before a register's name, and an operand for each number even where nothing uses
// it.
#define PLACE_IN_BLOCK(x) asm volatile("mov.u32 %0, %tid.x;" : "=r"(x))

template <int N> __device__ int number() {
    int n;
    if constexpr (N < 0)
        asm("mov.u32 %0, %7;" : "=r"(n) : "r"(N));
    else
        asm("mov.u32 %0, %1;" : "=r"(n) : "r"(N));
    return n;
}

__global__ void read_registers(int *out) {
    int3 n;
    asm volatile("mov.u32 %0, %ntid.x;\n" : "=r"(n.x));
    asm volatile("{ .reg .u32 %%t; mov.u32 %%t, %ctaid.x; "
                 // the block's and the lane's
                 "mov.u32 %0, %%t; mov.u32 %1, %laneid; }"
                 : "=r"(n.y), "=r"(n.z));
    int place;
    PLACE_IN_BLOCK(place);
    unsigned long long sum; // operands without a comma between them
    asm("add.u64 %0, %2, %1;" : "=l"(sum) : "l"(5ull) "l"((unsigned long long)place));
    asm volatile("add.u64 %0, %0, %2; add.s32 %1, %1, 0;"
                 : "+l"(sum)
                   "+r"(n.y)
                 : "l"(0ull - 5));
    place = (int)sum;
    if (place == 37 && n.y == 2)
        out[0] = n.x + 1000 * n.y + 100000 * n.z + number<7>();
}

int main() {
    int *m;
    CHECK(cudaMallocManaged(&m, 64) == cudaSuccess);
    for (int i = 0; i < 4; i++)
        m[4 + i] = i;
    count<<<1, 1>>>(table<compare, false>(), m + 4, 2, m);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(m[0] == 2 + 16 + 1 && m[1] == 8);
    areas<<<1, 1>>>(m);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && m[0] == 9 + 3 + 10 && words() == 7);
    CHECK(m[1] == 5);
    read_registers<<<3, 64>>>(m);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(m[0] == 64 + 1000 * 2 + 100000 * 5 + 7);
    char *letters = (char *)(m + 8), numbers[] = "abcd";
    for (int i = 0; i < 4; i++)
        letters[i] = numbers[i];
    conversions<<<1, 1>>>(m, letters);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(m[0] == 'c' && m[1] == 'c' && m[2] == 'd' && m[3] == 'b' && m[4] == 'd');
    CHECK(convert<1>(m, numbers) == 'c' && m[0] == 'b' && m[1] == 'b' && m[2] == 'c');
    int keys[] = {0, 1, 2, 3};
    table<compare, true> pairs;
    CHECK(pairs.count(keys, 1) == 1 + 32 + 1);
    CHECK(pairs.on_host(3) == 4);
    return failures != 0;
}
