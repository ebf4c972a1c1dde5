// Surface references of every geometry (guide of version 11, 3.2.13.2): what kernels write through
// them is in the arrays, and what is in the arrays is read, where the host expects it.
#include "check.h"

#include <vector>

surface<void, cudaSurfaceType1D> line;
surface<void, cudaSurfaceType3D> volume;
surface<void, cudaSurfaceType1DLayered> rows;
surface<void, cudaSurfaceTypeCubemap> cube;
surface<void, cudaSurfaceTypeCubemapLayered> cubes;

enum { W = 16, H = 16, LAYERS = 3 };

// Every element becomes three times itself, and 1 more.
__global__ void change_line() {
    int x = threadIdx.x, v;
    surf1Dread(&v, line, x * 4);
    surf1Dwrite(v * 3 + 1, line, x * 4);
}

__global__ void change_volume() {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    int v = surf3Dread<int>(volume, x * 4, y, z);
    surf3Dwrite(v * 3 + 1, volume, x * 4, y, z);
}

__global__ void change_rows() {
    int x = threadIdx.x, layer = blockIdx.x;
    int v = surf1DLayeredread<int>(rows, x * 4, layer);
    surf1DLayeredwrite(v * 3 + 1, rows, x * 4, layer);
}

__global__ void change_cube() {
    int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    int v = surfCubemapread<int>(cube, x * 4, y, face);
    surfCubemapwrite(v * 3 + 1, cube, x * 4, y, face);
}

__global__ void change_cubes() {
    int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    int v = surfCubemapLayeredread<int>(cubes, x * 4, y, face);
    surfCubemapLayeredwrite(v * 3 + 1, cubes, x * 4, y, face);
}

template <class Bind, class Launch>
static void try_geometry(cudaExtent size, unsigned flags, Bind bind, Launch launch) {
    size_t height = size.height ? size.height : 1, depth = size.depth ? size.depth : 1;
    size_t n = size.width * height * depth;
    std::vector<int> v(n), got(n);
    for (size_t i = 0; i < n; i++)
        v[i] = (int)(i * 7 % 1009);
    cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
    cudaArray_t a;
    CUDA(cudaMalloc3DArray(&a, &d, size, flags | cudaArraySurfaceLoadStore));
    cudaMemcpy3DParms c = {};
    c.extent = make_cudaExtent(size.width, height, depth);
    c.srcPtr = make_cudaPitchedPtr(v.data(), size.width * 4, size.width, height);
    c.dstArray = a;
    c.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&c));
    bind(a);
    launch();
    CUDA(cudaDeviceSynchronize());
    c = {};
    c.extent = make_cudaExtent(size.width, height, depth);
    c.srcArray = a;
    c.dstPtr = make_cudaPitchedPtr(got.data(), size.width * 4, size.width, height);
    c.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&c));
    for (size_t i = 0; i < n; i++)
        CHECK(got[i] == v[i] * 3 + 1);
    CUDA(cudaFreeArray(a));
}

int main() {
    auto plane = dim3(W, H);
    try_geometry(
        make_cudaExtent(W, 0, 0), 0, [](cudaArray_t a) { CUDA(cudaBindSurfaceToArray(line, a)); },
        [] { change_line<<<1, W>>>(); });
    try_geometry(
        make_cudaExtent(W, H, 5), 0, [](cudaArray_t a) { CUDA(cudaBindSurfaceToArray(volume, a)); },
        [=] { change_volume<<<5, plane>>>(); });
    try_geometry(
        make_cudaExtent(W, 0, LAYERS), cudaArrayLayered,
        [](cudaArray_t a) { CUDA(cudaBindSurfaceToArray(rows, a)); },
        [] { change_rows<<<LAYERS, W>>>(); });
    try_geometry(
        make_cudaExtent(W, W, 6), cudaArrayCubemap,
        [](cudaArray_t a) { CUDA(cudaBindSurfaceToArray(cube, a)); },
        [=] { change_cube<<<6, plane>>>(); });
    try_geometry(
        make_cudaExtent(W, W, 6 * LAYERS), cudaArrayCubemap | cudaArrayLayered,
        [](cudaArray_t a) { CUDA(cudaBindSurfaceToArray(cubes, a)); },
        [=] { change_cubes<<<6 * LAYERS, plane>>>(); });
    printf("%d failures\n", failures);
    return failures != 0;
}
