// Arrays: what they are made of, rows between arrays, the device and the host, and what a texture
// object over one says of itself.
#include "check.h"

enum { WIDTH = 16, HEIGHT = 6 }; // bytes, rows

static unsigned char from[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
static cudaArray_t a, b;
static cudaStream_t s;

static void descriptions(void) {
    struct cudaChannelFormatDesc desc;
    CHECK_OK(cudaGetChannelDesc(&desc, a));
    CHECK(desc.x == 8 && desc.y == 8 && desc.z == 0 && desc.w == 0 &&
          desc.f == cudaChannelFormatKindUnsigned);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetChannelDesc(NULL, a));
    CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaGetChannelDesc(&desc, NULL));
}

// A part of `from` goes into a, of that into b, and of that back; bytes, rows.
static void rows(void) {
    memset(back, 0xee, sizeof back);
    CHECK_OK(cudaMemcpy2DToArrayAsync(a, 2, 1, from, WIDTH, 12, 4, cudaMemcpyHostToDevice, s));
    CHECK_OK(cudaStreamSynchronize(s));
    CHECK_OK(cudaMemcpy2DArrayToArray(b, 6, 0, a, 4, 2, 8, 3, cudaMemcpyDeviceToDevice));
    CHECK_OK(cudaMemcpy2DFromArrayAsync(back, WIDTH, b, 8, 1, 4, 2, cudaMemcpyDeviceToHost, s));
    CHECK_OK(cudaStreamSynchronize(s));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) // a has from[y - 1][x - 2], b has a[y + 2][x - 2]
            CHECK(back[y][x] == (x < 4 && y < 2 ? from[y + 2][x + 4] : 0xee));
    CHECK_ERROR(cudaErrorInvalidValue,
                cudaMemcpy2DArrayToArray(b, 6, 0, a, 12, 0, 8, 3, cudaMemcpyDeviceToDevice));
    CHECK_ERROR(cudaErrorInvalidPitchValue,
                cudaMemcpy2DToArrayAsync(a, 0, 0, from, 8, 12, 4, cudaMemcpyHostToDevice, s));
    CHECK_ERROR(cudaErrorInvalidMemcpyDirection,
                cudaMemcpy2DFromArrayAsync(back, WIDTH, b, 0, 0, 4, 2, (enum cudaMemcpyKind)9, s));
}

