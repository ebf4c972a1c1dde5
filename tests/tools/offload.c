// OpenMP on the device: loops, reductions, scopes of data, functions and variables of its own.
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { N = 10000 };

#pragma omp declare target
int factor = 3;
static int scaled(int x) {
    return factor * x;
}
#pragma omp end declare target

static int failures;

static void check(int ok, const char *what) {
    if (!ok)
        printf("failed: %s\n", what);
    failures += !ok;
}

int main(void) {
    static float a[N], b[N];
    static int counts[16];
    double sum = 0, root = 0;
    int on_host = 1, threads = 0, nested = 0;
    for (int i = 0; i < N; i++)
        a[i] = (float)i;
    check(omp_get_num_devices() > 0, "there is a device");

#pragma omp target teams distribute parallel for map(to : a) map(from : b)
    for (int i = 0; i < N; i++)
        b[i] = 2 * a[i] + 1;
    check(b[0] == 1 && b[N - 1] == 2 * (N - 1) + 1, "a loop");

#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : b)
    for (int i = 0; i < N; i++)
        sum += b[i];
    check(sum == (double)N * N, "a reduction");

#pragma omp target map(from : on_host)
    on_host = omp_is_initial_device();
    check(!on_host, "it runs on the device");

#pragma omp target parallel for num_threads(64) map(tofrom : counts)
    for (int i = 0; i < N; i++)
#pragma omp atomic
        counts[i % 16] += scaled(i);
    int all = 0;
    for (int i = 0; i < 16; i++)
        all += counts[i];
    check(all == 3 * (N - 1) * (N / 2), "atomics, functions and variables of the device");

    factor = 5;
#pragma omp target update to(factor)
#pragma omp target map(from : nested)
    {
        int n = 0; // one thread runs this, others join it in the loop
#pragma omp parallel for reduction(+ : n)
        for (int i = 0; i < 100; i++)
            n += scaled(i);
        nested = n;
    }
    check(nested == 5 * 4950, "a parallel loop in a region of one thread");

#pragma omp target data map(to : a) map(from : b)
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < N; i++)
            b[i] = sqrtf(a[i]);
#pragma omp target teams distribute parallel for reduction(max : root)
        for (int i = 0; i < N; i++)
            root = fmax(root, sin((double)b[i]));
    }
    check(root > 0.999999 && root <= 1 && b[4] == 2, "mathematical functions, data that stay");

#pragma omp target teams num_teams(4) thread_limit(32) map(tofrom : threads)
#pragma omp parallel
#pragma omp atomic
    threads += 1;
    check(threads > 4 && threads <= 128, "teams of threads");
    puts(failures ? "failed" : "passed");
    return failures;
}
