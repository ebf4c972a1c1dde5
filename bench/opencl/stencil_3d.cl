// A seven-point stencil: every thread one point, and blocks that march along z with a plane in
// shared memory and the neighbours along z in registers.

float combine(float middle, float sum) {
    return 0.4f * middle + 0.1f * sum;
}

__kernel void stencil_3d(__global const float *in, __global float *out, int w, int h, int d) {
    int x = get_global_id(0), y = get_global_id(1);
    int z = get_global_id(2);
    if (x < 1 || y < 1 || z < 1 || x >= w - 1 || y >= h - 1 || z >= d - 1)
        return;
    int i = (z * h + y) * w + x;
    out[i] = combine(in[i],
                     in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - w * h] + in[i + w * h]);
}

__kernel void stencil_3d_march(__global const float *in, __global float *out, int w, int h, int d) {
    __local float s[8 + 2][32 + 2];
    int x = get_group_id(0) * 32 + get_local_id(0), y = get_group_id(1) * 8 + get_local_id(1);
    int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1, plane = w * h, i = y * w + x;
    bool inside = x >= 1 && y >= 1 && x < w - 1 && y < h - 1;
    float below = 0, here = in[i], above = in[i + plane];
    for (int z = 1; z < d - 1; z++) {
        i += plane;
        below = here;
        here = above;
        above = in[i + plane];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[ly][lx] = here;
        if (get_local_id(0) == 0 && x > 0)
            s[ly][0] = in[i - 1];
        if (get_local_id(0) == 31 && x < w - 1)
            s[ly][33] = in[i + 1];
        if (get_local_id(1) == 0 && y > 0)
            s[0][lx] = in[i - w];
        if (get_local_id(1) == 7 && y < h - 1)
            s[9][lx] = in[i + w];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (inside)
            out[i] = combine(here, s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx] +
                                       below + above);
    }
}
