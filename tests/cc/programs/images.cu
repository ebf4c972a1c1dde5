// Textures with a depth, layers, faces and levels, gathers, and surfaces, against the formulas of
// the guide, 6.2.14 and chapter 19, computed from the host's own copy of the texels.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures;
#define CHECK(x) ((x) ? (void)0 : (void)(++failures, printf("line %d: %s\n", __LINE__, #x)))
#define OK(x) CHECK((x) == cudaSuccess)
#define NEAR(a, b) CHECK(std::fabs((a) - (b)) <= 1e-6 * (1 + std::fabs(b)))

// Whether the device is kudzu's. NVIDIA's driver follows destroyed handles, and may crash.
static bool on_kudzu() {
    cudaDeviceProp properties;
    return cudaGetDeviceProperties(&properties, 0) == cudaSuccess &&
           !strncmp(properties.name, "kudzu ", 6);
}

static float value(int x, int y, int z) {
    return (float)((x * 13 + y * 29 + z * 7) % 61) / 4;
}

// An array whose texel (x, y, z) is value(x, y, z) + base.
static cudaArray_t filled(cudaExtent e, unsigned flags, float base = 0) {
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t a = nullptr;
    OK(cudaMalloc3DArray(&a, &desc, e, flags));
    size_t h = e.height ? e.height : 1, d = e.depth ? e.depth : 1;
    std::vector<float> texels(e.width * h * d);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] =
            base + value((int)(i % e.width), (int)(i / e.width % h), (int)(i / e.width / h));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(texels.data(), e.width * 4, e.width, h);
    p.dstArray = a;
    p.extent = make_cudaExtent(e.width, h, d);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    return a;
}

