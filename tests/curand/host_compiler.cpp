// What host compilers that know nothing of kernels see of <curand_kernel.h>: states, and the
// functions that are the host's, too. CuPy's host code asks for the sizes of states.
#include <curand_kernel.h>

#include <cstdio>

int main() {
    static_assert(sizeof(curandState) >= 6 * sizeof(unsigned) && sizeof(curandState_t) != 0, "");
    static_assert(sizeof(curandStateMRG32k3a) >= 6 * sizeof(double) / 2, "");
    static_assert(sizeof(curandStatePhilox4_32_10_t) >= 12 * sizeof(unsigned), "");
    curandState state;
    curand_init(1234, 0, 0, &state);
    const unsigned first = curand(&state);
    if (first != 0x253d5e15u) // recorded.txt
        fprintf(stderr, "the first word of XORWOW with seed 1234: %08x\n", first);
    return first != 0x253d5e15u;
}
