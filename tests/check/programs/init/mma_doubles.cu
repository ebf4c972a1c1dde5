// A warp multiplies matrices of doubles (mma.m8n8k4), one element of which was never set; its row
// of sums goes to the host. Guide, 10.24; PTX ISA, mma.m8n8k4: lane l has an element of a, in row l
// / 4.
#include "../suite.h"

__global__ void multiply(const double *a, double *out) {
    int lane = threadIdx.x;
    double d[2] = {1, 2};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a[lane]), "d"(3.0));
    if (lane < 28) {              // the last row is none of the matrix'
        out[2 * lane] = d[0];     // bug: init.matrix
        out[2 * lane + 1] = d[1]; // or
    }
}

int main() {
    double h[28], r[56], *a, *out;
    bool right = true;
    for (double &x : h)
        x = 2;
    OK(cudaMalloc(&a, 32 * sizeof(double)));
    OK(cudaMalloc(&out, sizeof r));
#ifdef BUG
    OK(cudaMemcpy(a, h, 27 * sizeof(double), cudaMemcpyHostToDevice));
#else
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
#endif
    multiply<<<1, 32>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 56; k++)
        right &= r[k] == 25 + k % 2;
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(right);
}
