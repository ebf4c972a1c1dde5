// Fetches through texture objects against the formulas of the guide, chapter 19, computed here from
// the host's own copy of the texels. Texels are small multiples of 1/4 and weights multiples of
// 1/256, so that every step is exact in double and every result in float.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

enum { W = 7, H = 5 };
static int failures;
#define CHECK(x) ((x) ? (void)0 : (void)(++failures, printf("line %d: %s\n", __LINE__, #x)))
#define OK(x) CHECK((x) == cudaSuccess)

// Whether the device is kudzu's. NVIDIA's driver follows destroyed handles, and may crash.
static bool on_kudzu() {
    cudaDeviceProp properties;
    return cudaGetDeviceProperties(&properties, 0) == cudaSuccess &&
           !strncmp(properties.name, "kudzu ", 6);
}

static float texel[H][W];
static float coordinate(int i) {
    return (i - 60) / 16.0f;
}
enum { N = 200 };

__global__ void fetch2D(cudaTextureObject_t t, const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 7 != 3) // some lanes stay away
        out[i] = tex2D<float>(t, x[i], y[i]);
}
template <class T> __global__ void fetch1D(cudaTextureObject_t t, T *out, float scale) {
    out[threadIdx.x] = tex1D<T>(t, (threadIdx.x - 4.0f) * scale);
}
template <class T> __global__ void fetchIndex(cudaTextureObject_t t, T *out, int first) {
    tex1Dfetch(&out[threadIdx.x], t, first + (int)threadIdx.x);
}

