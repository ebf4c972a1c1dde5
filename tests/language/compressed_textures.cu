// Textures over block-compressed arrays, BC1 to BC7, and over arrays of normalized numbers (guide
// 6.2.14): every texel, filtering, levels, layers, views, copies by blocks, and what is refused.
#include "check.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

// ---- Blocks
// ---------------------------------------------------------------------------------------

// The random blocks of tests/device/test_block_texel.c, and what decoders of others make of them:
// that file tells which.
struct format {
    cudaChannelFormatDesc desc;
    int number, blocks, bytes, channels;
    uint64_t hash;
};
static const format formats[] = {
    {cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed1>(), 1, 512, 8, 4,
     0x37572afc3af1924d},
    {cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed2>(), 2, 512, 16, 4,
     0x5ed2b54778e141a6},
    {cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed3>(), 3, 512, 16, 4,
     0x23884930a23212e5},
    {cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed4>(), 4, 512, 8, 1,
     0xe6c0314cf2f0efac},
    {cudaCreateChannelDesc<cudaChannelFormatKindSignedBlockCompressed4>(), 5, 512, 8, 1,
     0xa54504084c6cc833},
    {cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed5>(), 6, 512, 16, 2,
     0x2120bcffec5cb9de},
    {cudaCreateChannelDesc<cudaChannelFormatKindSignedBlockCompressed5>(), 7, 512, 16, 2,
     0xcca284986506c1c2},
    {cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed6H>(), 8, 4096, 16, 3,
     0x2f6f92f7e299c0ff},
    {cudaCreateChannelDesc<cudaChannelFormatKindSignedBlockCompressed6H>(), 9, 4096, 16, 3,
     0x7579152bb1e0418d},
    {cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed7>(), 10, 4096, 16, 4,
     0x652950e2fb5d670b},
};
static const format &bc1 = formats[0], &bc7 = formats[9];
enum { WIDE = 64 }; // blocks in a row

static uint64_t state;

static uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static std::vector<uint8_t> random_blocks(const format &f, int blocks) {
    std::vector<uint8_t> all;
    state = f.number;
    for (int n = 0; n < blocks; n++) {
        uint64_t words[2] = {next(), 0};
        words[1] = next();
        uint8_t block[16];
        memcpy(block, words, 16);
        if (f.number == 10)
            block[0] = n % 9 < 8 ? (uint8_t)((block[0] & ~((1 << n % 9) - 1)) | 1 << n % 9) : 0;
        else if (f.number >= 8)
            block[0] = (uint8_t)((block[0] & ~31) | n % 32);
        all.insert(all.end(), block, block + f.bytes);
    }
    return all;
}

// ---- Reading
// --------------------------------------------------------------------------------------

__global__ void read(cudaTextureObject_t t, int width, int height, float shift, float4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width * height)
        out[i] = tex2D<float4>(t, i % width + 0.5f + shift, i / width + 0.5f);
}

__global__ void read_level(cudaTextureObject_t t, int width, int level, float4 *out) {
    int i = threadIdx.x;
    out[i] = tex2DLod<float4>(t, (i % width + 0.5f) / width, (i / width + 0.5f) / width, level);
}

__global__ void read_layer(cudaTextureObject_t t, int width, int layer, float4 *out) {
    int i = threadIdx.x;
    out[i] = tex2DLayered<float4>(t, i % width + 0.5f, i / width + 0.5f, layer);
}

__global__ void double_word(cudaSurfaceObject_t s) {
    surf2Dwrite(surf2Dread<unsigned>(s, 4, 0) * 2, s, 4, 0);
}

static std::vector<float4> fetched(float4 *out, int n) {
    std::vector<float4> v(n);
    CUDA(cudaMemcpy(v.data(), out, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(out));
    return v;
}

static float4 *results(int n) {
    float4 *out;
    CUDA(cudaMalloc(&out, n * sizeof(float4)));
    return out;
}

static std::vector<float4> texels(cudaTextureObject_t t, int width, int height, float shift = 0) {
    float4 *out = results(width * height);
    read<<<(width * height + 127) / 128, 128>>>(t, width, height, shift, out);
    return fetched(out, width * height);
}

static cudaTextureDesc sampling(const format &f, bool linear = false) {
    cudaTextureDesc d = {};
    d.readMode =
        f.number == 8 || f.number == 9 ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    return d;
}

static cudaTextureObject_t texture(cudaArray_t array, const cudaTextureDesc &d,
                                   const cudaResourceViewDesc *view = nullptr) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, view));
    return t;
}

