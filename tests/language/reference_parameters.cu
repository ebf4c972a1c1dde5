// Kernels with parameters of lvalue reference type, which nvcc takes although guide 18.5.10.3 has
// none: the kernel gets the address of what the argument refers to. It is managed memory here, so
// that a device of any kind can reach it.
#include "check.h"

struct pair {
    int first;
    double second;
};

__global__ void add(int &sum, const pair &p, const int &more) {
    atomicAdd(&sum, p.first + (int)p.second + more + (int)threadIdx.x);
}

template <typename T> __global__ void scale(T &x, T by) {
    if (threadIdx.x == 0)
        x *= by;
}

typedef int row[4];

__global__ void fill(row &r, int *&cursor) {
    r[threadIdx.x] = 10 + threadIdx.x;
    if (threadIdx.x == 0)
        *cursor++ = 7;
}

__global__ void parent(int &sum, pair *p) {
    scale<<<1, 32>>>(sum, p->first);
}

__managed__ int total = 5;

int main() {
    pair *p = shared_array<pair>(1);
    *p = {3, 7.5};
    int *more = shared_array<int>(1);
    *more = 100;
    add<<<2, 4>>>(total, *p, *more);
    CUDA(cudaDeviceSynchronize());
    CHECK(total == 5 + 8 * (3 + 7 + 100) + 2 * (0 + 1 + 2 + 3));

    double *x = shared_array<double>(1);
    *x = 1.5;
    scale<<<1, 64>>>(*x, 4.0);
    CUDA(cudaDeviceSynchronize());
    CHECK(*x == 6);

    // Functions of the API take the parameter as it is: an address.
    double by = 0.5;
    void *arguments[] = {&x, &by};
    CUDA(cudaLaunchKernel((void *)scale<double>, dim3(1), dim3(32), arguments, 0, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(*x == 3);

    row *r = (row *)shared_array<int>(4);
    int **cursor = shared_array<int *>(1), *cells = shared_array<int>(2);
    *cursor = cells;
    fill<<<1, 4>>>(*r, *cursor);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        CHECK((*r)[i] == 10 + i);
    CHECK(*cursor == cells + 1 && cells[0] == 7 && cells[1] == 0);

    if (on_kudzu()) { // NVIDIA's driver has no launches by kernels without its own library
        total = 4;
        parent<<<1, 1>>>(total, p);
        CUDA(cudaDeviceSynchronize());
        CHECK(total == 12);
    }
    return failures != 0;
}
