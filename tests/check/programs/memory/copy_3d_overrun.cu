// A copy of a volume counts one slice more than the volume has. Guide, 6.2.2.
#include "../suite.h"

int main() {
    enum { W = 16, H = 4, D = 3 };
    static float h[W * H * D * 4];
    cudaPitchedPtr p;
    OK(cudaMalloc3D(&p, make_cudaExtent(W * sizeof(float), H, D)));
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(h, W * sizeof(float), W, H);
    c.dstPtr = p;
#ifdef BUG
    c.extent = make_cudaExtent(W * sizeof(float), H, D + 1);
#else
    c.extent = make_cudaExtent(W * sizeof(float), H, D);
#endif
    c.kind = cudaMemcpyHostToDevice;
    cudaError_t e = cudaMemcpy3D(&c); // bug: memory.copy
    (void)cudaGetLastError();
    OK(cudaFree(p.ptr));
    return verdict(e == cudaSuccess);
}
