// Arrays with depth, layers, faces and levels, surface objects, views: what is refused, and why.
#include "array_copy.h"
#include "check.h"

static CUDA_ARRAY3D_DESCRIPTOR describe(size_t w, size_t h, size_t d, unsigned flags) {
    return (CUDA_ARRAY3D_DESCRIPTOR){w, h, d, CU_AD_FORMAT_FLOAT, 1, flags};
}

static void sizes(void) {
    static const struct {
        size_t w, h, d;
        unsigned flags;
        CUresult want;
    } cases[] = {
        {4, 3, 2, 0, CUDA_SUCCESS},
        {4, 0, 2, 0, CUDA_ERROR_INVALID_VALUE},
        {0, 3, 2, 0, CUDA_ERROR_INVALID_VALUE},
        {16385, 1, 1, 0, CUDA_ERROR_INVALID_VALUE},
        {1, 1, 32768, 0, CUDA_SUCCESS},
        {1, 1, 32769, 0, CUDA_ERROR_INVALID_VALUE},
        {131072, 0, 0, 0, CUDA_SUCCESS},
        {131073, 0, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {1, 65536, 0, 0, CUDA_SUCCESS},
        {1, 65537, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {32768, 0, 0, CUDA_ARRAY3D_SURFACE_LDST, CUDA_SUCCESS},
        {32769, 0, 0, CUDA_ARRAY3D_SURFACE_LDST, CUDA_ERROR_INVALID_VALUE},
        {131072, 1, 0, CUDA_ARRAY3D_SURFACE_LDST, CUDA_SUCCESS},
        {1, 1, 16384, CUDA_ARRAY3D_SURFACE_LDST, CUDA_SUCCESS},
        {1, 1, 16385, CUDA_ARRAY3D_SURFACE_LDST, CUDA_ERROR_INVALID_VALUE},
        {32768, 1, 0, CUDA_ARRAY3D_TEXTURE_GATHER, CUDA_SUCCESS},
        {32769, 1, 0, CUDA_ARRAY3D_TEXTURE_GATHER, CUDA_ERROR_INVALID_VALUE},
        {1, 32769, 0, CUDA_ARRAY3D_TEXTURE_GATHER, CUDA_ERROR_INVALID_VALUE},
        {4, 0, 5, CUDA_ARRAY3D_LAYERED, CUDA_SUCCESS},
        {4, 4, 0, CUDA_ARRAY3D_DEPTH_TEXTURE, CUDA_SUCCESS},
        {4, 4, 0, CUDA_ARRAY3D_COLOR_ATTACHMENT, CUDA_SUCCESS},
        {4, 4, 0, CUDA_ARRAY3D_LAYERED, CUDA_ERROR_INVALID_VALUE},
        {4, 4, 2049, CUDA_ARRAY3D_LAYERED, CUDA_ERROR_INVALID_VALUE},
        {4, 4, 6, CUDA_ARRAY3D_CUBEMAP, CUDA_SUCCESS},
        {4, 4, 5, CUDA_ARRAY3D_CUBEMAP, CUDA_ERROR_INVALID_VALUE},
        {4, 3, 6, CUDA_ARRAY3D_CUBEMAP, CUDA_ERROR_INVALID_VALUE},
        {4, 4, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, CUDA_SUCCESS},
        {4, 4, 13, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, CUDA_ERROR_INVALID_VALUE},
        {4, 4, 2, CUDA_ARRAY3D_TEXTURE_GATHER, CUDA_ERROR_INVALID_VALUE},
        {4, 4, 0, CUDA_ARRAY3D_TEXTURE_GATHER, CUDA_SUCCESS},
        {4, 4, 0, CUDA_ARRAY3D_SPARSE, CUDA_SUCCESS},
        {4, 0, 0, CUDA_ARRAY3D_SPARSE, CUDA_ERROR_INVALID_VALUE},
        {4, 4, 6, CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_CUBEMAP, CUDA_ERROR_INVALID_VALUE},
        {4, 4, 0, CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING, CUDA_ERROR_INVALID_VALUE},
        {4, 4, 0, CUDA_ARRAY3D_DEFERRED_MAPPING, CUDA_SUCCESS},
        {4, 4, 0, 0x1000, CUDA_ERROR_INVALID_VALUE},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CUDA_ARRAY3D_DESCRIPTOR d = describe(cases[k].w, cases[k].h, cases[k].d, cases[k].flags);
        CUDA_ARRAY3D_DESCRIPTOR back;
        CUarray a;
        EXPECT(cuArray3DCreate(&a, &d), cases[k].want);
        if (cases[k].want != CUDA_SUCCESS)
            continue;
        OK(cuArray3DGetDescriptor(&back, a));
        CHECK(!memcmp(&back, &d, sizeof d));
        OK(cuArrayDestroy(a));
    }
}

static void levels(void) {
    CUDA_ARRAY3D_DESCRIPTOR d = describe(10, 6, 3, CUDA_ARRAY3D_LAYERED), back;
    CUmipmappedArray m;
    CUarray level, again;
    OK(cuMipmappedArrayCreate(&m, &d, 99)); // 10, 5, 2, 1
    OK(cuMipmappedArrayGetLevel(&level, m, 2));
    OK(cuMipmappedArrayGetLevel(&again, m, 2));
    CHECK(level == again);
    OK(cuArray3DGetDescriptor(&back, level));
    CHECK(back.Width == 2 && back.Height == 1 && back.Depth == 3 && back.Flags == d.Flags);
    OK(cuMipmappedArrayGetLevel(&level, m, 3));
    EXPECT(cuMipmappedArrayGetLevel(&level, m, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuArrayDestroy(level), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuMipmappedArrayCreate(&m, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    CUmipmappedArray wide;
    d = describe(32769, 0, 0, 0);
    EXPECT(cuMipmappedArrayCreate(&wide, &d, 2), CUDA_ERROR_INVALID_VALUE);
    d = describe(1, 32769, 0, 0);
    EXPECT(cuMipmappedArrayCreate(&wide, &d, 2), CUDA_ERROR_INVALID_VALUE);
    // Levels do not overlap: what is written to one does not show in the next.
    float ones[10 * 6 * 3], seen[5 * 3 * 3];
    for (unsigned k = 0; k < sizeof ones / sizeof *ones; k++)
        ones[k] = 1;
    OK(cuMipmappedArrayGetLevel(&again, m, 1));
    OK(array_write(again, memset(seen, 0, sizeof seen), 5 * 4, 3, 3));
    OK(cuMipmappedArrayGetLevel(&level, m, 0));
    OK(array_write(level, ones, 10 * 4, 6, 3));
    OK(array_read(seen, again, 5 * 4, 3, 3));
    for (unsigned k = 0; k < sizeof seen / sizeof *seen; k++)
        CHECK(seen[k] == 0);
    OK(cuMipmappedArrayDestroy(m));
    EXPECT(cuMipmappedArrayDestroy(m), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuArray3DGetDescriptor(&back, again), CUDA_ERROR_INVALID_HANDLE);
}

static void objects(void) {
    CUDA_ARRAY3D_DESCRIPTOR d = describe(8, 4, 6, CUDA_ARRAY3D_LAYERED);
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY}, back;
    CUDA_TEXTURE_DESC t = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUDA_RESOURCE_VIEW_DESC v = {.format = CU_RES_VIEW_FORMAT_UINT_4X8,
                                 .width = 8,
                                 .height = 4,
                                 .depth = 6,
                                 .firstLayer = 2,
                                 .lastLayer = 5},
                            seen;
    CUtexObject object;
    CUsurfObject surface;
    size_t width;
    OK(cuArray3DCreate(&r.res.array.hArray, &d));
    EXPECT(cuSurfObjectCreate(&surface, &r), CUDA_ERROR_INVALID_VALUE); // not for surfaces
    OK(cuTexObjectCreate(&object, &r, &t, &v));
    OK(cuTexObjectGetResourceViewDesc(&seen, object));
    CHECK(!memcmp(&seen, &v, sizeof v));
    EXPECT(cuSurfObjectDestroy(object), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexObjectDestroy(object));
    v.format = CU_RES_VIEW_FORMAT_UINT_2X8;
    EXPECT(cuTexObjectCreate(&object, &r, &t, &v), CUDA_ERROR_INVALID_VALUE);
    v.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
    EXPECT(cuTexObjectCreate(&object, &r, &t, &v), CUDA_ERROR_INVALID_VALUE);
    v.format = CU_RES_VIEW_FORMAT_NONE;
    v.lastLayer = 6;
    EXPECT(cuTexObjectCreate(&object, &r, &t, &v), CUDA_ERROR_INVALID_VALUE);
    v.lastLayer = 5;
    v.width = 4;
    EXPECT(cuTexObjectCreate(&object, &r, &t, &v), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexObjectCreate(&object, &r, &t, NULL));
    EXPECT(cuTexObjectGetResourceViewDesc(&seen, object), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexObjectDestroy(object));
    OK(cuArrayDestroy(r.res.array.hArray));
    d.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    OK(cuArray3DCreate(&r.res.array.hArray, &d));
    OK(cuSurfObjectCreate(&surface, &r));
    OK(cuSurfObjectGetResourceDesc(&back, surface));
    CHECK(back.res.array.hArray == r.res.array.hArray);
    EXPECT(cuTexObjectDestroy(surface), CUDA_ERROR_INVALID_VALUE);
    OK(cuSurfObjectDestroy(surface));
    EXPECT(cuSurfObjectDestroy(surface), CUDA_ERROR_INVALID_VALUE);
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    EXPECT(cuSurfObjectCreate(&surface, &r), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 0));
    CHECK(width == 1 << 28);
    EXPECT(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 3, 0),
           CUDA_ERROR_INVALID_VALUE);
}

// What an object was made of, and copies of lines between arrays, the device and the host.
static void descriptions_and_lines(void) {
    CUDA_ARRAY_DESCRIPTOR d = {8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4}, back;
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY}, resource;
    CUDA_TEXTURE_DESC t = {.addressMode = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_BORDER},
                           .flags = CU_TRSF_NORMALIZED_COORDINATES,
                           .borderColor = {1, 2, 3, 4}},
                      sampling;
    CUarray a, b;
    CUdeviceptr p;
    CUstream s;
    CUtexObject object;
    unsigned char from[32], to[32] = {0};
    for (int i = 0; i < 32; i++)
        from[i] = (unsigned char)(3 * i + 1);
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuMemAlloc(&p, 32));
    NEED(cuArrayCreate(&a, &d));
    NEED(cuArrayCreate(&b, &d));
    OK(cuArrayGetDescriptor(&back, a));
    CHECK(!memcmp(&back, &d, sizeof d));
    EXPECT(cuArrayGetDescriptor(NULL, a), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyHtoAAsync(a, 0, from, 32, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyAtoA(b, 4, a, 8, 12)); // 0 0 0 0 8 .. 19
    OK(cuMemcpyAtoD(p, b, 4, 12));
    OK(cuMemcpyDtoA(b, 24, p, 8)); // .. 8 .. 15
    OK(cuMemcpyAtoHAsync(to, b, 0, 32, s));
    OK(cuStreamSynchronize(s));
    CHECK(!memcmp(to + 4, from + 8, 12) && !memcmp(to + 24, from + 8, 8));
    EXPECT(cuMemcpyAtoA(b, 28, a, 0, 8), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyDtoA(b, 0, p, 33), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyAtoD(p, b, 32, 1), CUDA_ERROR_INVALID_VALUE);
    r.res.array.hArray = a;
    NEED(cuTexObjectCreate(&object, &r, &t, NULL));
    OK(cuTexObjectGetResourceDesc(&resource, object));
    CHECK(resource.resType == CU_RESOURCE_TYPE_ARRAY && resource.res.array.hArray == a);
    OK(cuTexObjectGetTextureDesc(&sampling, object));
    CHECK(!memcmp(&sampling, &t, sizeof t));
    OK(cuTexObjectDestroy(object));
    EXPECT(cuTexObjectGetResourceDesc(&resource, object), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexObjectGetTextureDesc(&sampling, object), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuMemFree(p));
    OK(cuStreamDestroy(s));
}