static cudaTextureObject_t texture(const cudaResourceDesc &r, cudaTextureFilterMode filter,
                                   bool normalized,
                                   cudaTextureAddressMode mode = cudaAddressModeClamp,
                                   cudaTextureReadMode read = cudaReadModeElementType,
                                   bool srgb = false) {
    cudaTextureDesc d = {};
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = mode;
    d.filterMode = filter;
    d.mipmapFilterMode = filter;
    d.maxMipmapLevelClamp = 16;
    d.readMode = read;
    d.sRGB = srgb;
    d.normalizedCoords = normalized;
    d.borderColor[0] = 9.5f;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static cudaResourceDesc of(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

// Runs f for n threads, each with its index and a place for a float.
template <class F> __global__ void each(F f, float *out) {
    int i = threadIdx.x;
    if (i % 11 != 5) // some lanes stay away
        out[i] = f(i);
}
static float *out;
enum { N = 96 };
template <class F> static void run(F f) {
    for (int i = 0; i < N; i++)
        out[i] = -77;
    each<<<1, N>>>(f, out);
    OK(cudaDeviceSynchronize());
}
#define RUNS(i) (i % 11 != 5)

struct Fetch3D {
    cudaTextureObject_t t;
    __host__ __device__ static float3 at(int i) {
        return make_float3((i % 13) * 0.5f - 0.75f, (i % 7) * 0.75f - 0.5f,
                           (i % 5) * 0.625f - 0.5f);
    }
    __device__ float operator()(int i) const {
        return tex3D<float>(t, at(i).x, at(i).y, at(i).z);
    }
};
struct FetchLayered {
    cudaTextureObject_t one, two;
    __device__ float operator()(int i) const {
        return i & 1 ? tex1DLayered<float>(one, i % 9 - 1.5f, i / 9 - 1)
                     : tex2DLayered<float>(two, i % 7 - 0.5f, i % 5 - 0.5f, i / 12 - 1);
    }
};

static int limit(int i, int n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// A layer is an unsigned number: -1 is beyond the last one.
static int limit_layer(unsigned i, unsigned n) {
    return (int)(i < n ? i : n - 1);
}

static void depth_and_layers() {
    cudaArray_t a = filled(make_cudaExtent(5, 4, 3), 0);
    for (bool linear : {false, true}) {
        cudaTextureObject_t t =
            texture(of(a), linear ? cudaFilterModeLinear : cudaFilterModePoint, false);
        run(Fetch3D{t});
        for (int i = 0; i < N; i++) {
            if (!RUNS(i))
                continue;
            float3 c = Fetch3D::at(i);
            double want = 0, f[3], u[3] = {c.x, c.y, c.z};
            int p[3];
            for (int k = 0; k < 3; k++) {
                double b = linear ? u[k] - 0.5 : u[k];
                p[k] = (int)std::floor(b);
                f[k] = linear ? std::floor((b - p[k]) * 256 + 0.5) / 256 : 0;
            }
            for (int corner = 0; corner < 8; corner++) {
                int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
                double w = (dx ? f[0] : 1 - f[0]) * (dy ? f[1] : 1 - f[1]) * (dz ? f[2] : 1 - f[2]);
                want += w * value(limit(p[0] + dx, 5), limit(p[1] + dy, 4), limit(p[2] + dz, 3));
            }
            NEAR(out[i], want);
        }
        OK(cudaDestroyTextureObject(t));
    }
    // A copy back of a part: two texels of two rows of two slices.
    float part[8];
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.srcPos = make_cudaPos(3, 1, 1);
    p.dstPtr = make_cudaPitchedPtr(part, 8, 2, 2);
    p.extent = make_cudaExtent(2, 2, 2);
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    for (int i = 0; i < 8; i++)
        CHECK(part[i] == value(3 + i % 2, 1 + i / 2 % 2, 1 + i / 4));
    p.srcPos = make_cudaPos(4, 1, 1);
    CHECK(cudaMemcpy3D(&p) == cudaErrorInvalidValue);
    OK(cudaFreeArray(a));

    cudaArray_t one = filled(make_cudaExtent(6, 0, 4), cudaArrayLayered);
    cudaArray_t two = filled(make_cudaExtent(6, 3, 5), cudaArrayLayered);
    cudaTextureObject_t t1 = texture(of(one), cudaFilterModePoint, false);
    cudaTextureObject_t t2 = texture(of(two), cudaFilterModePoint, false);
    run(FetchLayered{t1, t2});
    for (int i = 0; i < N; i++)
        if (RUNS(i))
            CHECK(out[i] == (i & 1 ? value(limit((int)std::floor(i % 9 - 1.5), 6), 0,
                                           limit_layer(i / 9 - 1, 4))
                                   : value(limit((int)std::floor(i % 7 - 0.5), 6),
                                           limit((int)std::floor(i % 5 - 0.5), 3),
                                           limit_layer(i / 12 - 1, 5))));
    OK(cudaDestroyTextureObject(t1));
    OK(cudaDestroyTextureObject(t2));
    OK(cudaFreeArray(one));
    OK(cudaFreeArray(two));
}

// Directions through the middle of texel (x, y) of each face, as the guide's table has them.
struct FetchCube {
    cudaTextureObject_t t;
    bool layered;
    __host__ __device__ static void place(int i, int &face, int &x, int &y) {
        face = i % 6;
        x = i / 6 % 4;
        y = i / 24 % 4;
    }
    __device__ float operator()(int i) const {
        int face, x, y;
        place(i, face, x, y);
        float s = (2 * x + 1) / 4.0f - 1, t4 = (2 * y + 1) / 4.0f - 1, d[3];
        const float table[6][3] = {{1, -t4, -s}, {-1, -t4, s}, {s, 1, t4},
                                   {s, -1, -t4}, {s, -t4, 1},  {-s, -t4, -1}};
        for (int k = 0; k < 3; k++)
            d[k] = 3 * table[face][k];
        return layered ? texCubemapLayered<float>(t, d[0], d[1], d[2], 1)
                       : texCubemap<float>(t, d[0], d[1], d[2]);
    }
};

static void cubes() {
    for (bool layered : {false, true}) {
        cudaArray_t a = filled(make_cudaExtent(4, 4, layered ? 12 : 6),
                               cudaArrayCubemap | (layered ? cudaArrayLayered : 0));
        cudaTextureObject_t t = texture(of(a), cudaFilterModePoint, true);
        run(FetchCube{t, layered});
        for (int i = 0; i < N; i++) {
            int face, x, y;
            FetchCube::place(i, face, x, y);
            if (RUNS(i))
                CHECK(out[i] == value(x, y, face + (layered ? 6 : 0)));
        }
        OK(cudaDestroyTextureObject(t));
        OK(cudaFreeArray(a));
    }
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CHECK(cudaMalloc3DArray(&a, &desc, make_cudaExtent(4, 5, 6), cudaArrayCubemap) ==
          cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&a, &desc, make_cudaExtent(4, 4, 7), cudaArrayCubemap) ==
          cudaErrorInvalidValue);
}

struct FetchLevels {
    cudaTextureObject_t t;
    __device__ float operator()(int i) const {
        float x = (i % 8 + 0.5f) / 8;
        if (i % 3 == 0)
            return tex1DLod<float>(t, x, i / 16.0f - 0.5f);
        float step = exp2f((float)(i % 5)) / 8; // 2^(i % 5) texels
        return i % 3 == 1 ? tex1DGrad<float>(t, x, step / 4, step) : tex1D<float>(t, x);
    }
};

static void levels() {
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    OK(cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(8, 0, 0), 10, 0));
    for (unsigned k = 0; k < 4; k++) { // level k: 100 k, everywhere
        cudaArray_t level;
        OK(cudaGetMipmappedArrayLevel(&level, m, k));
        cudaExtent e;
        OK(cudaArrayGetInfo(&desc, &e, nullptr, level));
        CHECK(e.width == 8u >> k && e.height == 0);
        std::vector<float> texels(e.width, 100.0f * k);
        OK(cudaMemcpy2DToArray(level, 0, 0, texels.data(), e.width * 4, e.width * 4, 1,
                               cudaMemcpyHostToDevice));
        if (on_kudzu())
            CHECK(cudaFreeArray(level) != cudaSuccess);
    }
    cudaArray_t none;
    CHECK(cudaGetMipmappedArrayLevel(&none, m, 4) == cudaErrorInvalidValue);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    for (bool linear : {false, true}) {
        cudaTextureObject_t t =
            texture(r, linear ? cudaFilterModeLinear : cudaFilterModePoint, true);
        run(FetchLevels{t});
        for (int i = 0; i < N; i++) {
            double lod = i % 3 == 0 ? i / 16.0 - 0.5 : i % 3 == 1 ? i % 5 : 0;
            lod = lod < 0 ? 0 : lod > 3 ? 3 : lod;
            if (!linear)
                lod = std::floor(lod + 0.5);
            if (RUNS(i))
                NEAR(out[i], 100 * lod);
        }
        OK(cudaDestroyTextureObject(t));
    }
    // A view of the levels from 1 on.
    cudaTextureDesc d = {};
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = 16;
    cudaResourceViewDesc v = {}, back;
    v.format = cudaResViewFormatFloat1;
    v.width = 8;
    v.firstMipmapLevel = 1;
    v.lastMipmapLevel = 2;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &r, &d, &v));
    OK(cudaGetTextureObjectResourceViewDesc(&back, t));
    CHECK(back.firstMipmapLevel == 1 && back.lastMipmapLevel == 2);
    run(FetchLevels{t});
    CHECK(out[0] == 100 && out[90] == 200);
    OK(cudaDestroyTextureObject(t));
    v.lastMipmapLevel = 4;
    if (on_kudzu())
        CHECK(cudaCreateTextureObject(&t, &r, &d, &v) == cudaErrorInvalidValue);
    OK(cudaFreeMipmappedArray(m));
    if (on_kudzu())
        CHECK(cudaGetMipmappedArrayLevel(&none, m, 0) != cudaSuccess);
}

