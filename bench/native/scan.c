// Two passes over pieces that stay in the second-level cache: all threads sum theirs, then each
// writes its sums.
#include <omp.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t vector __attribute__((vector_size(64)));
typedef uint32_t unaligned __attribute__((vector_size(64), aligned(4)));

#define SHIFTED(v, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                 \
    __builtin_shufflevector((vector){0}, v, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)

static uint32_t sum(const uint32_t *in, size_t n) {
    uint32_t s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += in[i];
    return s;
}

static void scan(const uint32_t *in, uint32_t *out, size_t n, uint32_t before) {
    size_t i = 0;
    vector carry = (vector){0} + before;
    for (; i + 16 <= n; i += 16) {
        vector v = *(const unaligned *)(in + i);
        v += SHIFTED(v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
        v += SHIFTED(v, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
        v += SHIFTED(v, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
        v += SHIFTED(v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        *(unaligned *)(out + i) = v + carry;
        carry += __builtin_shufflevector(v, v, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
                                         15, 15, 15);
    }
    for (uint32_t s = carry[0]; i < n; i++)
        out[i] = s += in[i];
}

enum { PIECE = 1 << 16, MOST_THREADS = 1024 };

void native_scan(const uint32_t *in, uint32_t *out, size_t n) {
    uint32_t sums[MOST_THREADS] = {0}, start = 0;
#pragma omp parallel
    {
        size_t t = omp_get_thread_num(), threads = omp_get_num_threads();
        for (size_t i = 0; i < n; i += PIECE * threads) {
            size_t first = i + t * PIECE, last = first + PIECE;
            first = first < n ? first : n;
            last = last < n ? last : n;
            sums[t] = sum(in + first, last - first);
#pragma omp barrier
            uint32_t before = start;
            for (size_t k = 0; k < t; k++)
                before += sums[k];
            scan(in + first, out + first, last - first, before);
#pragma omp barrier
            if (t + 1 == threads)
                start = before + sums[t];
        }
    }
}
