// Fetches: all lanes, some lanes, objects that differ from lane to lane, in loops.
// run: plane grid=2 block=48 args=tex:9x5:0:1:0,buf:96:zero,f32:0.375
// run: plane grid=2 block=48 args=tex:9x5:1:3:0,buf:96:zero,f32:0.375
// run: plane grid=2 block=48 args=tex:9x5:1:0:2,buf:96:zero,f32:0.0371
// run: plane grid=2 block=48 args=tex:8x8:0:2:2,buf:96:zero,f32:0.0371
// run: choose grid=1 block=96 args=tex:9x5:0:1:0,tex:17x0:1:1:0,buf:96:zero
// run: sums grid=1 block=40 args=tex:17x0:0:1:0,buf:40:zero
extern "C" __global__ void plane(cudaTextureObject_t t, float *out, float step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = tex2D<float>(t, (i - 20) * step, (i % 11 - 2) * step * 1.5f);
    if (i % 3)
        v += tex2D<float>(t, i * step, 0.5f);
    out[i] = v;
}

extern "C" __global__ void choose(cudaTextureObject_t a, cudaTextureObject_t b, float *out) {
    int i = threadIdx.x;
    out[i] = tex1D<float>(i & 1 ? a : b, i * 0.3f);
}

extern "C" __global__ void sums(cudaTextureObject_t t, float *out) {
    float sum = 0;
    for (int k = 0; k < (int)threadIdx.x % 20; k++)
        sum += tex1Dfetch<float>(t, k) + tex1Dfetch<float>(t, 3);
    out[threadIdx.x] = sum;
}