struct Gather {
    cudaTextureObject_t t;
    __device__ float operator()(int i) const {
        float x = i % 6 + 0.25f, y = i / 6 % 5 + 0.75f;
        float4 v = i & 1 ? tex2Dgather<float4>(t, x, y) : tex2Dgather<float4>(t, x, y, 0);
        return v.x + 100 * v.y + 10000 * v.z + 1000000 * v.w;
    }
};
// Coordinates of gathers have 8 bits of fraction: 1.99805, behind the half texel, is 2 (guide
// 6.2.14.1.6), 1.99707 is not.
struct GatherAtEdges {
    cudaTextureObject_t t;
    __device__ float operator()(int i) const {
        float x = i % 4 + (i & 4 ? 0.49805f : 0.49707f), y = i / 8 % 4 + (i & 32 ? 0.4985f : 0.25f);
        return tex2Dgather<float4>(t, x, y).w;
    }
};
struct Colour {
    cudaTextureObject_t t;
    __device__ float operator()(int i) const {
        float4 v = tex2D<float4>(t, i % 4 + 0.5f, 0.5f);
        return i < 4 ? v.x : i < 8 ? v.y : i < 12 ? v.z : v.w;
    }
};

static void gathers_and_colours() {
    cudaArray_t a = filled(make_cudaExtent(6, 5, 0), cudaArrayTextureGather);
    cudaTextureObject_t t = texture(of(a), cudaFilterModePoint, false);
    run(Gather{t});
    for (int i = 0; i < N; i++) {
        int x = (int)std::floor(i % 6 - 0.25), y = (int)std::floor(i / 6 % 5 + 0.25);
        int x1 = limit(x + 1, 6), y1 = limit(y + 1, 5);
        x = limit(x, 6);
        float want = value(x, y1, 0) + 100 * value(x1, y1, 0) + 10000 * value(x1, y, 0) +
                     1000000 * value(x, y, 0);
        if (RUNS(i))
            NEAR(out[i], want);
    }
    run(GatherAtEdges{t});
    for (int i = 0; i < N; i++) {
        int x = i & 4 ? i % 4 : limit(i % 4 - 1, 6),
            y = i & 32 ? i / 8 % 4 : limit(i / 8 % 4 - 1, 5);
        if (RUNS(i))
            CHECK(out[i] == value(x, y, 0));
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    uchar4 colours[4] = {{0, 10, 11, 0}, {128, 64, 200, 128}, {255, 1, 2, 255}, {90, 91, 92, 93}};
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
    OK(cudaMallocArray(&a, &desc, 4, 1));
    OK(cudaMemcpy2DToArray(a, 0, 0, colours, 16, 16, 1, cudaMemcpyHostToDevice));
    t = texture(of(a), cudaFilterModePoint, false, cudaAddressModeClamp,
                cudaReadModeNormalizedFloat, true);
    run(Colour{t});
    for (int i = 0; i < 16; i++) {
        uchar4 c = colours[i % 4];
        double v = (i < 4 ? c.x : i < 8 ? c.y : i < 12 ? c.z : c.w) / 255.0;
        if (i < 12)
            v = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
        if (RUNS(i) && on_kudzu())
            NEAR(out[i], v);
        // GPUs give few bits: an H100 is off by 0.00375 at most over all 256 values.
        if (RUNS(i))
            CHECK(std::fabs(out[i] - v) <= 0.004);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
}

__global__ void fill_surfaces(cudaSurfaceObject_t one, cudaSurfaceObject_t two,
                              cudaSurfaceObject_t three, cudaSurfaceObject_t layers) {
    int i = threadIdx.x;
    surf1Dwrite((unsigned char)(i + 1), one, i, cudaBoundaryModeZero);
    surf2Dwrite(make_float4(i, -i, 2 * i, 0.5f), two, (i % 4) * 16, i / 4, cudaBoundaryModeZero);
    if (i < 24)
        surf3Dwrite((short)(3 * i), three, (i % 4) * 2, i / 4 % 3, i / 12);
    if (i % 2)
        surf2DLayeredwrite(make_int2(i, i * i), layers, (i % 3) * 8, i / 3 % 2, i / 6,
                           cudaBoundaryModeZero);
}

struct ReadSurfaces {
    cudaSurfaceObject_t one, two, three, layers;
    __device__ float operator()(int i) const {
        float4 v;
        surf2Dread(&v, two, (i - 2) * 16, i % 3, cudaBoundaryModeClamp);
        return surf1Dread<unsigned char>(one, i, cudaBoundaryModeZero) + 1000 * v.x + 1000 * v.w +
               surf3Dread<short>(three, (i % 4) * 2, i / 4 % 3, i / 12 % 2) / 256.0f +
               surf2DLayeredread<int2>(layers, (i % 3) * 8, i / 3 % 2, i / 6 % 4).y / 4096.0f;
    }
};
__global__ void beyond(cudaSurfaceObject_t s, int *result) {
    *result = surf2Dread<int>(s, 4 * (int)threadIdx.x, 0);
}
__global__ void kinds(cudaTextureObject_t t, cudaSurfaceObject_t s, int *r) {
    int p, q;
    asm("{ .reg .pred p, q; istypep.texref p, %2; istypep.surfref q, %2;"
        " selp.s32 %0, 1, 0, p; selp.s32 %1, 1, 0, q; }"
        : "=r"(p), "=r"(q)
        : "l"(t));
    r[0] = p + 2 * q;
    asm("{ .reg .pred p, q; istypep.texref p, %2; istypep.surfref q, %2;"
        " selp.s32 %0, 1, 0, p; selp.s32 %1, 1, 0, q; }"
        : "=r"(p), "=r"(q)
        : "l"(s));
    r[1] = p + 2 * q;
    asm("txq.width.b32 %0, [%1];" : "=r"(r[2]) : "l"(t));
    asm("suq.height.b32 %0, [%1];" : "=r"(r[3]) : "l"(s));
    asm volatile("sured.b.add.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(1), "r"(5));
    asm volatile("sured.b.min.2d.s32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(8), "r"(1), "r"(-7));
}

template <class T> static cudaArray_t surface_array(cudaExtent e, unsigned flags, T) {
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    cudaArray_t a = nullptr;
    OK(cudaMalloc3DArray(&a, &desc, e, flags | cudaArraySurfaceLoadStore));
    return a;
}
static cudaSurfaceObject_t surface(cudaArray_t a) {
    cudaSurfaceObject_t s = 0;
    cudaResourceDesc r = of(a), back;
    OK(cudaCreateSurfaceObject(&s, &r));
    OK(cudaGetSurfaceObjectResourceDesc(&back, s));
    CHECK(back.res.array.array == a);
    return s;
}

static void surfaces() {
    cudaArray_t a[] = {surface_array(make_cudaExtent(40, 0, 0), 0, (unsigned char)0),
                       surface_array(make_cudaExtent(4, 3, 0), 0, float4()),
                       surface_array(make_cudaExtent(4, 3, 2), 0, (short)0),
                       surface_array(make_cudaExtent(3, 2, 4), cudaArrayLayered, int2())};
    cudaSurfaceObject_t s[4];
    for (int k = 0; k < 4; k++) {
        s[k] = surface(a[k]);
        // Nothing has written all of them yet.
        cudaExtent e;
        cudaChannelFormatDesc d;
        OK(cudaArrayGetInfo(&d, &e, nullptr, a[k]));
        size_t row = e.width * (d.x + d.y + d.z + d.w) / 8, h = e.height ? e.height : 1;
        size_t depth = e.depth ? e.depth : 1;
        std::vector<char> zero(row * h * depth);
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr(zero.data(), row, row, h);
        p.dstArray = a[k];
        p.extent = make_cudaExtent(e.width, h, depth);
        p.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&p));
    }
    fill_surfaces<<<1, 48>>>(s[0], s[1], s[2], s[3]);
    OK(cudaDeviceSynchronize());
    run(ReadSurfaces{s[0], s[1], s[2], s[3]});
    for (int i = 0; i < N; i++) {
        int one = i < 40 ? i + 1 : 0, x = limit(i - 2, 4) + 4 * (i % 3);
        int three = i % 4 + 4 * (i / 4 % 3) + 12 * (i / 12 % 2), l = i % 24;
        double want = one + 1000 * (x + 0.5) + 3 * three / 256.0;
        // Layer l / 6 of four: what thread l wrote, where odd ones did.
        want += (l % 2 ? l * l : 0) / 4096.0;
        if (RUNS(i))
            NEAR(out[i], want);
    }
    // A texture sees what a surface wrote.
    cudaTextureObject_t t = texture(of(a[1]), cudaFilterModePoint, false);
    run(Colour{t});
    CHECK(out[1] == 1 && out[6] == -2 && out[8] == 0 && out[13] == 0.5f);

    int *r;
    OK(cudaMallocManaged(&r, 64));
    cudaArray_t ints = surface_array(make_cudaExtent(4, 2, 0), 0, 0);
    int rows[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    OK(cudaMemcpy2DToArray(ints, 0, 0, rows, 16, 16, 2, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t si = surface(ints);
    kinds<<<1, 32>>>(t, si, r);
    OK(cudaDeviceSynchronize());
    CHECK(r[2] == 4 && r[3] == 2);
    // Of objects, GPUs say that they are neither.
    CHECK(on_kudzu() ? r[0] == 1 && r[1] == 2 : r[0] == 0 && r[1] == 0);
    OK(cudaMemcpy2DFromArray(rows, 16, ints, 0, 0, 16, 2, cudaMemcpyDeviceToHost));
    CHECK(rows[5] == 6 + 32 * 5 && rows[6] == -7 && rows[4] == 5);
    OK(cudaDestroyTextureObject(t));
    cudaResourceDesc plain = of(filled(make_cudaExtent(4, 4, 0), 0));
    cudaSurfaceObject_t none;
    if (on_kudzu())
        CHECK(cudaCreateSurfaceObject(&none, &plain) == cudaErrorInvalidValue);
    OK(cudaDestroySurfaceObject(s[0]));
    if (on_kudzu())
        CHECK(cudaDestroySurfaceObject(s[0]) == cudaErrorInvalidValue);
    // Outside, where the access traps: the launch fails, and with it the context.
    beyond<<<1, 5>>>(si, r);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

int main() {
    OK(cudaMallocManaged(&out, N * sizeof *out));
    depth_and_layers();
    cubes();
    levels();
    gathers_and_colours();
    surfaces();
    return failures != 0;
}
