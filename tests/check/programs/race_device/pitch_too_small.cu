// Rows of a picture overlap: the pitch is less than the row's threads. Guide, 3.2.4: what threads of
// a grid write is theirs alone, or has to be ordered.
#include "../suite.h"

__global__ void draw(float *out, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * pitch + x] = x + 64.0f * y; // bug: race.blocks
}

int main() {
    const int w = 64, h = 16;
#ifdef BUG
    const int pitch = w - 1;
#else
    const int pitch = w;
#endif
    static float host[w * h];
    float *out;
    OK(cudaMalloc(&out, sizeof host));
    OK(cudaMemset(out, 0, sizeof host));
    draw<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(out, pitch);
    OK(cudaGetLastError());
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(host[0] == 0 && (pitch < w || host[w * h - 1] == 63 + 64.0f * 15));
}
