// c = a * b of order n. The libraries that are fastest at it, if they are installed: oneDNN, which
// asks the processor what it can do, where OpenBLAS looks for its model and takes code of 2004 for
// those that it does not know.
//
// They have threads of their own, with another OpenMP than this program's, which binds its main
// thread to a processor: what that thread starts would share it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

typedef void sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef int sgemm_by_rows(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                          const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                          float *c, int64_t ldc);
typedef int igemm(char trans_a, char trans_b, char offset, int64_t m, int64_t n, int64_t k,
                  float alpha, const int8_t *a, int64_t lda, int8_t ao, const int8_t *b,
                  int64_t ldb, int8_t bo, float beta, int32_t *c, int64_t ldc, const int32_t *co);

enum { ROW_MAJOR = 101, PLAIN = 111 };

static cpu_set_t all;

__attribute__((constructor)) static void find_processors(void) {
    sched_getaffinity(0, sizeof all, &all);
}

static void *find(const char *library, const char *name) {
    void *l = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return l ? dlsym(l, name) : NULL;
}

// Lets the thread run on all of the program's processors; where it ran before.
static cpu_set_t unbind(void) {
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    sched_setaffinity(0, sizeof all, &all);
    return before;
}

static void bind_again(const cpu_set_t *to) {
    sched_setaffinity(0, sizeof *to, to);
}

// By rows. False: there is no library.
static int library_sgemm(const float *a, const float *b, float *c, int n) {
    static sgemm_by_rows *fast;
    static sgemm *other;
    cpu_set_t before = unbind();
    if (!fast && !other) {
        fast = (sgemm_by_rows *)find("libdnnl.so.2", "dnnl_sgemm");
        other = fast ? NULL : (sgemm *)find("libopenblas.so.0", "cblas_sgemm");
    }
    if (fast)
        fast('N', 'N', n, n, n, 1, a, n, b, n, 0, c, n);
    else if (other)
        other(ROW_MAJOR, PLAIN, PLAIN, n, n, n, 1, a, n, b, n, 0, c, n);
    bind_again(&before);
    return fast || other;
}

// b by columns. False: there is no library.
static int library_igemm(const int8_t *a, const int8_t *b, int32_t *c, int n) {
    static igemm *fast;
    const int32_t zero = 0;
    // Elsewhere oneDNN adds pairs of products in 16 bits, which saturate: its sums are wrong.
    if (!__builtin_cpu_supports("avx512vnni") && !__builtin_cpu_supports("avxvnni"))
        return 0;
    cpu_set_t before = unbind();
    if (!fast)
        fast = (igemm *)find("libdnnl.so.2", "dnnl_gemm_s8s8s32");
    if (fast)
        fast('N', 'T', 'F', n, n, n, 1, a, n, 0, b, n, 0, 0, c, n, &zero);
    bind_again(&before);
    return fast != NULL;
}

// All by rows.
void native_sgemm(const float *a, const float *b, float *c, int n) {
    if (library_sgemm(a, b, c, n))
        return;
    memset(c, 0, sizeof *c * (size_t)n * (size_t)n);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[(size_t)i * n + j] += a[(size_t)i * n + k] * b[(size_t)k * n + j];
}

// b by columns.
void native_igemm(const int8_t *a, const int8_t *b, int32_t *c, int n) {
    if (library_igemm(a, b, c, n))
        return;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int32_t sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[(size_t)i * n + k] * b[(size_t)j * n + k];
            c[(size_t)i * n + j] = sum;
        }
}
