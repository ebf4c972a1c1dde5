// Sparse arrays in kernels (guide 10.8.1.6): texels where no memory is mapped are zero, fetches
// tell so, and what surfaces store there is dropped. Expected values come from a model of tiles.
#include "check.h"

#include <cuda.h>

#include <cmath>
#include <vector>

enum { W = 300, H = 200, TILE = 128, POOL = 2 << 20, ACROSS = 3 }; // of floats: 3 by 2 tiles

static decltype(&cuMemMapArrayAsync) map_array;
static decltype(&cuMemCreate) create;
static decltype(&cuMemRelease) release;

template <class T> static void find(const char *name, T &f, int version) {
    cudaDriverEntryPointQueryResult status;
    CUDA(cudaGetDriverEntryPointByVersion(name, (void **)&f, version, cudaEnableDefault, &status));
    CHECK(status == cudaDriverEntryPointSuccess);
}

static CUmemGenericAllocationHandle pool() {
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    p.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
    CUmemGenericAllocationHandle h = 0;
    CHECK(create(&h, POOL, &p, 0) == CUDA_SUCCESS);
    return h;
}

struct region {
    unsigned level, layer, x, y, z, width, height, depth;
};

static CUarrayMapInfo info(const region &r, CUmemGenericAllocationHandle h, size_t offset) {
    CUarrayMapInfo i = {};
    i.subresource.sparseLevel = {r.level, r.layer, r.x, r.y, r.z, r.width, r.height, r.depth};
    i.memOperationType = h ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP;
    i.memHandleType = CU_MEM_HANDLE_TYPE_GENERIC;
    i.memHandle.memHandle = h;
    i.offset = offset;
    i.deviceBitMask = 1;
    return i;
}

static void map(cudaArray_t a, const region &r, CUmemGenericAllocationHandle h, size_t offset) {
    CUarrayMapInfo i = info(r, h, offset);
    i.resourceType = CU_RESOURCE_TYPE_ARRAY;
    i.resource.array = (CUarray)a;
    CHECK(map_array(&i, 1, 0) == CUDA_SUCCESS);
}

static cudaTextureObject_t texture(cudaResourceDesc r, bool linear, bool normalized = false,
                                   bool border = false) {
    cudaTextureDesc d = {};
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.mipmapFilterMode = cudaFilterModeLinear;
    d.maxMipmapLevelClamp = 20;
    d.normalizedCoords = normalized;
    for (auto &mode : d.addressMode)
        mode = border ? cudaAddressModeBorder : cudaAddressModeClamp;
    for (float &b : d.borderColor)
        b = 7;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static cudaResourceDesc of_array(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

struct fetched {
    float value;
    bool there;
};

__global__ void fetch(cudaTextureObject_t t, float dx, float dy, fetched *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    bool there;
    if (x < W) {
        float v = tex2D<float>(t, x + dx, y + dy, &there);
        out[y * W + x] = {v, there && v == tex2D<float>(t, x + dx, y + dy)};
        if (!there && v != tex2D<float>(t, x + dx, y + dy))
            out[y * W + x].value = NAN;
    }
}

__global__ void gather(cudaTextureObject_t t, float4 *out, bool *there) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < W)
        out[y * W + x] = tex2Dgather<float4>(t, x + 1.0f, y + 1.0f, &there[y * W + x], 0);
}

__global__ void store(cudaSurfaceObject_t s, float add) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < W)
        surf2Dwrite(surf2Dread<float>(s, x * 4, y) + add, s, x * 4, y);
}

static bool mapped(unsigned tiles, int x, int y) {
    return tiles >> (y / TILE * ACROSS + x / TILE) & 1;
}

static float texel(const std::vector<float> &v, unsigned tiles, int x, int y) {
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= H ? H - 1 : y;
    return mapped(tiles, x, y) ? v[y * W + x] : 0;
}

static bool mapped_at(unsigned tiles, int x, int y) {
    return mapped(tiles, x < 0 ? 0 : x >= W ? W - 1 : x, y < 0 ? 0 : y >= H ? H - 1 : y);
}

