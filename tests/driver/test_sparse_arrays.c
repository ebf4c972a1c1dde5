// Sparse arrays: their tiles, mapping and unmapping in the order of a stream, memory that two
// arrays share, mip tails, copies, and arrays whose memory comes later as a whole.
#include "array_copy.h"
#include "check.h"

#include <stdint.h>

enum { TILE = 1 << 16, POOL = 2 << 20 };

static CUmemGenericAllocationHandle pool_of(size_t size, unsigned short usage) {
    CUmemAllocationProp p = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                             .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemGenericAllocationHandle h;
    p.allocFlags.usage = usage;
    NEED(cuMemCreate(&h, size, &p, 0));
    return h;
}

static CUDA_ARRAY3D_DESCRIPTOR describe(size_t w, size_t h, size_t d, CUarray_format format,
                                        unsigned channels, unsigned flags) {
    return (CUDA_ARRAY3D_DESCRIPTOR){w, h, d, format, channels, flags | CUDA_ARRAY3D_SPARSE};
}

static CUarrayMapInfo info(CUarray a, CUmemGenericAllocationHandle h, unsigned long long offset) {
    CUarrayMapInfo i;
    memset(&i, 0, sizeof i);
    i.resourceType = CU_RESOURCE_TYPE_ARRAY;
    i.resource.array = a;
    i.memOperationType = h ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP;
    i.memHandleType = CU_MEM_HANDLE_TYPE_GENERIC;
    i.memHandle.memHandle = h;
    i.offset = offset;
    i.deviceBitMask = 1;
    return i;
}

static CUarrayMapInfo level_info(CUarray a, CUmemGenericAllocationHandle h,
                                 unsigned long long offset, const unsigned at[3],
                                 const unsigned size[3]) {
    CUarrayMapInfo i = info(a, h, offset);
    i.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL;
    i.subresource.sparseLevel.offsetX = at[0];
    i.subresource.sparseLevel.offsetY = at[1];
    i.subresource.sparseLevel.offsetZ = at[2];
    i.subresource.sparseLevel.extentWidth = size[0];
    i.subresource.sparseLevel.extentHeight = size[1];
    i.subresource.sparseLevel.extentDepth = size[2];
    return i;
}

static CUarrayMapInfo tail_info(CUarray a, CUmemGenericAllocationHandle h,
                                unsigned long long offset, unsigned layer, unsigned long long from,
                                unsigned long long size) {
    CUarrayMapInfo i = info(a, h, offset);
    i.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
    i.subresource.miptail.layer = layer;
    i.subresource.miptail.offset = from;
    i.subresource.miptail.size = size;
    return i;
}

static CUresult map_one(CUarrayMapInfo i) {
    return cuMemMapArrayAsync(&i, 1, NULL);
}

// Tiles have 64 KB, whatever the texels.
static void tile_sizes(void) {
    static const struct {
        CUarray_format format;
        unsigned channels, bytes, side; // of an element, texels along it
    } formats[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 1, 1, 1}, {CU_AD_FORMAT_HALF, 1, 2, 1},
        {CU_AD_FORMAT_FLOAT, 1, 4, 1},         {CU_AD_FORMAT_FLOAT, 2, 8, 1},
        {CU_AD_FORMAT_FLOAT, 4, 16, 1},        {CU_AD_FORMAT_BC1_UNORM, 4, 8, 4},
        {CU_AD_FORMAT_BC7_UNORM, 4, 16, 4},
    };
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        for (unsigned depth = 0; depth <= 1024; depth += 1024) {
            CUDA_ARRAY3D_DESCRIPTOR d =
                describe(1024, 1024, depth, formats[k].format, formats[k].channels, 0);
            CUDA_ARRAY_SPARSE_PROPERTIES p;
            CUarray a;
            OK(cuArray3DCreate(&a, &d));
            memset(&p, 0xff, sizeof p);
            OK(cuArrayGetSparseProperties(&p, a));
            uint64_t elements = (uint64_t)p.tileExtent.width / formats[k].side *
                                (p.tileExtent.height / formats[k].side) * p.tileExtent.depth;
            CHECK(elements * formats[k].bytes == TILE);
            CHECK(depth ? p.tileExtent.depth > 1 : p.tileExtent.depth == 1);
            CHECK(!p.flags && !p.miptailSize && !p.miptailFirstLevel);
            OK(cuArrayDestroy(a));
        }
}

