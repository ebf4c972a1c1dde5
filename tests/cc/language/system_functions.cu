// printf, assert, trap, breakpoint, heap, clocks, sleep.
// CHECK: vprintf
// CHECK-NOT: extern .func __cxa_pure_virtual
// CHECK: __assertfail
// CHECK: trap
// CHECK: brkpt
// CHECK: malloc
// CHECK: free
// CHECK: %clock
// CHECK: %clock64
// CHECK: nanosleep
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <new>
struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape() {
    }
};
struct square : shape {
    float side;
    __device__ square(float s) : side(s) {
    }
    __device__ float area() const override {
        return side * side;
    }
};
struct circle : shape {
    float r;
    __device__ circle(float r) : r(r) {
    }
    __device__ float area() const override {
        return 3.14f * r * r;
    }
};
__global__ void system_calls(int n, float *out) {
    printf("thread %d of %d: %f %s %c %lld %p\n", threadIdx.x, n, 1.5, "text", 'c', 5ll, out);
    std::printf("none\n");
    assert(n > 0);
    assert(n < 100 && "too many");
    int *p = (int *)malloc(n * sizeof(int));
    p[0] = n;
    free(p);
    shape *s = n > 5 ? (shape *)new square(2) : new circle(1);
    out[0] = s->area();
    delete s;
    float *a = new float[n];
    a[n - 1] = 1;
    out[1] = a[0];
    delete[] a;
    alignas(square) char buffer[sizeof(square)];
    square *in_place = new (buffer) square(3);
    out[2] = in_place->area();
    in_place->~square();
    clock_t start = clock();
    long long start64 = clock64();
    __nanosleep(100);
    out[3] = clock() - start + (clock64() - start64);
    if (n == 77)
        __trap();
    if (n == 78)
        __brkpt();
}
