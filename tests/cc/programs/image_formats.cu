// The formats of textures and surfaces, asked for in device code. A program of its own: NVIDIA's
// driver refuses every kernel of an image in which one asks for them.
#include <cstdio>

static int failures;
#define CHECK(x) ((x) ? (void)0 : (void)(++failures, printf("line %d: %s\n", __LINE__, #x)))
#define OK(x) CHECK((x) == cudaSuccess)

__global__ void formats(cudaTextureObject_t t, cudaSurfaceObject_t s, int *r) {
    asm("txq.channel_order.b32 %0, [%1];" : "=r"(r[0]) : "l"(t));
    asm("txq.channel_data_type.b32 %0, [%1];" : "=r"(r[1]) : "l"(t));
    asm("suq.channel_order.b32 %0, [%1];" : "=r"(r[2]) : "l"(s));
    asm("suq.channel_data_type.b32 %0, [%1];" : "=r"(r[3]) : "l"(s));
}

template <class T> static cudaResourceDesc image(T) {
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    OK(cudaMallocArray(&r.res.array.array, &desc, 4, 2, cudaArraySurfaceLoadStore));
    return r;
}

int main() {
    cudaResourceDesc four = image(float4()), one = image(0);
    cudaTextureDesc d = {};
    cudaTextureObject_t t = 0;
    cudaSurfaceObject_t s = 0;
    int *r;
    OK(cudaCreateTextureObject(&t, &four, &d, nullptr));
    OK(cudaCreateSurfaceObject(&s, &one));
    OK(cudaMallocManaged(&r, 16));
    formats<<<1, 1>>>(t, s, r);
    if (cudaGetLastError() == cudaErrorNotSupported)
        return printf("skipped: the device does not tell formats\n"), 77;
    OK(cudaDeviceSynchronize());
    // RGBA, float; R, signed 32-bit integer: the codes of the PTX manual.
    CHECK(r[0] == 0x10b5 && r[1] == 0x10de && r[2] == 0x10b0 && r[3] == 0x10d9);
    return failures != 0;
}
