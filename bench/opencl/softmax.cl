// OpenCL 1.2 has no shuffles: rows are reduced in local memory.
float row_max(__local float *s, int l, float v) {
    s[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 16; d > 0; d >>= 1) {
        if (l < d)
            s[l] = fmax(s[l], s[l + d]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v = s[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return v;
}

float row_sum(__local float *s, int l, float v) {
    s[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 16; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v = s[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return v;
}

__kernel void softmax(__global const float *in, __global float *out, int rows, int columns) {
    __local float s[8][32];
    int row = get_global_id(1) + get_group_id(0) * 8, l = get_local_id(0), k = get_local_id(1);
    __global const float *x = in + (size_t)row * columns;
    __global float *y = out + (size_t)row * columns;
    float largest = -INFINITY, sum = 0;
    for (int i = l; i < columns; i += 32)
        largest = fmax(largest, x[i]);
    largest = row_max(s[k], l, largest);
    for (int i = l; i < columns; i += 32) {
        float e = exp(x[i] - largest);
        y[i] = e;
        sum += e;
    }
    float factor = 1.0f / row_sum(s[k], l, sum);
    for (int i = l; i < columns; i += 32)
        y[i] *= factor;
}

__kernel void layer_norm(__global const float *in, __global const float *scale,
                         __global const float *shift, __global float *out, int rows, int columns) {
    __local float s[8][32];
    int row = get_global_id(1) + get_group_id(0) * 8, l = get_local_id(0), k = get_local_id(1);
    __global const float *x = in + (size_t)row * columns;
    __global float *y = out + (size_t)row * columns;
    float sum = 0, squares = 0;
    for (int i = l; i < columns; i += 32)
        sum += x[i];
    float mean = row_sum(s[k], l, sum) / columns;
    for (int i = l; i < columns; i += 32)
        squares += (x[i] - mean) * (x[i] - mean);
    float factor = rsqrt(row_sum(s[k], l, squares) / columns + 1e-5f);
    for (int i = l; i < columns; i += 32)
        y[i] = (x[i] - mean) * factor * scale[i] + shift[i];
}