static cudaArray_t array_of(const format &f, int width, int height,
                            const std::vector<uint8_t> &blocks,
                            const cudaChannelFormatDesc *other = nullptr) {
    cudaArray_t array;
    size_t row = (size_t)((width + 3) / 4) * f.bytes;
    CUDA(cudaMallocArray(&array, other ? other : &f.desc, width, height));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, blocks.data(), row, row, (height + 3) / 4,
                             cudaMemcpyHostToDevice));
    return array;
}

static float component(const float4 &v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
}

static bool same(const float4 &a, const float4 &b) {
    return !memcmp(&a, &b, sizeof a);
}

// ---- Tests
// ----------------------------------------------------------------------------------------

static void check_formats() {
    for (const format &f : formats) {
        int width = WIDE * 4, height = f.blocks / WIDE * 4;
        cudaArray_t array = array_of(f, width, height, random_blocks(f, f.blocks));
        std::vector<float4> got = texels(texture(array, sampling(f)), width, height);
        uint64_t hash = 0xcbf29ce484222325;
        bool missing = true;
        for (int b = 0; b < f.blocks; b++)
            for (int i = 0; i < 16; i++) {
                float4 v = got[(b / WIDE * 4 + i / 4) * width + b % WIDE * 4 + i % 4];
                for (int k = 0; k < 4; k++) {
                    float c = component(v, k);
                    uint8_t bytes[4];
                    memcpy(bytes, &c, 4);
                    missing &= k < f.channels || c == (k == 3);
                    for (int n = 0; n < 4 && k < f.channels; n++)
                        hash = (hash ^ bytes[n]) * 0x100000001b3;
                }
            }
        CHECK(hash == f.hash && missing);
        cudaChannelFormatDesc d;
        cudaExtent extent;
        CUDA(cudaArrayGetInfo(&d, &extent, nullptr, array));
        CHECK(!memcmp(&d, &f.desc, sizeof d) && extent.width == (size_t)width &&
              extent.height == (size_t)height);
        CUDA(cudaFreeArray(array));
    }
}

// sRGB: by the kind and by the sampler, on colours and not on alpha.
static void check_srgb() {
    const cudaChannelFormatDesc kinds[] = {
        cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed1SRGB>(),
        cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed2SRGB>(),
        cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed3SRGB>(),
        cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed7SRGB>()};
    const int numbers[] = {0, 1, 2, 9};
    for (int n = 0; n < 4; n++) {
        const format &f = formats[numbers[n]];
        std::vector<uint8_t> blocks = random_blocks(f, WIDE);
        cudaTextureDesc d = sampling(f), srgb = d;
        srgb.sRGB = 1;
        cudaArray_t plain = array_of(f, WIDE * 4, 4, blocks),
                    kind = array_of(f, WIDE * 4, 4, blocks, &kinds[n]);
        std::vector<float4> want = texels(texture(plain, d), WIDE * 4, 4);
        std::vector<float4> a = texels(texture(plain, srgb), WIDE * 4, 4),
                            b = texels(texture(kind, d), WIDE * 4, 4);
        for (size_t i = 0; i < want.size(); i++)
            for (int k = 0; k < 4; k++) {
                double v = component(want[i], k),
                       l = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
                CHECK(std::fabs(component(a[i], k) - (k < 3 ? l : v)) < 1e-6 &&
                      component(a[i], k) == component(b[i], k));
            }
        cudaChannelFormatDesc got;
        CUDA(cudaGetChannelDesc(&got, kind));
        CHECK(got.f == kinds[n].f);
    }
}

