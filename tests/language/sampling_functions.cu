// Texture functions with a level or gradients, on layers and cubemaps, and surface functions on
// layers and cubemaps (guide 10.8, 10.9), each by its name, against the texels that it has to find.
// Every texel says where it is: level, layer or face, row, column.
#include "check.h"

enum { SIZE = 8, LEVELS = 3, LAYERS = 12 };

__host__ __device__ constexpr float texel(int level, int slice, int y, int x) {
    return (float)(((level * 16 + slice) * 16 + y) * 16 + x);
}

// A mipmapped array whose texels say where they are, with a texture that takes the nearest.
static cudaTextureObject_t texture(cudaExtent extent, unsigned flags) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    CUDA(cudaMallocMipmappedArray(&mipmap, &format, extent, LEVELS, flags));
    bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
    for (int level = 0; level < LEVELS; level++) {
        int width = SIZE >> level, height = extent.height ? width : 1;
        int depth = !extent.depth ? 1 : layers ? (int)extent.depth : width;
        float *host = (float *)malloc(sizeof(float) * width * height * depth);
        for (int z = 0; z < depth; z++)
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++)
                    host[(z * height + y) * width + x] = texel(level, z, y, x);
        cudaMemcpy3DParms p = {};
        CUDA(cudaGetMipmappedArrayLevel(&p.dstArray, mipmap, level));
        p.srcPtr = make_cudaPitchedPtr(host, width * sizeof(float), width, height);
        p.extent = make_cudaExtent(width, height, depth);
        p.kind = cudaMemcpyHostToDevice;
        CUDA(cudaMemcpy3D(&p));
        free(host);
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    cudaTextureDesc t = {};
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeClamp;
    t.filterMode = t.mipmapFilterMode = cudaFilterModePoint;
    t.normalizedCoords = 1;
    t.maxMipmapLevelClamp = LEVELS - 1;
    cudaTextureObject_t object;
    CUDA(cudaCreateTextureObject(&object, &resource, &t, nullptr));
    return object;
}

struct textures {
    cudaTextureObject_t line, plane, solid, lines, planes, cube, cubes;
};

// At the middle of texel (3 >> level) in each direction of the level that is asked for. Gradients
// of n texels of the first level a step ask for level log2(n).
__global__ void sample(textures t, int level, float *out) {
    int width = SIZE >> level, at = 3 >> level;
    float c = (at + 0.5f) / width, step = (float)(1 << level) / SIZE, l = (float)level;
    // A point of the cube's second face (-x), whose columns run along z and rows against y.
    float s = 2 * c - 1, turn = 2 * step;
    float3 p = make_float3(-1, -s, s);
    float2 dx = make_float2(step, 0), dy = make_float2(0, step);
    float4 x3 = make_float4(step, 0, 0, 0), y3 = make_float4(0, step, 0, 0);
    float4 cx = make_float4(0, 0, turn, 0), cy = make_float4(0, -turn, 0, 0);
    out[0] = tex1DLod<float>(t.line, c, l);
    out[1] = tex1DGrad<float>(t.line, c, step, step);
    out[2] = tex2DLod<float>(t.plane, c, c, l);
    out[3] = tex2DGrad<float>(t.plane, c, c, dx, dy);
    out[4] = tex3DLod<float>(t.solid, c, c, c, l);
    out[5] = tex3DGrad<float>(t.solid, c, c, c, x3, y3);
    out[6] = tex1DLayeredLod<float>(t.lines, c, 5, l);
    out[7] = tex1DLayeredGrad<float>(t.lines, c, 5, step, step);
    out[8] = tex2DLayeredLod<float>(t.planes, c, c, 5, l);
    out[9] = tex2DLayeredGrad<float>(t.planes, c, c, 5, dx, dy);
    out[10] = texCubemapLod<float>(t.cube, p.x, p.y, p.z, l);
    out[11] = texCubemapGrad<float>(t.cube, p.x, p.y, p.z, cx, cy);
    out[12] = texCubemapLayeredLod<float>(t.cubes, p.x, p.y, p.z, 1, l);
    out[13] = texCubemapLayeredGrad<float>(t.cubes, p.x, p.y, p.z, 1, cx, cy);
}

// The forms for sparse arrays: what the others give, and that all is in memory, which it is here.
__global__ void sample_sparse(textures t, int level, float *out, bool *resident) {
    int width = SIZE >> level, at = 3 >> level;
    float c = (at + 0.5f) / width, step = (float)(1 << level) / SIZE, l = (float)level;
    float2 dx = make_float2(step, 0), dy = make_float2(0, step);
    float4 x3 = make_float4(step, 0, 0, 0), y3 = make_float4(0, step, 0, 0);
    out[0] = tex2DLod<float>(t.plane, c, c, l, &resident[0]);
    out[1] = tex2DGrad<float>(t.plane, c, c, dx, dy, &resident[1]);
    out[2] = tex3DLod<float>(t.solid, c, c, c, l, &resident[2]);
    out[3] = tex3DGrad<float>(t.solid, c, c, c, x3, y3, &resident[3]);
    out[4] = tex2DLayeredLod<float>(t.planes, c, c, 5, l, &resident[4]);
    out[5] = tex2DLayeredGrad<float>(t.planes, c, c, 5, dx, dy, &resident[5]);
    float c0 = 3.5f / SIZE, edge = 4.f / SIZE; // of the first level
    out[6] = tex2D<float>(t.plane, c0, c0, &resident[6]);
    out[7] = tex3D<float>(t.solid, c0, c0, c0, &resident[7]);
    out[8] = tex2DLayered<float>(t.planes, c0, c0, 5, &resident[8]);
    float4 four = tex2Dgather<float4>(t.plane, edge, edge, &resident[9]);
    out[9] = four.w;
    tex2Dgather(&four, t.plane, edge, edge, &resident[10], 0);
    out[10] = four.w;
    tex2D(&out[11], t.plane, c0, c0, &resident[11]);
}

