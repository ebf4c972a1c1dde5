#!/usr/bin/env python3
"""What single operations cost, so that what stands out is seen: a kernel of each, in ns an element.

  prices.py BUILD functions   the functions and operators of float, double, integers and 16-bit numbers
  prices.py BUILD memory      ways to read and write memory, by types
  prices.py BUILD loops       the bodies of loops.h beside the same by clang (first: how many times as fast kudzu is)

KUDZU_CPU=x86-64-v3: both sides for that level. One worker; better code alone. The least of ten launches: beside other work small figures are too large.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

ONE = {
    "float": "sinf cosf tanf expf exp2f exp10f expm1f logf log2f log10f log1pf sqrtf rsqrtf cbrtf rcbrtf sinhf coshf tanhf "
    "asinf acosf atanf asinhf acoshf atanhf erff erfcf erfinvf erfcxf normcdff normcdfinvf lgammaf tgammaf j0f y0f sinpif "
    "ceilf floorf truncf rintf roundf logbf fabsf __sinf __expf __logf __frcp_rn __fsqrt_rn __frsqrt_rn __saturatef isnan "
    "signbit ilogbf __float2int_rn __float2uint_rz __float2ll_rn",
    "double": "sin cos tan exp exp2 exp10 expm1 log log2 log10 log1p sqrt rsqrt cbrt sinh cosh tanh asin acos atan erf erfc "
    "erfinv normcdf lgamma tgamma j0 sinpi ceil floor rint round logb isnan __double2int_rn __double2ll_rz __double2float_rn",
    "int": "__popc __clz __ffs __brev abs __int2float_rn __int2float_rz __int2double_rn __int2half_rn __int2bfloat16_rn",
    "long long": "__popcll __clzll __ffsll __brevll llabs __ll2float_rn __ll2double_rn __ll2half_rn",
    "__half": "hsin hexp hlog hsqrt hrsqrt hrcp hceil hrint __habs __hneg __hisnan __half2int_rn __half2ll_rz __half2float htanh",
    "__nv_bfloat16": "hsin hexp hlog hsqrt hceil hrint __habs __hneg __hisnan __bfloat162float __bfloat162int_rz htanh",
}
TWO = {
    "float": "powf fmodf remainderf atan2f hypotf fdimf fmaxf copysignf nextafterf __fdividef __fdiv_rn __fadd_rz __fmul_ru + * /",
    "double": "pow fmod remainder atan2 hypot fmax copysign nextafter __dadd_rz __dmul_ru + * /",
    "int": "max __mulhi __vadd4 __vmaxs4 __vabsdiffu4 __vcmpgtu4 __hadd + * / % << >>",
    "unsigned": "/ % __umulhi",
    "short": "+ * / % >>",
    "signed char": "+ * / >> <",
    "long long": "+ * / % << __mul64hi max",
    "unsigned long long": "/ % __umul64hi",
    "__half": "__hadd __hmul __hdiv __hmax __hmin __hgt __heq __hadd_sat",
    "__nv_bfloat16": "__hadd __hmul __hdiv __hmax __hgt",
    "__half2": "__hadd2 __hmul2 __h2div __hmax2 __hgt2",
}
MORE = [("int", "__dp4a(x, y, 7)"), ("int", "(int)__byte_perm(x, y, 0x5140)"), ("int", "(int)__byte_perm(x, 0, y)"),
        ("int", "(int)__funnelshift_l(x, y, y)"), ("float", "fmaf(x, y, x)"), ("float", "__fmaf_rz(x, y, x)"),
        ("double", "fma(x, y, x)"), ("__half", "__hfma(x, y, x)"), ("__nv_bfloat16", "__hfma(x, y, x)"),
        ("__half2", "__hfma2(x, y, x)"), ("int", "__shfl_xor_sync(~0u, x, 5)"), ("int", "(int)__ballot_sync(~0u, x > y)"),
        ("int", "(int)__match_any_sync(~0u, x)"), ("int", "__reduce_add_sync(~0u, x)"), ("double", "__shfl_xor_sync(~0u, x, 3)")]

TYPES = ("signed char, short, int, long long, float, double, uchar3, uchar4, short2, short3, int2, int3, int4, float2, float3, "
         "float4, double2, __half, __half2, five_floats, three_doubles, seven_bytes").split(", ")
WAYS = {
    "copy": "o[k] = a[k]", "reverse": "o[k] = a[n - 1 - k]", "shift": "o[k] = a[k + 1 < n ? k + 1 : k]",
    "clamp": "o[k] = a[max(k - 2, 0)]", "even": "if (2 * k < n) o[2 * k] = a[k]", "mod": "o[k] = a[k % 1000]",
    "div": "o[k] = a[k / 3]", "to_columns": "o[(k % 512) * (n / 512) + k / 512] = a[k]",
    "from_columns": "o[k] = a[(k % 512) * (n / 512) + k / 512]", "some": "if (k % 3 != 1) o[k] = a[k]",
    "one": "o[k] = a[blockIdx.x]", "gather": "o[k] = a[((unsigned)k * 2654435761u) & (n - 1)]",
    "scatter": "o[((unsigned)k * 2654435761u) & (n - 1)] = a[k]", "xor": "o[k] = a[k ^ 5]",
    "swap": "if (k & 1) o[k] = a[k - 1]; else o[k] = a[k + 1]",
    "shared": "__shared__ T s[256]; s[threadIdx.x] = a[k]; __syncthreads(); o[k] = s[255 - threadIdx.x]",
}

HEAD = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
struct five_floats { float a, b, c, d, e; };
struct three_doubles { double a, b, c; };
struct seven_bytes { char a[7]; };
template <typename F> float least(F launch) {
    cudaEvent_t from, to;
    cudaEventCreate(&from), cudaEventCreate(&to);
    float best = 1e9f, ms;
    for (int i = 0; i < 10; i++) {
        cudaEventRecord(from), launch(), cudaEventRecord(to), cudaEventSynchronize(to);
        cudaEventElapsedTime(&ms, from, to);
        best = ms < best ? ms : best;
    }
    return best;
}
"""