enum { W = 300, H = 200 }; // of floats: tiles of 128 by 128, so 3 by 2 of them

static void fill(float *v, unsigned seed) {
    for (unsigned k = 0; k < W * H; k++)
        v[k] = (float)(k * 7 % 1009 + seed);
}

static void put(CUarray a, const float *v) {
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = v,
                       .srcPitch = W * 4,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = a,
                       .WidthInBytes = W * 4,
                       .Height = H};
    OK(cuMemcpy2D(&c));
}

static void get(CUarray a, float *v) {
    CUDA_MEMCPY2D c = {.dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = v,
                       .dstPitch = W * 4,
                       .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = a,
                       .WidthInBytes = W * 4,
                       .Height = H};
    memset(v, 0xee, W * H * 4);
    OK(cuMemcpy2D(&c));
}

// `want` where the tile of (x, y) is one of `tiles`, a bit each, else 0.
static int holds(const float *v, const float *want, unsigned tiles) {
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            if (v[y * W + x] != (tiles >> (y / 128 * 3 + x / 128) & 1 ? want[y * W + x] : 0))
                return 0;
    return 1;
}

static float one[W * H], two[W * H], seen[W * H];

static void tiles_of_a_plane(void) {
    CUDA_ARRAY3D_DESCRIPTOR d = describe(W, H, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    CUmemGenericAllocationHandle h = pool_of(POOL, CU_MEM_CREATE_USAGE_TILE_POOL), plain;
    const unsigned origin[3] = {0, 0, 0}, second[3] = {128, 0, 0}, tile[3] = {128, 128, 1};
    CUarray a, b;
    OK(cuArray3DCreate(&a, &d));
    OK(cuArray3DCreate(&b, &d));
    fill(one, 1);
    fill(two, 5000);
    put(a, one); // nothing is mapped: dropped
    get(a, seen);
    CHECK(holds(seen, one, 0));
    OK(map_one(level_info(a, h, 3 * TILE, second, tile)));
    put(a, one);
    get(a, seen);
    CHECK(holds(seen, one, 2));
    // All of them: the texels of the one that was there move with its memory, not with the tile.
    OK(map_one(level_info(a, h, 0, origin, (const unsigned[]){384, 256, 1})));
    put(a, two);
    get(a, seen);
    CHECK(holds(seen, two, 0x3f));
    // The memory's first tile is the first of another array, too.
    OK(map_one(level_info(b, h, 0, origin, tile)));
    get(b, seen);
    CHECK(holds(seen, two, 1));
    // Its last is the one before the last row's end: extents may end with the level.
    OK(map_one(level_info(b, 0, 0, origin, tile)));
    OK(map_one(level_info(b, h, 5 * TILE, (const unsigned[]){256, 128, 0},
                          (const unsigned[]){W - 256, H - 128, 1})));
    get(b, seen);
    CHECK(holds(seen, two, 0x20));
    put(b, one);
    get(a, seen);
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            CHECK(seen[y * W + x] == (y >= 128 && x >= 256 ? one : two)[y * W + x]);
    // Memory stays as long as it is mapped.
    size_t before, between, after, total;
    OK(cuMemGetInfo(&before, &total));
    OK(cuMemRelease(h));
    OK(cuMemGetInfo(&between, &total));
    get(b, seen);
    CHECK(holds(seen, one, 0x20));
    OK(cuArrayDestroy(a));
    OK(map_one(level_info(b, 0, 0, origin, (const unsigned[]){384, 256, 1})));
    OK(cuCtxSynchronize());
    OK(cuMemGetInfo(&after, &total));
    CHECK(between == before && after == before + POOL);
    get(b, seen);
    CHECK(holds(seen, one, 0));
    plain = pool_of(POOL, 0);
    EXPECT(map_one(level_info(b, plain, 0, origin, tile)), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(plain));
    OK(cuArrayDestroy(b));
}

// The first row byte by byte, pieces within and across tiles, from array to array, in graphs.
static void copies(void) {
    CUDA_ARRAY3D_DESCRIPTOR d = describe(W, H, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    CUmemGenericAllocationHandle h = pool_of(POOL, CU_MEM_CREATE_USAGE_TILE_POOL);
    const unsigned origin[3] = {0, 0, 0}, all[3] = {384, 256, 1};
    CUarray a, b, rows;
    CUstream s;
    OK(cuArray3DCreate(&a, &d));
    OK(cuArray3DCreate(&b, &d));
    d.Flags = 0;
    OK(cuArray3DCreate(&rows, &d));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(map_one(level_info(a, h, 0, origin, all)));
    OK(map_one(level_info(b, h, 6 * TILE, origin, all)));
    OK(cuCtxSynchronize());
    fill(one, 3);
    put(a, one);
    get(a, seen);
    CHECK(!memcmp(seen, one, sizeof one));
    // The first row, which lies in several tiles.
    OK(cuMemcpyAtoH(seen, a, 400, 800));
    CHECK(!memcmp(seen, one + 100, 800));
    OK(cuMemcpyAtoA(b, 8, a, 400, 700));
    OK(cuMemcpyAtoA(rows, 8, a, 400, 700));
    OK(cuMemcpyAtoH(seen, b, 8, 700));
    CHECK(!memcmp(seen, one + 100, 700));
    OK(cuMemcpyAtoH(seen, rows, 8, 700));
    CHECK(!memcmp(seen, one + 100, 700));
    EXPECT(cuMemcpyHtoA(a, W * 4 - 4, one, 8), CUDA_ERROR_INVALID_VALUE);
    // A box across four tiles, by way of device memory and a graph.
    enum { X = 100, Y = 120, BW = 60, BH = 20 };
    float box[BW * BH], back[BW * BH];
    CUdeviceptr p;
    OK(cuMemAlloc(&p, sizeof box));
    for (unsigned k = 0; k < BW * BH; k++)
        box[k] = -(float)k;
    CUDA_MEMCPY3D in = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = p,
                        .srcPitch = BW * 4,
                        .srcHeight = BH,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = a,
                        .dstXInBytes = X * 4,
                        .dstY = Y,
                        .WidthInBytes = BW * 4,
                        .Height = BH,
                        .Depth = 1};
    CUDA_MEMCPY3D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcArray = a,
                         .srcXInBytes = X * 4,
                         .srcY = Y,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = p,
                         .dstPitch = BW * 4,
                         .dstHeight = BH,
                         .WidthInBytes = BW * 4,
                         .Height = BH,
                         .Depth = 1};
    OK(cuMemcpyHtoD(p, box, sizeof box));
    CUgraph g;
    CUgraphExec e;
    CUgraphNode first, then;
    CUcontext ctx;
    OK(cuCtxGetCurrent(&ctx));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddMemcpyNode(&first, g, NULL, 0, &in, ctx));
    CUDA_MEMSET_NODE_PARAMS zero = {.dst = p, .elementSize = 4, .width = BW * BH, .height = 1};
    OK(cuGraphAddMemsetNode(&then, g, &first, 1, &zero, ctx));
    first = then;
    OK(cuGraphAddMemcpyNode(&then, g, &first, 1, &out, ctx));
    OK(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphLaunch(e, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(back, p, sizeof back));
    CHECK(!memcmp(back, box, sizeof box));
    get(a, seen);
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++) {
            int inside = x >= X && x < X + BW && y >= Y && y < Y + BH;
            CHECK(seen[y * W + x] == (inside ? box[(y - Y) * BW + x - X] : one[y * W + x]));
        }
    // A mapping is no node of a graph.
    CUarrayMapInfo i = level_info(a, h, 0, origin, all);
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(cuMemMapArrayAsync(&i, 1, s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUgraph none;
    EXPECT(cuStreamEndCapture(s, &none), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
    OK(cuStreamDestroy(s));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuArrayDestroy(rows));
    OK(cuMemRelease(h));
}

// A depth, in tiles of 32 by 32 by 16 floats, and the order of memory in a box of several tiles: x,
// then y, then z.
static void depth(void) {
    enum { S = 64, D = 40 };
    static float v[D][S][S], got[D][S][S];
    CUDA_ARRAY3D_DESCRIPTOR d = describe(S, S, D, CU_AD_FORMAT_FLOAT, 1, 0);
    CUmemGenericAllocationHandle h = pool_of(POOL, CU_MEM_CREATE_USAGE_TILE_POOL);
    CUarray a, b;
    OK(cuArray3DCreate(&a, &d));
    OK(cuArray3DCreate(&b, &d));
    for (unsigned z = 0; z < D; z++)
        for (unsigned y = 0; y < S; y++)
            for (unsigned x = 0; x < S; x++)
                v[z][y][x] = (float)(z * 10000 + y * 100 + x);
    OK(map_one(level_info(a, h, 0, (const unsigned[]){0, 0, 0}, (const unsigned[]){S, S, D})));
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = v,
                       .srcPitch = S * 4,
                       .srcHeight = S,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = a,
                       .WidthInBytes = S * 4,
                       .Height = S,
                       .Depth = D};
    OK(cuMemcpy3D(&c));
    // Tile (1, 0, 2) is number 2 * 4 + 1: mapped at (0, 1, 1) of the other.
    OK(map_one(
        level_info(b, h, 9 * TILE, (const unsigned[]){0, 32, 16}, (const unsigned[]){32, 32, 16})));
    CUDA_MEMCPY3D back = {.dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = got,
                          .dstPitch = S * 4,
                          .dstHeight = S,
                          .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = b,
                          .WidthInBytes = S * 4,
                          .Height = S,
                          .Depth = D};
    OK(cuMemcpy3D(&back));
    for (unsigned z = 0; z < D; z++)
        for (unsigned y = 0; y < S; y++)
            for (unsigned x = 0; x < S; x++) {
                int there = x < 32 && y >= 32 && z >= 16 && z < 32;
                // Slices 40 to 47 of the first are beyond its depth: never written.
                float want = there && z + 16 < D ? v[z + 16][y - 32][x + 32] : 0;
                CHECK(got[z][y][x] == want);
            }
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuMemRelease(h));
}