static void check_filtering() {
    for (const format &f : formats) {
        cudaArray_t array = array_of(f, 32, 8, random_blocks(f, 16));
        std::vector<float4> point = texels(texture(array, sampling(f)), 32, 8);
        std::vector<float4> mixed = texels(texture(array, sampling(f, true)), 32, 8, 0.25f);
        for (int i = 0; i < 32 * 8; i++)
            for (int k = 0; k < f.channels; k++) {
                double a = component(point[i], k), b = component(point[i % 32 < 31 ? i + 1 : i], k);
                if (std::isinf(a) || std::isinf(b))
                    continue;
                CHECK(std::fabs(component(mixed[i], k) - (0.75 * a + 0.25 * b)) <=
                      1e-6 * (1 + std::fabs(a) + std::fabs(b)));
            }
    }
}

// Sizes that are no multiples of 4, and parts of arrays.
static void check_copies() {
    for (const format *f : {&bc1, &bc7}) {
        std::vector<uint8_t> blocks = random_blocks(*f, 6), back(blocks.size());
        cudaArray_t array, other;
        size_t row = 3 * f->bytes;
        CUDA(cudaMallocArray(&array, &f->desc, 10, 6)); // 3 by 2 blocks
        CUDA(cudaMallocArray(&other, &f->desc, 10, 6));
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr(blocks.data(), row, row, 2);
        p.dstArray = array;
        p.extent = make_cudaExtent(10, 6, 1);
        p.kind = cudaMemcpyHostToDevice;
        CUDA(cudaMemcpy3D(&p));
        CUDA(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, row, 2, cudaMemcpyDeviceToDevice));
        CUDA(cudaMemcpy2DFromArray(back.data(), row, other, 0, 0, row, 2, cudaMemcpyDeviceToHost));
        CHECK(back == blocks);
        // The block at texel (4, 4) alone; positions and sizes of the array's side are in texels.
        std::vector<uint8_t> one(f->bytes, 0x5a);
        p.srcPtr = make_cudaPitchedPtr(one.data(), f->bytes, f->bytes, 1);
        p.dstPos = make_cudaPos(4, 4, 0);
        p.extent = make_cudaExtent(4, 2, 1);
        CUDA(cudaMemcpy3D(&p));
        memcpy(&blocks[row + f->bytes], one.data(), f->bytes);
        std::vector<uint8_t> run(2 * row);
        CUDA(cudaMemcpyFromArray(run.data(), array, 0, 0, 2 * row, cudaMemcpyDeviceToHost));
        CHECK(run == blocks);
        p.dstPos = make_cudaPos(2, 4, 0);
        CHECK(cudaMemcpy3D(&p) == cudaErrorInvalidValue);
        p.dstPos = make_cudaPos(8, 4, 0);
        p.extent = make_cudaExtent(8, 4, 1);
        CHECK(cudaMemcpy3D(&p) == cudaErrorInvalidValue); // one block more than there is
        // By a graph, whose node tells the sizes in texels.
        cudaGraph_t graph;
        cudaGraphNode_t node;
        p.dstPos = make_cudaPos(4, 4, 0);
        p.extent = make_cudaExtent(4, 4, 1);
        CUDA(cudaGraphCreate(&graph, 0));
        CUDA(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &p));
        cudaMemcpy3DParms told = {};
        CUDA(cudaGraphMemcpyNodeGetParams(node, &told));
        CHECK(told.dstPos.x == 4 && told.dstPos.y == 4 && told.extent.width == 4 &&
              told.extent.height == 4);
        // Texels of the last blocks beyond the edge are not there: coordinates clamp at 9 and 5.
        std::vector<float4> got = texels(texture(array, sampling(*f)), 12, 8);
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 12; x++)
                CHECK(same(got[y * 12 + x], got[(y < 6 ? y : 5) * 12 + (x < 10 ? x : 9)]));
    }
}

