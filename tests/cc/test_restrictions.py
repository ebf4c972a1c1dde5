"""The guide's restrictions (10.1, 10.2, 10.38, 13.3, 18.5) one by one: rejected or warned of with a
message that says what is wrong, or accepted where code means what it says."""
import os

from common import CompilerTest, main

KERNEL = "__global__ void c(int *p) { *p = 1; }\n"
GROUPS = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(int *p) {
    auto b = cg::this_thread_block(); auto w = cg::tiled_partition<32>(b);
"""
STRUCT = "struct S { int x; __host__ __device__ S() : x(1) {} };\n"

# Section, source, part of the message.
REJECTED = [
    ("18.5.3.1", "struct S { __device__ int x; };", "a.cu:1:12: error: 'device' attribute"),
    ("18.5.3.1", "struct S { __shared__ int x; };", "a.cu:1:12: error: 'shared' attribute"),
    ("18.5.3.1", "struct S { __constant__ int x; };", "a.cu:1:12: error: 'constant' attribute"),
    ("18.5.3.1", "struct S { __managed__ int x; };", "a.cu:1:12: error:"),
    ("18.5.3.1", "__device__ void f(__constant__ int x) {}", "not allowed on non-static local"),
    ("18.5.3.1", "void f() { __device__ int x; }", "not allowed on non-static local"),
    ("18.5.3.1", "void f() { __shared__ int x; x = 1; }", "not allowed in __host__ functions"),
    ("18.5.3.1", "void f() { static __device__ int x; }",
     "a.cu:1:34: error: the variable 'x' of a function that runs on the host is marked as the device's"),
    ("18.5.3.1", "template <class T> void f() { { __constant__ static const T *x[2] = {}; } }",
     "the variable 'x' of a function that runs on the host is marked"),
    ("18.5.3.1", "#define D __device__\nstruct S { int m() { static D int x; return 1; } };",
     "the variable 'x' of a function that runs on the host is marked"),
    ("18.5.3.2", "int main() { static __managed__ int x; return 0; }",
     "the variable 'x' of a function that runs on the host is marked"),
    ("18.5.10.4", "__host__ __device__ void f() { static __device__ int x; }",
     "the variable 'x' of a function that runs on the host is marked"),
    ("18.5.3.1", "__device__ void f() { __device__ int x; }", "not allowed on non-static local"),
    ("18.5.3.1", STRUCT + "__device__ S s;", "dynamic initialization is not supported"),
    ("18.5.3.1", STRUCT + "__shared__ S s;\n__global__ void k() { s.x = 1; }",
     "initialization is not supported for __shared__"),
    ("18.5.3.1", STRUCT + "namespace n { struct T { static const int i = 1; }; __shared__ S s; }",
     "initialization is not supported for __shared__"),
    ("18.5.3.1", "struct S { int x; __device__ S(int y) : x(y) {} };\n"
     "__global__ void k() { __shared__ S s(1); }", "initialization is not supported"),
    ("18.5.3.1", STRUCT + "__global__ void k() { __shared__ S s = S(); }",
     "initialization is not supported"),
    ("18.5.3.1", STRUCT + "__global__ void k() { __shared__ S s{}; }",
     "initialization is not supported"),
    ("18.5.10.4", STRUCT + "__global__ void k() { static S s; s.x = 1; }",
     "the static variable 'k()::s' is initialised by code"),
    # Where a copy would be captured in its place.
    ("18.5.3.1", STRUCT + "__global__ void k() { __shared__ S s; [=] { s.x = 1; }(); }",
     "initialization is not supported"),
    ("18.5.3.1", "struct S { __host__ __device__ ~S() { x = 1; } int x; };\n__constant__ S s;",
     "dynamic initialization is not supported"),
    ("18.5.3.1", "extern __device__ int x;\n__global__ void k(int *p) { *p = x; }",
     "undefined reference to 'x' in device code"),
    ("18.5.3.2", "__managed__ int x;\nint *p = &x;", "'x' is not a constant"),
    ("18.5.5.1", "__global__ void k() { __shared__ int x = 1; }", "initialization is not supported"),
    ("18.5.5.1", "__constant__ int c[4];\n__global__ void k(int i) { c[i] = 1; }",
     "the __constant__ variable 'c' is written to in device code, in 'k(int)'"),
    ("18.5.5.1", "__global__ void k() { threadIdx.x = 1; }", "a.cu:1:"),
    ("18.5.5.1", "__global__ void k() { warpSize = 1; }", "a.cu:1:"),
    ("18.5.5.2", "__global__ void k(const void **p) { *p = &threadIdx; }", "private member"),
    ("18.5.6", "struct A { __device__ virtual void f() {} }; struct B : A {};\n"
     "__device__ B *g(A *a) { return dynamic_cast<B *>(a); }", "typeid and dynamic_cast are not"),
    ("18.5.6", "#include <typeinfo>\n"
     "__global__ void k(const char **p) { *p = typeid(int).name(); }", "__host__ function 'name'"),
    ("18.5.6", "#include <typeinfo>\nstruct A { virtual ~A() {} };\n"
     "__global__ void k(const void **p, A *a) { *p = &typeid(*a); }", "typeid and dynamic_cast are not"),
    ("18.5.7", "__global__ void k() { throw 1; }", "cannot use 'throw'"),
    ("18.5.10.1", "extern __device__ int f();\n__global__ void k(int *p) { *p = f(); }",
     "undefined reference to 'f()' in device code"),
    ("18.5.10.3", "__global__ void k(int x, ...) {}", "takes a variable number of arguments"),
    ("18.5.10.3", "__global__ void k(int &&x) {}", "is an rvalue reference"),
    ("18.5.10.3", "struct S;\n__global__ void k(S);\nvoid (*p)(S) = k;", "has the type 'S', which is incomplete"),
    ("18.5.10.4", "__device__ void f() { int x = 33; static int i = x; }",
     "the static variable 'f()::i' is initialised by code"),
    ("18.5.10.4", "__device__ int f() { static thread_local int t; return ++t; }", "thread_local"),
    ("18.5.10.5", "__device__ void f() {}\nvoid (*p)();\nint main() { p = f; }", "__device__"),
    ("18.5.11.1", "struct S { static int x; };\nint S::x = 1;\n"
     "__global__ void k(int *p) { *p = S::x; }", "__host__ variable 'x'"),
    ("18.5.11.2", "struct S { __global__ void k() {} };", "must be a free function"),
    ("18.5.14", "int x = 10;\n__device__ int f() { return x; }", "__host__ variable 'x'"),
    ("18.5.15", "__global__ void k(long double x) {}", "of the type long double"),
    ("18.5.22.8", "#include <initializer_list>\n__global__ void k(std::initializer_list<int> l) {}",
     "of the type std::initializer_list"),
    ("18.5.22.8", "template <class... A, class B, class... C> __global__ void k(B, void (*)(A...), C...) {}\n"
     "void d(int);\nint main() { k<<<1, 1>>>(1.0f, d, 2, 3); }", "parameter pack that is not its only one"),
    ("11.5.1", GROUPS + "cg::thread_block none; }", "constructor"),
    ("11.5.1", GROUPS + "cg::coalesced_group none; }", "constructor"),
    ("11.5.2.1", GROUPS + "cg::thread_block_tile<8> none; }", "constructor"),
    ("11.5.2.1", GROUPS + "cg::tiled_partition<3>(b); }", "a tile's size is a power of two"),
    ("11.5.2.1", GROUPS + "cg::tiled_partition<2048>(b); }", "a tile's size is a power of two"),
    ("11.5.2.1", GROUPS + "cg::tiled_partition<64>(b).shfl_up(1, 1); }", "no member named 'shfl_up'"),
    ("11.5.2.1", GROUPS + "cg::tiled_partition<64>(b).ballot(1); }", "no member named 'ballot'"),
    ("11.5.2.1", GROUPS + "struct L { int x[9]; } l = {}; w.shfl(l, 0); }", "has up to 32 bytes"),
    ("11.5.2.1", GROUPS + "struct N { __device__ N() {} __device__ N(const N &) {} } n; w.shfl(n, 0); }",
     "a shuffled type is trivially copyable"),
    ("11.5.2.1", GROUPS + "struct L { int x[3]; } l = {}; cg::tiled_partition<64>(b).shfl(l, 0); }",
     "of a tile of several warps has up to 8 bytes"),
    ("11.6.1", GROUPS + "cg::tiled_partition<32>(w); }", "from a larger thread_block_tile"),
    ("11.6.1", GROUPS + "cg::tiled_partition<64>(w); }", "from a larger thread_block_tile"),
    ("11.6.1", GROUPS + "cg::tiled_partition<4>(cg::coalesced_threads()); }",
     "a tile is cut from a thread_block or"),
    ("11.6.1", GROUPS + "cg::tiled_partition<4>(cg::this_grid()); }",
     "a tile is cut from a thread_block or"),
    ("11.6.2", GROUPS + "cg::labeled_partition(w, 1.5f); }", "a label is of an integral type"),
    ("11.7.1", GROUPS + "auto t = b.barrier_arrive(); b.barrier_wait(t); }", "rvalue reference"),
    ("11.7.3", GROUPS + "*p = cg::reduce(b, 1, cg::plus<int>()); }", "no matching function"),
    ("11.7.4", GROUPS + "*p = cg::invoke_one_broadcast(b, [] { return 1; }); }", "no member named 'shfl'"),
    ("11.7.4", GROUPS + "cg::invoke_one_broadcast(w, [] {}); }", "functions without a result"),
    ("12.2", "#include <cuda/ptx>\n__global__ void k(uint64_t *bar, uint4 *result) {\n"
     "    cuda::ptx::clusterlaunchcontrol_try_cancel(result, bar);\n}",
     "a.cu:3:16: error: 'clusterlaunchcontrol_try_cancel<uint4 *&, unsigned long *&>' is unavailable: "
     "cluster launch control needs compute capability 10.0"),
    ("12.2", "#include <cuda/ptx>\n__global__ void k(uint4 *result, int *p) {\n"
     "    *p = cuda::ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(*result);\n}",
     "cluster launch control needs compute capability 10.0"),
    ("12.2", "#include <cuda/ptx>\n__global__ void k(uint4 *result, int *p) {\n"
     "    *p = cuda::ptx::clusterlaunchcontrol_query_cancel_is_canceled(*result);\n}",
     "cluster launch control needs compute capability 10.0"),
    ("12.2", "#include <cuda/ptx>\n__global__ void k(uint64_t *bar, uint4 *result) {\n"
     "    cuda::ptx::clusterlaunchcontrol_try_cancel_multicast(result, bar);\n}",
     "cluster launch control needs compute capability 10.0"),
    ("18.8", "constexpr __host__ int h() { return 0; }\n__device__ int f() { return h(); }",
     "a.cu:1:24: note: the function is constexpr: -expt-relaxed-constexpr allows calls"),
    ("18.8", "constexpr __device__ int d() { return 0; }\nint main() { return d(); }",
     "a.cu:1:26: note: the function is constexpr: -expt-relaxed-constexpr allows calls"),
    ("18.8", "constexpr __host__ int h() { return 0; }\n"
     "__device__ int f() { constexpr int i = h(); return i; }", "call to __host__ function"),
    ("18.9.1", "class C { int x; friend int f(C *); };\n__device__ int g(C *c) { return c->x; }",
     "a.cu:2:36: error: 'x' is a private member"),
    ("18.9.1", "class C { int x; };\nint f(C *c);\n__device__ int f(C *c) { return c->x; }",
     "a.cu:3:36: error: 'x' is a private member"),
    ("10.1", "__global__ int k() { return 1; }", "must have void return type"),
    ("10.1", "__global__ __host__ void k() {}", "are not compatible"),
    ("10.1.5", "__device__ __noinline__ __forceinline__ int f(int x) { return x; }",
     "a.cu:1:25: error: 'f' is both __noinline__ and __forceinline__, which exclude each other"),
    ("10.1.5", "#define INLINE __device__ __forceinline__\nstruct S {\n    void __noinline__ INLINE f() {} };",
     "a.cu:3:23: error: 'f' is both __noinline__ and __forceinline__"),
    ("10.1.6", "template <class T> __inline_hint__ __host__ __noinline__ T f(T x) { return x; }",
     "a.cu:1:45: error: 'f' is both __inline_hint__ and __noinline__"),
    ("10.1.6", "__forceinline__ __attribute__((unused)) __inline_hint__ int f() { return 1; }",
     "a.cu:1:41: error: 'f' is both __forceinline__ and __inline_hint__"),
    ("10.2.4", "__global__ void k(__grid_constant__ int x) {}",
     "a.cu:1:41: error: a __grid_constant__ parameter must be const"),
    ("10.2.4", "template <class U> struct V { U u; };\n__global__ void k(int n,\n"
     "    __grid_constant__ V<const int> s) {}", "a.cu:3:36: error: a __grid_constant__ parameter must"),
    ("10.38", "__device__ void __launch_bounds__(12) f() {}", "__launch_bounds__ is for kernels"),
    ("10.38", "int n;\n__global__ void __launch_bounds__(n) k() {}", "integer constant"),
    ("10.38", "__global__ void __launch_bounds__(128, 2, 4, 5) k() {}", "no more than 3"),
]

# Functions of the host alone (13.3.1), called in device code.
HOST_ONLY = """cudaStreamCreate(&s) cudaStreamSynchronize(s) cudaStreamQuery(s) cudaEventCreate(&e)
cudaEventSynchronize(e) cudaEventQuery(e) cudaEventElapsedTime(nullptr,e,e) cudaSetDevice(0)
cudaGetDeviceProperties(nullptr,0) cudaMemcpyToSymbol(x,p,4) cudaGetSymbolAddress((void**)p,x)
cudaMemcpy(p,p,4,cudaMemcpyDefault) cudaMemset(p,0,4) cudaMallocManaged(&p,4)
cudaDeviceSetLimit(cudaLimitStackSize,1) cudaDeviceSetCacheConfig(cudaFuncCachePreferL1)
cudaFuncSetCacheConfig(c,cudaFuncCachePreferL1) cudaDestroyTextureObject(0) cudaDeviceSynchronize()
cudaLaunchCooperativeKernel((void*)c,1,1,nullptr,0,s)""".split()
for call in HOST_ONLY:
    REJECTED.append(("13.3.1", KERNEL + "__device__ int x;\n__global__ void k(int *p, cudaStream_t s, "
                     "cudaEvent_t e) { %s; }" % call, "no matching function for call to"))

# The same with warnings; the code compiles.
WARNED = [
    ("18.5.3.1", STRUCT + "__global__ void k() { __shared__ S s; s.x = 1; }",
     "a.cu:2:36: warning: #20054-D: dynamic initialization is not supported for a function-scope "
     "static __shared__ variable within a __device__/__global__ function: 's' keeps"),
    ("18.5.3.1", "struct S { int x = 1; __device__ ~S() { x = 1; } };\n"
     "template <class T> __device__ int f() { static\n __shared__ alignas(8) T s[2]; return s[1].x; }\n"
     "__global__ void k(int *p) { *p = f<S>(); }", "a.cu:3:27: warning: #20054-D: "),
    ("18.5.3.1", "struct S { int x = 2; };\n__device__ void f() { __shared__ S s; s.x = 1; }",
     "a.cu:2:36: warning: #20054-D: "),
    ("10.1.5", "__host__ __device__ inline __forceinline__ int f(int x) { return x; }",
     "a.cu:1:28: warning: duplicate 'inline' declaration specifier"),
    ("10.2.1", "__device__ int x;\nint main() { return x; }",
     "the device's variable 'x' is read in the host function 'main'"),
    ("10.2.2", "__constant__ int x[4];\nint main(int c, char **v) { return x[c]; }",
     "the device's variable 'x' is read in the host function 'main'"),
    ("10.2.1", "__device__ int x;\nint main() { x = 2; }", "'x' is written to in the host function"),
    ("18.5.5.2", KERNEL + "__device__ int x;\nvoid f() { c<<<1, 1>>>(&x); }",
     "the address of the device's variable 'x' is taken in the host function 'f()'"),
    ("18.5.5.2", "__constant__ float x[4];\nfloat *f() { return x + 1; }",
     "the address of the device's variable 'x' is taken in the host function 'f()'"),
    ("18.5.5.2", "__device__ int x;\nvoid f(int *h) { cudaMemcpy(&x, h, 4, cudaMemcpyDefault); }",
     "the address of the device's variable 'x' is taken in the host function 'f(int*)'"),
    ("18.5.5.2", KERNEL + "__device__ int x[2];\nvoid f() { c<<<1, 1>>>(x); }",
     "the address of the device's variable 'x' is taken in the host function 'f()'"),
    ("18.5.5.2", "__device__ int x[2];\nvoid f(int *h) { cudaMemcpy(x, h, 8, cudaMemcpyDefault); }",
     "the address of the device's variable 'x' is taken in the host function 'f(int*)'"),
    ("18.5.5.2", "__device__ int x;\nint *volatile p;\nvoid f() { p = &x; }",
     "the address of the device's variable 'x' is taken in the host function 'f()'"),
    ("13.3.1.6", KERNEL + "__global__ void k() { int x; c<<<1, 1>>>(&x); }",
     "argument 1 of a kernel launched in 'k()' points to local memory"),
    ("13.3.1.6", KERNEL + "__global__ void k(int i) { int x[8]; x[i] = 1; c<<<1, 1>>>(x + i); }",
     "argument 1 of a kernel launched in 'k(int)' points to local memory"),
    ("13.3.1.6", KERNEL + "__global__ void k() { __shared__ int x[2]; c<<<1, 1>>>(x); }",
     "argument 1 of a kernel launched in 'k()' points to shared memory"),
]

ACCEPTED = """
#include <cstdio>
struct S { int a; };
using CS = const S;
typedef const int ci;
__global__ void g1(const __grid_constant__ S s, int n) {}
__global__ void g2(int n, __grid_constant__ const S s) {}
__global__ void g3(S const __grid_constant__ s,
                   const __grid_constant__ int t) {}
__global__ void g4(__grid_constant__ CS s, __grid_constant__ ci x) {}
template <typename T> __global__ void g5(__grid_constant__ T t) {}
#if 1
#define LARGE __noinline__
#else
#define LARGE __forceinline__
#endif
#define SMALL(x) __forceinline__ int x
__device__ LARGE int hint(int x) { return x; }
__device__ SMALL(other_hint)(int x) { return hint(x); }
#if 0
__noinline__ __forceinline__ int both(int x);
#endif
__device__ __inline_hint__ int hinted(int x) { return other_hint(x); }

__device__ int variable;
__constant__ int table[4];
__managed__ int managed;
template <class T> void upload(T &symbol, const void *from) {
    cudaMemcpyToSymbol(symbol, from, sizeof symbol);
}
cudaError_t upload_by_address(const void *symbol, const void *from, size_t n) {
    return cudaMemcpyToSymbolAsync(symbol, from, n);
}
__device__ void statics() {
    static int i1;
    static int i2 = 11;
    static __managed__ int m1;
    static __device__ int d1;
    static __constant__ int c1;
    static S i3;
    static S i4 = {22};
    static __shared__ int i5;
    i1 = i2 + m1 + d1 + c1 + i3.a + i4.a + i5;
}
__host__ __device__ void on_both_sides() {
#ifdef __CUDA_ARCH__
    static __device__ int d1;
    d1 = 1;
#endif
}
void on_host() {
#if 0
    static __device__ int d1;
#endif
    struct alignas(8) L {
        static __device__ int f(int i) {
            static __device__ int d2;
            return d2 += i;
        }
    };
    auto l = [] __device__(int x[3]) { static __device__ int d3; d3 = x[0]; };
}
const int ten = 10;
struct T { static const int twenty = 20; };
const float five = 5.0f;
__device__ float constants() {
    int local[ten], other[T::twenty];
    local[0] = other[0] = 1;
    return local[0] + other[0] + ten + T::twenty + five;
}
__global__ void child(int *p) { *p = 1; }
__global__ void parent(int *p) {
    void (*f)(int *) = child;
    f<<<1, 1>>>(p);
    int *copy = p;
    child<<<1, 1>>>(copy + 1);
}
__global__ void addresses(void **p) { p[0] = (void *)child; p[1] = (void *)&g5<const int>; }
int main() {
    int on_host[4] = {1, 2, 3, 4};
    cudaMemcpyToSymbol(variable, on_host, 4);
    cudaMemcpyToSymbol(table, on_host, sizeof on_host);
    void *address;
    cudaGetSymbolAddress(&address, variable);
    cudaGetSymbolAddress(&address, (const void *)table);
    upload(variable, on_host);
    upload_by_address(table, on_host, sizeof on_host);
    auto from = &managed;
    *from = 1;
    g5<const int><<<1, 1>>>(1);
    return 0;
}
"""


class Restrictions(CompilerTest):
    def check(self, rules, compiles):
        for section, source, reason in rules:
            with self.subTest(section, source=source):
                self.write("a.cu", source + "\n")
                r = (self.compiles if compiles else self.fails)("-c", "a.cu")
                self.assertIn(reason, r.stderr)
                self.assertNotIn("error in backend", r.stderr)
                self.assertEqual(self.exists("a.o"), compiles)

    def test_rejected(self):
        self.check(REJECTED, False)

    def test_warned(self):
        self.check(WARNED, True)

    def test_accepted(self):
        self.write("a.cu", ACCEPTED)
        self.assertEqual(self.compiles("-c", "a.cu", "-extended-lambda", "-diag-suppress=177,550").stderr, "")

    def test_older_launches(self):
        """13.5.2: the older interface has no named streams, and synchronises before sm_90 alone."""
        older = "-DCUDA_FORCE_CDP1_IF_SUPPORTED"
        for stream in "cudaStreamTailLaunch", "cudaStreamFireAndForget":
            self.write("a.cu", KERNEL + "__global__ void k(int *p) { c<<<1, 1, 0, %s>>>(p); }\n" % stream)
            self.compiles("-c", "-arch=sm_70", "a.cu")
            for arch in "-arch=sm_70", "-arch=sm_90":
                r = self.fails("-c", arch, older, "a.cu")
                self.assertIn("undeclared identifier '%s'" % stream, r.stderr)
        self.write("a.cu", "__global__ void k() { cudaDeviceSynchronize(); }\n")
        self.compiles("-c", "-arch=sm_70", older, "a.cu")
        self.compiles("-c", "-arch=sm_70", "-rdc=true", older, "a.cu")
        self.fails("-c", "-arch=sm_90", older, "a.cu")
        self.fails("-c", "-arch=sm_70", "a.cu")

    def test_relaxed_constexpr(self):
        """A constant function of a header that is not the source's neighbour, too; what is not
        constant stays on its side, and messages show places of the text as it was written."""
        os.mkdir(os.path.join(self.dir, "vendor"))
        self.write("vendor/v.cuh", "template <class T> constexpr __host__ T v(T x) { return x; }\n")
        self.write("a.cuh", "#define CONSTANT constexpr __device__\nCONSTANT int d(int x);\n"
                            "CONSTANT int d(int x) { return x; }\n")
        self.write("a.cu", '#include "a.cuh"\n#include <v.cuh>\n__host__ int h(int x) { return x; }\n'
                           "__global__ void k(int *p) { *p = v(1); }\n"
                           "#ifdef WRONG\n__global__ void l(int *p) { *p = v(1) + h(1); }\n#endif\n"
                           "int main() { return d(0); }\n")
        options = "-expt-relaxed-constexpr", "-Ivendor", "a.cu"
        self.assertEqual(self.compiles("-c", *options).stderr, "")
        self.assertEqual(self.compiles("-rdc=true", "-c", *options).stderr, "")
        self.assertEqual(self.compiles("-ptx", *options).stderr, "")
        r = self.fails("-c", "-DWRONG", *options)
        self.assertIn("a.cu:6:41: error: no matching function for call to 'h'", r.stderr)
        self.assertNotIn("relaxed", r.stderr)
        self.fails("-c", "-Ivendor", "a.cu")

    def test_headers_of_include_directories(self):
        """What only the text shows is looked for in headers of -I, with angle brackets too."""
        os.makedirs(os.path.join(self.dir, "include", "lib"))
        self.write("include/lib/s.cuh", '#include "lib/t.cuh"\n')
        self.write("include/lib/t.cuh",
                   "#define L [=] __device__(int i) { return i; }\n"
                   "inline void f() {\n    static __device__ int x;\n}\n"
                   "template <class F> constexpr bool is_extended(F) {\n"
                   "    return __nv_is_extended_device_lambda_closure_type(F);\n}\n"
                   "inline bool g() { return is_extended(L); }\n")
        self.write("a.cu", "#include <lib/s.cuh>\nint main() { return g(); }\n")
        r = self.fails("-c", "-extended-lambda", "-Iinclude", "a.cu")
        self.assertIn("include/lib/t.cuh:3:27: error: the variable 'x' of a function that runs", r.stderr)
        self.write("include/lib/t.cuh", self.read("include/lib/t.cuh").replace("static", "//"))
        self.compiles("-extended-lambda", "-Iinclude", "a.cu", "-o", "a.out")
        self.assertEqual(self.command([os.path.join(self.dir, "a.out")]).returncode, 1)

    def test_one_function_for_each_side(self):
        """What clang allows beyond nvcc stays with the option."""
        self.write("a.cu", "constexpr __host__ int f(int x) { return 1; }\n"
                           "constexpr __device__ int f(int x) { return 2; }\n"
                           "__global__ void k(int *p) { static_assert(f(0) == 2, \"\"); *p = f(1); }\n"
                           "int main() { return f(1) - 1; }\n")
        self.assertEqual(self.compiles("-expt-relaxed-constexpr", "-c", "a.cu").stderr, "")

    def test_builtin_variables_without_optimisation(self):
        self.write("a.cu", "__global__ void k(int *p) { p[threadIdx.x] = blockIdx.x + blockDim.x + "
                           "gridDim.x + warpSize; }\nint main() { return 0; }\n")
        self.compiles("-G", "a.cu", "-o", "a.out")

    def test_lines_of_warnings_where_they_are_known(self):
        self.write("a.cu", "__device__ int x;\nint main() {\n    return x;\n}\n")
        for options in (["-g"], [], ["-rdc=true"]):
            self.assertIn("a.cu:3:12: warning: the device's variable 'x'",
                          self.compiles("-c", *options, "a.cu").stderr)

    def test_what_other_files_define(self):
        self.write("a.cu", "extern __device__ int f();\n__global__ void k(int *p) { *p = f(); }\n")
        self.compiles("-dc", "a.cu")
        self.compiles("-ptx", "a.cu")


if __name__ == "__main__":
    main()