def functions():
    forms = [(t, f + "(x)") for t, names in ONE.items() for f in names.split()]
    forms += [(t, "%s(x, y)" % f if re.match(r"\w", f) else "x %s y" % f) for t, names in TWO.items() for f in names.split()]
    text, main = [HEAD], []
    for k, (t, form) in enumerate(forms + MORE):
        text.append("__global__ void k%d(const %s *__restrict__ a, const %s *__restrict__ b, void *out, int n) {"
                    "int k = blockIdx.x * blockDim.x + threadIdx.x; if (k < n) {%s x = a[k], y = b[k]; (void)y;"
                    "((decltype(%s) *)out)[k] = %s;}}" % (k, t, t, t, form, form))
        main.append('run<%s>(k%d, "%s: %s");' % (t, k, t, form))
    text.append("""template <typename T> void run(void (*f)(const T *, const T *, void *, int), const char *name) {
    const int n = 1 << 18;
    static char *a, *b, *o;
    if (!a)
        cudaMallocManaged(&a, n * 16), cudaMallocManaged(&b, n * 16), cudaMallocManaged(&o, n * 16);
    for (int i = 0; i < n; i++)
        ((T *)a)[i] = (T)(float)(i * 37 % 97 + 1), ((T *)b)[i] = (T)(float)(i * 53 % 31 + 1);
    printf("%.2f %s\\n", 1e6 / n * least([=] { f<<<n / 256, 256>>>((T *)a, (T *)b, o, n); }), name);
}""")
    return "\n".join(text) + "int main() { %s }" % "".join(main)


def memory():
    text, main = [HEAD], []
    for way, body in WAYS.items():
        text.append("template <typename T> __global__ void k_%s(T *__restrict__ o, const T *__restrict__ a, int n) {"
                    "int k = blockIdx.x * blockDim.x + threadIdx.x; if (k < n) {%s;}}" % (way, body))
        main += ['run<%s>(k_%s<%s>, "%s: %s");' % (t, way, t, t, way) for t in TYPES]
    text.append("""template <typename T> void run(void (*f)(T *, const T *, int), const char *name) {
    const int n = 1 << 16;
    static char *a, *o;
    if (!a)
        cudaMalloc(&a, n * 32), cudaMalloc(&o, n * 32), cudaMemset(a, 1, n * 32);
    printf("%.2f %s\\n", 1e6 / n * least([=] { f<<<n / 256, 256>>>((T *)o, (T *)a, n); }), name);
}""")
    return "\n".join(text) + "int main() { %s }" % "".join(main)


