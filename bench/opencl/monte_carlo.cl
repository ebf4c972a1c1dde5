uint4 philox(uint4 c, uint2 k) {
    for (int round = 0; round < 10; round++) {
        uint h0 = mul_hi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x;
        uint h1 = mul_hi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
        c = (uint4)(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}

float unit(uint x) {
    return ((x >> 9) + 0.5f) * (1.0f / (1 << 23));
}

float payoffs(uint a, uint b, float drift, float volatility, float strike) {
    float r = sqrt(-2.0f * log(unit(a))), u = 2.0f * unit(b);
    return fmax(exp(drift + volatility * r * sinpi(u)) - strike, 0.0f) +
           fmax(exp(drift + volatility * r * cospi(u)) - strike, 0.0f);
}

__kernel void monte_carlo(__global float *sum, int turns, float drift, float volatility,
                          float strike) {
    __local float s[256];
    int l = get_local_id(0);
    float v = 0;
    for (int k = 0; k < turns; k++) {
        uint4 x = philox((uint4)(get_global_id(0), k, 0, 0), (uint2)(0x12345678u, 0x9abcdef0u));
        v += payoffs(x.x, x.y, drift, volatility, strike);
        v += payoffs(x.z, x.w, drift, volatility, strike);
    }
    s[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        sum[get_group_id(0)] = s[0];
}
