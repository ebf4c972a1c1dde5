// Bytes that are picked from a constant alone, and what is computed of them, are constants: vectors
// of more elements than lanes. They were left as expressions, which quick code could not hold.
// run: k grid=2,2 block=7,1,1 args=buf:256:special,buf:256:zero,u32:5
extern "C" __global__ void k(const unsigned *in, unsigned *own, unsigned n) {
    unsigned t = threadIdx.x, bx = blockIdx.x + gridDim.x * blockIdx.y, g = bx * 7 + t;
    unsigned full = __ballot_sync(0xffffffffu, true);
    unsigned loc[8];
    unsigned char lob[16];
    for (int i = 0; i < 8; i++) {
        loc[i] = t * i;
        lob[i] = i;
        lob[i + 8] = t;
    }
    unsigned u0 = in[g % 256], u1 = in[(g * 2 + 1) % 256];
    lob[(bx + 5 + t) % 16u] = (unsigned char)~__byte_perm(u0, 3u, 0x7fffffffu);
    own[g] =
        loc[0] + loc[1] * 3 + loc[u0 & 7] * 5 + lob[t & 15] + lob[u1 & 15] * 7 + (n >> 3) + full;
}