static void check_sparse_forms(const textures &t) {
    float *out = shared_array<float>(12);
    bool *resident = shared_array<bool>(12);
    for (int level = 0; level < LEVELS; level++) {
        for (int k = 0; k < 12; k++)
            resident[k] = false;
        sample_sparse<<<1, 1>>>(t, level, out, resident);
        CUDA(cudaDeviceSynchronize());
        int i = 3 >> level;
        const float expected[] = {
            texel(level, 0, i, i), texel(level, 0, i, i), texel(level, i, i, i),
            texel(level, i, i, i), texel(level, 5, i, i), texel(level, 5, i, i),
            texel(0, 0, 3, 3),     texel(0, 3, 3, 3),     texel(0, 5, 3, 3),
            texel(0, 0, 3, 3),     texel(0, 0, 3, 3),     texel(0, 0, 3, 3)};
        for (int k = 0; k < 12; k++)
            CHECK(resident[k] && out[k] == expected[k]);
    }
}

static void check_textures() {
    textures t;
    t.line = texture(make_cudaExtent(SIZE, 0, 0), 0);
    t.plane = texture(make_cudaExtent(SIZE, SIZE, 0), 0);
    t.solid = texture(make_cudaExtent(SIZE, SIZE, SIZE), 0);
    t.lines = texture(make_cudaExtent(SIZE, 0, LAYERS), cudaArrayLayered);
    t.planes = texture(make_cudaExtent(SIZE, SIZE, LAYERS), cudaArrayLayered);
    t.cube = texture(make_cudaExtent(SIZE, SIZE, 6), cudaArrayCubemap);
    t.cubes = texture(make_cudaExtent(SIZE, SIZE, 12), cudaArrayCubemap | cudaArrayLayered);
    float *out = shared_array<float>(14);
    for (int level = 0; level < LEVELS; level++) {
        sample<<<1, 1>>>(t, level, out);
        CUDA(cudaDeviceSynchronize());
        int i = 3 >> level;
        const float expected[] = {texel(level, 0, 0, i), texel(level, 0, i, i),
                                  texel(level, i, i, i), texel(level, 5, 0, i),
                                  texel(level, 5, i, i), texel(level, 1, i, i),
                                  texel(level, 7, i, i)};
        for (int k = 0; k < 14; k++) {
            if (out[k] != expected[k / 2])
                printf("function %d, level %d: %g, not %g\n", k, level, out[k], expected[k / 2]);
            CHECK(out[k] == expected[k / 2]);
        }
    }
    check_sparse_forms(t);
}

// ---- Surfaces ---------------------------------------------------------------------------------

static cudaSurfaceObject_t surface_of(cudaExtent extent, unsigned flags) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t object;
    resource.resType = cudaResourceTypeArray;
    CUDA(cudaMalloc3DArray(&resource.res.array.array, &format, extent,
                           flags | cudaArraySurfaceLoadStore));
    CUDA(cudaCreateSurfaceObject(&object, &resource));
    return object;
}

__global__ void write_surfaces(cudaSurfaceObject_t lines, cudaSurfaceObject_t cube,
                               cudaSurfaceObject_t cubes) {
    int x = (int)threadIdx.x, y = (int)threadIdx.y, z = (int)blockIdx.x, value = z * 64 + y * 8 + x;
    if (y == 0)
        surf1DLayeredwrite(value, lines, x * 4, z);
    if (z < 6)
        surfCubemapwrite(value + 1000, cube, x * 4, y, z);
    surfCubemapLayeredwrite(value + 2000, cubes, x * 4, y, z);
}

__global__ void read_surfaces(cudaSurfaceObject_t lines, cudaSurfaceObject_t cube,
                              cudaSurfaceObject_t cubes, int *bad) {
    int x = (int)threadIdx.x, y = (int)threadIdx.y, z = (int)blockIdx.x, value = z * 64 + y * 8 + x;
    int other = -1;
    if (y == 0) {
        surf1DLayeredread(&other, lines, x * 4, z);
        if (surf1DLayeredread<int>(lines, x * 4, z) != value || other != value)
            atomicAdd(bad, 1);
    }
    if (z < 6) {
        surfCubemapread(&other, cube, x * 4, y, z);
        if (surfCubemapread<int>(cube, x * 4, y, z) != value + 1000 || other != value + 1000)
            atomicAdd(bad + 1, 1);
    }
    surfCubemapLayeredread(&other, cubes, x * 4, y, z);
    if (surfCubemapLayeredread<int>(cubes, x * 4, y, z) != value + 2000 || other != value + 2000)
        atomicAdd(bad + 2, 1);
}

static void check_surfaces() {
    int *bad = shared_array<int>(3);
    cudaSurfaceObject_t lines = surface_of(make_cudaExtent(8, 0, 12), cudaArrayLayered);
    cudaSurfaceObject_t cube = surface_of(make_cudaExtent(8, 8, 6), cudaArrayCubemap);
    cudaSurfaceObject_t cubes =
        surface_of(make_cudaExtent(8, 8, 12), cudaArrayCubemap | cudaArrayLayered);
    write_surfaces<<<12, dim3(8, 8)>>>(lines, cube, cubes);
    read_surfaces<<<12, dim3(8, 8)>>>(lines, cube, cubes, bad);
    CUDA(cudaDeviceSynchronize());
    CHECK(bad[0] == 0 && bad[1] == 0 && bad[2] == 0);
}

int main() {
    check_textures();
    check_surfaces();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
