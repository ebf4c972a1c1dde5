"""What the compiler's plugin does to device code for GPUs' sake: loops unrolled, rare work behind
branches, users of local arrays inlined. The unrolled versions, which the CPU device leaves out, run
here too, from PTX in which the mark that tells the two devices apart has another name."""
import os
import re

from common import CompilerTest, main

RUNS = os.environ.get("KUDZU_RUNS") == "1"

KERNELS = """
extern "C" __global__ void sums(const int *x, int *out, int n) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 3)
        sum += x[i];
    out[threadIdx.x] = sum;
}
extern "C" __global__ void searched(const int *x, int *out, int n) {
    int last = -1, k = threadIdx.x;
    while (k < n) {
        if (x[k] % 5 == 0)
            last = k;
        k += 2;
    }
    out[threadIdx.x] = 1000 * last + k;
}
extern "C" __global__ void not_unrolled(const int *x, int *out, int n) {
    int sum = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += 3)
        sum += x[i];
    out[threadIdx.x] = sum;
}
extern "C" __global__ void with_barrier(const int *x, int *out, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        __syncthreads();
        sum += x[i];
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void many_turns(const int *x, int *out, int n) {
    int sum = 0;
    for (int i = 0; i < 4 * 64; i++)
        sum += x[(i * i + n) & 63];
    for (int i = 0; i < 97; i++)
        sum ^= x[i];
    out[threadIdx.x] = sum;
}
__device__ float root(float d, float b) {
    if (d < 0)
        return 7.0f;
    float t = b - sqrtf(d);
    return t > 0.5f ? t : 9.0f;
}
extern "C" __global__ void roots(const float *d, const float *b, float *out) {
    out[threadIdx.x] = root(d[threadIdx.x], b[threadIdx.x]);
}
extern "C" __global__ void both(const float *d, int *out) {
    float x = d[threadIdx.x];
    if (x < 2 || sqrtf(x) > 3)
        atomicAdd(out, 1);
    if (x > 2 && sqrtf(x + 1) < 3)
        atomicAdd(out + 1, 1);
}
extern "C" __global__ void shuffled(const float *d, float *out) {
    float x = d[threadIdx.x], other;
    asm("shfl.sync.bfly.b32 %0, %1, 1, 31, 255;" : "=f"(other) : "f"(x));
    float root = sqrtf(other);
    out[threadIdx.x] = x < 2 ? 5.0f : root;
}
__device__ void mixed(unsigned state[4], unsigned k) {
#pragma unroll
    for (int round = 0; round < 300; round++) {
        state[round % 4] += state[(round + 1) % 4] * k ^ round;
        k = k << 1 | k >> 31;
    }
}
extern "C" __global__ void hashed(unsigned *out) {
    unsigned state[4] = {threadIdx.x, 2, 3, 4};
    mixed(state, 5);
    mixed(state, state[0]);
    out[threadIdx.x] = state[1];
}
"""

COPIES = """
struct of_words { unsigned word[5]; };
struct of_bytes { char byte[6]; };
struct alignas(8) of_pairs { double x, y, z; };
struct large { float f[300]; };
template <class T> __device__ void copied(T *to, const T *from) { to[threadIdx.x] = from[threadIdx.x]; }
#define COPY(type) \
    extern "C" __global__ void copies_##type(type *to, const type *from) { copied(to, from); }
COPY(of_words)
COPY(of_bytes)
COPY(of_pairs)
COPY(large)
"""

