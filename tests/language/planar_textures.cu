// Arrays of planes, as video has them (cudaArrayGetPlane): pictures in NV12 are copied plane by
// plane, sampled with and without filtering, and stored to by surfaces.
#include "check.h"

#include <cmath>
#include <cstdint>
#include <vector>

enum { WIDTH = 22, HEIGHT = 14 };

// Brightness, and colours of half the size between four texels.
__global__ void convert(cudaTextureObject_t y, cudaTextureObject_t uv, float3 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= WIDTH * HEIGHT)
        return;
    float px = i % WIDTH + 0.5f, py = i / WIDTH + 0.5f, luma = tex2D<float>(y, px, py);
    float2 c = tex2D<float2>(uv, px / 2, py / 2);
    out[i] = make_float3(luma + 1.5748f * (c.y - 0.5f),
                         luma - 0.1873f * (c.x - 0.5f) - 0.4681f * (c.y - 0.5f),
                         luma + 1.8556f * (c.x - 0.5f));
}

__global__ void invert(cudaSurfaceObject_t s) {
    int i = threadIdx.x, x = i % (WIDTH / 2), y = i / (WIDTH / 2);
    uchar2 v = surf2Dread<uchar2>(s, x * 2, y);
    surf2Dwrite(make_uchar2(255 - v.x, 255 - v.y), s, x * 2, y);
}

static cudaTextureObject_t texture(cudaArray_t plane) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plane;
    cudaTextureDesc d = {};
    d.readMode = cudaReadModeNormalizedFloat;
    d.filterMode = cudaFilterModeLinear;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

// A colour between four, each a quarter or three from its middle.
static double mixed(const std::vector<uint8_t> &uv, int x, int y, int k) {
    int w = WIDTH / 2, h = HEIGHT / 2;
    double sum = 0;
    for (int j = 0; j < 4; j++) {
        int cx = x / 2 + (j & 1 ? (x % 2 ? 1 : -1) : 0),
            cy = y / 2 + (j & 2 ? (y % 2 ? 1 : -1) : 0);
        cx = cx < 0 ? 0 : cx >= w ? w - 1 : cx;
        cy = cy < 0 ? 0 : cy >= h ? h - 1 : cy;
        sum += uv[(cy * w + cx) * 2 + k] / 255.0 * (j & 1 ? 0.25 : 0.75) * (j & 2 ? 0.25 : 0.75);
    }
    return sum;
}

static void check_picture() {
    cudaChannelFormatDesc nv12 = cudaCreateChannelDesc<cudaChannelFormatKindNV12>(), d;
    cudaArray_t array, y, uv, none;
    CUDA(cudaMallocArray(&array, &nv12, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CUDA(cudaArrayGetPlane(&y, array, 0));
    CUDA(cudaArrayGetPlane(&uv, array, 1));
    CHECK(cudaArrayGetPlane(&none, array, 2) == cudaErrorInvalidValue);
    CHECK(cudaArrayGetPlane(&none, y, 0) == cudaErrorInvalidValue);
    cudaExtent e;
    CUDA(cudaArrayGetInfo(&d, &e, nullptr, y));
    CHECK(d.f == cudaChannelFormatKindUnsigned && d.x == 8 && d.y == 0 && e.width == WIDTH &&
          e.height == HEIGHT);
    CUDA(cudaArrayGetInfo(&d, &e, nullptr, uv));
    CHECK(d.f == cudaChannelFormatKindUnsigned && d.x == 8 && d.y == 8 && d.z == 0 &&
          e.width == WIDTH / 2 && e.height == HEIGHT / 2);
    CUDA(cudaGetChannelDesc(&d, array));
    CHECK(d.f == cudaChannelFormatKindNV12);

    std::vector<uint8_t> luma(WIDTH * HEIGHT), color(WIDTH * HEIGHT / 2);
    random_words random;
    for (uint8_t &v : luma)
        v = (uint8_t)random();
    for (uint8_t &v : color)
        v = (uint8_t)random();
    CUDA(cudaMemcpy2DToArray(y, 0, 0, luma.data(), WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2DToArray(uv, 0, 0, color.data(), WIDTH, WIDTH, HEIGHT / 2,
                             cudaMemcpyHostToDevice));
    float3 *out = shared_array<float3>(WIDTH * HEIGHT);
    convert<<<(WIDTH * HEIGHT + 63) / 64, 64>>>(texture(y), texture(uv), out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        double l = luma[i] / 255.0, u = mixed(color, i % WIDTH, i / WIDTH, 0) - 0.5,
               v = mixed(color, i % WIDTH, i / WIDTH, 1) - 0.5;
        CHECK(std::fabs(out[i].x - (l + 1.5748 * v)) < 1e-5 &&
              std::fabs(out[i].y - (l - 0.1873 * u - 0.4681 * v)) < 1e-5 &&
              std::fabs(out[i].z - (l + 1.8556 * u)) < 1e-5);
    }

    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = uv;
    cudaSurfaceObject_t s;
    CUDA(cudaCreateSurfaceObject(&s, &r));
    invert<<<1, WIDTH * HEIGHT / 4>>>(s);
    std::vector<uint8_t> back(color.size()), whole(luma.size());
    CUDA(cudaMemcpy2DFromArray(back.data(), WIDTH, uv, 0, 0, WIDTH, HEIGHT / 2,
                               cudaMemcpyDeviceToHost));
    CUDA(
        cudaMemcpy2DFromArray(whole.data(), WIDTH, y, 0, 0, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < color.size(); i++)
        CHECK(back[i] == 255 - color[i]);
    CHECK(whole == luma);

    // The whole has no texels, and planes end with it.
    CHECK(cudaMemcpy2DToArray(array, 0, 0, luma.data(), WIDTH, WIDTH, 1, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    r.res.array.array = array;
    cudaTextureDesc sampling = {};
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &sampling, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaFreeArray(y) != cudaSuccess);
    CUDA(cudaFreeArray(array));
    CHECK(cudaArrayGetInfo(&d, &e, nullptr, y) != cudaSuccess);
}

static void check_refusals() {
    cudaChannelFormatDesc nv12 = cudaCreateChannelDesc<cudaChannelFormatKindNV12>();
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    CHECK(cudaMallocArray(&array, &nv12, 15, 4) == cudaErrorInvalidValue);
    CHECK(cudaMallocArray(&array, &nv12, 16, 0) == cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&array, &nv12, make_cudaExtent(16, 16, 2), cudaArrayLayered) ==
          cudaErrorInvalidValue);
    CHECK(cudaMallocMipmappedArray(&mipmap, &nv12, make_cudaExtent(16, 16, 0), 2) ==
          cudaErrorInvalidValue);
    nv12.z = 0;
    CHECK(cudaMallocArray(&array, &nv12, 16, 16) == cudaErrorInvalidChannelDescriptor);
}

int main() {
    check_picture();
    check_refusals();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
