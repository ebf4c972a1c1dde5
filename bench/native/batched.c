#include <stddef.h>

typedef float f32x4 __attribute__((vector_size(16), aligned(4)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef float unaligned __attribute__((vector_size(64), aligned(4)));

#define PICK(v, k)                                                                                 \
    __builtin_shufflevector(v, v, k, k, k, k, 4 + k, 4 + k, 4 + k, 4 + k, 8 + k, 8 + k, 8 + k,     \
                            8 + k, 12 + k, 12 + k, 12 + k, 12 + k)

// A row of b four times over.
static inline f32x16 repeat(const float *row) {
    f32x4 v = *(const f32x4 *)row;
    return __builtin_shufflevector(v, v, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
}

// A whole matrix is a vector.
void native_batched4(const float *a, const float *b, float *c, int count) {
#pragma omp parallel for schedule(static)
    for (int m = 0; m < count; m++) {
        f32x16 v = *(const unaligned *)(a + 16 * (size_t)m);
        const float *w = b + 16 * (size_t)m;
        f32x16 s = PICK(v, 0) * repeat(w) + PICK(v, 1) * repeat(w + 4) +
                   PICK(v, 2) * repeat(w + 8) + PICK(v, 3) * repeat(w + 12);
        *(unaligned *)(c + 16 * (size_t)m) = s;
    }
}

void native_batched16(const float *a, const float *b, float *c, int count) {
#pragma omp parallel for schedule(static)
    for (int m = 0; m < count; m++) {
        const float *v = a + 256 * (size_t)m;
        const unaligned *w = (const unaligned *)(b + 256 * (size_t)m);
        unaligned *to = (unaligned *)(c + 256 * (size_t)m);
        for (int y = 0; y < 16; y += 8) {
            f32x16 s[8] = {0};
            for (int k = 0; k < 16; k++)
                for (int i = 0; i < 8; i++)
                    s[i] += v[16 * (y + i) + k] * w[k];
            for (int i = 0; i < 8; i++)
                to[y + i] = s[i];
        }
    }
}
