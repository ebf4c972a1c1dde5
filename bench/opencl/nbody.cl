__kernel void nbody(__global const float4 *pos, __global float4 *acc, int n) {
    __local float4 s[256];
    int i = get_global_id(0), l = get_local_id(0);
    float4 me = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        s[l] = pos[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float inv = 1.0f / sqrt(d2), k = s[j].w * inv * inv * inv;
            ax += dx * k;
            ay += dy * k;
            az += dz * k;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc[i] = (float4)(ax, ay, az, 0);
}
