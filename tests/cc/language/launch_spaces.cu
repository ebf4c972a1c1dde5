// nvcc reads `<< <` and `>> >` as launch brackets; << < in a comment is left alone.
// CHECK: st.global.u32
__global__ void kernel(int *p) {
    p[threadIdx.x] = 3 << threadIdx.x;
}
int main() {
    const char *text = "<< < >> >";
    int *p;
    cudaMalloc(&p, 64);
    kernel << < 1, 16 >> > (p);
    return cudaDeviceSynchronize() != cudaSuccess || text[2] != ' ';
}
