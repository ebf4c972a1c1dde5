// Eight bits a pass; every thread counts and moves its own part.
#include <omp.h>
#include <stddef.h>
#include <string.h>

enum { MOST_THREADS = 256 };

static unsigned counts[MOST_THREADS][256];

static void pass(const unsigned *in, unsigned *out, size_t n, int shift) {
    size_t t = omp_get_thread_num(), threads = omp_get_num_threads();
    size_t first = n * t / threads, last = n * (t + 1) / threads;
    unsigned own[4][256] = {{0}}, place[256];
    size_t i = first;
    for (; i + 4 <= last; i += 4)
        for (int k = 0; k < 4; k++)
            own[k][in[i + k] >> shift & 255]++;
    for (; i < last; i++)
        own[0][in[i] >> shift & 255]++;
    for (int d = 0; d < 256; d++)
        counts[t][d] = own[0][d] + own[1][d] + own[2][d] + own[3][d];
#pragma omp barrier
    unsigned before = 0;
    for (int d = 0; d < 256; d++) {
        for (size_t k = 0; k < threads; k++) {
            if (k == t)
                place[d] = before;
            before += counts[k][d];
        }
    }
    for (i = first; i < last; i++)
        out[place[in[i] >> shift & 255]++] = in[i];
#pragma omp barrier
}

void native_radix_sort(unsigned *keys, unsigned *other, size_t n) {
#pragma omp parallel
    {
        pass(keys, other, n, 0);
        pass(other, keys, n, 8);
        pass(keys, other, n, 16);
        pass(other, keys, n, 24);
    }
}