ARGUMENTS = "const int *__restrict__ a, const float *__restrict__ f, const int *__restrict__ s, int n"


def loops():
    with open(os.path.join(HERE, "loops.h")) as file:
        names = re.findall(r"^LOOP\((\w+)\)", file.read(), re.M)
    take = "#define LOOP(x) %%s int x(%s, int k)\n#include \"%s/loops.h\"\n" % (ARGUMENTS, HERE)
    host = take % "static inline" + "typedef void (*loop)(int *__restrict__ o, %s);\n" % ARGUMENTS
    device = HEAD + take % "static __device__ __forceinline__"
    for name in names:
        host += "static void on_%s(int *__restrict__ o, %s) { for (int k = 0; k < n; k++) o[k] = %s(a, f, s, n, k); }\n" % (
            name, ARGUMENTS, name)
        device += ("__global__ void on_%s(int *__restrict__ o, %s) { int k = blockIdx.x * blockDim.x + threadIdx.x;"
                   "if (k < n) o[k] = %s(a, f, s, n, k); }\n" % (name, ARGUMENTS, name))
    all_of = "{" + ", ".join("on_" + name for name in names) + "}"
    host += "extern const loop native[] = " + all_of + ";\n"
    device += """typedef void (*loop)(int *__restrict__, %s);
extern const loop native[];
static const loop kernels[] = %s;
static const char *const names[] = {%s};
static double now(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main() {
    const int n = 1 << 16;
    int *a, *s, *o, *r = (int *)malloc(4 * n);
    float *f;
    cudaMallocManaged(&a, 4 * n + 4096), cudaMallocManaged(&s, 4 * 4096), cudaMallocManaged(&o, 4 * n), cudaMallocManaged(&f, 4 * n);
    for (int i = 0; i < n; i++)
        a[i] = rand() %% 1000, f[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < 4096; i++)
        s[i] = i;
    for (unsigned j = 0; j < sizeof kernels / sizeof *kernels; j++) {
        double kudzu = 1, host = 1;
        for (int i = 0; i < 14; i++) {
            double t = now(CLOCK_PROCESS_CPUTIME_ID);
            kernels[j]<<<n / 256, 256>>>(o, a, f, s, n), cudaDeviceSynchronize();
            t = now(CLOCK_PROCESS_CPUTIME_ID) - t, kudzu = t < kudzu ? t : kudzu;
            t = now(CLOCK_THREAD_CPUTIME_ID);
            native[j](r, a, f, s, n);
            t = now(CLOCK_THREAD_CPUTIME_ID) - t, host = t < host ? t : host;
        }
        int differ = 0;
        for (int i = 0; i < n; i++)
            differ += o[i] != r[i];
        printf("%%.2f %%s: %%.2f ns, native %%.2f%%s\\n", host / kudzu, names[j], 1e9 / n * kudzu, 1e9 / n * host, differ ? ", differs" : "");
    }
}
""" % (ARGUMENTS, all_of, ", ".join('"%s"' % name for name in names))
    return device, host


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("functions", "memory", "loops"):
        sys.exit(__doc__)
    build, what = sys.argv[1:]
    texts = {"functions": functions, "memory": memory, "loops": loops}[what]()
    device, host = texts if what == "loops" else (texts, None)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "prices")
        with open(path + ".cu", "w") as file:
            file.write(device)
        command = [os.path.join(build, "bin/kudzu"), "cc", "-O3", "-fmad=false", "-arch=sm_90", "-w", "-o", path, path + ".cu"]
        if host:
            with open(path + ".cpp", "w") as file:
                file.write(host)
            march = "-march=" + os.environ.get("KUDZU_CPU", "native")
            subprocess.run(["clang++-19", "-O3", march, "-fno-math-errno", "-ffp-contract=off", "-c", path + ".cpp", "-o", path + ".o"],
                           check=True)
            command.append(path + ".o")
        subprocess.run(command, check=True)
        settings = dict(os.environ, KUDZU_WORKERS="1", KUDZU_DEVICE="cpu")
        settings.setdefault("KUDZU_TIER", "full")
        lines = subprocess.run([path], env=settings, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    print("\n".join(sorted(lines, key=lambda line: float(line.split()[0]), reverse=what != "loops")))


main()