static void check_levels_and_layers() {
    cudaMipmappedArray_t mipmap;
    cudaArray_t level;
    CUDA(cudaMallocMipmappedArray(&mipmap, &bc7.desc, make_cudaExtent(16, 16, 0), 5));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = mipmap;
    cudaTextureDesc d = sampling(bc7);
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = 4;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, nullptr));
    std::vector<uint8_t> blocks = random_blocks(bc7, 64);
    for (int k = 0, width = 16, first = 0; k < 5; k++, width /= 2) {
        int wide = (width + 3) / 4;
        std::vector<uint8_t> own(blocks.begin() + first * 16,
                                 blocks.begin() + (first + wide * wide) * 16);
        CUDA(cudaGetMipmappedArrayLevel(&level, mipmap, k));
        CUDA(cudaMemcpy2DToArray(level, 0, 0, own.data(), wide * 16, wide * 16, wide,
                                 cudaMemcpyHostToDevice));
        std::vector<float4> want =
            texels(texture(array_of(bc7, width, width, own), sampling(bc7)), width, width);
        float4 *out = results(width * width);
        read_level<<<1, width * width>>>(t, width, k, out);
        std::vector<float4> got = fetched(out, width * width);
        for (int i = 0; i < width * width; i++)
            CHECK(same(got[i], want[i]));
        first += wide * wide;
    }
    // Three layers of 2 by 2 blocks.
    cudaMemcpy3DParms p = {};
    CUDA(cudaMalloc3DArray(&p.dstArray, &bc1.desc, make_cudaExtent(8, 8, 3), cudaArrayLayered));
    blocks = random_blocks(bc1, 12);
    p.srcPtr = make_cudaPitchedPtr(blocks.data(), 16, 16, 2);
    p.extent = make_cudaExtent(8, 8, 3);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    t = texture(p.dstArray, sampling(bc1));
    for (int layer = 0; layer < 3; layer++) {
        std::vector<uint8_t> own(blocks.begin() + layer * 32, blocks.begin() + (layer + 1) * 32);
        std::vector<float4> want = texels(texture(array_of(bc1, 8, 8, own), sampling(bc1)), 8, 8);
        float4 *out = results(64);
        read_layer<<<1, 64>>>(t, 8, layer, out);
        std::vector<float4> got = fetched(out, 64);
        for (int i = 0; i < 64; i++)
            CHECK(same(got[i], want[i]));
    }
}

// Arrays of words whose elements are blocks: the view has four times their width and height.
static void check_views() {
    const cudaResourceViewFormat views[] = {
        cudaResViewFormatUnsignedBlockCompressed1, cudaResViewFormatUnsignedBlockCompressed2,
        cudaResViewFormatUnsignedBlockCompressed3, cudaResViewFormatUnsignedBlockCompressed4,
        cudaResViewFormatSignedBlockCompressed4,   cudaResViewFormatUnsignedBlockCompressed5,
        cudaResViewFormatSignedBlockCompressed5,   cudaResViewFormatUnsignedBlockCompressed6H,
        cudaResViewFormatSignedBlockCompressed6H,  cudaResViewFormatUnsignedBlockCompressed7};
    for (int n = 0; n < 10; n++) {
        const format &f = formats[n];
        std::vector<uint8_t> blocks = random_blocks(f, 32);
        cudaChannelFormatDesc words =
            f.bytes == 8 ? cudaCreateChannelDesc<uint2>() : cudaCreateChannelDesc<uint4>();
        cudaArray_t array;
        CUDA(cudaMallocArray(&array, &words, 8, 4));
        CUDA(cudaMemcpy2DToArray(array, 0, 0, blocks.data(), 8 * f.bytes, 8 * f.bytes, 4,
                                 cudaMemcpyHostToDevice));
        cudaResourceViewDesc view = {};
        view.format = views[n];
        view.width = 32;
        view.height = 16;
        std::vector<float4> want =
            texels(texture(array_of(f, 32, 16, blocks), sampling(f)), 32, 16);
        std::vector<float4> got = texels(texture(array, sampling(f, false), &view), 32, 16);
        for (int i = 0; i < 32 * 16; i++)
            CHECK(same(got[i], want[i]));
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypeArray;
        r.res.array.array = array;
        cudaTextureDesc d = sampling(f);
        cudaTextureObject_t t;
        view.width = 8;
        CHECK(cudaCreateTextureObject(&t, &r, &d, &view) == cudaErrorInvalidValue);
        view.width = 32;
        view.format = f.bytes == 8 ? cudaResViewFormatUnsignedBlockCompressed7
                                   : cudaResViewFormatUnsignedBlockCompressed1;
        CHECK(cudaCreateTextureObject(&t, &r, &d, &view) == cudaErrorInvalidValue);
    }
}

