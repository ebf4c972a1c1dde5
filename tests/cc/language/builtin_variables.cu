// Built-in variables as objects of their types, copied, passed on, and their members.
// CHECK: %tid.x
// CHECK: %tid.y
// CHECK: %tid.z
// CHECK: %ntid.x
// CHECK: %ctaid.x
// CHECK: %nctaid.x
// CHECK: %nctaid.z
__device__ unsigned volume(dim3 d) {
    return d.x * d.y * d.z;
}
__device__ unsigned sum(uint3 v) {
    return v.x + v.y + v.z;
}
template <typename T> __device__ unsigned first(const T &v) {
    return v.x;
}
__global__ void variables(unsigned *out) {
    const uint3 t = threadIdx;
    dim3 b = blockDim;
    auto copy = blockIdx;
    out[0] = volume(blockDim) + volume(gridDim);
    out[1] = sum(threadIdx) + sum(blockIdx);
    out[2] = t.x + t.y + t.z + b.x + b.y + b.z + copy.x + copy.y + copy.z;
    out[3] = first(threadIdx) + first(gridDim);
    out[4] = warpSize;
    int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (; i < 100; i += stride)
        out[5 + i] = i;
}