static void check_plane(cudaArray_t a, const std::vector<float> &v, unsigned tiles) {
    fetched *out = shared_array<fetched>(W * H);
    float4 *four = shared_array<float4>(W * H);
    bool *there = shared_array<bool>(W * H);
    dim3 grid((W + 63) / 64, H);
    cudaTextureObject_t nearest = texture(of_array(a), false), linear = texture(of_array(a), true);
    fetch<<<grid, 64>>>(nearest, 0.5f, 0.5f, out);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const fetched &f = out[y * W + x];
            CHECK(f.value == texel(v, tiles, x, y) && f.there == mapped(tiles, x, y));
        }
    // A quarter of the way to the neighbours.
    fetch<<<grid, 64>>>(linear, 0.75f, 0.75f, out);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const fetched &f = out[y * W + x];
            double sum = 0;
            bool all = true;
            for (int j = 0; j < 4; j++) {
                int i = x + (j & 1), k = y + (j >> 1);
                sum += texel(v, tiles, i, k) * (j & 1 ? 0.25 : 0.75) * (j & 2 ? 0.25 : 0.75);
                all &= mapped_at(tiles, i, k);
            }
            CHECK(f.value == (float)sum && f.there == all);
        }
    // Weights of 0 take no part.
    fetch<<<grid, 64>>>(linear, 0.5f, 0.5f, out);
    gather<<<grid, 64>>>(nearest, four, there);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const fetched &f = out[y * W + x];
            CHECK(f.value == texel(v, tiles, x, y) && f.there == mapped(tiles, x, y));
            float4 g = four[y * W + x];
            CHECK(g.w == texel(v, tiles, x, y) && g.z == texel(v, tiles, x + 1, y) &&
                  g.y == texel(v, tiles, x + 1, y + 1) && g.x == texel(v, tiles, x, y + 1));
            CHECK(there[y * W + x] ==
                  (mapped_at(tiles, x, y) && mapped_at(tiles, x + 1, y) &&
                   mapped_at(tiles, x + 1, y + 1) && mapped_at(tiles, x, y + 1)));
        }
    CUDA(cudaDestroyTextureObject(nearest));
    CUDA(cudaDestroyTextureObject(linear));
    CUDA(cudaFree(out));
    CUDA(cudaFree(four));
    CUDA(cudaFree(there));
}

