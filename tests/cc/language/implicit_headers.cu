// What programs use without including a header, for nvcc's implicit one has it.
// CHECK: vprintf
__global__ void write_value(int *ptr, int v) {
    *ptr = v;
    printf("device %d\n", (int)abs(-2.0f) + (int)fmaxf(1, 2));
}

int main() {
    int *value, copy[2] = {}, sum = 0;
    for (int k : {1, 2, 4})
        sum += std::move(k);
    if (sum != 7)
        return 1;
    if (cudaMallocManaged(&value, sizeof *value))
        return 1;
    write_value<<<1, 1>>>(value, 7);
    if (cudaDeviceSynchronize())
        return 1;
    memcpy(copy, value, sizeof *value);
    printf("host %d\n", copy[0]);
    return copy[0] == 7 && isfinite(sqrt(2.0)) ? 0 : EXIT_FAILURE;
}
