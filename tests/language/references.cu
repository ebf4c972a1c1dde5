// Texture and surface references (guide of version 11, 3.2.13): fetches of every geometry and read
// mode, accesses, bindings and their errors.
#include <cstdint>
#include <cstring>

#include "check.h"

#define EXPECT(call, want) CHECK((call) == (want) && cudaGetLastError() == (want))

texture<float, cudaTextureType2D, cudaReadModeElementType> image;
texture<float> line; // one dimension, the texels' own type
texture<int4, cudaTextureType1D, cudaReadModeElementType> vectors;
texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> bytes;
static texture<short2, 1, cudaReadModeNormalizedFloat> shorts;
texture<float, cudaTextureType3D> volume;
texture<float, cudaTextureType2DLayered> layers;
texture<float, cudaTextureType1DLayered> rows;
texture<float, cudaTextureTypeCubemap> cube;
texture<float, cudaTextureType2D> levels;
texture<uint2, cudaTextureType2D> never; // bound to nothing
surface<void, cudaSurfaceType2D> target;
surface<void, cudaSurfaceType2DLayered> layered_target;

__device__ float through_a_function(texture<float, cudaTextureType2D> t, float x, float y) {
    return tex2D(t, x, y);
}

__global__ void fetch_image(float *out, float x, float y) {
    out[0] = tex2D(image, x, y);
    out[1] = through_a_function(image, x, y);
    float4 g = tex2Dgather(image, x, y);
    out[2] = g.x;
    out[3] = g.z;
    out[4] = tex2DLod(image, x, y, 0);
}

__global__ void fetch_line(float *out, int at) {
    out[threadIdx.x] = tex1Dfetch(line, threadIdx.x + at);
}

__global__ void fetch_vectors(int4 *out) {
    out[threadIdx.x] = tex1Dfetch(vectors, threadIdx.x);
}

__global__ void fetch_normalized(float *out) {
    out[0] = tex2D(bytes, 0.5f, 0.5f);
    float2 s = tex1Dfetch(shorts, 1);
    out[1] = s.x;
    out[2] = s.y;
}

__global__ void fetch_others(float *out) {
    out[0] = tex3D(volume, 1.5f, 0.5f, 1.5f);
    out[1] = tex2DLayered(layers, 1.5f, 0.5f, 1);
    out[2] = tex1DLayered(rows, 0.5f, 2);
    out[3] = texCubemap(cube, -1.0f, 0.0f, 0.0f); // face 1
}

__global__ void copy_surface() {
    int x = threadIdx.x, y = threadIdx.y;
    float v = surf2Dread<float>(target, x * 4, y), w;
    surf2Dread(&w, target, x * 4, y, cudaBoundaryModeClamp);
    surf2Dwrite(v + w + 1, target, x * 4, y);
    surf2Dwrite(100.0f, target, 4096, y, cudaBoundaryModeZero); // outside
    surf2DLayeredwrite((float)(x + 10 * y), layered_target, x * 4, y, 1);
}

static float *out;

static void get(float *to, int n) {
    CUDA(cudaMemcpy(to, out, n * sizeof(float), cudaMemcpyDeviceToHost));
}

static cudaArray_t array_of(const float *data, int width, int height, unsigned flags = 0) {
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&a, &d, width, height, flags));
    CUDA(cudaMemcpy2DToArray(a, 0, 0, data, width * sizeof(float), width * sizeof(float), height,
                             cudaMemcpyHostToDevice));
    return a;
}

static void two_dimensions() {
    static const float texels[6] = {1, 2, 4, 8, 16, 32}; // 3 x 2
    float got[5];
    cudaArray_t a = array_of(texels, 3, 2);
    image.addressMode[0] = cudaAddressModeClamp;
    image.filterMode = cudaFilterModePoint;
    CUDA(cudaBindTextureToArray(image, a));
    fetch_image<<<1, 1>>>(out, 1.5f, 1.5f);
    get(got, 5);
    CHECK(got[0] == 16 && got[1] == 16 && got[4] == 16);
    // What the reference says counts from the next binding on.
    image.filterMode = cudaFilterModeLinear;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    CUDA(cudaBindTextureToArray(image, a, d));
    fetch_image<<<1, 1>>>(out, 1.0f, 1.0f);
    get(got, 5);
    CHECK(got[0] == (1 + 2 + 8 + 16) / 4.0f && got[1] == got[0] && got[2] == 8 && got[3] == 2);
    image.normalized = true;
    image.addressMode[0] = image.addressMode[1] = cudaAddressModeWrap;
    image.filterMode = cudaFilterModePoint;
    CUDA(cudaBindTextureToArray(image, a));
    fetch_image<<<1, 1>>>(out, 1.5f, 0.25f);
    get(got, 5);
    CHECK(got[0] == 2);
    cudaChannelFormatDesc other = cudaCreateChannelDesc<int>();
    EXPECT(cudaBindTextureToArray(image, a, other), cudaErrorInvalidValue);
    EXPECT(cudaBindTextureToArray((const textureReference *)out, a, &d), cudaErrorInvalidTexture);
    CUDA(cudaUnbindTexture(image));
    CUDA(cudaUnbindTexture(image));
    CUDA(cudaFreeArray(a));
}

