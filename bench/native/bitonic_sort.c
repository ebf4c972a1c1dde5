// The same network: distances of 16 and more compare whole vectors, smaller ones lanes of a vector;
// all distances within 4096 keys are done piece by piece in the first-level cache.
#include <stddef.h>
#include <stdint.h>

typedef uint32_t vector __attribute__((vector_size(64)));
typedef uint32_t unaligned __attribute__((vector_size(64), aligned(4)));
typedef int32_t mask __attribute__((vector_size(64)));

enum { LANES = 16, PIECE = 4096 };

static inline vector load(const uint32_t *p) {
    return *(const unaligned *)p;
}

static inline void exchange(uint32_t *p, uint32_t *q, int up) {
    vector a = load(p), b = load(q);
    vector low = __builtin_elementwise_min(a, b), high = __builtin_elementwise_max(a, b);
    *(unaligned *)p = up ? low : high;
    *(unaligned *)q = up ? high : low;
}

// One distance of 16 or more, in n keys whose first has this index among all.
static void far_step(uint32_t *keys, size_t n, size_t index, size_t size, size_t stride) {
    for (size_t i = 0; i < n; i += 2 * stride) {
        int up = ((index + i) & size) == 0;
        for (size_t k = i; k < i + stride; k += LANES)
            exchange(keys + k, keys + k + stride, up);
    }
}

static const mask lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// Every lane with the one at a distance: keeps the smaller where its bit says so.
#define NEAR_STEP(v, d, up, ...)                                                                   \
    do {                                                                                           \
        vector other_ = __builtin_shufflevector(v, v, __VA_ARGS__);                                \
        vector low_ = __builtin_elementwise_min(v, other_);                                        \
        vector high_ = __builtin_elementwise_max(v, other_);                                       \
        vector take_ = (vector)(((lane & d) == 0) == (up));                                        \
        v = (low_ & take_) | (high_ & ~take_);                                                     \
    } while (0)
#define BY_8(v, up) NEAR_STEP(v, 8, up, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)
#define BY_4(v, up) NEAR_STEP(v, 4, up, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11)
#define BY_2(v, up) NEAR_STEP(v, 2, up, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)
#define BY_1(v, up) NEAR_STEP(v, 1, up, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)

static void near_steps(uint32_t *keys, size_t n, size_t index, size_t size) {
    for (size_t i = 0; i < n; i += LANES) {
        vector v = load(keys + i);
        mask up = (mask){0} - (((index + i) & size) == 0);
        BY_8(v, up);
        BY_4(v, up);
        BY_2(v, up);
        BY_1(v, up);
        *(unaligned *)(keys + i) = v;
    }
}

// Sizes 2 to 16.
static void first_sizes(uint32_t *keys, size_t n, size_t index) {
    for (size_t i = 0; i < n; i += LANES) {
        vector v = load(keys + i);
        mask up2 = (lane & 2) == 0, up4 = (lane & 4) == 0, up8 = (lane & 8) == 0;
        mask up = (mask){0} - (((index + i) & 16) == 0);
        BY_1(v, up2);
        BY_2(v, up4);
        BY_1(v, up4);
        BY_4(v, up8);
        BY_2(v, up8);
        BY_1(v, up8);
        BY_8(v, up);
        BY_4(v, up);
        BY_2(v, up);
        BY_1(v, up);
        *(unaligned *)(keys + i) = v;
    }
}

// n: a power of two, at least PIECE
void native_bitonic_sort(uint32_t *keys, size_t n) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (size_t p = 0; p < n; p += PIECE) {
            first_sizes(keys + p, PIECE, p);
            for (size_t size = 32; size <= PIECE; size *= 2) {
                for (size_t stride = size / 2; stride >= LANES; stride /= 2)
                    far_step(keys + p, PIECE, p, size, stride);
                near_steps(keys + p, PIECE, p, size);
            }
        }
        for (size_t size = 2 * PIECE; size <= n; size *= 2) {
            for (size_t stride = size / 2; stride >= PIECE; stride /= 2) {
#pragma omp for schedule(static)
                for (size_t i = 0; i < n / 2; i += LANES) {
                    size_t at = 2 * i - (i & (stride - 1));
                    exchange(keys + at, keys + at + stride, (at & size) == 0);
                }
            }
#pragma omp for schedule(static)
            for (size_t p = 0; p < n; p += PIECE) {
                for (size_t stride = PIECE / 2; stride >= LANES; stride /= 2)
                    far_step(keys + p, PIECE, p, size, stride);
                near_steps(keys + p, PIECE, p, size);
            }
        }
    }
}
