// Functions that only the compiler calls (18.5.25.4): those of one side in code of the other one.
#include "check.h"

consteval int of_neither(int x) {
    return x * 2;
}
consteval __device__ int of_device(int x) {
    return x * 3;
}
__host__ consteval int of_host(int x) {
    return x * 5;
}
template <class T> consteval __device__ T of_device_too(T x) {
    return x + of_device(1);
}
struct value {
    int v;
    __device__ consteval value(int a) : v(a * 7) {
    }
};

__host__ __device__ int both() {
    constexpr value v(1);
    int array[of_device(1)] = {};
    return of_neither(1) + of_device(10) + of_host(100) + of_device_too(1000) + v.v +
           (int)(sizeof array / sizeof(int));
}
int host() {
    return of_neither(1) + of_device(10) + of_host(100) + of_device_too(1000) + value(1).v + 3;
}
__global__ void on_device(int *result) {
    result[0] = both();
    result[1] = of_neither(1) + of_device(10) + of_host(100) + of_device_too(1000) + value(1).v + 3;
}

int main() {
    int *device = shared_array<int>(2), expected = 2 + 30 + 500 + 1003 + 7 + 3;
    on_device<<<1, 1>>>(device);
    CUDA(cudaDeviceSynchronize());
    CHECK(device[0] == expected && device[1] == expected);
    CHECK(both() == expected && host() == expected);
    return failures != 0;
}