// These arrays are not sparse, have their memory, and have no planes.
static void queries(void) {
    CUarray a, plane;
    CUmipmappedArray m;
    CUDA_ARRAY3D_DESCRIPTOR d = {64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUDA_ARRAY_MEMORY_REQUIREMENTS need;
    OK(cuArray3DCreate(&a, &d));
    OK(cuMipmappedArrayCreate(&m, &d, 3));
    EXPECT(cuArrayGetSparseProperties(&sparse, a), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMipmappedArrayGetSparseProperties(&sparse, m), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuArrayGetMemoryRequirements(&need, a, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMipmappedArrayGetMemoryRequirements(&need, m, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuArrayGetPlane(&plane, a, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuArrayGetSparseProperties(NULL, a), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuArrayGetMemoryRequirements(&need, a, 99), CUDA_ERROR_INVALID_DEVICE);
    OK(cuArrayDestroy(a));
    OK(cuMipmappedArrayDestroy(m));
    EXPECT(cuArrayGetSparseProperties(&sparse, a), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuMipmappedArrayGetSparseProperties(&sparse, m), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuArrayGetMemoryRequirements(&need, a, 0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuMipmappedArrayGetMemoryRequirements(&need, m, 0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuArrayGetPlane(&plane, a, 0), CUDA_ERROR_INVALID_HANDLE);
}

// The memory of an array is the array's, for who guesses its address too. It is the only one that
// in its range of sizes.
static void memory_of_arrays(void) {
    enum { WIDTH = 77777, PAGES = 1 << 14 };
    CUarray a;
    CUmipmappedArray m;
    CUdeviceptr p, base;
    size_t size, found = 0;
    CUDA_ARRAY3D_DESCRIPTOR d = {WIDTH, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
    OK(cuMemAlloc(&p, 4096));
    OK(cuArray3DCreate(&a, &d));
    d.Width = 7777;
    OK(cuMipmappedArrayCreate(&m, &d, 1));
    for (size_t i = 0; i < 2 * PAGES; i++) {
        CUdeviceptr at = (p & ~4095ull) + i * 4096 - PAGES * 4096ull;
        if (cuMemGetAddressRange(&base, &size, at) != CUDA_SUCCESS || base != at || size < 7777 ||
            size > WIDTH)
            continue;
        found++;
        EXPECT(cuMemFree(base), CUDA_ERROR_INVALID_VALUE);
        EXPECT(cuMemFreeAsync(base, NULL), CUDA_ERROR_INVALID_VALUE);
    }
    CHECK(found >= 2);
    OK(cuArrayDestroy(a));
    OK(cuMipmappedArrayDestroy(m));
    OK(cuMemFree(p));
}

// Formats whose channels lie in planes, and whose texels lie in blocks: what of their numbers is
// taken, and what is told of planes.
static void formats(void) {
    static const struct {
        CUarray_format format, component;
        unsigned planes, across, down;
    } planar[] = {
        {CU_AD_FORMAT_NV12, CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 2},
        {CU_AD_FORMAT_P010, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 2},
        {CU_AD_FORMAT_P016, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 2},
        {CU_AD_FORMAT_NV16, CU_AD_FORMAT_UNSIGNED_INT8, 2, 2, 1},
        {CU_AD_FORMAT_P210, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 1},
        {CU_AD_FORMAT_P216, CU_AD_FORMAT_UNSIGNED_INT16, 2, 2, 1},
        {CU_AD_FORMAT_YUV444_8bit_SemiPlanar, CU_AD_FORMAT_UNSIGNED_INT8, 2, 1, 1},
        {CU_AD_FORMAT_YUV444_16bit_SemiPlanar, CU_AD_FORMAT_UNSIGNED_INT16, 2, 1, 1},
        {CU_AD_FORMAT_Y444_PLANAR8, CU_AD_FORMAT_UNSIGNED_INT8, 3, 1, 1},
        {CU_AD_FORMAT_Y444_PLANAR10, CU_AD_FORMAT_UNSIGNED_INT16, 3, 1, 1},
    };
    CUarray a, plane, again;
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 64, .Height = 32, .NumChannels = 3}, told;
    for (size_t i = 0; i < sizeof planar / sizeof *planar; i++) {
        unsigned char in[256], out[256];
        unsigned bytes = planar[i].component == CU_AD_FORMAT_UNSIGNED_INT8 ? 1 : 2;
        d.Format = planar[i].format;
        OK(cuArray3DCreate(&a, &d));
        OK(cuArray3DGetDescriptor(&told, a));
        CHECK(!memcmp(&told, &d, sizeof d));
        for (unsigned k = 0; k < planar[i].planes; k++) {
            OK(cuArrayGetPlane(&plane, a, k));
            OK(cuArrayGetPlane(&again, a, k));
            OK(cuArray3DGetDescriptor(&told, plane));
            CHECK(plane == again && told.Format == planar[i].component &&
                  told.NumChannels == (k && planar[i].planes == 2 ? 2 : 1) &&
                  told.Width == 64 / (k ? planar[i].across : 1) &&
                  told.Height == 32 / (k ? planar[i].down : 1) && !told.Depth);
            // The last row of each plane is its own.
            size_t row = told.Width * told.NumChannels * bytes;
            memset(in, (int)k + 1, row);
            CUDA_MEMCPY3D last = array_box(plane, in, row, 1, 1);
            last.srcMemoryType = CU_MEMORYTYPE_HOST;
            last.dstMemoryType = CU_MEMORYTYPE_ARRAY;
            last.dstY = told.Height - 1;
            OK(cuMemcpy3D(&last));
            last.dstY++;
            EXPECT(cuMemcpy3D(&last), CUDA_ERROR_INVALID_VALUE);
        }
        for (unsigned k = 0; k < planar[i].planes; k++) {
            OK(cuArrayGetPlane(&plane, a, k));
            OK(cuArray3DGetDescriptor(&told, plane));
            size_t row = told.Width * told.NumChannels * bytes;
            memset(in, (int)k + 1, row);
            CUDA_MEMCPY3D last = array_box(plane, out, row, 1, 1);
            last.srcMemoryType = CU_MEMORYTYPE_ARRAY;
            last.dstMemoryType = CU_MEMORYTYPE_HOST;
            last.srcY = told.Height - 1;
            OK(cuMemcpy3D(&last));
            CHECK(!memcmp(in, out, row));
        }
        EXPECT(cuArrayGetPlane(&plane, a, planar[i].planes), CUDA_ERROR_INVALID_VALUE);
        EXPECT(cuMemcpyHtoA(a, 0, in, 1), CUDA_ERROR_INVALID_VALUE);
        OK(cuArrayDestroy(a));
        EXPECT(cuArray3DGetDescriptor(&told, plane), CUDA_ERROR_INVALID_HANDLE);
    }
    d.NumChannels = 1;
    EXPECT(cuArray3DCreate(&a, &d), CUDA_ERROR_INVALID_VALUE);
    d.Format = (CUarray_format)170; // no format has this number
    EXPECT(cuArray3DCreate(&a, &d), CUDA_ERROR_INVALID_VALUE);
    // Blocks: their format's channels, or 1. Numbers: theirs alone.
    d.Format = CU_AD_FORMAT_BC6H_UF16;
    for (unsigned n = 1; n <= 4; n++) {
        d.NumChannels = n;
        CUresult result = cuArray3DCreate(&a, &d);
        CHECK(result == (n == 1 || n == 3 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE));
        if (result == CUDA_SUCCESS)
            OK(cuArrayDestroy(a));
    }
    d.Format = CU_AD_FORMAT_SNORM_INT8X2;
    d.NumChannels = 2;
    OK(cuArray3DCreate(&a, &d));
    OK(cuArrayDestroy(a));
    d.NumChannels = 1;
    EXPECT(cuArray3DCreate(&a, &d), CUDA_ERROR_INVALID_VALUE);
    d.Format = CU_AD_FORMAT_NV12;
    d.NumChannels = 3;
    OK(cuArray3DCreate(&a, &d)); // not destroyed
}

// Packed video: each pixel is an element of so many channels.
static void packed_video(void) {
    static const struct {
        CUarray_format format;
        unsigned channels, bytes; // of an element
    } packed[] = {
        {CU_AD_FORMAT_YUY2, 2, 2}, {CU_AD_FORMAT_Y210, 2, 4}, {CU_AD_FORMAT_Y216, 2, 4},
        {CU_AD_FORMAT_AYUV, 4, 4}, {CU_AD_FORMAT_Y410, 4, 4}, {CU_AD_FORMAT_Y416, 4, 8},
    };
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 8,
                                     .Height = 2,
                                     .Format = packed[i].format,
                                     .NumChannels = packed[i].channels},
                                told;
        unsigned char in[128], out[128];
        size_t bytes = 16 * packed[i].bytes;
        CUarray a, plane;
        OK(cuArray3DCreate(&a, &d));
        OK(cuArray3DGetDescriptor(&told, a));
        CHECK(!memcmp(&told, &d, sizeof d));
        for (size_t k = 0; k < bytes; k++)
            in[k] = (unsigned char)(7 * k + 3);
        OK(array_write(a, in, bytes / 2, 2, 1));
        EXPECT(array_write(a, in, bytes / 2 + 1, 2, 1), CUDA_ERROR_INVALID_VALUE);
        OK(array_read(out, a, bytes / 2, 2, 1));
        CHECK(!memcmp(in, out, bytes));
        EXPECT(cuArrayGetPlane(&plane, a, 0), CUDA_ERROR_INVALID_VALUE);
        OK(cuArrayDestroy(a));
        d.NumChannels = 3;
        EXPECT(cuArray3DCreate(&a, &d), CUDA_ERROR_INVALID_VALUE);
    }
}

int main(void) {
    CUcontext ctx = check_context();
    packed_video();
    formats();
    memory_of_arrays();
    sizes();
    levels();
    objects();
    descriptions_and_lines();
    queries();
    OK(cuCtxDestroy(ctx)); // with an array that was not destroyed
    return check_result();
}