// Kinds of normalized numbers.
static void check_numbers() {
    const cudaChannelFormatDesc u8 =
        cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized8X4>();
    const cudaChannelFormatDesc s16 =
        cudaCreateChannelDesc<cudaChannelFormatKindSignedNormalized16X2>();
    const uint8_t bytes[8] = {0, 51, 255, 102, 1, 2, 3, 4};
    const int16_t shorts[4] = {-32768, 32767, -32767, 0};
    const format other = {};
    cudaTextureDesc d = sampling(other);
    cudaArray_t a, b;
    CUDA(cudaMallocArray(&a, &u8, 2, 1));
    CUDA(cudaMallocArray(&b, &s16, 2, 1));
    CUDA(cudaMemcpy2DToArray(a, 0, 0, bytes, 8, 8, 1, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2DToArray(b, 0, 0, shorts, 8, 8, 1, cudaMemcpyHostToDevice));
    std::vector<float4> got = texels(texture(a, d), 2, 1);
    CHECK(same(got[0], make_float4(0, 51 / 255.0f, 1, 102 / 255.0f)) && got[1].w == 4 / 255.0f);
    got = texels(texture(b, d), 2, 1);
    CHECK(same(got[0], make_float4(-1, 1, 0, 0)) && same(got[1], make_float4(-1, 0, 0, 0)));
    // Three of 10 bits and one of 2; surfaces have the words.
    const cudaChannelFormatDesc packed =
        cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized1010102>();
    const uint32_t words[2] = {1023u | 341u << 10 | 0u << 20 | 1u << 30,
                               2u | 4u << 10 | 8u << 20 | 3u << 30};
    cudaArray_t p;
    CUDA(cudaMallocArray(&p, &packed, 2, 1, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpy2DToArray(p, 0, 0, words, 8, 8, 1, cudaMemcpyHostToDevice));
    got = texels(texture(p, d), 2, 1);
    CHECK(same(got[0], make_float4(1, 1 / 3.0f, 0, 1 / 3.0f)) &&
          same(got[1], make_float4(2 / 1023.0f, 4 / 1023.0f, 8 / 1023.0f, 1)));
    cudaChannelFormatDesc told;
    CUDA(cudaGetChannelDesc(&told, p));
    CHECK(!memcmp(&told, &packed, sizeof told));
    cudaMemcpy3DParms part = {};
    uint32_t second = 0;
    part.srcArray = p;
    part.srcPos = make_cudaPos(1, 0, 0);
    part.dstPtr = make_cudaPitchedPtr(&second, 4, 4, 1);
    part.extent = make_cudaExtent(1, 1, 1);
    part.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&part));
    CHECK(second == words[1]);
    cudaResourceDesc surface = {};
    surface.resType = cudaResourceTypeArray;
    surface.res.array.array = p;
    cudaSurfaceObject_t s;
    CUDA(cudaCreateSurfaceObject(&s, &surface));
    double_word<<<1, 1>>>(s);
    CUDA(cudaMemcpy3D(&part));
    CHECK(second == words[1] * 2);
    CUDA(cudaGetChannelDesc(&told, b));
    CHECK(!memcmp(&told, &s16, sizeof told));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    d.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidNormSetting);
}

static void check_refusals() {
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &bc1.desc, 8, 8, cudaArraySurfaceLoadStore) ==
          cudaErrorInvalidValue);
    CHECK(cudaMallocArray(&array, &bc1.desc, 8, 0) == cudaErrorInvalidValue);
    cudaChannelFormatDesc wrong = bc1.desc;
    wrong.w = 0;
    CHECK(cudaMallocArray(&array, &wrong, 8, 8) == cudaErrorInvalidChannelDescriptor);
    CUDA(cudaMallocArray(&array, &bc1.desc, 8, 8));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureDesc d = sampling(bc1);
    d.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidNormSetting);
    r.resType = cudaResourceTypeLinear;
    CUDA(cudaMalloc(&r.res.linear.devPtr, 1024));
    r.res.linear.desc = bc1.desc;
    r.res.linear.sizeInBytes = 1024;
    d = sampling(bc1);
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidValue);
}

int main() {
    check_formats();
    check_srgb();
    check_filtering();
    check_copies();
    check_levels_and_layers();
    check_views();
    check_numbers();
    check_refusals();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
