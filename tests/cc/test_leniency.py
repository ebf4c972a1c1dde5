"""What nvcc takes, if with a warning, and clang 19 alone would refuse."""
import os

from common import CompilerTest, main

RUNS = os.environ.get("KUDZU_RUNS") == "1"


class Leniency(CompilerTest):
    def accepts(self, source, *warnings, run=False):
        self.write("a.cu", source)
        text = self.compiles("a.cu", "-o", "prog").stderr
        for warning in warnings:
            self.assertEqual(text.count(warning), 1, text)
        self.assertEqual(text.count("warning:"), len(warnings), text)
        if run and RUNS:
            self.assertEqual(self.command([os.path.join(self.dir, "prog")]).returncode, 0)

    def test_defaulted_functions(self):
        self.accepts("""struct S { __host__ S() = default; __host__ S &operator=(const S &) = default; int x; };
struct T { __device__ T() = default; int x; };
__global__ void k(int *p) { S s, r; s.x = 3; r = s; T t; t.x = r.x; *p = t.x; }
int main() {
    T t;
    S s;
    int *p;
    s.x = t.x = 0;
    cudaMallocManaged(&p, 4);
    k<<<1, 1>>>(p);
    return cudaDeviceSynchronize() || *p != 3 + s.x + t.x;
}
""", "a.cu:1:21: warning: #20012-D:", "a.cu:1:48: warning: #20012-D:",
                     "a.cu:2:23: warning: #20012-D:", run=True)
        self.assertEqual(self.compiles("-c", "a.cu", "-diag-suppress=20012").stderr, "")
        self.fails("-c", "a.cu", "-Werror", "all-warnings")

    def test_calls_of_host_functions(self):
        self.accepts("""__host__ int h(int x) { return x + 1; }
struct S { __host__ int twice(int x) { return 2 * x; } };
template <class T> __host__ __device__ int f(T x) {
    S s;
    if (false)
        return s.twice(h(x));
#ifdef __CUDA_ARCH__
    return x;
#else
    return s.twice(h(x));
#endif
}
__global__ void k(int *p) { *p = f(3); }
int main() {
    int *p;
    cudaMallocManaged(&p, 4);
    k<<<1, 1>>>(p);
    return cudaDeviceSynchronize() || *p != 3 || f(3) != 8;
}
""", "a.cu:6:24: warning: #20014-D:", "a.cu:6:18: warning: #20014-D:", run=True)
        for number in ("20014", "20011"):
            self.assertEqual(self.compiles("-c", "a.cu", "-diag-suppress=" + number).stderr, "")
        # Nor does a function that others could call, if they were in relocatable code.
        self.accepts("""__host__ int h(int x) { return x + 1; }
__host__ __device__ int f(int x) { return h(x); }
struct S { int n; __host__ __device__ int g() const; };
__host__ __device__ int S::g() const { return f(n) + h(n); }
__host__ __device__ int used(int x) { return 2 * x; }
__global__ void k(int *p) { *p = used(3); }
int main() {
    int *p;
    cudaMallocManaged(&p, 4);
    k<<<1, 1>>>(p);
    return cudaDeviceSynchronize() || *p != 6 || S{1}.g() != 4;
}
""", "a.cu:2:43: warning: #20014-D:", "a.cu:4:54: warning: #20014-D:", run=True)
        for option in ("-G", "-O0", "-ptx"):
            self.compiles("-c" if option != "-ptx" else option, "a.cu", option, "-o", "a.out")
        self.assertEqual(self.compiles("-c", "a.cu", "-w").stderr, "")
        self.assertIn("in __host__ __device__ function\n", self.compiles("-c", "a.cu").stderr)
        self.assertIn("warning: #20014-D:", self.compiles("a.cu", "-rdc=true", "-o", "prog").stderr)
        if RUNS:
            self.assertEqual(self.command([os.path.join(self.dir, "prog")]).returncode, 0)
        # Not told of in headers of the system.
        self.write("called.h", """#pragma GCC system_header
__host__ int h(int x) { return x + 1; }
template <class T> __host__ __device__ int f(T x) {
    if (false)
        return h(x);
    return x;
}
__host__ __device__ int unused(int x) { return h(x); }
""")
        self.accepts("""#include "called.h"
__global__ void k(int *p) { *p = f(3); }
int main() {}
""")
        # Nor one that a destructor of the host's is in, with what it needs.
        self.accepts("""struct Name { const char *text; Name(const char *t) : text(t) {} ~Name() {} };
int count;
struct Range {
    static Name &name() { static Name one("range"); return one; }
    Range() { count += name().text[0]; }
    ~Range() { count -= name().text[0]; }
};
template <class T> struct Maybe {
    union { char none; T value; };
    bool engaged;
    __host__ __device__ Maybe() : none(0), engaged(false) {}
    __host__ __device__ ~Maybe() { if (engaged) value.~T(); }
    __host__ void emplace() { new (&value) T; engaged = true; }
};
template <class T> __host__ __device__ T twice(T x) {
    Maybe<Range> range;
#ifndef __CUDA_ARCH__
    range.emplace();
#endif
    return 2 * x;
}
__global__ void k(int *p) { *p = twice(3); }
int main() {
    int *p;
    cudaMallocManaged(&p, 4);
    k<<<1, 1>>>(p);
    return cudaDeviceSynchronize() || *p != 6 || twice(4) != 8 || count;
}
""", run=True)
        # The kernel ends where the device comes to them: nvcc's ends without a word.
        self.write("b.cu", """__host__ int h(int x) { return x + 1; }
__host__ __device__ int f(int x) { return h(x); }
__global__ void k(int *p) { *p = f(3); }
int main() {
    int *p;
    cudaMallocManaged(&p, 4);
    k<<<1, 1>>>(p);
    return cudaDeviceSynchronize() != cudaErrorLaunchFailure;
}
""")
        told = self.compiles("b.cu", "-o", "b").stderr
        self.assertEqual(told.count("b.cu:2:43: warning: #20014-D: reference to __host__ function 'h'"), 1, told)
        if RUNS:
            self.assertEqual(self.command([os.path.join(self.dir, "b")]).returncode, 0)
        # Not in functions of the device.
        self.write("c.cu", """struct S { __host__ int twice(int x) { return 2 * x; } };
__global__ void k(int *p) { if (false) *p = S().twice(3); }
""")
        self.assertIn("twice", self.fails("-c", "c.cu").stderr)

    def test_addresses_of_kernels_by_macros(self):
        self.write("a.cu", """#define GETTER(name, ...) \\
    __host__ __device__ static constexpr decltype(&__VA_ARGS__) name() { return &__VA_ARGS__; }
template <class T, int N> __global__ void add(T *p) { atomicAdd(p, N); }
template <class T> struct Source {
    GETTER(two, add<T, 2>)
    GETTER(three,
           add<T, 3>)
};
template <class S> __host__ __device__ void launch(int *p) {
    auto kernel = S::three();
    kernel<<<1, 4>>>(p);
}
__global__ void parent(int *p) { launch<Source<int>>(p); }
int main() {
    int *p;
    cudaMallocManaged(&p, 4);
    parent<<<1, 2>>>(p);
    launch<Source<int>>(p);
    Source<int>::two()<<<1, 1>>>(p);
    return cudaDeviceSynchronize() || *p != 24 + 12 + 2;
}
""")
        self.assertEqual(self.compiles("a.cu", "-rdc=true", "-o", "prog").stderr, "")
        if RUNS:
            self.assertEqual(self.command([os.path.join(self.dir, "prog")]).returncode, 0)

    def test_operators_of_the_device_in_functions_of_the_host(self):
        self.accepts("""struct H {
    float x;
    __host__ __device__ H(float f) : x(f) {}
    __host__ __device__ operator float() const { return x; }
};
struct R { float x; __host__ __device__ R(H h) : x(h) {} };
__host__ __device__ R operator-(const R &a, const R &) { return a; }
#ifdef __CUDA_ARCH__
__device__ inline H operator-(const H &a, const H &b) { return H(a.x - b.x); }
#else
__host__ __device__ inline H operator-(const H &a, const H &b) { return H(a.x - b.x); }
#endif
template <class T> struct Distance;
template <> struct Distance<H> {
    static H of(const H &a, const H &b) { return a - b; }
};
__global__ void k(float *p) { *p = H(3) - H(1); }
int main() {
    float *p;
    cudaMallocManaged(&p, 4);
    k<<<1, 1>>>(p);
    return cudaDeviceSynchronize() || *p != 2 || Distance<H>::of(7, 4) != 3;
}
""", run=True)
        self.write("b.cu", """struct A { operator float() const; operator double() const; };
__global__ void k(float *p) { A a, b; *p = a + b; }
""")
        self.assertIn("ambiguous", self.fails("-c", "b.cu").stderr)

    def test_specifiers_of_definitions(self):
        self.accepts("""struct C { int n; C(int a, int b); C(int a); int get() const; int get(); void lock(int *p); };
__device__ C::C(int a) : n(a) {}
__host__ __device__ C::C(int a, int b) : n(a + b) {}
__device__ int C::get() const { return n; }
__device__ int C::get() { return n + 1; }
__device__ void C::lock(int *p) { while (atomicCAS(p, 0, 1)); }
template <class X> struct D { X v; X get(int); };
template <class X> __device__ X D<X>::get(int k) { return v + k; }
__global__ void k(int *p) {
    const C c(1);
    C d(2, 3);
    D<int> e{4};
    d.lock(p + 1);
    *p = c.get() + d.get() + e.get(2);
}
int main() {
    C c(1);
    int *p;
    cudaMallocManaged(&p, 8);
    k<<<1, 1>>>(p);
    return cudaDeviceSynchronize() || *p != 1 + 6 + 6 || p[1] != 1 || c.get() != 2;
}
""", "a.cu:2:15: warning: #20039-D: 'C'", "a.cu:4:19: warning: #20039-D: 'get'",
                     "a.cu:5:19: warning: #20039-D: 'get'", "a.cu:6:20: warning: #20039-D: 'lock'",
                     "a.cu:8:39: warning: #20039-D: 'get'", run=True)

    def test_macro_of_pragma(self):
        self.accepts("""#ifdef __CUDA_ARCH__
#define PRAGMA_UNROLL #pragma unroll
#define UNROLL_BY_TWO  # pragma unroll 2
#else
#define PRAGMA_UNROLL
#define UNROLL_BY_TWO
#endif
__global__ void k(int *p) {
    PRAGMA_UNROLL
    for (int i = 0; i < 4; i++)
        p[i] = i;
    UNROLL_BY_TWO
    for (int i = 4; i < 8; i++)
        p[i] = i;
}
int main() {}
""")

    def test_template_before_a_member_of_a_dependent_class(self):
        self.accepts("""template <class A> struct V { template <int N> static __host__ __device__ void cast(A *p) { p[0] = N; } };
template <class A> __host__ __device__ void f(A *p) { V<A>::cast<8>(p); }
__global__ void k(int *p) { f(p); }
int main() { int x; f(&x); return x != 8; }
""", run=True)

    # g++ has __rdtsc from a header alone.
    def test_own_names_of_intrinsics(self):
        self.accepts("""#include <cstdio>
static inline long __rdtsc() { return 7; }
__global__ void k(int *p) { *p = 1; }
int main() { return __rdtsc() != 7; }
""", run=True)
        for header in ("immintrin.h", "x86intrin.h"):
            self.accepts(f"""#include <{header}>
__global__ void k(int *p) {{ *p = 1; }}
int main() {{ return __rdtsc() == 0; }}
""", run=True)

    def test_nameless_structures(self):
        self.accepts("struct __align__(8) { int a, b; };\n"
                     "struct __align__(8) A { int a, b; };\n"
                     "__global__ void k(int *p) { *p = alignof(A); }\nint main() {}\n",
                     "a.cu:1:1: warning: #64-D:")

    def test_pointers_to_long_double(self):
        self.accepts("""__global__ void k(long double *p, const long double **q, int *r) { *r = p != *q; }
template <class T> __global__ void t(int *p) { *p = 1; }
template __global__ void t<long double>(int *);
int main() {}
""")
        self.write("a.cu", "__global__ void k(int *p, long double x) { *p = 1; }\nint main() {}\n")
        self.contains(self.fails("-c", "a.cu").stderr, "a.cu:1:", "long double")

    def test_offsets_of_members(self):
        source = """#define OFFSET(type, member) !(&(((type *)0)->member))
template <class T> class Pair { T first, second; public:
    __host__ __device__ Pair() { static_assert(sizeof(T) == 4, ""); static_assert(OFFSET(Pair<T>, %s), "it is not 0"); }
};
class Other { int first; public: __device__ Other() { static_assert(OFFSET(Other, first)); } };
__global__ void k() { Pair<int> p; Other o; }
int main() { Pair<float> p; }
"""
        self.accepts(source % "first")
        self.write("b.cu", source % "second")
        self.assertIn("it is not 0", self.fails("-c", "b.cu").stderr)

    def test_macros(self):
        self.accepts("#ifndef __NVCC_DIAG_PRAGMA_SUPPORT__\n#error none\n#endif\nint main() {}\n")


if __name__ == "__main__":
    main()
