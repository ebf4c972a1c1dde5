#include <omp.h>
#include <stddef.h>
#include <string.h>

// One call of memcpy per thread, which chooses stores past the cache where they pay.
void native_copy(const float *in, float *out, size_t n) {
#pragma omp parallel
    {
        size_t t = omp_get_thread_num(), threads = omp_get_num_threads();
        size_t first = n * t / threads / 16 * 16, last = n * (t + 1) / threads / 16 * 16;
        if (t + 1 == threads)
            last = n;
        memcpy(out + first, in + first, (last - first) * sizeof *in);
    }
}

void native_copy_strided(const float *in, float *out, size_t n, size_t stride) {
    if (stride == 2) {
#pragma omp parallel for simd schedule(static)
        for (size_t i = 0; i < n; i++)
            out[2 * i] = in[2 * i];
        return;
    }
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        out[stride * i] = in[stride * i];
}
