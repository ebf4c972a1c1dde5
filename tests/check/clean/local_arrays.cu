// Local arrays with indices of run time: a heap of the least, a stack of an iterative walk, a small
// histogram; parts of each are never set. Guide, 6.2.3.
#include "../programs/suite.h"
__global__ void work(const int *in, int n, int *out) {
    int heap[8], size = 0, stack[32], top = 0;
    unsigned char counts[16] = {0};
    for (int i = 0; i < n; i++) {
        int x = in[(i * 31 + threadIdx.x) % n];
        counts[x & 15]++;
        if (size < 8) {
            int k = size++;
            heap[k] = x;
            while (k && heap[(k - 1) / 2] < heap[k]) {
                int t = heap[k];
                heap[k] = heap[(k - 1) / 2];
                heap[(k - 1) / 2] = t;
                k = (k - 1) / 2;
            }
        } else if (x < heap[0]) {
            int k = 0;
            heap[0] = x;
            for (;;) {
                int l = 2 * k + 1, m = k;
                if (l < 8 && heap[l] > heap[m])
                    m = l;
                if (l + 1 < 8 && heap[l + 1] > heap[m])
                    m = l + 1;
                if (m == k)
                    break;
                int t = heap[k];
                heap[k] = heap[m];
                heap[m] = t;
                k = m;
            }
        }
    }
    int nodes = 0; // of a binary tree of 0..threadIdx.x
    stack[top++] = 0;
    while (top) {
        int v = stack[--top];
        nodes++;
        if (2 * v + 1 <= (int)threadIdx.x)
            stack[top++] = 2 * v + 1;
        if (2 * v + 2 <= (int)threadIdx.x)
            stack[top++] = 2 * v + 2;
    }
    out[threadIdx.x] = heap[0] * 10000 + nodes * 16 + (counts[threadIdx.x & 15] != 0);
}
int main() {
    enum { N = 100 };
    int h[N], r[64], *in, *out;
    for (int i = 0; i < N; i++)
        h[i] = i * 17 % 101;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof r));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    work<<<1, 64>>>(in, N, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < 64; i++)
        right &= r[i] / 16 % 625 == i + 1 || r[i] >= 0;
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(right && (r[5] % 10000) / 16 == 6);
}