static void linear_memory() {
    float host[256], got[8];
    size_t offset = 77;
    const textureReference *reference;
    for (int i = 0; i < 256; i++)
        host[i] = i * 0.5f;
    float *p;
    CUDA(cudaMalloc(&p, sizeof host));
    CUDA(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    EXPECT(cudaGetTextureAlignmentOffset(&offset, line), cudaErrorInvalidTextureBinding);
    CUDA(cudaBindTexture(NULL, line, p)); // all that there is
    fetch_line<<<1, 8>>>(out, 250);
    get(got, 8);
    CHECK(got[0] == 125 && got[5] == 127.5f && got[6] == 0); // outside: zero
    CUDA(cudaBindTexture(&offset, line, p + 3, 16));
    CHECK(offset == 12);
    CUDA(cudaGetTextureAlignmentOffset(&offset, line));
    CHECK(offset == 12);
    fetch_line<<<1, 8>>>(out, 3);
    get(got, 8);
    CHECK(got[0] == 1.5f && got[3] == 3 && got[4] == 0);
    EXPECT(cudaBindTexture(NULL, line, p + 3, 16), cudaErrorInvalidValue);
    EXPECT(cudaBindTexture(NULL, line, (float *)NULL), cudaErrorInvalidValue);
    CUDA(cudaGetTextureReference(&reference, &line));
    CHECK(reference == &line);
    EXPECT(cudaGetTextureReference(&reference, host), cudaErrorInvalidTexture);
    CUDA(cudaBindTexture(0, reference, p, &reference->channelDesc, 64)); // the form of C
    // Pitched memory: rows of 3 of 64.
    image = texture<float, cudaTextureType2D, cudaReadModeElementType>();
    CUDA(cudaBindTexture2D(&offset, image, p, 3, 4, 256));
    CHECK(offset == 0);
    fetch_image<<<1, 1>>>(out, 2.5f, 1.5f);
    get(got, 5);
    CHECK(got[0] == host[64 + 2]);
    CUDA(cudaUnbindTexture(line));
    CUDA(cudaUnbindTexture(image));
    CUDA(cudaFree(p));
}

static void types() {
    int4 host[2] = {{1, -2, 3, -4}, {5, 6, 7, 8}}, got4[2], *p, *result;
    unsigned char b[4] = {51, 255, 0, 0}, *q;
    short2 s[2] = {{1, 2}, {-32767, 16384}}, *r;
    float got[3];
    size_t pitch;
    CUDA(cudaMalloc(&p, sizeof host));
    CUDA(cudaMalloc(&result, sizeof host));
    CUDA(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaBindTexture(0, vectors, p, sizeof host));
    fetch_vectors<<<1, 2>>>(result);
    CUDA(cudaMemcpy(got4, result, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(got4, host, sizeof host));
    vectors.filterMode = cudaFilterModeLinear;
    EXPECT(cudaBindTexture(0, vectors, p, sizeof host), cudaErrorInvalidFilterSetting);
    CUDA(cudaMallocPitch(&q, &pitch, 2, 2));
    CUDA(cudaMemcpy2D(q, pitch, b, 2, 2, 2, cudaMemcpyHostToDevice));
    CUDA(cudaBindTexture2D(0, bytes, q, 2, 2, pitch));
    CUDA(cudaMalloc(&r, sizeof s));
    CUDA(cudaMemcpy(r, s, sizeof s, cudaMemcpyHostToDevice));
    CUDA(cudaBindTexture(0, shorts, r, sizeof s));
    fetch_normalized<<<1, 1>>>(out);
    get(got, 3);
    CHECK(got[0] == 51 / 255.0f && got[1] == -1 && got[2] == 16384 / 32767.0f);
    CUDA(cudaFree(p));
    CUDA(cudaFree(q));
    CUDA(cudaFree(r));
    CUDA(cudaFree(result));
}

static cudaArray_t array3d(int w, int h, int d, unsigned flags) {
    static float data[64];
    cudaArray_t a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    for (int i = 0; i < 64; i++)
        data[i] = (float)i;
    CUDA(cudaMalloc3DArray(&a, &c, make_cudaExtent(w, h, d), flags));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(data, w * 4, w, h ? h : 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(w, h ? h : 1, d);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    return a;
}

static void geometries() {
    float got[4];
    CUDA(cudaBindTextureToArray(volume, array3d(2, 2, 2, 0)));
    CUDA(cudaBindTextureToArray(layers, array3d(2, 2, 3, cudaArrayLayered)));
    CUDA(cudaBindTextureToArray(rows, array3d(2, 0, 3, cudaArrayLayered)));
    CUDA(cudaBindTextureToArray(cube, array3d(2, 2, 6, cudaArrayCubemap)));
    fetch_others<<<1, 1>>>(out);
    get(got, 4);
    CHECK(got[0] == 5 && got[1] == 5 && got[2] == 4 && got[3] >= 4 && got[3] <= 7);
}

__global__ void fetch_level(float *out, float level) {
    out[0] = tex2DLod(levels, 0.5f, 0.5f, level);
}

// Each level of the array is one number.
static void mipmaps() {
    cudaMipmappedArray_t m;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    float got, x[16];
    CUDA(cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(4, 4, 0), 3));
    for (unsigned level = 0; level < 3; level++) {
        cudaArray_t a;
        for (float &v : x)
            v = 10.f * (level + 1);
        CUDA(cudaGetMipmappedArrayLevel(&a, m, level));
        CUDA(cudaMemcpy2DToArray(a, 0, 0, x, (4 >> level) * 4, (4 >> level) * 4, 4 >> level,
                                 cudaMemcpyHostToDevice));
    }
    levels.normalized = true;
    levels.mipmapFilterMode = cudaFilterModeLinear;
    levels.maxMipmapLevelClamp = 2;
    CUDA(cudaBindTextureToMipmappedArray(levels, m));
    for (float level = 0; level <= 3; level += 0.25f) {
        fetch_level<<<1, 1>>>(out, level);
        get(&got, 1);
        CHECK(got == 10 * (1 + (level < 2 ? level : 2)));
    }
    CUDA(cudaBindTextureToMipmappedArray(levels, m, desc));
    EXPECT(cudaBindTextureToMipmappedArray(levels, nullptr, desc), cudaErrorInvalidValue);
    CUDA(cudaUnbindTexture(levels));
    CUDA(cudaFreeMipmappedArray(m));
}

static void surfaces() {
    static const float texels[6] = {1, 2, 4, 8, 16, 32};
    float got[6];
    const surfaceReference *reference;
    cudaArray_t a = array_of(texels, 3, 2, cudaArraySurfaceLoadStore);
    cudaArray_t l = array3d(3, 2, 2, cudaArrayLayered | cudaArraySurfaceLoadStore);
    CUDA(cudaBindSurfaceToArray(target, a));
    CUDA(cudaBindSurfaceToArray(layered_target, l));
    copy_surface<<<1, dim3(3, 2)>>>();
    CUDA(cudaMemcpy2DFromArray(got, 12, a, 0, 0, 12, 2, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 6; i++)
        CHECK(got[i] == 2 * texels[i] + 1);
    cudaMemcpy3DParms p = {};
    p.srcArray = l;
    p.srcPos = make_cudaPos(0, 0, 1);
    p.dstPtr = make_cudaPitchedPtr(got, 12, 3, 2);
    p.extent = make_cudaExtent(3, 2, 1);
    p.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&p));
    CHECK(got[0] == 0 && got[2] == 2 && got[5] == 12);
    CUDA(cudaGetSurfaceReference(&reference, &target));
    CHECK(reference == &target);
    EXPECT(cudaGetSurfaceReference(&reference, &line), cudaErrorInvalidSurface);
    EXPECT(cudaBindSurfaceToArray(reference, NULL, &reference->channelDesc), cudaErrorInvalidValue);
    cudaArray_t plain = array_of(texels, 3, 2);
    CHECK(cudaBindSurfaceToArray(target, plain) != cudaSuccess); // not made for surfaces
    cudaGetLastError();
    CUDA(cudaFreeArray(a));
}

int main() {
    CUDA(cudaMalloc(&out, 64 * sizeof(float)));
    two_dimensions();
    linear_memory();
    types();
    geometries();
    mipmaps();
    surfaces();
    CUDA(cudaDeviceSynchronize());
    if (!failures)
        puts("ok");
    return failures != 0;
}
