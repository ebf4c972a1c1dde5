// A kernel computes with words that were never set. Another one moves what it stored into what goes
// to the host, each as a loop left it: shifted by one, or what stands where a flag was set last.
// Beside it is padding, which was not set either and is nobody's affair. Guide, 6.2.2.
#include "../suite.h"

struct alignas(8) element {
    unsigned char is; // three bytes of padding behind it
    int sum;
};
__global__ void add(const int *in, element *sums) {
    sums[threadIdx.x].is = 1;
    sums[threadIdx.x].sum = in[threadIdx.x] + 1; // bug: init.chosen
}

__global__ void shift(const element *sums, const int *flags, int n, element *out) {
    element last = sums[threadIdx.x], first = last;
    for (int k = 1; k < n; k++) {
        element next = sums[(threadIdx.x + k) % 32];
        out[32 * k + threadIdx.x] = last;
        last = next;
        if (flags[k])
            first = next;
    }
    out[threadIdx.x] = first;
}

int main() {
    enum { N = 4 };
    int *in, *flags;
    element *sums, *out, h[32 * N];
    OK(cudaMalloc(&in, 32 * sizeof(int)));
    OK(cudaMalloc(&sums, 32 * sizeof(element)));
    OK(cudaMalloc(&flags, N * sizeof(int)));
    OK(cudaMemset(flags, 1, N * sizeof(int)));
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    OK(cudaMemset(in, 0, 31 * sizeof(int)));
#else
    OK(cudaMemset(in, 0, 32 * sizeof(int)));
#endif
    add<<<1, 32>>>(in, sums);
    shift<<<1, 32>>>(sums, flags, N, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(sums));
    OK(cudaFree(flags));
    OK(cudaFree(out));
    return verdict(h[5].sum == 1 && h[70].sum == 1);
}
