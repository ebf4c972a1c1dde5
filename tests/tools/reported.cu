// Programs that `kudzu run` is to tell about, or not; test_run.py looks for lines by their marks.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

__global__ void nothing(int *p) {
}

__global__ void writes(int *p) {
    if (blockIdx.x == 1 && threadIdx.x == 5)
        p[threadIdx.x] = 1; // outside
}

__global__ void adds(int *p) {
    if (threadIdx.x == 0)
        atomicAdd(p, 1); // adds
}

__global__ void nothing_but_one(int *p) {
    *p = 1;
}

__global__ void slow(int *p, int turns) {
    unsigned x = 1;
    for (int k = 0; k < turns; k++)
        x = x * 1664525u + 1013904223u + (x >> 7);
    if (x)
        *p = 1;
}

__global__ void waits(int *p) {
    while (!*(volatile int *)p)
        ;
}

static int *outside() {
    return (int *)8;
}

static void *launch_badly(void *) {
    nothing<<<1, 2000>>>(nullptr);
    return nullptr;
}

int main(int argc, char **argv) {
    const char *what = argv[1];
    auto is = [=](const char *name) { return !strcmp(what, name); };
    if (is("fine")) {
        nothing<<<1, 1>>>(nullptr);
        cudaStream_t s;
        cudaStreamCreate(&s);
        cudaStreamQuery(s); // cudaErrorNotReady is an answer
        cudaMalloc(nullptr, 1); // refused, and no launch
    }
    if (is("threads"))
        nothing<<<1, 2000>>>(nullptr);
    if (is("often"))
        for (int k = 0; k < 1000; k++)
            nothing<<<1, 2000>>>(nullptr);
    if (is("shared"))
        nothing<<<1, 1, 1 << 24>>>(nullptr);
    if (is("cooperative")) {
        int *p = nullptr;
        void *args[] = {&p};
        cudaLaunchCooperativeKernel((void *)nothing, dim3(1 << 20), dim3(1024), args, 0, 0);
    }
    if (is("looked")) {
        nothing<<<1, 2000>>>(nullptr);
        if (cudaGetLastError() != cudaErrorInvalidConfiguration)
            return 2;
    }
    if (is("peeked")) {
        nothing<<<1, 2000>>>(nullptr);
        if (cudaPeekAtLastError() != cudaErrorInvalidConfiguration)
            return 2;
    }
    if (is("worded")) {
        int *p = nullptr;
        void *args[] = {&p};
        cudaError_t error = cudaLaunchKernel((void *)nothing, dim3(1), dim3(2000), args, 0, 0);
        printf("%s\n", cudaGetErrorString(error));
    }
    if (is("thread")) { // what another thread asks for is its own
        pthread_t t;
        pthread_create(&t, nullptr, launch_badly, nullptr);
        pthread_join(t, nullptr);
        if (cudaGetLastError() != cudaSuccess)
            return 2;
    }
    if (is("fault")) {
        writes<<<2, 32>>>(outside());
        cudaDeviceSynchronize();
        nothing<<<1, 1>>>(nullptr); // refused because of the fault
    }
    if (is("atomic")) {
        adds<<<1, 32>>>(outside());
        cudaDeviceSynchronize();
    }
    if (is("memory")) {
        int *p = outside();
        cudaMalloc(&p, 1ull << 60);
        nothing_but_one<<<1, 1>>>(p);
        cudaDeviceSynchronize();
    }
    if (is("copy")) {
        cudaMemcpy(nullptr, &argc, sizeof argc, cudaMemcpyHostToDevice);
        return 4;
    }
    if (is("asked")) {
        cudaMemcpy(nullptr, &argc, sizeof argc, cudaMemcpyHostToDevice);
        cudaGetLastError();
        return 5;
    }
    if (is("refused"))
        cudaMemcpy(nullptr, &argc, sizeof argc, cudaMemcpyHostToDevice);
    if (is("late")) {
        slow<<<1, 1>>>(outside(), 100000000);
        return 0;
    }
    if (is("forever")) {
        int *p;
        cudaMallocManaged(&p, sizeof *p);
        *p = 0;
        waits<<<1, 1>>>(p);
    }
    if (is("_exit")) {
        nothing<<<1, 2000>>>(nullptr);
        writes<<<2, 32>>>(outside());
        cudaDeviceSynchronize();
        _exit(0);
    }
    if (is("abort")) {
        nothing<<<1, 2000>>>(nullptr);
        abort();
    }
    if (is("three")) {
        nothing<<<1, 2000>>>(nullptr);
        exit(3);
    }
    if (is("closed")) {
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        nothing<<<1, 2000>>>(nullptr);
    }
    if (is("sleeps")) {
        printf("%ld\n", (long)getpid());
        fflush(stdout);
        sleep(60);
    }
    if (is("handles")) {
        signal(SIGTERM, [](int) { _exit(7); });
        printf("%ld\n", (long)getpid());
        fflush(stdout);
        sleep(60);
    }
}
