#include "bench.h"

__global__ void nothing() {
}

BENCH(launch) {
    const int n = 100;
    Row r("empty launch", 1e3 * n, "Mlaunch/s");
    r.kudzu = [&] {
        for (int i = 0; i < n; i++)
            nothing<<<1, 1>>>();
    };
    r.pocl = [&] {
        for (int i = 0; i < n; i++)
            pocl("nothing", 1, 1);
    };
    measure(r);
    r.name = "empty launch and wait";
    r.kudzu = [&] {
        for (int i = 0; i < n; i++) {
            nothing<<<1, 1>>>();
            CHECK(cudaDeviceSynchronize());
        }
    };
    r.pocl = [&] {
        for (int i = 0; i < n; i++) {
            pocl("nothing", 1, 1);
            opencl_finish();
        }
    };
    measure(r);
}