// A layer of floats, as wide as it is high.
static CUDA_MEMCPY3D layer_box(CUarray a, unsigned layer, const float *memory, size_t width) {
    CUDA_MEMCPY3D c = array_box(a, memory, width * 4, width, 1);
    c.srcZ = c.dstZ = layer;
    return c;
}
static CUresult write_layer(CUarray a, unsigned layer, const float *from, size_t width) {
    CUDA_MEMCPY3D c = layer_box(a, layer, from, width);
    c.srcZ = 0;
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    return cuMemcpy3D(&c);
}
static CUresult read_layer(float *to, CUarray a, unsigned layer, size_t width) {
    CUDA_MEMCPY3D c = layer_box(a, layer, to, width);
    c.dstZ = 0;
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    return cuMemcpy3D(&c);
}

// Levels and layers: 512, 256 and 128 texels wide in tiles, the smaller ones in a tail of each
// layer.
static void levels_and_layers(void) {
    enum { LAYERS = 3, LEVELS = 10 };
    CUDA_ARRAY3D_DESCRIPTOR d = describe(512, 512, LAYERS, CU_AD_FORMAT_FLOAT, 1,
                                         CUDA_ARRAY3D_LAYERED),
                            told;
    CUmemGenericAllocationHandle h = pool_of(4 * POOL, CU_MEM_CREATE_USAGE_TILE_POOL);
    CUDA_ARRAY_SPARSE_PROPERTIES p;
    CUmipmappedArray m;
    CUarray level;
    static float v[512 * 512], got[512 * 512];
    OK(cuMipmappedArrayCreate(&m, &d, LEVELS));
    OK(cuMipmappedArrayGetSparseProperties(&p, m));
    CHECK(p.miptailFirstLevel == 3 && p.miptailSize == TILE && !p.flags);
    CHECK(p.tileExtent.width == 128 && p.tileExtent.height == 128 && p.tileExtent.depth == 1);
    OK(cuMipmappedArrayGetLevel(&level, m, 1));
    EXPECT(cuArrayGetSparseProperties(&p, level), CUDA_ERROR_INVALID_VALUE);
    EXPECT(map_one(level_info(level, h, 0, (const unsigned[]){0, 0, 0},
                              (const unsigned[]){128, 128, 1})),
           CUDA_ERROR_INVALID_VALUE);
    // All of layer 1, and the tails of layers 1 and 2.
    CUarrayMapInfo list[5];
    unsigned long long at = 0;
    for (unsigned k = 0; k < 3; k++) {
        unsigned size[3] = {512u >> k, 512u >> k, 1};
        list[k] = level_info(NULL, h, at, (const unsigned[]){0, 0, 0}, size);
        list[k].subresource.sparseLevel.level = k;
        list[k].subresource.sparseLevel.layer = 1;
        at += (unsigned long long)size[0] * size[1] * 4;
    }
    list[3] = tail_info(NULL, h, at, 1, 0, TILE);
    list[4] = tail_info(NULL, h, at + TILE, 2, 0, TILE);
    for (unsigned k = 0; k < 5; k++) {
        list[k].resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        list[k].resource.mipmap = m;
    }
    OK(cuMemMapArrayAsync(list, 5, NULL));
    for (unsigned k = 0; k < LEVELS; k++) {
        OK(cuMipmappedArrayGetLevel(&level, m, k));
        OK(cuArray3DGetDescriptor(&told, level));
        CHECK(told.Width == 512u >> k && told.Flags == d.Flags);
        size_t w = told.Width, n = w * w;
        for (size_t i = 0; i < n; i++)
            v[i] = (float)(i % 5003 + k * 7919 + 1);
        for (unsigned layer = 0; layer < LAYERS; layer++)
            OK(write_layer(level, layer, v, w));
    }
    for (unsigned k = 0; k < LEVELS; k++) {
        OK(cuMipmappedArrayGetLevel(&level, m, k));
        size_t w = 512u >> k, n = w * w;
        for (unsigned layer = 0; layer < LAYERS; layer++) {
            int there = layer == 1 || (layer == 2 && k >= 3), ok = 1;
            OK(read_layer(got, level, layer, w));
            for (size_t i = 0; i < n; i++)
                ok &= got[i] == (there ? (float)(i % 5003 + k * 7919 + 1) : 0);
            CHECK(ok);
        }
    }
    // What is wrong about tails and levels.
    CUarrayMapInfo i = list[3];
    i.subresource.miptail.layer = LAYERS;
    EXPECT(map_one(i), CUDA_ERROR_INVALID_VALUE);
    i = list[3];
    i.subresource.miptail.offset = TILE;
    EXPECT(map_one(i), CUDA_ERROR_INVALID_VALUE);
    i = list[3];
    i.subresource.miptail.size = 4096;
    EXPECT(map_one(i), CUDA_ERROR_INVALID_VALUE);
    i = list[0];
    i.subresource.sparseLevel.level = 3;
    EXPECT(map_one(i), CUDA_ERROR_INVALID_VALUE);
    i.subresource.sparseLevel.level = LEVELS;
    EXPECT(map_one(i), CUDA_ERROR_INVALID_VALUE);
    i = list[0];
    i.subresource.sparseLevel.layer = LAYERS;
    EXPECT(map_one(i), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayDestroy(m));
    EXPECT(map_one(list[0]), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemRelease(h));
}

