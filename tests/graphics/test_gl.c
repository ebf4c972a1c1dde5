// Buffers, textures and renderbuffers of OpenGL in the driver's API (guide 6.2.15.1). What OpenGL
// has is compared with what arrays and memory have, in both directions.
#include "../driver/check.h"
#include "../driver/kernels.h"
#include "gl_context.h"

// Declared in cudaGL.h, which needs OpenGL's headers.
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *, unsigned, unsigned);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *, unsigned, unsigned, unsigned);
CUresult cuGLGetDevices_v2(unsigned *, CUdevice *, unsigned, int);
CUresult cuGLCtxCreate_v2(CUcontext *, unsigned, CUdevice);
CUresult cuGLInit(void);
CUresult cuGLRegisterBufferObject(unsigned);
CUresult cuGLMapBufferObject_v2(CUdeviceptr *, size_t *, unsigned);
CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr *, size_t *, unsigned, CUstream);
CUresult cuGLUnmapBufferObject(unsigned);
CUresult cuGLUnmapBufferObjectAsync(unsigned, CUstream);
CUresult cuGLUnregisterBufferObject(unsigned);
CUresult cuGLSetBufferObjectMapFlags(unsigned, unsigned);

enum { ARRAY_BUFFER = 0x8892, STATIC_DRAW = 0x88E4, COPY_READ_BUFFER = 0x8F36 };
enum { PACK_ALIGNMENT = 0x0D05, UNPACK_ALIGNMENT = 0x0CF5, UNPACK_ROW_LENGTH = 0x0CF2 };
enum {
    TEXTURE_2D = 0x0DE1,
    TEXTURE_3D = 0x806F,
    TEXTURE_RECTANGLE = 0x84F5,
    TEXTURE_CUBE_MAP = 0x8513,
    POSITIVE_X = 0x8515,
    TEXTURE_2D_ARRAY = 0x8C1A,
    RENDERBUFFER = 0x8D41,
    FRAMEBUFFER = 0x8D40,
    COLOR_ATTACHMENT0 = 0x8CE0,
};
enum { N = 1000 };

static unsigned make_buffer(const void *data, size_t bytes) {
    unsigned name;
    glGenBuffers(1, &name);
    glBindBuffer(ARRAY_BUFFER, name);
    glBufferData(ARRAY_BUFFER, (ptrdiff_t)bytes, data, STATIC_DRAW);
    return name;
}

static void fill(CUfunction f, CUdeviceptr to, unsigned a, unsigned b, CUstream stream) {
    void *parameters[] = {&to, &a, &b};
    OK(cuLaunchKernel(f, N / 100, 1, 1, 100, 1, 1, 0, stream, parameters, NULL));
}

