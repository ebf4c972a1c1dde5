// Every combination of types, sizes and layouts of mma.h against products computed on the host,
// from integers small enough that every sum is exact.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mma.h>

using namespace nvcuda;
namespace sub = wmma::experimental;

static int failures, tested;

template <typename T> struct number {
    typedef T memory;
    static T make(int v) { return T(v); }
    static double value(T v) { return double(v); }
};
template <> struct number<__half> {
    typedef __half memory;
    static __half make(int v) { return __float2half(float(v)); }
    static double value(__half v) { return __half2float(v); }
};
template <> struct number<__nv_bfloat16> {
    typedef __nv_bfloat16 memory;
    static __nv_bfloat16 make(int v) { return __float2bfloat16(float(v)); }
};
template <> struct number<wmma::precision::tf32> {
    typedef float memory;
    static float make(int v) { return float(v); }
};

template <int m, int n, int k, typename D, typename T, typename C, typename LA, typename LB>
__global__ void product(D *d, const typename number<T>::memory *a, const typename number<T>::memory *b,
                        const C *c, int lda, int ldb, int ldc, wmma::layout_t layout, bool scale) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, LA> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LB> fb;
    wmma::fragment<wmma::accumulator, m, n, k, C> fc;
    wmma::fragment<wmma::accumulator, m, n, k, D> fd;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, ldc, layout);
    wmma::fill_fragment(fd, D(0));
    if (scale)
        for (int i = 0; i < fc.num_elements; i++)
            fc.x[i] = fc.x[i] + fc.x[i];
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::store_matrix_sync(d, fd, ldc, layout);
}

template <typename T> static T *managed(size_t n) {
    T *p;
    if (cudaMallocManaged(&p, n * sizeof *p) != cudaSuccess)
        exit(2);
    memset((void *)p, 0, n * sizeof *p);
    return p;
}

static void verdict(bool ok, const char *what, int m, int n, int k) {
    tested++;
    if (!ok || cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s m%dn%dk%d: wrong\n", what, m, n, k);
        failures++;
    }
}

template <int m, int n, int k, typename D, typename T, typename C, typename LA, typename LB>
static void check(const char *what, bool col_a, bool col_b, bool col_c, int low) {
    typedef typename number<T>::memory E;
    int lda = (col_a ? m : k) + 16, ldb = (col_b ? k : n) + 16, ldc = (col_c ? m : n) + 8;
    E *a = managed<E>(64 * 64), *b = managed<E>(64 * 64);
    C *c = managed<C>(64 * 64);
    D *d = managed<D>(64 * 64);
    int va[32][32], vb[32][32], vc[32][32];
    bool ok = true;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++)
            a[col_a ? j * lda + i : i * lda + j] = number<T>::make(va[i][j] = rand() % 9 + low);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < n; j++)
            b[col_b ? j * ldb + i : i * ldb + j] = number<T>::make(vb[i][j] = rand() % 9 + low);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            c[col_c ? j * ldc + i : i * ldc + j] = number<C>::make(vc[i][j] = rand() % 99 - 49);
    product<m, n, k, D, T, C, LA, LB><<<1, 32>>>(
        d, a, b, c, lda, ldb, ldc, col_c ? wmma::mem_col_major : wmma::mem_row_major, col_c);
    cudaDeviceSynchronize();
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int want = vc[i][j] * (col_c ? 2 : 1);
            for (int x = 0; x < k; x++)
                want += va[i][x] * vb[x][j];
            ok = ok && number<D>::value(d[col_c ? j * ldc + i : i * ldc + j]) == want;
        }
    verdict(ok, what, m, n, k);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
}

template <int m, int n, int k, typename D, typename T, typename C>
static void layouts(const char *what, int low) {
    typedef wmma::row_major R;
    typedef wmma::col_major L;
    for (int col_c = 0; col_c < 2; col_c++) {
        check<m, n, k, D, T, C, R, R>(what, false, false, col_c, low);
        check<m, n, k, D, T, C, R, L>(what, false, true, col_c, low);
        check<m, n, k, D, T, C, L, R>(what, true, false, col_c, low);
        check<m, n, k, D, T, C, L, L>(what, true, true, col_c, low);
    }
}

template <int m, int n, int k> static void tiles() {
    layouts<m, n, k, __half, __half, __half>("half, half", -4);
    layouts<m, n, k, float, __half, __half>("float, half", -4);
    layouts<m, n, k, __half, __half, float>("half, float", -4);
    layouts<m, n, k, float, __half, float>("float, float", -4);
    layouts<m, n, k, float, __nv_bfloat16, float>("bfloat16", -4);
    layouts<m, n, k, int, signed char, int>("signed char", -4);
    layouts<m, n, k, int, unsigned char, int>("unsigned char", 200);
}

template <typename T, int k>
__global__ void small(int *d, const void *a, const void *b, const int *c, int op) {
    wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, k, int> fc;
    wmma::load_matrix_sync(fa, a, k);
    wmma::load_matrix_sync(fb, b, k);
    wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
    if constexpr (k == 128)
        wmma::bmma_sync(fc, fa, fb, fc, (sub::bmmaBitOp)op);
    else
        wmma::mma_sync(fc, fa, fb, fc, op == 2);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

// op: of bits 1 xor, 2 and; of numbers 2 saturates.
template <typename T, int k> static void check_small(const char *what, int bits, bool sign, int op) {
    unsigned char *a = managed<unsigned char>(8 * k), *b = managed<unsigned char>(8 * k);
    int *c = managed<int>(64), *d = managed<int>(64);
    bool ok = true;
    for (int i = 0; i < 8 * k * bits / 8; i++) {
        a[i] = rand();
        b[i] = rand();
    }
    for (int i = 0; i < 64; i++)
        c[i] = op == 2 && bits == 4 ? 0x7fffffff - rand() % 100 : rand() % 1000;
    small<T, k><<<1, 32>>>(d, a, b, c, op);
    cudaDeviceSynchronize();
    auto element = [&](const unsigned char *p, int row, int x) {
        int at = (row * k + x) * bits, v = p[at / 8] >> at % 8 & ((1 << bits) - 1);
        return sign && v > 7 ? v - 16 : v;
    };
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            long long want = c[i * 8 + j];
            for (int x = 0; x < k; x++) {
                int u = element(a, i, x), v = element(b, j, x);
                want += bits > 1 ? u * v : op == 1 ? u ^ v : u & v;
            }
            if (op == 2 && want > 0x7fffffff)
                want = 0x7fffffff;
            ok = ok && d[i * 8 + j] == (int)want;
        }
    verdict(ok, what, 8, 8, k);
}

__global__ void round_to_tf32(float *x) {
    *x = wmma::__float_to_tf32(*x);
}

int main() {
    tiles<16, 16, 16>();
    tiles<32, 8, 16>();
    tiles<8, 32, 16>();
    layouts<16, 16, 8, float, wmma::precision::tf32, float>("tf32", -4);
    layouts<8, 8, 4, double, double, double>("double", -4);
    for (int op = 1; op <= 2; op++) {
        check_small<sub::precision::s4, 32>("s4", 4, true, op);
        check_small<sub::precision::u4, 32>("u4", 4, false, op);
        check_small<sub::precision::b1, 128>("b1", 1, false, op);
    }
    float *x = managed<float>(1);
    *x = 1.0f + 0x1p-11f; // halfway: away from zero
    round_to_tf32<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    verdict(*x == 1.0f + 0x1p-10f, "__float_to_tf32", 0, 0, 0);
    printf("%d products, %d wrong\n", tested, failures);
    if (!failures)
        printf("PASSED\n");
    return failures != 0;
}
