// Specifiers that clang has no attribute for: __managed__, __maxnreg__, __grid_constant__.
// CHECK: \.global \.attribute\(\.managed\) .*\.u32 counter = 3;
// CHECK: \.global \.attribute\(\.managed\) .*table\[
// CHECK: \.extern \.global .*elsewhere
// NOT ALONE: elsewhere lies in another file.
__managed__ int counter = 3;
__device__ __managed__ float table[8];
extern __managed__ int elsewhere;
__global__ void uses(int *p) {
    *p = counter + table[1] + elsewhere;
}
__global__ void __maxnreg__(64) limited(int *p) {
    *p = counter;
}
struct pair {
    int a, b;
};
__global__ void constant_parameter(const __grid_constant__ pair p, int *out) {
    *out = p.a + p.b;
}
int host(int *p) {
    counter = 4;
    table[2] += 1;
    int *address = &counter;
    limited<<<1, 1>>>(p);
    return *address + counter + elsewhere;
}
