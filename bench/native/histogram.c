#include <stddef.h>
#include <string.h>

void native_histogram(const unsigned char *in, unsigned *bins, size_t n) {
    memset(bins, 0, 256 * sizeof *bins);
#pragma omp parallel
    {
        unsigned own[4][256] = {{0}};
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < n / 4; i++)
            for (int k = 0; k < 4; k++)
                own[k][in[4 * i + k]]++;
#pragma omp critical
        for (int b = 0; b < 256; b++)
            bins[b] += own[0][b] + own[1][b] + own[2][b] + own[3][b];
    }
}