static void planes() {
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArraySparseProperties p;
    cudaArray_t a, b, ordinary;
    std::vector<float> v(W * H), w(W * H);
    CUDA(cudaMallocArray(&a, &d, W, H, cudaArraySparse | cudaArraySurfaceLoadStore));
    CUDA(cudaMallocArray(&b, &d, W, H, cudaArraySparse | cudaArraySurfaceLoadStore));
    CUDA(cudaMallocArray(&ordinary, &d, W, H));
    CUDA(cudaArrayGetSparseProperties(&p, a));
    CHECK(p.tileExtent.width == TILE && p.tileExtent.height == TILE && p.tileExtent.depth == 1 &&
          p.flags == 0);
    CHECK(cudaArrayGetSparseProperties(&p, ordinary) == cudaErrorInvalidValue);
    CUmemGenericAllocationHandle h = pool();
    random_words random;
    for (int i = 0; i < W * H; i++)
        v[i] = (float)(random() % 1000 + 1), w[i] = v[i] + 0.5f;
    check_plane(a, v, 0);
    map(a, {0, 0, 0, 0, 0, TILE, TILE, 1}, h, 0);
    map(a, {0, 0, TILE, TILE, 0, 2 * TILE, TILE, 1}, h, 65536);
    CUDA(cudaMemcpy2DToArray(a, 0, 0, v.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2DToArray(ordinary, 0, 0, v.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    check_plane(a, v, 0x31);
    check_plane(ordinary, v, 0x3f);
    // Surfaces, also of an array that shares the first tile.
    map(b, {0, 0, 0, 0, 0, TILE, TILE, 1}, h, 0);
    cudaResourceDesc r = of_array(b);
    cudaSurfaceObject_t s;
    CUDA(cudaCreateSurfaceObject(&s, &r));
    store<<<dim3((W + 63) / 64, H), 64>>>(s, 0.5f);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            if (!mapped(1, x, y))
                w[y * W + x] = v[y * W + x];
    check_plane(b, w, 1);
    check_plane(a, w, 0x31);
    // Unmapped and mapped again, what was in the tile is there; what was stored between is not.
    map(b, {0, 0, 0, 0, 0, TILE, TILE, 1}, 0, 0);
    store<<<dim3((W + 63) / 64, H), 64>>>(s, 8);
    check_plane(b, w, 0);
    map(b, {0, 0, 0, 0, 0, TILE, TILE, 1}, h, 0);
    check_plane(b, w, 1);
    CUDA(cudaDestroySurfaceObject(s));
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(b));
    CUDA(cudaFreeArray(ordinary));
    CHECK(release(h) == CUDA_SUCCESS);
}

// Layers and levels: 256 and 128 texels wide in tiles, 64 and less in the tail.
__global__ void layers(cudaTextureObject_t t, int layer, float lod, fetched *out) {
    int x = threadIdx.x, y = blockIdx.x;
    bool there, by_steps;
    float v = tex2DLayeredLod<float>(t, (x + 0.5f) / 32, (y + 0.5f) / 32, layer, lod, &there);
    // Steps of 2^lod texels of 256 ask for the same level.
    float2 dx = make_float2(exp2f(lod) / 256, 0), dy = make_float2(0, exp2f(lod) / 256);
    float g =
        tex2DLayeredGrad<float>(t, (x + 0.5f) / 32, (y + 0.5f) / 32, layer, dx, dy, &by_steps);
    out[y * 32 + x] = {g == v ? v : NAN, there};
    if (there != by_steps)
        out[y * 32 + x].value = NAN;
}

static void levels() {
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    cudaArraySparseProperties p;
    CUDA(cudaMallocMipmappedArray(&m, &d, make_cudaExtent(256, 256, 2), 4,
                                  cudaArraySparse | cudaArrayLayered));
    CUDA(cudaMipmappedArrayGetSparseProperties(&p, m));
    CHECK(p.miptailFirstLevel == 2 && p.miptailSize == 65536 && p.flags == 0);
    CUmemGenericAllocationHandle h = pool();
    // Layer 0: the left half of level 0, level 1. Layer 1: the tail.
    CUarrayMapInfo list[3] = {info({0, 0, 0, 0, 0, TILE, 2 * TILE, 1}, h, 0),
                              info({1, 0, 0, 0, 0, TILE, TILE, 1}, h, 3 * 65536),
                              info({}, h, 5 * 65536)};
    list[2].subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
    list[2].subresource.miptail = {1, 0, 65536};
    for (CUarrayMapInfo &i : list) {
        i.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        i.resource.mipmap = (CUmipmappedArray)m;
    }
    CHECK(map_array(list, 3, 0) == CUDA_SUCCESS);
    for (unsigned k = 0; k < 4; k++) {
        cudaArray_t level;
        CUDA(cudaGetMipmappedArrayLevel(&level, m, k));
        size_t n = 256 >> k;
        std::vector<float> v(n * n * 2);
        for (size_t i = 0; i < v.size(); i++)
            v[i] = (float)(10 * (k + 1) + (i >= n * n));
        cudaMemcpy3DParms c = {};
        c.srcPtr = make_cudaPitchedPtr(v.data(), n * 4, n, n);
        c.dstArray = level;
        c.extent = make_cudaExtent(n, n, 2);
        c.kind = cudaMemcpyHostToDevice;
        CUDA(cudaMemcpy3D(&c));
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    cudaTextureObject_t t = texture(r, true, true);
    fetched *out = shared_array<fetched>(32 * 32);
    for (int layer = 0; layer < 2; layer++)
        for (float lod = 0; lod <= 3; lod += 0.5f) {
            layers<<<32, 32>>>(t, layer, lod, out);
            CUDA(cudaDeviceSynchronize());
            for (int y = 0; y < 32; y++)
                for (int x = 0; x < 32; x++) {
                    // Fetches lie in the middle of 8 texels of level 0: none mixes both halves.
                    double value = 0;
                    bool all = true;
                    for (int k = (int)lod; k <= (int)ceilf(lod); k++) {
                        bool there = layer ? k >= 2 : k == 1 || (k == 0 && x < 16);
                        all &= there;
                        value += (there ? 10 * (k + 1) + layer : 0) * (lod == (int)lod ? 1 : 0.5);
                    }
                    CHECK(out[y * 32 + x].value == (float)value && out[y * 32 + x].there == all);
                }
        }
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFree(out));
    CUDA(cudaFreeMipmappedArray(m));
    CHECK(release(h) == CUDA_SUCCESS);
}

// A depth, whose tiles are 32 by 32 by 16 floats; sums of neighbours along z, stores, atomic
// operations.
enum { S = 64 };

__global__ void volume(cudaTextureObject_t t, cudaSurfaceObject_t s, float dz, fetched *out) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, at = (z * S + y) * S + x;
    bool there;
    out[at].value = tex3D<float>(t, x + 0.5f, y + 0.5f, z + dz, &there);
    out[at].there = there;
    if (s && surf3Dread<float>(s, x * 4, y, z) != out[at].value)
        out[at].value = NAN;
}

__global__ void write_volume(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    surf3Dwrite((float)(z * 4096 + y * 64 + x + 1), s, x * 4, y, z);
}

static void volumes() {
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CUDA(cudaMalloc3DArray(&a, &d, make_cudaExtent(S, S, S),
                           cudaArraySparse | cudaArraySurfaceLoadStore));
    CUmemGenericAllocationHandle h = pool();
    map(a, {0, 0, 32, 0, 16, 32, 64, 32}, h, 0);
    auto there = [](int x, int z) { return x >= 32 && z >= 16 && z < 48; };
    cudaResourceDesc r = of_array(a);
    cudaSurfaceObject_t s;
    CUDA(cudaCreateSurfaceObject(&s, &r));
    write_volume<<<dim3(S, S), S>>>(s);
    fetched *out = shared_array<fetched>(S * S * S);
    cudaTextureObject_t t = texture(r, false), linear = texture(r, true, false, true);
    volume<<<dim3(S, S), S>>>(t, s, 0.5f, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < S * S * S; i++) {
        int x = i % S, z = i / S / S;
        CHECK(out[i].there == there(x, z) && out[i].value == (there(x, z) ? (float)(i + 1) : 0));
    }
    // Halfway between slices; beyond the last is the border, which is no texel of the array.
    volume<<<dim3(S, S), S>>>(linear, 0, 1.0f, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < S * S * S; i++) {
        int x = i % S, z = i / S / S;
        bool low = there(x, z), high = z + 1 == S || there(x, z + 1);
        double next = z + 1 == S ? 7 : high ? i + 1 + S * S : 0;
        CHECK(out[i].there == (low && high) &&
              out[i].value == (float)(((low ? i + 1 : 0) + next) / 2));
    }
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaDestroyTextureObject(linear));
    CUDA(cudaDestroySurfaceObject(s));
    CUDA(cudaFree(out));
    CUDA(cudaFreeArray(a));
    CHECK(release(h) == CUDA_SUCCESS);
}

