// Surfaces and textures of every geometry that ptx_run can make: all lanes, some lanes, in loops.
// run: blur grid=2 block=48 args=surf:12x8,surf:12x8,buf:96:zero
// run: count grid=2 block=80 args=surf:12x8,buf:96:zero
// run: steps grid=1 block=64 args=tex:9x5:1:1:2,buf:64:zero,f32:0.21
extern "C" __global__ void blur(cudaSurfaceObject_t in, cudaSurfaceObject_t out, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % 12, y = i / 12;
    float sum = 0;
    for (int k = -1; k <= i % 3; k++)
        sum += surf2Dread<float>(in, (x + k) * 4, y, cudaBoundaryModeClamp) +
               surf2Dread<float>(in, x * 4, y + k, cudaBoundaryModeZero);
    if (i % 5 != 2)
        surf2Dwrite(sum, out, (x + 7) * 4, y, cudaBoundaryModeZero);
    __syncthreads();
    result[i] = sum;
}

extern "C" __global__ void count(cudaSurfaceObject_t s, unsigned *result) {
    int i = threadIdx.x;
    for (int k = 0; k < i % 4; k++)
        asm volatile("sured.b.max.2d.u32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * (i % 12)),
                     "r"(k), "r"(0x40000000 + i * k)
                     : "memory");
    __syncthreads();
    if (i < 48)
        result[blockIdx.x * 48 + i] = surf2Dread<unsigned>(s, 4 * (i % 12), i % 3) + i;
}

extern "C" __global__ void steps(cudaTextureObject_t t, float *result, float step) {
    int i = threadIdx.x;
    float4 v = tex2Dgather<float4>(t, i * step, i * step * 0.5f);
    if (i % 3)
        v.x += tex2DLod<float>(t, i * step, 0.3f, i * 0.1f);
    result[i] = v.x + v.y * 2 + v.z * 4 + v.w * 8;
}
