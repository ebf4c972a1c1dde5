// Copies: plain, four floats a thread, from and to an odd address, every second float, and with a
// grid-stride loop.

__kernel void copy(__global const float *in, __global float *out) {
    size_t i = (size_t)get_global_id(0);
    out[i] = in[i];
}

__kernel void copy4(__global const float4 *in, __global float4 *out) {
    size_t i = (size_t)get_global_id(0);
    out[i] = in[i];
}

__kernel void copy_offset(__global const float *in, __global float *out, int offset) {
    int i = get_global_id(0) + offset;
    out[i] = in[i];
}

__kernel void copy_strided(__global const float *in, __global float *out, int stride) {
    int i = (get_global_id(0))*stride;
    out[i] = in[i];
}

__kernel void copy_loop(__global const float *in, __global float *out, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        out[i] = in[i];
}