// The texel that index i stands for; -1: border. From the guide, 6.2.14.1.
static int remap(int i, int n, cudaTextureAddressMode mode) {
    if (mode == cudaAddressModeBorder)
        return i < 0 || i >= n ? -1 : i;
    if (mode == cudaAddressModeWrap)
        while (i < 0 || i >= n)
            i += i < 0 ? n : -n;
    if (mode == cudaAddressModeMirror)
        while (i < 0 || i >= n)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double at(int x, int y, cudaTextureAddressMode mode, float border) {
    x = remap(x, W, mode);
    y = remap(y, H, mode);
    return x < 0 || y < 0 ? border : texel[y][x];
}

static float expected(float x, float y, cudaTextureAddressMode mode, bool linear, float border) {
    if (!linear)
        return (float)at((int)std::floor(x), (int)std::floor(y), mode, border);
    double xb = x - 0.5, yb = y - 0.5, i = std::floor(xb), j = std::floor(yb);
    double a = std::floor((xb - i) * 256 + 0.5) / 256, b = std::floor((yb - j) * 256 + 0.5) / 256;
    int p = (int)i, q = (int)j;
    return (float)((1 - a) * (1 - b) * at(p, q, mode, border) +
                   a * (1 - b) * at(p + 1, q, mode, border) +
                   (1 - a) * b * at(p, q + 1, mode, border) +
                   a * b * at(p + 1, q + 1, mode, border));
}

static cudaTextureObject_t make(const cudaResourceDesc &r, cudaTextureAddressMode mode,
                                cudaTextureFilterMode filter, cudaTextureReadMode read,
                                bool normalized) {
    cudaTextureDesc d;
    memset(&d, 0, sizeof d);
    d.addressMode[0] = d.addressMode[1] = mode;
    d.filterMode = filter;
    d.readMode = read;
    d.normalizedCoords = normalized;
    d.borderColor[0] = 9.5f;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static void compare(const cudaResourceDesc &r, cudaTextureAddressMode mode, bool linear,
                    bool normalized) {
    float *x, *y, *out;
    OK(cudaMallocManaged(&x, N * sizeof *x));
    OK(cudaMallocManaged(&y, N * sizeof *y));
    OK(cudaMallocManaged(&out, N * sizeof *out));
    // Normalised coordinates keep clear of texel borders, which their rounding could cross; and
    // only powers of two times W and H would be exact, so point sampling alone is compared.
    for (int i = 0; i < N; i++) {
        float u = normalized ? (float)((i * 3) % 41 - 17) + 0.5f : coordinate(i);
        float v = normalized ? (float)((i * 5) % 31 - 13) + 0.5f : coordinate((i * 37) % N);
        x[i] = normalized ? u / W : u;
        y[i] = normalized ? v / H : v;
        out[i] = -1;
    }
    cudaTextureObject_t t = make(r, mode, linear ? cudaFilterModeLinear : cudaFilterModePoint,
                                 cudaReadModeElementType, normalized);
    fetch2D<<<(N + 63) / 64, 64>>>(t, x, y, out, N);
    OK(cudaDeviceSynchronize());
    // Without normalised coordinates wrap and mirror clamp.
    cudaTextureAddressMode real =
        normalized || mode == cudaAddressModeBorder ? mode : cudaAddressModeClamp;
    for (int i = 0; i < N; i++) {
        float u = normalized ? (float)((i * 3) % 41 - 17) + 0.5f : x[i];
        float v = normalized ? (float)((i * 5) % 31 - 13) + 0.5f : y[i];
        float want = i % 7 == 3 ? -1 : expected(u, v, real, linear, 9.5f);
        if (out[i] != want && failures++ < 20)
            printf("mode %d linear %d normalized %d (%g, %g): %g, not %g\n", mode, linear,
                   normalized, u, v, out[i], want);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(x));
    OK(cudaFree(y));
    OK(cudaFree(out));
}

static void two_dimensions() {
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &desc, W, H));
    for (int j = 0; j < H; j++)
        for (int i = 0; i < W; i++)
            texel[j][i] = (float)((i * 13 + j * 29) % 37) / 4;
    OK(cudaMemcpy2DToArray(array, 0, 0, texel, sizeof texel[0], sizeof texel[0], H,
                           cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    for (int mode = 0; mode < 4; mode++) {
        compare(r, (cudaTextureAddressMode)mode, false, false);
        compare(r, (cudaTextureAddressMode)mode, true, false);
        compare(r, (cudaTextureAddressMode)mode, false, true);
    }
    // The same texels in pitched memory.
    size_t pitch;
    void *p;
    OK(cudaMallocPitch(&p, &pitch, W * 4, H));
    OK(cudaMemcpy2DFromArray(p, pitch, array, 0, 0, W * 4, H, cudaMemcpyDeviceToDevice));
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = desc;
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = pitch;
    compare(r, cudaAddressModeClamp, true, false);
    cudaResourceDesc back;
    cudaTextureObject_t t =
        make(r, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    OK(cudaGetTextureObjectResourceDesc(&back, t));
    CHECK(back.resType == r.resType && back.res.pitch2D.devPtr == p &&
          back.res.pitch2D.desc.x == 32 && back.res.pitch2D.pitchInBytes == pitch);
    OK(cudaDestroyTextureObject(t));
    // Bytes that run over from row to row, and back.
    float run[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, seen[9];
    OK(cudaMemcpyToArray(array, 5 * 4, 1, run, sizeof run, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromArray(seen, array, 5 * 4, 1, sizeof run, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(run, seen, sizeof run));
    OK(cudaMemcpy2DFromArray(seen, 4, array, 0, 2, 4, 2, cudaMemcpyDeviceToHost));
    CHECK(seen[0] == 3 && seen[1] == texel[3][0]); // 2 in row 1, 7 fill row 2
    CHECK(cudaMemcpyToArray(array, 0, H, run, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cudaExtent extent;
    OK(cudaArrayGetInfo(&desc, &extent, nullptr, array));
    CHECK(extent.width == W && extent.height == H && extent.depth == 0 && desc.x == 32 &&
          desc.y == 0 && desc.f == cudaChannelFormatKindFloat);
    OK(cudaFreeArray(array));
    if (on_kudzu())
        CHECK(cudaFreeArray(array) != cudaSuccess);
    OK(cudaFree(p));
}

static void element_types() {
    uchar4 *bytes;
    short2 *shorts;
    float4 *floats;
    OK(cudaMallocManaged(&bytes, 512));
    OK(cudaMallocManaged(&shorts, 512));
    OK(cudaMallocManaged(&floats, 512));
    unsigned char source[5][4] = {
        {0, 255, 1, 2}, {3, 4, 5, 6}, {51, 102, 153, 204}, {7, 8, 9, 10}, {255, 0, 255, 0}};
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &desc, 5));
    OK(cudaMemcpyToArray(array, 0, 0, source, sizeof source, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureObject_t t =
        make(r, cudaAddressModeWrap, cudaFilterModePoint, cudaReadModeElementType, true);
    fetch1D<<<1, 16>>>(t, bytes, 0.25f); // -1, -0.75, ... of five texels
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++) {
        int k = (int)std::floor(((i - 4) * 0.25 + 4) * 5) % 5;
        CHECK(!memcmp(&bytes[i], source[k], 4));
    }
    OK(cudaDestroyTextureObject(t));
    t = make(r, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeNormalizedFloat, false);
    fetch1D<<<1, 16>>>(t, floats, 0.5f); // -2, -1.5, ...
    OK(cudaDeviceSynchronize());
    // x = 3: halfway between texels 2 and 3; x = 2.5: the middle of texel 2.
    CHECK(floats[9].x == 51 / 255.0f && floats[9].w == 204 / 255.0f);
    CHECK(std::fabs(floats[10].x - (51 + 7) / 510.0f) < 1e-7f && floats[15].x == 1.0f &&
          floats[15].y == 0);
    OK(cudaDestroyTextureObject(t));
    cudaTextureDesc d;
    memset(&d, 0, sizeof d);
    d.filterMode = cudaFilterModeLinear;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidFilterSetting);
    OK(cudaFreeArray(array));

    // Linear memory: signed texels by index, zero outside; normalised reads.
    short2 *p, texels[3] = {{-32768, 32767}, {-1, 1}, {5, -7}};
    OK(cudaMalloc(&p, sizeof texels));
    OK(cudaMemcpy(p, texels, sizeof texels, cudaMemcpyHostToDevice));
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = cudaCreateChannelDesc<short2>();
    r.res.linear.sizeInBytes = sizeof texels;
    t = make(r, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    fetchIndex<<<1, 5>>>(t, shorts, -1);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 5; i++) {
        short2 want = i >= 1 && i < 4 ? texels[i - 1] : short2{0, 0};
        CHECK(shorts[i].x == want.x && shorts[i].y == want.y);
    }
    OK(cudaDestroyTextureObject(t));
    t = make(r, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeNormalizedFloat, false);
    fetchIndex<<<1, 3>>>(t, floats, 0);
    OK(cudaDeviceSynchronize());
    CHECK(floats[0].x == -1 && floats[0].y == 1 && floats[1].x == -1 / 32767.0f);
    OK(cudaDestroyTextureObject(t));
    if (!on_kudzu())
        return;
    CHECK(cudaDestroyTextureObject(t) == cudaErrorInvalidValue);

    // A stale handle ends the launch.
    fetchIndex<<<1, 3>>>(t, floats, 0);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

int main() {
    two_dimensions();
    element_types();
    printf("%d failures\n", failures);
    return failures != 0;
}