// An array that is smaller than a tile is all tail, one for all layers.
static void small_arrays(void) {
    CUDA_ARRAY3D_DESCRIPTOR d = describe(20, 300, 5, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_LAYERED);
    CUmemGenericAllocationHandle h = pool_of(POOL, CU_MEM_CREATE_USAGE_TILE_POOL);
    CUDA_ARRAY_SPARSE_PROPERTIES p;
    static unsigned char v[20 * 300 * 16 * 5], got[sizeof v];
    CUarray a;
    OK(cuArray3DCreate(&a, &d));
    OK(cuArrayGetSparseProperties(&p, a));
    CHECK(p.flags == CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL && p.miptailFirstLevel == 0);
    CHECK(p.miptailSize >= sizeof v && p.miptailSize % TILE == 0);
    for (size_t k = 0; k < sizeof v; k++)
        v[k] = (unsigned char)(k * 31 + k / 7 + 1);
    OK(map_one(tail_info(a, h, TILE, 0, 0, p.miptailSize)));
    OK(array_write(a, v, 20 * 16, 300, 5));
    OK(array_read(got, a, 20 * 16, 300, 5));
    CHECK(!memcmp(v, got, sizeof v));
    // The first tile goes: texels there become zero, the others stay.
    OK(map_one(tail_info(a, 0, 0, 0, 0, TILE)));
    OK(array_read(got, a, 20 * 16, 300, 5));
    CHECK(!memcmp(v + TILE, got + TILE, sizeof v - TILE));
    for (size_t k = 0; k < TILE; k++)
        CHECK(got[k] == 0);
    EXPECT(
        map_one(level_info(a, h, 0, (const unsigned[]){0, 0, 0}, (const unsigned[]){20, 300, 1})),
        CUDA_ERROR_INVALID_VALUE);
    EXPECT(map_one(tail_info(a, h, 0, 1, 0, TILE)), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(a));
    OK(cuMemRelease(h));
}

