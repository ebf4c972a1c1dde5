// The traits of extended lambdas (guide 18.7.1), for lambdas of all kinds and other types.
#include "check.h"
#include "lambda_macros.h"

#define IS_D(...) __nv_is_extended_device_lambda_closure_type(__VA_ARGS__)
#define IS_DPRT(...) __nv_is_extended_device_lambda_with_preserved_return_type(__VA_ARGS__)
#define IS_HD(...) __nv_is_extended_host_device_lambda_closure_type(__VA_ARGS__)
#define BOTH __host__ __device__
#define KIND(l, device, preserved, both)                                                           \
    static_assert(IS_D(decltype(l)) == device && IS_DPRT(decltype(l)) == preserved &&              \
                      IS_HD(decltype(l)) == both,                                                  \
                  "")

auto outside = [] __host__ __device__ { return 1; };
KIND(outside, false, false, false);

struct functor {
    __device__ int operator()() const {
        return 1;
    }
};
KIND(functor(), false, false, false);
KIND(1, false, false, false);

template <class F> __global__ void run(F f, double *out) {
    static_assert(IS_D(F) || IS_HD(F), "");
    *out += f(2);
}

template <class T, class F> T through_template(T x, F) {
    auto generic = [=] __device__(auto y) { return x + y; };
    KIND(generic, true, false, false);
    static_assert(IS_D(F), "");
    return x;
}

__device__ void on_device() {
    auto l = [] __device__(int x) { return x; };
    KIND(l, false, false, false);
    l(1);
}

#define CAPTURE [=] __device__
#define WHOLE(type, expression)                                                                    \
    [=] __host__ __device__(type x) {                                                              \
        return expression;                                                                         \
    }
#define NESTED(...) WHOLE(int, x + (__VA_ARGS__))
#define SAME(...) __VA_ARGS__
#define EMPTY

void of_macros() {
    auto begun = CAPTURE(int x) { return x; };
    auto begun_preserved = EMPTY CAPTURE(int x)->int {
        return x;
    };
    auto whole = WHOLE(int, x + 1);
    auto nested = NESTED(x * 2);
    auto argument = SAME([=] __device__(int x, int y) -> int { return x + y; });
    auto plain = SAME([=](int x) { return x; });
    auto by_header = [=] BOTH_OF_HEADER(int x) { return x; };
    KIND(begun, true, false, false);
    KIND(begun_preserved, true, true, false);
    KIND(whole, false, false, true);
    KIND(nested, false, false, true);
    KIND(argument, true, true, false);
    KIND(plain, false, false, false);
    KIND(by_header, false, false, true);
}

// Lambdas of several kinds that one macro expands to stand at one place.
#define TWO_KINDS(a, b)                                                                            \
    auto a = [] __device__(int x) { return x; };                                                   \
    auto b = [](int x) { return x + 1; }
#define OTHER_TWO(a, b)                                                                            \
    auto a = [] __host__ __device__() noexcept { return 1; };                                      \
    auto b = [] __device__() mutable { return 2; }

void of_one_macro() {
    TWO_KINDS(first, second);
    OTHER_TWO(third, fourth);
    KIND(first, true, false, false);
    KIND(second, false, false, false);
    KIND(third, false, false, true);
    KIND(fourth, true, false, false);
}

int main() {
    int a[3] = {1, 2, 3};
    auto plain = [] {};
    auto device = [] __device__ {};
    auto both = [] __host__ __device__ {};
    auto preserved = [] __device__() -> double { return 3.14; };
    auto of_parameter = [] __device__(int x) -> decltype(&x) { return 0; };
    auto by_macro = [=] BOTH(int i) { return a[i]; };
    const auto constant = [=] __device__(int i) mutable noexcept -> int { return i; };
    auto reversed = [=] __device__ __host__(int x, int y = 3) -> int { return x + y; };
    KIND(plain, false, false, false);
    KIND(device, true, false, false);
    KIND(both, false, false, true);
    KIND(preserved, true, true, false);
    KIND(of_parameter, true, false, false);
    KIND(by_macro, false, false, true);
    KIND(constant, true, true, false);
    KIND(reversed, false, false, true);
    KIND(&device, false, false, false);
    static_assert(!IS_D(decltype(device) &), "");
    through_template(1, [] __device__(int x) { return x; });

    double *out;
    CUDA(cudaMallocManaged(&out, sizeof *out));
    *out = 0;
    run<<<1, 1>>>([=] __device__(int i) -> double { return a[i] + 0.5; }, out);
    run<<<1, 1>>>(by_macro, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 6.5);
    return failures;
}
