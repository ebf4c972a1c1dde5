// What a package's libcurand has of Sobol's sequences: 20,000 dimensions, of which each has one of
// its first sixteen points in each sixteenth of the range (the definition's property A in one
// dimension).
#include <curand.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS = 20000, POINTS = 16 };

static void expect(curandStatus_t status, curandStatus_t want, const char *what) {
    if (status == want)
        return;
    fprintf(stderr, "%s: status %d, not %d\n", what, status, want);
    exit(1);
}

int main(void) {
    curandGenerator_t generator;
    expect(curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SOBOL32), CURAND_STATUS_SUCCESS,
           "generator");
    expect(curandSetQuasiRandomGeneratorDimensions(generator, DIMENSIONS + 1),
           CURAND_STATUS_OUT_OF_RANGE, "a dimension more");
    expect(curandSetQuasiRandomGeneratorDimensions(generator, DIMENSIONS), CURAND_STATUS_SUCCESS,
           "dimensions");
    static unsigned points[DIMENSIONS][POINTS]; // a dimension's points lie together
    expect(curandGenerate(generator, &points[0][0], DIMENSIONS * POINTS), CURAND_STATUS_SUCCESS,
           "points");
    expect(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS, "end");
    for (int d = 0; d < DIMENSIONS; d++) {
        unsigned seen = 0;
        for (int i = 0; i < POINTS; i++)
            seen |= 1u << (points[d][i] >> 28);
        if (seen != 0xffff) {
            fprintf(stderr, "dimension %d: sixteenths %#x\n", d, seen);
            return 1;
        }
    }
    puts("checked");
    return 0;
}