static void refusals(void) {
    CUDA_ARRAY3D_DESCRIPTOR d = describe(W, H, 0, CU_AD_FORMAT_FLOAT, 1, 0), other = d;
    CUmemGenericAllocationHandle h = pool_of(POOL, CU_MEM_CREATE_USAGE_TILE_POOL);
    const unsigned origin[3] = {0, 0, 0}, tile[3] = {128, 128, 1};
    CUarray a, ordinary;
    CUmipmappedArray m;
    CUDA_ARRAY_MEMORY_REQUIREMENTS need;
    OK(cuArray3DCreate(&a, &d));
    OK(cuMipmappedArrayCreate(&m, &d, 1));
    other.Flags = 0;
    OK(cuArray3DCreate(&ordinary, &other));
    CUarrayMapInfo good = level_info(a, h, 0, origin, tile), i = good;
    EXPECT(cuMemMapArrayAsync(NULL, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemMapArrayAsync(NULL, 0, NULL));
    EXPECT(cuArrayGetMemoryRequirements(&need, a, 0), CUDA_ERROR_INVALID_VALUE);
#define WRONG(change)                                                                              \
    do {                                                                                           \
        i = good;                                                                                  \
        change;                                                                                    \
        EXPECT(map_one(i), CUDA_ERROR_INVALID_VALUE);                                              \
    } while (0)
    WRONG(i.resource.array = ordinary);
    WRONG(i.resourceType = CU_RESOURCE_TYPE_LINEAR);
    WRONG(i.subresourceType = (CUarraySparseSubresourceType)7);
    WRONG(i.memOperationType = (CUmemOperationType)7);
    WRONG(i.memHandleType = (CUmemHandleType)7);
    WRONG(i.memHandle.memHandle = 0);
    WRONG(i.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP);
    WRONG(i.deviceBitMask = 0);
    WRONG(i.deviceBitMask = 2);
    WRONG(i.deviceBitMask = 3);
    WRONG(i.flags = 1);
    WRONG(i.reserved[1] = 1);
    WRONG(i.offset = 4096);
    WRONG(i.offset = POOL);
    WRONG(i.subresource.sparseLevel.offsetX = 64);
    WRONG(i.subresource.sparseLevel.offsetX = 384);
    WRONG(i.subresource.sparseLevel.offsetZ = 1);
    WRONG(i.subresource.sparseLevel.extentWidth = 64);
    WRONG(i.subresource.sparseLevel.extentWidth = 0);
    WRONG(i.subresource.sparseLevel.extentHeight = 512);
    WRONG(i.subresource.sparseLevel.extentDepth = 2);
    WRONG(i.subresource.sparseLevel.level = 1);
    WRONG(i.subresource.sparseLevel.layer = 1);
    WRONG(i.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL);
    // One wrong entry: none is done.
    CUarrayMapInfo list[2] = {good, good};
    list[1].flags = 1;
    EXPECT(cuMemMapArrayAsync(list, 2, NULL), CUDA_ERROR_INVALID_VALUE);
    fill(one, 1);
    put(a, one);
    get(a, seen);
    CHECK(holds(seen, one, 0));
    OK(cuMemRelease(h)); // nothing holds it any more
    EXPECT(map_one(good), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(a));
    EXPECT(map_one(good), CUDA_ERROR_INVALID_HANDLE);
    OK(cuArrayDestroy(ordinary));
    OK(cuMipmappedArrayDestroy(m));
}

// An array that gets its memory as a whole, whatever the subresource says.
static void deferred(void) {
    CUDA_ARRAY3D_DESCRIPTOR d = {W, H, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_DEFERRED_MAPPING};
    CUmemGenericAllocationHandle h = pool_of(POOL, CU_MEM_CREATE_USAGE_TILE_POOL);
    CUDA_ARRAY_MEMORY_REQUIREMENTS need;
    CUDA_ARRAY_SPARSE_PROPERTIES p;
    CUarray a, b;
    CUmipmappedArray m;
    OK(cuArray3DCreate(&a, &d));
    OK(cuArray3DCreate(&b, &d));
    EXPECT(cuArrayGetSparseProperties(&p, a), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayGetMemoryRequirements(&need, a, 0));
    CHECK(need.size >= W * H * 4 && need.alignment && need.size % need.alignment == 0 &&
          need.size < 2 * W * H * 4);
    EXPECT(cuArrayGetMemoryRequirements(&need, a, 99), CUDA_ERROR_INVALID_DEVICE);
    CUarrayMapInfo i = info(a, h, need.alignment);
    OK(map_one(i));
    fill(one, 9);
    put(a, one);
    get(a, seen);
    CHECK(!memcmp(seen, one, sizeof one));
    i.resource.array = b;
    OK(map_one(i));
    get(b, seen);
    CHECK(!memcmp(seen, one, sizeof one));
    i.offset = POOL - TILE;
    EXPECT(map_one(i), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayCreate(&m, &d, 3));
    OK(cuMipmappedArrayGetMemoryRequirements(&need, m, 0));
    CHECK(need.size >= W * H * 4 + W / 2 * (H / 2) * 4);
    OK(cuMipmappedArrayDestroy(m));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuMemRelease(h));
}

int main(void) {
    CUcontext ctx = check_context();
    int supported = 0;
    OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED, 0));
    CHECK(supported == 1);
    OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED,
                            0));
    CHECK(supported == 1);
    tile_sizes();
    tiles_of_a_plane();
    copies();
    depth();
    levels_and_layers();
    small_arrays();
    refusals();
    deferred();
    // An array that is not destroyed, with tiles that are mapped, ends with its context.
    CUDA_ARRAY3D_DESCRIPTOR d = describe(W, H, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    CUmemGenericAllocationHandle h = pool_of(POOL, CU_MEM_CREATE_USAGE_TILE_POOL);
    CUarray a;
    OK(cuArray3DCreate(&a, &d));
    OK(map_one(level_info(a, h, 0, (const unsigned[]){0, 0, 0}, (const unsigned[]){128, 128, 1})));
    OK(cuCtxDestroy(ctx));
    OK(cuMemRelease(h));
    return check_result();
}
