// Particles with bitfields, a union and padding: made, compacted, sorted by key and summed on the
// device, copied whole. Guide, 6.2.2.
#include "../programs/suite.h"
struct particle {
    unsigned kind : 3, alive : 1, cell : 20;
    union {
        float f;
        int i;
    } u;
    char tag;
    double energy;
};
enum { N = 256 };
__global__ void make(particle *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    particle q;
    q.kind = i % 5;
    q.alive = i % 3 != 0;
    q.cell = i * 37 % 1000;
    q.tag = 'a' + i % 26;
    q.energy = i * 0.5;
    if (q.kind & 1)
        q.u.i = i;
    else
        q.u.f = i * 2.0f;
    p[i] = q;
}
__global__ void compact(const particle *in, particle *out, int *n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    particle q = in[i];
    if (q.alive) {
        out[i - i / 3 - 1] = q;
        atomicAdd(n, 1);
    }
}
__global__ void bitonic(particle *p, int n, int k, int j) {
    int i = threadIdx.x, o = i ^ j;
    if (o > i && o < n) {
        particle a = p[i], b = p[o];
        bool up = !(i & k);
        if ((a.energy > b.energy) == up) {
            p[i] = b;
            p[o] = a;
        }
    }
}
__global__ void pick(const particle *p, int n, particle *best, double *sum) {
    int t = threadIdx.x;
    particle b = p[t];
    double s = 0;
    for (int i = t; i < n; i += 32) {
        s += p[i].energy;
        b = p[i].cell > b.cell ? p[i] : b;
    }
    for (int d = 16; d; d /= 2)
        s += __shfl_down_sync(~0u, s, d);
    best[t] = b;
    if (!t)
        *sum = s;
}
int main() {
    particle *a, *b, *best, h[N], hb[32];
    int *n, count;
    double *sum, s, want = 0;
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMalloc(&best, sizeof hb));
    OK(cudaMalloc(&n, 4));
    OK(cudaMalloc(&sum, 8));
    OK(cudaMemset(n, 0, 4));
    make<<<2, N / 2>>>(a);
    compact<<<2, N / 2>>>(a, b, n);
    OK(cudaMemcpy(&count, n, 4, cudaMemcpyDeviceToHost));
    pick<<<1, 32>>>(b, count, best, sum);
    for (int k = 2; k <= 128; k *= 2)
        for (int j = k / 2; j; j /= 2)
            bitonic<<<1, 128>>>(b, 128, k, j);
    OK(cudaMemcpy(h, b, count * sizeof *b, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(hb, best, sizeof hb, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&s, sum, 8, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        want += i % 3 ? i * 0.5 : 0;
    bool right = s == want && hb[0].alive;
    for (int i = 1; i < 128; i++)
        right &= h[i - 1].energy <= h[i].energy;
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(best));
    OK(cudaFree(n));
    OK(cudaFree(sum));
    return verdict(right);
}
