// Sparse matrix by vector, compressed rows: a thread a row, and a warp a row.

__kernel void spmv_scalar(__global const int *start, __global const int *column,
                          __global const float *value, __global const float *x, __global float *y,
                          int rows) {
    int row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

__kernel void spmv_vector(__global const int *start, __global const int *column,
                          __global const float *value, __global const float *x, __global float *y,
                          int rows) {
    int row = get_global_id(0) / 32, lane = get_local_id(0) % 32;
    float sum = 0;
    for (int i = start[row] + lane; i < start[row + 1]; i += 32)
        sum += value[i] * x[column[i]];
    __local float s[256];
    s[get_local_id(0)] = sum;
    for (int d = 16; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < d)
            s[get_local_id(0)] = sum += s[get_local_id(0) + d];
    }
    if (lane == 0)
        y[row] = sum;
}