GROUPS = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
extern "C" __global__ void of_some(int *out, int n) {
    if (threadIdx.x % 3 == n)
        out[threadIdx.x] = cg::reduce(cg::coalesced_threads(), n, cg::plus<int>());
}
extern "C" __global__ void of_warp(unsigned *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const cg::greater<unsigned> most;
    out[threadIdx.x] = cg::reduce(warp, out[threadIdx.x], most);
}
extern "C" __global__ void of_eight(int *out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[threadIdx.x] = cg::reduce(tile, out[threadIdx.x], cg::plus<int>());
}
extern "C" __global__ void waits(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    bar.arrive_and_wait();
}
__device__ int spaces(const void *p) {
    return __isGlobal(p) | __isShared(p) << 1 | __isLocal(p) << 2;
}
extern "C" __global__ void asks(int *out, int *const *elsewhere) {
    __shared__ int words[64];
    int own[8];
    asm("" : : "l"(own));
    out[0] = spaces(out + threadIdx.x), out[1] = spaces(words + threadIdx.x), out[2] = spaces(own);
    out[3] = __isShared(*elsewhere);
}
"""

ARITHMETIC = """
#include <cstdio>
typedef unsigned __int128 wide;
__global__ void divisions(const wide *a, const wide *b, wide *q, wide *r, __int128 *s) {
    int i = threadIdx.x;
    q[i] = a[i] / b[i], r[i] = a[i] % b[i], s[i] = (__int128)a[i] / (__int128)b[i] % 1000000007;
}
__global__ void remainders(const unsigned long long *a, wide *out, unsigned long long m) {
    out[threadIdx.x] = (wide)a[0] * a[threadIdx.x] % m;
}
__global__ void powers(unsigned long long *x, unsigned e) {
    unsigned long long r = 1, b = *x;
    for (; e; e >>= 1) {
        if (e & 1)
            r = r * b % 1000000007;
        b = b * b % 1000000007;
    }
    *x = r;
}
__global__ void three(const uchar4 *x, int *out, const float4 *y, float *sum) {
    uchar4 p = x[threadIdx.x];
    float4 f = y[threadIdx.x];
    out[threadIdx.x] = p.x + 2 * p.y + 3 * p.z, sum[threadIdx.x] = f.x + f.z;
}
__global__ void array(const unsigned *x, unsigned *out) {
    unsigned a[8], t[8] = {};
    for (int i = 0; i < 8; i++)
        a[i] = x[threadIdx.x + i * 32];
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < 8; k++)
            t[k] = (t[(k + 1) % 8] ^ a[j] * (a[k] | 1)) + (t[k] >> 3) * (a[k] + j) + (t[k] << a[j] % 5);
    for (int i = 0; i < 8; i++)
        out[threadIdx.x + i * 32] = t[i];
}
int main() {
    wide *a, *b, *q, *r;
    __int128 *s;
    cudaMallocManaged(&a, 4096), cudaMallocManaged(&b, 4096), cudaMallocManaged(&q, 4096);
    cudaMallocManaged(&r, 4096), cudaMallocManaged(&s, 4096);
    unsigned long long x = 1;
    auto next = [&] { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; };
    auto pick = [&] {
        wide v = (wide)next() << 64 | next(), one = (wide)1 << next() % 128;
        switch (next() % 4) {
        case 0: return v >> next() % 128;
        case 1: return one - next() % 2;
        case 2: return one + next() % 3;
        default: return (wide)next();
        }
    };
    int wrong = 0;
    for (int round = 0; round < 64; round++) {
        for (int i = 0; i < 256; i++) {
            b[i] = pick() + 2 >> 1, b[i] += !b[i];
            a[i] = next() % 3 ? pick() : b[i] * (unsigned)next() - next() % 2;
        }
        divisions<<<1, 256>>>(a, b, q, r, s);
        cudaDeviceSynchronize();
        for (int i = 0; i < 256; i++)
            wrong += q[i] != a[i] / b[i] || r[i] != a[i] % b[i] ||
                     s[i] != (__int128)a[i] / (__int128)b[i] % 1000000007;
    }
    printf("%d\\n", wrong);
}
"""

HOST = """
#include <cstdio>
#include <cuda.h>
static CUmodule module;
template <class... A> void run(const char *name, A... values) {
    CUfunction f;
    void *args[] = {&values...};
    if (cuModuleGetFunction(&f, module, name) || cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, 0, args, 0) ||
        cuCtxSynchronize())
        printf("%s fails\\n", name);
}
int main(int argc, char **argv) {
    int *x, *out;
    float *d, *b, *r;
    cudaMallocManaged(&x, 400), cudaMallocManaged(&out, 64);
    cudaMallocManaged(&d, 32), cudaMallocManaged(&b, 32), cudaMallocManaged(&r, 32);
    for (int i = 0; i < 100; i++)
        x[i] = i * i + 3;
    for (int i = 0; i < 8; i++)
        d[i] = i * 2.0f - 3, b[i] = i % 3 + 1;
    if (cuModuleLoad(&module, argv[1]))
        return 1;
    const char *loops[] = {"sums", "searched", "not_unrolled", "with_barrier", "many_turns"};
    for (const char *name : loops)
        for (int n = 0; n < 40; n++) {
            run(name, x, out, n);
            for (int i = 0; i < 8; i++)
                printf("%d ", out[i]);
        }
    run("roots", d, b, r);
    for (int i = 0; i < 8; i++)
        printf("%.6f ", r[i]);
    out[0] = out[1] = 0;
    run("both", d, out);
    printf("%d %d ", out[0], out[1]);
    run("hashed", out);
    for (int i = 0; i < 8; i++)
        printf("%u ", (unsigned)out[i]);
    printf("\\n");
}
"""


def expected():
    x = [i * i + 3 for i in range(100)]
    out = []
    for n in range(40):
        out += [sum(x[t:n:3]) for t in range(8)]
    for n in range(40):
        for t in range(8):
            last, k = -1, t
            while k < n:
                last = k if x[k] % 5 == 0 else last
                k += 2
            out.append(1000 * last + k)
    for n in range(40):
        out += [sum(x[t:n:3]) for t in range(8)]
    for n in range(40):
        out += [sum(x[:n])] * 8
    for n in range(40):
        value = sum(x[i * i + n & 63] for i in range(256))
        for i in range(97):
            value ^= x[i]
        out += [value] * 8
    d = [i * 2.0 - 3 for i in range(8)]
    for i in range(8):
        t = (i % 3 + 1) - d[i] ** 0.5 if d[i] >= 0 else 0
        out.append("%.6f" % (7 if d[i] < 0 else t if t > 0.5 else 9))
    out.append(sum(v < 2 or v ** 0.5 > 3 for v in d))
    out.append(sum(v > 2 and (v + 1) ** 0.5 < 3 for v in d))
    for t in range(8):
        state = [t, 2, 3, 4]
        for k in (5, None):
            k = state[0] if k is None else k
            for i in range(300):
                state[i % 4] = state[i % 4] + (state[(i + 1) % 4] * k ^ i) & 0xffffffff
                k = (k << 1 | k >> 31) & 0xffffffff
        out.append(state[1])
    return [str(v) for v in out]


class GpuCode(CompilerTest):
    def kernels(self, *options):
        """The PTX, and each kernel's body in it."""
        self.write("kernels.cu", KERNELS)
        self.compiles("-ptx", "kernels.cu", "-o", "kernels.ptx", *options)
        text = self.read("kernels.ptx")
        return text, {m[1]: m[2] for m in
                      re.finditer(r"\.entry (\w+)\((.*?)\n}", text, re.DOTALL)}

    def test_small_loops_have_an_unrolled_version(self):
        _, bodies = self.kernels("-O3")
        for name, loads in (("sums", 6), ("searched", 6), ("not_unrolled", 1), ("with_barrier", 1)):
            self.assertEqual(bodies[name].count("ld.global"), loads, name)
            self.assertEqual("%kudzu_cpu" in bodies[name], loads > 1, name)

    def test_tiny_loops_of_many_turns_are_unrolled_further(self):
        _, bodies = self.kernels("-O3")
        self.contains(bodies["many_turns"], "%kudzu_cpu")
        self.assertGreater(bodies["many_turns"].count("ld.global"), 16 + 8)

    def test_rare_work_stands_behind_a_branch(self):
        _, bodies = self.kernels("-O3")
        for part in bodies["roots"].split("sqrt.rn.f32")[:1] + bodies["both"].split("sqrt.rn.f32")[:2]:
            self.assertRegex(part, r"@%p\d+ bra")

    def test_shuffles_stay_where_all_threads_are(self):
        _, bodies = self.kernels("-O3")
        self.lacks(bodies["shuffled"].split("shfl.sync")[0], "bra")
        self.contains(bodies["shuffled"].split("shfl.sync")[1].split("sqrt.rn.f32")[0], "bra")

    def test_users_of_local_arrays_are_inlined(self):
        _, bodies = self.kernels("-O3")
        self.lacks(bodies["hashed"], "call", ".local")

    def test_structures_are_loaded_before_they_are_stored(self):
        self.write("copies.cu", COPIES)
        self.compiles("-ptx", "-O3", "copies.cu", "-o", "copies.ptx")
        text = self.read("copies.ptx")
        bodies = {m[1]: m[2] for m in re.finditer(r"\.entry copies_(\w+)\((.*?)\n}", text, re.DOTALL)}
        moves = {name: [m[1] + m[2] for m in re.finditer(r"(ld|st)\.global\.[a-z]+(\d+)", body)]
                 for name, body in bodies.items()}
        self.assertEqual(moves["of_words"], ["ld32"] * 5 + ["st32"] * 5)
        self.assertEqual(moves["of_bytes"], ["ld8"] * 6 + ["st8"] * 6)
        self.assertEqual(moves["of_pairs"], ["ld64"] * 3 + ["st64"] * 3)
        # 18 times in a loop, and the rest.
        self.assertEqual(moves["large"], ["ld32"] * 16 + ["st32"] * 16 + ["ld32"] * 12 + ["st32"] * 12)

    def test_arithmetic_is_done_as_gpus_do_it_best(self):
        self.write("arithmetic.cu", ARITHMETIC)
        self.compiles("-ptx", "-O3", "-arch=sm_90", "arithmetic.cu", "-o", "arithmetic.ptx")
        bodies = {re.sub(r"^_Z\d+([a-z]+?)P.*", r"\1", m[1]): m[2] for m in
                  re.finditer(r"\.entry (\w+)\((.*?)\n}", self.read("arithmetic.ptx"), re.DOTALL)}
        self.contains(bodies["remainders"], "rcp.approx", "mul.hi.u64")
        self.lacks(bodies["remainders"] + bodies["divisions"], "Loop Header")
        # Each product behind its own branch: half of them are not needed.
        self.assertGreaterEqual(len(re.findall(r"@%p\d+ bra", bodies["powers"])), 3)
        self.lacks(bodies["powers"], "selp.b64")
        self.assertEqual(bodies["three"].count("ld.global"), 2)
        self.lacks(bodies["three"], "u8 ")
        self.lacks(bodies["array"], ".local", "Loop Header")

    def test_divisions_of_128_bits(self):
        if not RUNS:
            self.skipTest("no driver")
        self.write("arithmetic.cu", ARITHMETIC)
        for level in ("-O1", "-O3"):
            self.compiles(level, "-Xptxas", level, "arithmetic.cu", "-o", "arithmetic")
            self.assertEqual(self.command([self.dir + "/arithmetic"]).stdout, "0\n")

    def test_blocks_meet_without_ordering_everything(self):
        self.write("grid.cu", "#include <cooperative_groups.h>\n__global__ void meets() "
                              "{ cooperative_groups::this_grid().sync(); }\n")
        self.compiles("-ptx", "-arch=sm_90", "grid.cu", "-o", "grid.ptx")
        text = self.read("grid.ptx")
        self.contains(text, "atom.add.release.gpu", "ld.acquire.gpu")
        self.lacks(text, "membar", "fence")
        self.compiles("-ptx", "-arch=sm_60", "grid.cu", "-o", "grid.ptx")
        self.contains(self.read("grid.ptx"), "membar.gl")

    def test_groups_use_the_instructions_for_groups(self):
        self.write("groups.cu", GROUPS)
        self.compiles("-ptx", "-arch=sm_90", "-std=c++17", "-O3", "groups.cu", "-o", "groups.ptx")
        text = self.read("groups.ptx")
        bodies = {m[1]: m[2] for m in re.finditer(r"\.entry (\w+)\((.*?)\n}", text, re.DOTALL)}
        self.contains(bodies["of_some"], "redux.sync.add.s32")
        self.lacks(bodies["of_some"], "shfl")
        self.contains(bodies["of_warp"], "redux.sync.max.u32")
        self.contains(bodies["of_eight"], "shfl")
        self.assertEqual(bodies["asks"].count("isspacep"), 1)
        self.assertEqual(re.findall(r"mov\.b32\s+%r\d+, (\d);", bodies["asks"]), ["1", "2", "4"])
        self.contains(bodies["waits"], "mbarrier.try_wait.shared", "mbarrier.arrive.shared")

    def test_all_versions_compute_the_same(self):
        if not RUNS:
            self.skipTest("no driver")
        self.write("host.cu", HOST)
        self.compiles("host.cu", "-o", "host", "-lcuda")
        for options in (["-O3"], ["-O1"], ["-G"]):
            text, _ = self.kernels(*options)
            for mark in ("%kudzu_cpu", "%another"):
                self.write("tried.ptx", text.replace("%kudzu_cpu", mark))
                r = self.command([self.dir + "/host", "tried.ptx"])
                self.assertEqual(r.stdout.split(), expected(), (options, mark, r.stderr))


main()
