// Loops instead of a thread an element and the other way round, other types (double, int4, uchar4),
// several elements a thread, memcpy.
#include "bench.h"

enum { N = 1 << 24 };

template <typename T> __global__ void copy_elements(T *odata, const T *idata, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        odata[i] = idata[i];
}

template <typename T> __global__ void copy_in_turn(T *dst, const T *src, int n) {
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        dst[i] = src[i];
}

// A tile of rows with several elements a thread, as a transposition is measured against.
__global__ void copy_tile(float *odata, const float *idata, int width) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        odata[(y + j) * width + x] = idata[(y + j) * width + x];
}

__global__ void copy_unrolled(float *dst, const float *src, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    if (i + 3 * blockDim.x < n) {
        float a = src[i], b = src[i + blockDim.x], c = src[i + 2 * blockDim.x];
        float d = src[i + 3 * blockDim.x];
        dst[i] = a;
        dst[i + blockDim.x] = b;
        dst[i + 2 * blockDim.x] = c;
        dst[i + 3 * blockDim.x] = d;
    }
}

__global__ void copy_shared(float4 *dst, const float4 *src) {
    __shared__ float4 stage[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    stage[threadIdx.x] = src[i];
    __syncthreads();
    dst[i] = stage[threadIdx.x];
}

__global__ void copy_pieces(float *dst, const float *src, int n) {
    int piece = n / gridDim.x, end = (blockIdx.x + 1) * piece;
    for (int i = blockIdx.x * piece + threadIdx.x; i < end; i += blockDim.x)
        dst[i] = src[i];
}

__global__ void copy_words(char *dst, const char *src, int each) {
    int first = (blockIdx.x * blockDim.x * each + threadIdx.x) * sizeof(int);
    for (int k = 0; k < each; k++, first += blockDim.x * sizeof(int))
        memcpy(dst + first, src + first, sizeof(int));
}

__global__ void offset_loop(float *a, const float *b, int n, int shift) {
    for (int i = shift + blockIdx.x * blockDim.x + threadIdx.x; i < n + shift;
         i += blockDim.x * gridDim.x)
        a[i] = b[i];
}

__global__ void offset_four(float *a, const float *b, int shift) {
    a += shift;
    b += shift;
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    a[i] = b[i];
    a[i + 1] = b[i + 1];
    a[i + 2] = b[i + 2];
    a[i + 3] = b[i + 3];
}

__global__ void offset_matrix(float *a, const float *b, int pitch, int shift) {
    int column = threadIdx.x + blockDim.x * blockIdx.x, row = threadIdx.y + blockDim.y * blockIdx.y;
    a[row * pitch + column + shift] = b[row * pitch + column + shift];
}

__global__ void strided_loop(float *a, const float *b, int n, int stride) {
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride; i < n;
         i += blockDim.x * gridDim.x * stride)
        a[i] = b[i];
}

struct Pair {
    float first, second;
};

__global__ void strided_member(Pair *a, const Pair *b, int pairs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
        a[i].first = b[i].first;
}

__global__ void strided_even(float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 2 == 0)
        a[i] = b[i];
}

VARIANTS(copy, "copy") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { copy_tile<<<dim3(4096 / 32, 4096 / 32), dim3(32, 8)>>>(out, in, 4096); },
        [=] { copy_elements<<<N / 2 / 128, 128>>>((double *)out, (double *)in, N / 2); },
        [=] { copy_unrolled<<<N / 1024, 256>>>(out, in, N); },
    };
}

VARIANTS(copy4, "copy, float4") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { copy_in_turn<<<128, 256>>>((int4 *)out, (int4 *)in, N / 4); },
        [=] { copy_elements<<<N / 4 / 512, 512>>>((double2 *)out, (double2 *)in, N / 4); },
        [=] { copy_shared<<<N / 4 / 128, 128>>>((float4 *)out, (float4 *)in); },
    };
}

VARIANTS(copy_loop, "copy, grid stride") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { copy_in_turn<<<256, 128>>>((uchar4 *)out, (uchar4 *)in, N); },
        [=] { copy_pieces<<<64, 256>>>(out, in, N); },
        [=] { copy_words<<<64, 256>>>((char *)out, (char *)in, N / 64 / 256); },
    };
}

VARIANTS(copy_offset, "copy, misaligned") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    const int m = N - 256;
    return {
        [=] { offset_loop<<<96, 256>>>(out, in, m, 3); },
        [=] { offset_four<<<m / 768, 192>>>(out, in, 3); },
        [=] { offset_matrix<<<dim3(1, m / 256 / 3), dim3(256, 3)>>>(out, in, 256, 3); },
    };
}

VARIANTS(copy_strided, "copy, stride 2") {
    const float *in = row_buffer<float>(0).dev;
    float *out = row_buffer<float>(1).dev;
    return {
        [=] { strided_loop<<<128, 256>>>(out, in, N, 2); },
        [=] { strided_member<<<N / 2 / 128, 128>>>((Pair *)out, (Pair *)in, N / 2); },
        [=] { strided_even<<<N / 256, 256>>>(out, in, N); },
    };
}