static void no_context(void) {
    CUgraphicsResource r;
    CUdevice devices[2];
    unsigned n;
    EXPECT(cuGraphicsGLRegisterBuffer(&r, 1, 0), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    EXPECT(cuGraphicsGLRegisterImage(&r, 1, TEXTURE_2D, 0), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    EXPECT(cuGLGetDevices_v2(&n, devices, 2, 1), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    EXPECT(cuGraphicsUnregisterResource(NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void devices(void) {
    CUdevice list[2] = {9, 9};
    CUcontext ctx, popped;
    unsigned n = 0;
    OK(cuGLInit());
    OK(cuGLGetDevices_v2(&n, list, 2, 1));
    CHECK(n >= 1 && list[0] == 0);
    OK(cuGLGetDevices_v2(&n, list, 1, 2));
    CHECK(n == 1);
    EXPECT(cuGLGetDevices_v2(&n, list, 1, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGLGetDevices_v2(&n, NULL, 1, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuGLCtxCreate_v2(&ctx, 0, 0));
    OK(cuCtxPopCurrent(&popped));
    OK(cuCtxDestroy(ctx));
}

// Whether OpenGL's buffer has a + b * i.
static int has(unsigned name, unsigned a, unsigned b) {
    unsigned data[N];
    glBindBuffer(ARRAY_BUFFER, name);
    glGetBufferSubData(ARRAY_BUFFER, 0, sizeof data, data);
    for (unsigned i = 0; i < N; i++)
        if (data[i] != a + b * i)
            return 0;
    return 1;
}

static void buffers(CUfunction f) {
    unsigned data[N], back[N], flags;
    for (unsigned i = 0; i < N; i++)
        data[i] = 7 + 3 * i;
    unsigned name = make_buffer(data, sizeof data), other = make_buffer(data, sizeof data);
    CUgraphicsResource both[2], r, second;
    CUdeviceptr p, q;
    CUstream stream;
    CUarray array;
    CUmipmappedArray mipmap;
    size_t size;
    int bound;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    glBindBuffer(COPY_READ_BUFFER, other);
    EXPECT(cuGraphicsGLRegisterBuffer(NULL, name, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphicsGLRegisterBuffer(&r, 12345, 0), CUDA_ERROR_INVALID_VALUE);
    for (flags = 3; flags < 32; flags++)
        EXPECT(cuGraphicsGLRegisterBuffer(&r, name, flags), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphicsGLRegisterBuffer(&r, name, 0));
    NEED(cuGraphicsGLRegisterBuffer(&second, other, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY));
    EXPECT(cuGraphicsResourceGetMappedPointer(&p, &size, r), CUDA_ERROR_NOT_MAPPED);
    EXPECT(cuGraphicsUnmapResources(1, &r, 0), CUDA_ERROR_NOT_MAPPED);
    EXPECT(cuGraphicsMapResources(0, &r, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphicsMapResources(1, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    both[0] = both[1] = r;
    EXPECT(cuGraphicsMapResources(2, both, 0), CUDA_ERROR_ALREADY_MAPPED);
    both[1] = NULL;
    EXPECT(cuGraphicsMapResources(2, both, 0), CUDA_ERROR_INVALID_HANDLE);
    both[1] = second;
    OK(cuGraphicsMapResources(2, both, stream)); // what failed before has mapped nothing
    EXPECT(cuGraphicsMapResources(1, &r, stream), CUDA_ERROR_ALREADY_MAPPED);
    EXPECT(cuGraphicsResourceSetMapFlags(r, 0), CUDA_ERROR_ALREADY_MAPPED);
    EXPECT(cuGraphicsSubResourceGetMappedArray(&array, r, 0, 0), CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
    EXPECT(cuGraphicsResourceGetMappedMipmappedArray(&mipmap, r), CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
    OK(cuGraphicsResourceGetMappedPointer(&p, &size, r));
    CHECK(size == sizeof data);
    OK(cuGraphicsResourceGetMappedPointer(&q, NULL, second));
    OK(cuMemcpyDtoH(back, p, sizeof back));
    CHECK(!memcmp(back, data, sizeof back));
    EXPECT(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    fill(f, p, 1, 2, stream); // unmapping waits for it
    fill(f, q, 5, 5, stream);
    OK(cuGraphicsUnmapResources(2, both, stream));
    glGetIntegerv(COPY_READ_BUFFER, &bound);
    CHECK((unsigned)bound == other);
    CHECK(has(name, 1, 2));
    CHECK(has(other, 7, 3)); // it was for reading

    OK(cuGraphicsResourceSetMapFlags(r, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY));
    EXPECT(cuGraphicsResourceSetMapFlags(r, 3), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphicsMapResources(1, &r, stream));
    OK(cuGraphicsResourceGetMappedPointer(&p, &size, r));
    fill(f, p, 4, 4, stream);
    OK(cuGraphicsUnmapResources(1, &r, stream));
    CHECK(has(name, 1, 2));
    OK(cuGraphicsResourceSetMapFlags(r, CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
    OK(cuGraphicsMapResources(1, &r, stream));
    OK(cuGraphicsResourceGetMappedPointer(&p, &size, r));
    fill(f, p, 6, 1, stream);
    OK(cuGraphicsUnmapResources(1, &r, stream));
    CHECK(has(name, 6, 1));

    // Capturing streams do not wait for OpenGL.
    CUgraph graph;
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    EXPECT(cuGraphicsMapResources(1, &r, stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    // What OpenGL has mapped, another size, a buffer that is not there any more.
    glBindBuffer(ARRAY_BUFFER, name);
    CHECK(glMapBufferRange(ARRAY_BUFFER, 0, 4, 1));
    OK(cuGraphicsResourceSetMapFlags(r, 0));
    EXPECT(cuGraphicsMapResources(1, &r, 0), CUDA_ERROR_MAP_FAILED);
    glUnmapBuffer(ARRAY_BUFFER);
    glBufferData(ARRAY_BUFFER, 2 * sizeof data, NULL, STATIC_DRAW);
    OK(cuGraphicsMapResources(1, &r, 0));
    OK(cuGraphicsResourceGetMappedPointer(&p, &size, r));
    CHECK(size == 2 * sizeof data);
    OK(cuGraphicsUnmapResources(1, &r, 0));
    glDeleteBuffers(1, &name);
    EXPECT(cuGraphicsMapResources(1, &r, 0), CUDA_ERROR_MAP_FAILED);
    EXPECT(cuGraphicsUnmapResources(1, &r, 0), CUDA_ERROR_NOT_MAPPED);
    OK(cuGraphicsUnregisterResource(r));
    EXPECT(cuGraphicsUnregisterResource(r), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuGraphicsMapResources(1, &r, 0), CUDA_ERROR_INVALID_HANDLE);
    OK(cuGraphicsUnregisterResource(second));
    glDeleteBuffers(1, &other);
    OK(cuStreamDestroy(stream));
    CHECK(glGetError() == 0);
}

// A buffer that the program itself cannot write to.
static void immutable(CUfunction f) {
    unsigned data[N] = {0}, name;
    CUgraphicsResource r;
    CUdeviceptr p;
    glGenBuffers(1, &name);
    glBindBuffer(ARRAY_BUFFER, name);
    glBufferStorage(ARRAY_BUFFER, sizeof data, data, 0);
    NEED(cuGraphicsGLRegisterBuffer(&r, name, 0));
    OK(cuGraphicsMapResources(1, &r, 0));
    OK(cuGraphicsResourceGetMappedPointer(&p, NULL, r));
    fill(f, p, 2, 9, 0);
    OK(cuGraphicsUnmapResources(1, &r, 0));
    CHECK(has(name, 2, 9));
    OK(cuGraphicsUnregisterResource(r));
    glDeleteBuffers(1, &name);
    CHECK(glGetError() == 0);
}

static void by_name(CUfunction f) {
    unsigned data[N] = {1};
    unsigned name = make_buffer(data, sizeof data);
    CUdeviceptr p;
    size_t size;
    EXPECT(cuGLMapBufferObject_v2(&p, &size, name), CUDA_ERROR_INVALID_VALUE);
    OK(cuGLRegisterBufferObject(name));
    EXPECT(cuGLRegisterBufferObject(name), CUDA_ERROR_ALREADY_MAPPED);
    OK(cuGLSetBufferObjectMapFlags(name, CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
    OK(cuGLMapBufferObject_v2(&p, &size, name));
    CHECK(size == sizeof data);
    fill(f, p, 3, 4, 0);
    OK(cuGLUnmapBufferObject(name));
    CHECK(has(name, 3, 4));
    OK(cuGLMapBufferObjectAsync_v2(&p, NULL, name, 0));
    fill(f, p, 8, 8, 0);
    OK(cuGLUnmapBufferObjectAsync(name, 0));
    CHECK(has(name, 8, 8));
    EXPECT(cuGLUnmapBufferObject(name), CUDA_ERROR_NOT_MAPPED);
    OK(cuGLUnregisterBufferObject(name));
    EXPECT(cuGLUnregisterBufferObject(name), CUDA_ERROR_INVALID_VALUE);
    glDeleteBuffers(1, &name);
}

// ---- Images ---------------------------------------------------------------------------------

static void copy(CUarray a, void *host, int out, size_t row, size_t rows, size_t slices) {
    CUmemorytype array = CU_MEMORYTYPE_ARRAY, memory = CU_MEMORYTYPE_HOST;
    CUDA_MEMCPY3D c = {.WidthInBytes = row, .Height = rows, .Depth = slices};
    c.srcMemoryType = out ? array : memory;
    c.dstMemoryType = out ? memory : array;
    c.srcArray = c.dstArray = a;
    c.srcHost = c.dstHost = host;
    c.srcPitch = c.dstPitch = row;
    c.srcHeight = c.dstHeight = rows;
    OK(cuMemcpy3D(&c));
}

// Values that every format gives back as they were: halves and floats are small numbers.
static void pattern(unsigned char *bytes, size_t n, unsigned type, unsigned seed) {
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(seed + i * 37);
    for (size_t i = 0; type == 0x140B && i + 1 < n; i += 2)
        bytes[i + 1] = 0x3c; // 1 to 2
    for (size_t i = 0; type == 0x1406 && i + 3 < n; i += 4) {
        float x = (float)(seed + i) / 8;
        memcpy(bytes + i, &x, sizeof x);
    }
}

static CUarray mapped(CUgraphicsResource r, unsigned layer, unsigned level) {
    CUarray a = NULL;
    OK(cuGraphicsSubResourceGetMappedArray(&a, r, layer, level));
    return a;
}

enum { WIDTH = 5, HEIGHT = 3 }; // rows that OpenGL pads, if it is not told otherwise

static const struct {
    unsigned internal[10], format, integer, channels;
} kinds[] = {
    {{0x8229, 0x822A, 0x822D, 0x822E, 0x8232, 0x8234, 0x8236, 0x8231, 0x8233, 0x8235},
     0x1903,
     0x8D94,
     1}, // red
    {{0x822B, 0x822C, 0x822F, 0x8230, 0x8238, 0x823A, 0x823C, 0x8237, 0x8239, 0x823B},
     0x8227,
     0x8228,
     2}, // red and green
    {{0x8058, 0x805B, 0x881A, 0x8814, 0x8D7C, 0x8D76, 0x8D70, 0x8D8E, 0x8D88, 0x8D82},
     0x1908,
     0x8D99,
     4}, // all
    {{0x803C, 0x803E, 0x881C, 0x8816, 0x8D7E, 0x8D78, 0x8D72, 0x8D90, 0x8D8A, 0x8D84},
     0x1906,
     0x8D97,
     1}, // alpha
    {{0x8040, 0x8042, 0x881E, 0x8818, 0x8D80, 0x8D7A, 0x8D74, 0x8D92, 0x8D8C, 0x8D86},
     0x1909,
     0x8D9C,
     1}, // luminance
    {{0x8045, 0x8048, 0x881F, 0x8819, 0x8D81, 0x8D7B, 0x8D75, 0x8D93, 0x8D8D, 0x8D87},
     0x190A,
     0x8D9D,
     2}, // with alpha
    {{0x804B, 0x804D, 0x881D, 0x8817, 0x8D7F, 0x8D79, 0x8D73, 0x8D91, 0x8D8B, 0x8D85},
     0x1903,
     0x8D94,
     1}, // intensity
};
static const struct {
    unsigned type, bytes;
    CUarray_format format;
} components[10] = {
    {0x1401, 1, CU_AD_FORMAT_UNSIGNED_INT8},  {0x1403, 2, CU_AD_FORMAT_UNSIGNED_INT16},
    {0x140B, 2, CU_AD_FORMAT_HALF},           {0x1406, 4, CU_AD_FORMAT_FLOAT},
    {0x1401, 1, CU_AD_FORMAT_UNSIGNED_INT8},  {0x1403, 2, CU_AD_FORMAT_UNSIGNED_INT16},
    {0x1405, 4, CU_AD_FORMAT_UNSIGNED_INT32}, {0x1400, 1, CU_AD_FORMAT_SIGNED_INT8},
    {0x1402, 2, CU_AD_FORMAT_SIGNED_INT16},   {0x1404, 4, CU_AD_FORMAT_SIGNED_INT32},
};

static void one_format(unsigned internal, unsigned format, unsigned k, unsigned channels) {
    unsigned char data[WIDTH * HEIGHT * 16], back[sizeof data];
    unsigned name, type = components[k].type;
    size_t row = WIDTH * channels * components[k].bytes, bytes = row * HEIGHT;
    CUgraphicsResource r;
    CUDA_ARRAY3D_DESCRIPTOR d;
    pattern(data, bytes, type, internal);
    glGenTextures(1, &name);
    glBindTexture(TEXTURE_2D, name);
    glPixelStorei(UNPACK_ALIGNMENT, 1);
    glPixelStorei(PACK_ALIGNMENT, 1);
    glTexImage2D(TEXTURE_2D, 0, (int)internal, WIDTH, HEIGHT, 0, format, type, data);
    CHECK(glGetError() == 0);
    if (!EXPECT(cuGraphicsGLRegisterImage(&r, name, TEXTURE_2D, 0), CUDA_SUCCESS))
        return;
    glPixelStorei(UNPACK_ALIGNMENT, 8);
    glPixelStorei(UNPACK_ROW_LENGTH, 17);
    OK(cuGraphicsMapResources(1, &r, 0));
    CUarray a = mapped(r, 0, 0);
    OK(cuArray3DGetDescriptor(&d, a));
    CHECK(d.Width == WIDTH && d.Height == HEIGHT && d.Depth == 0 &&
          d.Format == components[k].format && d.NumChannels == channels);
    memset(back, 0, sizeof back);
    copy(a, back, 1, row, HEIGHT, 1);
    if (memcmp(back, data, bytes)) {
        fprintf(stderr, "format %#x is not read as it is\n", internal);
        check_failures++;
    }
    pattern(data, bytes, type, internal + 1);
    copy(a, data, 0, row, HEIGHT, 1);
    OK(cuGraphicsUnmapResources(1, &r, 0));
    int kept[2];
    glGetIntegerv(UNPACK_ALIGNMENT, &kept[0]);
    glGetIntegerv(UNPACK_ROW_LENGTH, &kept[1]);
    CHECK(kept[0] == 8 && kept[1] == 17);
    glPixelStorei(UNPACK_ROW_LENGTH, 0);
    memset(back, 0, sizeof back);
    glGetTexImage(TEXTURE_2D, 0, format, type, back);
    if (memcmp(back, data, bytes)) {
        fprintf(stderr, "format %#x is not written as it is\n", internal);
        check_failures++;
    }
    OK(cuGraphicsUnregisterResource(r));
    glDeleteTextures(1, &name);
    CHECK(glGetError() == 0);
}

// Core contexts have the first three kinds.
static void formats(unsigned nkinds) {
    for (unsigned k = 0; k < nkinds; k++)
        for (unsigned c = 0; c < 10; c++)
            one_format(kinds[k].internal[c], c < 4 ? kinds[k].format : kinds[k].integer, c,
                       kinds[k].channels);
}

static unsigned make_texture(unsigned target) {
    unsigned name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    return name;
}

// Levels, layers, faces and slices: each part holds its own value, which becomes another one.
static void parts(unsigned target, unsigned layers, unsigned levels) {
    enum { SIDE = 8, RGBA8 = 0x8058, RGBA = 0x1908, BYTE = 0x1401 };
    static unsigned data[SIDE * SIDE * 6], back[SIDE * SIDE * 6];
    unsigned name = make_texture(target), level, layer;
    int cube = target == TEXTURE_CUBE_MAP, deep = target == TEXTURE_3D;
    CUgraphicsResource r;
    CUarray a;
    for (level = 0; level < levels; level++) {
        int side = SIDE >> level, depth = deep ? (int)layers >> level : (int)layers;
        for (unsigned i = 0; i < (unsigned)(side * side) * layers; i++)
            data[i] = level << 16 | i / (unsigned)(side * side) << 8 | 1;
        if (cube)
            for (unsigned face = 0; face < 6; face++)
                glTexImage2D(POSITIVE_X + face, (int)level, RGBA8, side, side, 0, RGBA, BYTE,
                             data + face * (unsigned)(side * side));
        else if (target == TEXTURE_2D || target == TEXTURE_RECTANGLE)
            glTexImage2D(target, (int)level, RGBA8, side, side, 0, RGBA, BYTE, data);
        else
            glTexImage3D(target, (int)level, RGBA8, side, side, depth, 0, RGBA, BYTE, data);
    }
    CHECK(glGetError() == 0);
    EXPECT(cuGraphicsGLRegisterImage(&r, name, target == TEXTURE_2D ? TEXTURE_3D : TEXTURE_2D, 0),
           CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphicsGLRegisterImage(&r, name, target, 0));
    OK(cuGraphicsMapResources(1, &r, 0));
    unsigned several = deep ? 1 : layers;
    EXPECT(cuGraphicsSubResourceGetMappedArray(&a, r, several, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphicsSubResourceGetMappedArray(&a, r, 0, levels), CUDA_ERROR_INVALID_VALUE);
    for (level = 0; level < levels; level++)
        for (layer = 0; layer < several; layer++) {
            unsigned side = SIDE >> level, slices = deep ? layers >> level : 1;
            unsigned n = side * side * slices, wrong = 0;
            a = mapped(r, layer, level);
            CHECK(a == mapped(r, layer, level));
            memset(back, 0, sizeof back);
            copy(a, back, 1, side * 4, side, slices);
            for (unsigned i = 0; i < n; i++) {
                unsigned part = deep ? i / (side * side) : layer;
                wrong += back[i] != (level << 16 | part << 8 | 1);
                back[i] += 1u << 24;
            }
            CHECK(wrong == 0);
            copy(a, back, 0, side * 4, side, slices);
            EXPECT(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE);
        }
    CUmipmappedArray mipmap;
    OK(cuGraphicsResourceGetMappedMipmappedArray(&mipmap, r));
    EXPECT(cuMipmappedArrayDestroy(mipmap), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMipmappedArrayGetLevel(&a, mipmap, levels - 1));
    EXPECT(cuMipmappedArrayGetLevel(&a, mipmap, levels), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr p;
    EXPECT(cuGraphicsResourceGetMappedPointer(&p, NULL, r), CUDA_ERROR_NOT_MAPPED_AS_POINTER);
    OK(cuGraphicsUnmapResources(1, &r, 0));
    for (level = 0; level < levels; level++) {
        unsigned side = SIDE >> level, depth = deep ? layers >> level : layers, wrong = 0;
        glBindTexture(target, name);
        if (cube)
            for (unsigned face = 0; face < 6; face++)
                glGetTexImage(POSITIVE_X + face, (int)level, RGBA, BYTE, back + face * side * side);
        else
            glGetTexImage(target, (int)level, RGBA, BYTE, back);
        for (unsigned i = 0; i < side * side * depth; i++)
            wrong += back[i] != (1u << 24 | level << 16 | i / (side * side) << 8 | 1);
        CHECK(wrong == 0);
    }
    OK(cuGraphicsUnregisterResource(r));
    glDeleteTextures(1, &name);
    CHECK(glGetError() == 0);
}

static void renderbuffers(void) {
    enum { RGBA32F = 0x8814, RGBA = 0x1908, FLOAT = 0x1406, DEPTH24 = 0x81A6 };
    float data[WIDTH * HEIGHT * 4];
    unsigned name, several, frame, depth;
    CUgraphicsResource r;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(RENDERBUFFER, name);
    glRenderbufferStorage(RENDERBUFFER, RGBA32F, WIDTH, HEIGHT);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(FRAMEBUFFER, COLOR_ATTACHMENT0, RENDERBUFFER, name);
    glClearColor(0.25f, 0.5f, 2, 1);
    glClear(0x4000);
    NEED(cuGraphicsGLRegisterImage(&r, name, RENDERBUFFER, 0));
    OK(cuGraphicsMapResources(1, &r, 0));
    copy(mapped(r, 0, 0), data, 1, sizeof data / HEIGHT, HEIGHT, 1);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float *p = data + i * 4;
        CHECK(p[0] == 0.25f && p[1] == 0.5f && p[2] == 2 && p[3] == 1);
        p[0] = (float)i;
    }
    copy(mapped(r, 0, 0), data, 0, sizeof data / HEIGHT, HEIGHT, 1);
    OK(cuGraphicsUnmapResources(1, &r, 0));
    memset(data, 0, sizeof data);
    glReadPixels(0, 0, WIDTH, HEIGHT, RGBA, FLOAT, data);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        CHECK(data[i * 4] == (float)i && data[i * 4 + 2] == 2);
    OK(cuGraphicsUnregisterResource(r));
    glGenRenderbuffers(1, &several);
    glBindRenderbuffer(RENDERBUFFER, several);
    glRenderbufferStorageMultisample(RENDERBUFFER, 4, 0x8058, 4, 4);
    EXPECT(cuGraphicsGLRegisterImage(&r, several, RENDERBUFFER, 0), CUDA_ERROR_INVALID_VALUE);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(RENDERBUFFER, depth);
    glRenderbufferStorage(RENDERBUFFER, DEPTH24, 4, 4);
    EXPECT(cuGraphicsGLRegisterImage(&r, depth, RENDERBUFFER, 0), CUDA_ERROR_INVALID_VALUE);
    glBindFramebuffer(FRAMEBUFFER, 0);
    CHECK(glGetError() == 0);
}

static void wrong_images(void) {
    unsigned name = make_texture(TEXTURE_2D), flags;
    CUgraphicsResource r;
    EXPECT(cuGraphicsGLRegisterImage(&r, name, TEXTURE_2D, 0), CUDA_ERROR_INVALID_VALUE);
    glTexImage2D(TEXTURE_2D, 0, 0x8051, 4, 4, 0, 0x1907, 0x1401, NULL); // three components
    EXPECT(cuGraphicsGLRegisterImage(&r, name, TEXTURE_2D, 0), CUDA_ERROR_INVALID_VALUE);
    glTexImage2D(TEXTURE_2D, 0, 0x8058, 4, 4, 0, 0x1908, 0x1401, NULL);
    EXPECT(cuGraphicsGLRegisterImage(&r, 12345, TEXTURE_2D, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphicsGLRegisterImage(NULL, name, TEXTURE_2D, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphicsGLRegisterImage(&r, name, 0x0DE0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphicsGLRegisterImage(&r, name, RENDERBUFFER, 0), CUDA_ERROR_INVALID_VALUE);
    for (flags = 16; flags; flags <<= 1)
        EXPECT(cuGraphicsGLRegisterImage(&r, name, TEXTURE_2D, flags), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphicsGLRegisterImage(&r, name, TEXTURE_2D, 0));
    glTexImage2D(TEXTURE_2D, 0, 0x8058, 8, 4, 0, 0x1908, 0x1401, NULL);
    EXPECT(cuGraphicsMapResources(1, &r, 0), CUDA_ERROR_MAP_FAILED);
    glTexImage2D(TEXTURE_2D, 0, 0x8058, 4, 4, 0, 0x1908, 0x1401, NULL);
    OK(cuGraphicsMapResources(1, &r, 0));
    glDeleteTextures(1, &name);
    EXPECT(cuGraphicsUnmapResources(1, &r, 0), CUDA_ERROR_UNMAP_FAILED);
    OK(cuGraphicsUnregisterResource(r));
    CHECK(glGetError() == 0);
}

static void images(unsigned nkinds) {
    formats(nkinds);
    parts(TEXTURE_2D, 1, 4);
    parts(TEXTURE_2D, 1, 1);
    parts(TEXTURE_RECTANGLE, 1, 1);
    parts(TEXTURE_3D, 4, 3);
    parts(TEXTURE_2D_ARRAY, 5, 2);
    parts(TEXTURE_CUBE_MAP, 6, 3);
    renderbuffers();
    wrong_images();
}

// An EGL image of a texture becomes another texture, which is registered: the first one shows it.
static void egl_images(void) {
    enum { SIDE = 4, EGL_TEXTURE_2D = 0x30B1, RGBA8 = 0x8058, RGBA = 0x1908, BYTE = 0x1401 };
    void *(*make)(void *, void *, unsigned, void *, const intptr_t *);
    void (*target)(unsigned, void *);
    unsigned data[SIDE * SIDE] = {1, 2, 3}, back[SIDE * SIDE], first = make_texture(TEXTURE_2D);
    *(void **)&make = test_egl_function("eglCreateImage");
    *(void **)&target = test_egl.get_address("glEGLImageTargetTexture2DOES");
    glTexImage2D(TEXTURE_2D, 0, RGBA8, SIDE, SIDE, 0, RGBA, BYTE, data);
    glTexParameteri(TEXTURE_2D, 0x813D, 0); // no more levels
    void *image =
        make(test_egl.display, test_egl.context, EGL_TEXTURE_2D, (void *)(uintptr_t)first, NULL);
    unsigned second = make_texture(TEXTURE_2D);
    CHECK(image);
    target(TEXTURE_2D, image);
    CHECK(glGetError() == 0);
    CUgraphicsResource r;
    NEED(cuGraphicsGLRegisterImage(&r, second, TEXTURE_2D, 0));
    OK(cuGraphicsMapResources(1, &r, 0));
    copy(mapped(r, 0, 0), back, 1, SIDE * 4, SIDE, 1);
    CHECK(!memcmp(back, data, sizeof back));
    back[15] = 77;
    copy(mapped(r, 0, 0), back, 0, SIDE * 4, SIDE, 1);
    OK(cuGraphicsUnmapResources(1, &r, 0));
    glBindTexture(TEXTURE_2D, first);
    glGetTexImage(TEXTURE_2D, 0, RGBA, BYTE, data);
    CHECK(!memcmp(back, data, sizeof back));
    OK(cuGraphicsUnregisterResource(r));
}

// OpenGL ES has buffers alone.
static void buffers_of_es(CUfunction f) {
    unsigned data[N], name, picture, wrong = 0;
    for (unsigned i = 0; i < N; i++)
        data[i] = 3 * i;
    CUgraphicsResource r;
    CUdeviceptr p;
    test_make_context(3, 0, TEST_ES);
    name = make_buffer(data, sizeof data);
    NEED(cuGraphicsGLRegisterBuffer(&r, name, 0));
    OK(cuGraphicsMapResources(1, &r, 0));
    OK(cuGraphicsResourceGetMappedPointer(&p, NULL, r));
    memset(data, 0, sizeof data);
    OK(cuMemcpyDtoH(data, p, sizeof data));
    for (unsigned i = 0; i < N; i++)
        wrong += data[i] != 3 * i;
    CHECK(wrong == 0);
    fill(f, p, 5, 6, 0);
    OK(cuGraphicsUnmapResources(1, &r, 0));
    glBindBuffer(ARRAY_BUFFER, name);
    const unsigned *now = glMapBufferRange(ARRAY_BUFFER, 0, sizeof data, 1);
    for (unsigned i = 0; now && i < N; i++)
        wrong += now[i] != 5 + 6 * i;
    CHECK(now && wrong == 0);
    EXPECT(cuGraphicsMapResources(1, &r, 0), CUDA_ERROR_MAP_FAILED); // OpenGL has it mapped
    glUnmapBuffer(ARRAY_BUFFER);
    picture = make_texture(TEXTURE_2D);
    glTexImage2D(TEXTURE_2D, 0, 0x8058, 4, 4, 0, 0x1908, 0x1401, NULL);
    EXPECT(cuGraphicsGLRegisterImage(&r, picture, TEXTURE_2D, 0), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(glGetError() == 0);
}

int main(void) {
    CUmodule module;
    CUfunction f;
    CUcontext ctx = check_context();
    NEED(cuModuleLoadData(&module, PTX_HEAD PTX_FILL));
    NEED(cuModuleGetFunction(&f, module, "fill"));
    no_context();
    test_open_egl();
    no_context();
    test_make_context(4, 5, TEST_CORE);
    printf("OpenGL %s\n", glGetString(0x1F02));
    devices();
    buffers(f);
    immutable(f);
    by_name(f);
    images(3);
    test_make_context(4, 5, TEST_COMPATIBILITY);
    images(7);
    egl_images();
    buffers_of_es(f);
    // What is mapped when its context ends.
    unsigned name = make_buffer(NULL, 64);
    CUgraphicsResource r;
    OK(cuGraphicsGLRegisterBuffer(&r, name, 0));
    OK(cuGraphicsMapResources(1, &r, 0));
    OK(cuCtxDestroy(ctx));
    return check_result();
}
