// Anisotropic filtering (guide 6.2.14.1, maxAnisotropy): fetches with gradients take several
// samples along the longer one. What they have to be follows from single samples by the formula of
// OpenGL's GL_EXT_texture_filter_anisotropic.
#include "check.h"

#include <cmath>
#include <vector>

enum { SIZE = 32, LEVELS = 6, POINTS = 400 };

struct point {
    float x, y;
    float2 dx, dy;
};

__global__ void with_gradients(cudaTextureObject_t t, const point *p, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < POINTS)
        out[i] = tex2DGrad<float>(t, p[i].x, p[i].y, p[i].dx, p[i].dy);
}

// One sample with a level for each thread.
__global__ void with_levels(cudaTextureObject_t t, const float3 *at, int n, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2DLod<float>(t, at[i].x, at[i].y, at[i].z);
}

static cudaTextureObject_t texture(cudaMipmappedArray_t mipmap, unsigned anisotropy,
                                   cudaTextureFilterMode mode) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = mipmap;
    cudaTextureDesc d = {}, told;
    d.filterMode = d.mipmapFilterMode = mode;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeWrap;
    d.normalizedCoords = 1;
    d.maxAnisotropy = anisotropy;
    d.maxMipmapLevelClamp = LEVELS;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, nullptr));
    CUDA(cudaGetTextureObjectTextureDesc(&told, t));
    CHECK(told.maxAnisotropy == anisotropy);
    return t;
}

int main() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    random_words random;
    CUDA(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(SIZE, SIZE, 0), LEVELS));
    for (int level = 0; level < LEVELS; level++) {
        int n = SIZE >> level;
        std::vector<float> texels(n * n);
        for (float &v : texels)
            v = (float)(random() % 1000);
        cudaArray_t a;
        CUDA(cudaGetMipmappedArrayLevel(&a, mipmap, level));
        CUDA(cudaMemcpy2DToArray(a, 0, 0, texels.data(), n * 4, n * 4, n, cudaMemcpyHostToDevice));
    }
    point *p = shared_array<point>(POINTS);
    float *got = shared_array<float>(POINTS);
    for (int i = 0; i < POINTS; i++) {
        // Steps of 1/4 to 8 texels, some of them none.
        auto step = [&] {
            return i % 10 == 9 ? 0 : ((float)(random() % 2000) / 1000 - 1) * 8 / SIZE;
        };
        auto small = [&] { return ((float)(random() % 2000) / 1000 - 1) / SIZE; };
        p[i] = {(float)(random() % 1000) / 1000,
                (float)(random() % 1000) / 1000,
                {step(), step()},
                {small(), small()}};
        if (i % 2)
            std::swap(p[i].dx, p[i].dy);
    }
    for (unsigned most : {0u, 1u, 2u, 5u, 16u, 100u}) {
        cudaTextureObject_t t = texture(mipmap, most, cudaFilterModeLinear);
        cudaTextureObject_t plain = texture(mipmap, 0, cudaFilterModeLinear);
        with_gradients<<<(POINTS + 63) / 64, 64>>>(t, p, got);
        std::vector<float3> samples;
        std::vector<int> counts;
        for (int i = 0; i < POINTS; i++) {
            double px = std::hypot(p[i].dx.x, p[i].dx.y) * SIZE,
                   py = std::hypot(p[i].dy.x, p[i].dy.y) * SIZE;
            double longer = std::fmax(px, py), shorter = std::fmin(px, py),
                   limit = most < 1    ? 1
                           : most > 16 ? 16
                                       : most;
            double n = longer > 0 ? std::fmin(std::ceil(longer / shorter), limit) : 1;
            float2 along = px >= py ? p[i].dx : p[i].dy;
            for (int k = 1; k <= n; k++)
                samples.push_back(
                    make_float3((float)(p[i].x + (k / (n + 1) - 0.5) * (n > 1) * along.x),
                                (float)(p[i].y + (k / (n + 1) - 0.5) * (n > 1) * along.y),
                                longer > 0 ? (float)std::log2(longer / n) : 0));
            counts.push_back((int)n);
        }
        float3 *at = shared_array<float3>(samples.size());
        float *one = shared_array<float>(samples.size());
        for (size_t i = 0; i < samples.size(); i++)
            at[i] = samples[i];
        with_levels<<<((int)samples.size() + 63) / 64, 64>>>(plain, at, (int)samples.size(), one);
        CUDA(cudaDeviceSynchronize());
        int several = 0;
        for (int i = 0, s = 0; i < POINTS; i++) {
            double sum = 0;
            for (int k = 0; k < counts[i]; k++)
                sum += one[s++];
            several += counts[i] > 1;
            // Weights have 8 bits, and a sample's place is rounded once more here.
            CHECK(std::fabs(got[i] - sum / counts[i]) <= (counts[i] > 1 ? 12 : 0));
        }
        CHECK(most > 1 ? several > POINTS / 2 : !several);
        CUDA(cudaFree(at));
        CUDA(cudaFree(one));
    }
    // The nearest texel is one in any case.
    std::vector<float> nearest(POINTS);
    with_gradients<<<(POINTS + 63) / 64, 64>>>(texture(mipmap, 0, cudaFilterModePoint), p, got);
    CUDA(cudaDeviceSynchronize());
    nearest.assign(got, got + POINTS);
    with_gradients<<<(POINTS + 63) / 64, 64>>>(texture(mipmap, 16, cudaFilterModePoint), p, got);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < POINTS; i++)
        CHECK(nearest[i] == got[i]);
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