// These levels are not sparse and have their memory.
static void levels(void) {
    struct cudaChannelFormatDesc desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    struct cudaArrayMemoryRequirements need;
    struct cudaArraySparseProperties sparse;
    cudaMipmappedArray_t m;
    NEED(cudaMallocMipmappedArray(&m, &desc, (struct cudaExtent){8, 8, 0}, 3, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMipmappedArrayGetMemoryRequirements(&need, m, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMipmappedArrayGetMemoryRequirements(NULL, m, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMipmappedArrayGetSparseProperties(&sparse, m));
    CHECK_OK(cudaFreeMipmappedArray(m));
}

// Sparse arrays, and arrays whose memory comes later: what is told of them. Mapping is the
// driver's.
static void without_memory(void) {
    struct cudaChannelFormatDesc desc = {32, 0, 0, 0, cudaChannelFormatKindFloat}, of;
    struct cudaArrayMemoryRequirements need;
    struct cudaArraySparseProperties sparse;
    struct cudaExtent extent;
    float texel = 1;
    unsigned flags = 0;
    cudaMipmappedArray_t m;
    cudaArray_t array;
    NEED(cudaMallocArray(&array, &desc, 300, 200, cudaArraySparse));
    CHECK_OK(cudaArrayGetSparseProperties(&sparse, array));
    CHECK(sparse.tileExtent.width == 128 && sparse.tileExtent.height == 128 &&
          sparse.tileExtent.depth == 1 && !sparse.flags && !sparse.miptailSize);
    CHECK_ERROR(cudaErrorInvalidValue, cudaArrayGetMemoryRequirements(&need, array, 0));
    CHECK_OK(cudaArrayGetInfo(&of, &extent, &flags, array));
    CHECK(flags == cudaArraySparse && extent.width == 300 && extent.height == 200);
    CHECK_OK(cudaMemcpy2DToArray(array, 0, 0, &texel, 4, 4, 1, cudaMemcpyHostToDevice)); // dropped
    CHECK_OK(cudaMemcpy2DFromArray(&texel, 4, array, 0, 0, 4, 1, cudaMemcpyDeviceToHost));
    CHECK(texel == 0);
    CHECK_OK(cudaFreeArray(array));
    CHECK_ERROR(cudaErrorInvalidValue, cudaMallocArray(&array, &desc, 300, 0, cudaArraySparse));
    NEED(cudaMallocMipmappedArray(&m, &desc, (struct cudaExtent){256, 256, 0}, 9, cudaArraySparse));
    CHECK_OK(cudaMipmappedArrayGetSparseProperties(&sparse, m));
    CHECK(sparse.miptailFirstLevel == 2 && sparse.miptailSize == 65536);
    CHECK_OK(cudaFreeMipmappedArray(m));
    NEED(cudaMallocArray(&array, &desc, 300, 200, cudaArrayDeferredMapping));
    CHECK_OK(cudaArrayGetMemoryRequirements(&need, array, 0));
    CHECK(need.size >= 300 * 200 * 4 && need.size % need.alignment == 0);
    CHECK_ERROR(cudaErrorInvalidValue, cudaArrayGetSparseProperties(&sparse, array));
    CHECK_OK(cudaFreeArray(array));
}

static void textures(void) {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc sampling, got;
    cudaTextureObject_t t;
    memset(&resource, 0, sizeof resource);
    memset(&sampling, 0, sizeof sampling);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    sampling.addressMode[0] = cudaAddressModeBorder;
    sampling.addressMode[1] = cudaAddressModeMirror;
    sampling.filterMode = cudaFilterModeLinear;
    sampling.readMode = cudaReadModeNormalizedFloat;
    sampling.normalizedCoords = 1;
    sampling.borderColor[2] = 0.5f;
    sampling.maxAnisotropy = 4;
    NEED(cudaCreateTextureObject(&t, &resource, &sampling, NULL));
    CHECK_OK(cudaGetTextureObjectTextureDesc(&got, t));
    CHECK(memcmp(got.addressMode, sampling.addressMode, 2 * sizeof *got.addressMode) == 0 &&
          got.filterMode == sampling.filterMode && got.readMode == sampling.readMode &&
          got.normalizedCoords == 1 && got.borderColor[2] == 0.5f && got.maxAnisotropy == 4 &&
          got.sRGB == 0);
    CHECK_ERROR(cudaErrorInvalidValue, cudaGetTextureObjectTextureDesc(NULL, t));
    CHECK_OK(cudaDestroyTextureObject(t));
    if (on_kudzu())
        CHECK_ERROR(cudaErrorInvalidValue, cudaGetTextureObjectTextureDesc(&got, t));
}

static void widths(void) {
    struct cudaChannelFormatDesc f4 = {32, 32, 32, 32, cudaChannelFormatKindFloat},
                                 b3 = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
    size_t texels = 0;
    CHECK_OK(cudaDeviceGetTexture1DLinearMaxWidth(&texels, &f4, 0));
    CHECK(texels >= 1 << 27);
    CHECK_ERROR(cudaErrorInvalidChannelDescriptor,
                cudaDeviceGetTexture1DLinearMaxWidth(&texels, &b3, 0));
    CHECK_ERROR(cudaErrorInvalidValue, cudaDeviceGetTexture1DLinearMaxWidth(NULL, &f4, 0));
    CHECK_ERROR(cudaErrorInvalidDevice, cudaDeviceGetTexture1DLinearMaxWidth(&texels, &f4, 99));
}

int main(void) {
    struct cudaChannelFormatDesc desc = {8, 8, 0, 0, cudaChannelFormatKindUnsigned};
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        from[i / WIDTH][i % WIDTH] = (unsigned char)(i + 1);
    NEED(cudaStreamCreate(&s));
    NEED(cudaMallocArray(&a, &desc, WIDTH / 2, HEIGHT, 0));
    NEED(cudaMallocArray(&b, &desc, WIDTH / 2, HEIGHT, 0));
    descriptions();
    rows();
    levels();
    without_memory();
    textures();
    widths();
    CHECK_OK(cudaFreeArray(a));
    CHECK_OK(cudaFreeArray(b));
    CHECK_OK(cudaStreamDestroy(s));
    return finish();
}
