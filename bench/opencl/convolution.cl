// Convolutions with the filter in constant memory: 7x7 through a tile in shared memory, and rows
// with 17 taps, eight results a thread.

__kernel void convolution_7x7(__global const float *in, __global float *out, int w, int h,
                              __constant float *filter7) {
    __local float s[16 + 6][32 + 6];
    int x0 = get_group_id(0) * 32, y0 = get_group_id(1) * 16;
    for (int y = get_local_id(1); y < 16 + 6; y += 16)
        for (int x = get_local_id(0); x < 32 + 6; x += 32) {
            int gx = x0 + x - 3, gy = y0 + y - 3;
            s[y][x] = gx >= 0 && gy >= 0 && gx < w && gy < h ? in[gy * w + gx] : 0;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
#pragma unroll
    for (int y = 0; y < 7; y++)
#pragma unroll
        for (int x = 0; x < 7; x++)
            sum += filter7[y * 7 + x] * s[get_local_id(1) + y][get_local_id(0) + x];
    out[(y0 + get_local_id(1)) * w + x0 + get_local_id(0)] = sum;
}

enum { RESULTS = 8, WIDTH = 16, ROWS = 4, RADIUS = 8 };

__kernel void convolution_rows(__global const float *in, __global float *out, int w,
                               __constant float *filter17) {
    __local float s[ROWS][(RESULTS + 2) * WIDTH];
    int x0 = (get_group_id(0) * RESULTS - 1) * WIDTH + get_local_id(0);
    int y = get_group_id(1) * ROWS + get_local_id(1);
    in += y * w + x0;
    out += y * w + x0;
#pragma unroll
    for (int i = 1; i <= RESULTS; i++)
        s[get_local_id(1)][get_local_id(0) + i * WIDTH] = in[i * WIDTH];
    s[get_local_id(1)][get_local_id(0)] = x0 >= 0 ? in[0] : 0;
    int last = (RESULTS + 1) * WIDTH;
    s[get_local_id(1)][get_local_id(0) + last] = x0 + last < w ? in[last] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 1; i <= RESULTS; i++) {
        float sum = 0;
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum += filter17[RADIUS + k] * s[get_local_id(1)][get_local_id(0) + i * WIDTH + k];
        out[i * WIDTH] = sum;
    }
}