// Compressed blocks: a block of zeros is black and opaque, one that is not mapped zero.
__global__ void blocks(cudaTextureObject_t t, float4 *out, bool *there) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    out[x] = tex2D<float4>(t, x + 0.5f, 3.5f, &there[x]);
}

static void compressed() {
    enum { WIDTH = 1024 }; // tiles of 512 by 256 texels
    cudaChannelFormatDesc d =
        cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed1>();
    cudaArray_t a;
    cudaArraySparseProperties p;
    CUDA(cudaMallocArray(&a, &d, WIDTH, 256, cudaArraySparse));
    CUDA(cudaArrayGetSparseProperties(&p, a));
    CHECK(p.tileExtent.width == 512 && p.tileExtent.height == 256);
    CUmemGenericAllocationHandle h = pool();
    map(a, {0, 0, 512, 0, 0, 512, 256, 1}, h, 0);
    cudaResourceDesc r = of_array(a);
    cudaTextureDesc sampling = {};
    cudaTextureObject_t t;
    sampling.readMode = cudaReadModeNormalizedFloat;
    CUDA(cudaCreateTextureObject(&t, &r, &sampling, nullptr));
    float4 *out = shared_array<float4>(WIDTH);
    bool *there = shared_array<bool>(WIDTH);
    blocks<<<WIDTH / 64, 64>>>(t, out, there);
    CUDA(cudaDeviceSynchronize());
    for (int x = 0; x < WIDTH; x++)
        CHECK(there[x] == (x >= 512) && out[x].x == 0 && out[x].w == (x >= 512 ? 1 : 0));
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFree(out));
    CUDA(cudaFree(there));
    CUDA(cudaFreeArray(a));
    CHECK(release(h) == CUDA_SUCCESS);
}

int main() {
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    CUDA(cudaFree(nullptr));
    if (!properties.sparseCudaArraySupported) {
        printf("the device has no sparse arrays\n");
        return 77;
    }
    find("cuMemMapArrayAsync", map_array, 11010);
    find("cuMemCreate", create, 10020);
    find("cuMemRelease", release, 10020);
    planes();
    levels();
    volumes();
    compressed();
    printf(failures ? "%d failures\n" : "sparse arrays are right\n", failures);
    return failures != 0;
}
