// Matrices that ldmatrix loads for products alone, and for others too; stores between them.
// run: swizzled grid=2 block=64 args=buf:4096:rand,buf:4096:rand,buf:8192:zero,u32:3
// run: swizzled grid=1 block=128 args=buf:4096:rand,buf:4096:rand,buf:8192:zero,u32:2
// run: halves grid=1 block=64 args=buf:4096:small,buf:4096:small,buf:4096:zero,u32:2
// run: changed grid=1 block=32 args=buf:4096:rand,buf:4096:zero
// run: used_twice grid=1 block=32 args=buf:4096:rand,buf:4096:zero
// run: in_part grid=1 block=48 args=buf:4096:rand,buf:4096:zero,u32:32
#define LDMATRIX(r, at)                                                                            \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                   \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                  \
                 : "r"(at)                                                                         \
                 : "memory")
#define LDMATRIX_T(r, at)                                                                          \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"             \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                  \
                 : "r"(at)                                                                         \
                 : "memory")
#define MMA(type, c, a, b)                                                                         \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32." type ".s32 {%0,%1,%2,%3}, "              \
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                          \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

__device__ static unsigned shared_address(void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ static void fill(unsigned *s, const unsigned *in, unsigned n) {
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x)
        s[k] = in[k];
}

// A tile of 128 bytes by 32 rows a warp, pieces swizzled, constant distances; k as a chain.
extern "C" __global__ void swizzled(const unsigned *a, const unsigned *b, int *out, int turns) {
    __shared__ __align__(16) unsigned sa[1024], sb[1024];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int c[2][4][4] = {};
    for (int t = 0; t < turns; t++) {
        __syncthreads();
        fill(sa, a + t * 512, 1024);
        fill(sb, b + t * 256, 1024);
        __syncthreads();
#pragma unroll
        for (int step = 0; step < 4; step++) {
            unsigned fa[2][4], fb[2][4];
            for (int i = 0; i < 2; i++) {
                unsigned row = i * 16 + lane % 16, piece = step * 2 + lane / 16;
                LDMATRIX(fa[i], shared_address(sa) + (row * 8 + (piece ^ (row & 7))) * 16);
            }
            for (int j = 0; j < 2; j++) {
                unsigned row = j * 16 + lane / 16 * 8 + lane % 8, piece = step * 2 + lane / 8 % 2;
                LDMATRIX(fb[j], shared_address(sb) + (row * 8 + (piece ^ (row & 7) ^ warp)) * 16);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    unsigned *f = fb[j / 2] + j % 2 * 2;
                    if (i)
                        MMA("s8.s8", c[i][j], fa[i], f);
                    else
                        MMA("u8.u8", c[i][j], fa[i], f);
                }
        }
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                out[((blockIdx.x * 4 + warp) * 32 + i * 16 + j * 4 + k) * 32 + lane] = c[i][j][k];
}

// f16 with b transposed as it is loaded.
extern "C" __global__ void halves(const unsigned *a, const unsigned *b, float *out, unsigned n) {
    __shared__ __align__(16) unsigned s[2048];
    unsigned lane = threadIdx.x % 32;
    float c[4] = {}, d[4] = {};
    for (unsigned k = threadIdx.x; k < 2048; k += blockDim.x)
        s[k] = (a[k] & 0x3fff3fff) ^ (b[k] << 15 & 0x80008000);
    __syncthreads();
    for (unsigned t = 0; t < n; t++) {
        unsigned fa[4], fb[4];
        LDMATRIX(fa, shared_address(s) + t * 512 + lane % 16 * 32 + lane / 16 * 16);
        LDMATRIX_T(fb, shared_address(s) + 4096 + t * 1024 + lane * 32);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2]), "r"(fb[3]));
    }
    for (int k = 0; k < 4; k++) {
        out[threadIdx.x * 8 + k] = c[k];
        out[threadIdx.x * 8 + 4 + k] = d[k];
    }
}

// The tile changes between the load and the product, and between two products.
extern "C" __global__ void changed(const unsigned *in, int *out) {
    __shared__ __align__(16) unsigned s[512];
    unsigned lane = threadIdx.x, fa[4], fb[4], fc[4];
    int c[4] = {}, d[4] = {};
    fill(s, in, 512);
    __syncwarp();
    LDMATRIX(fa, shared_address(s) + lane * 16);
    LDMATRIX(fb, shared_address(s) + 512 + lane * 16);
    s[lane * 4] = 7 * lane;
    MMA("s8.s8", c, fa, fb);
    LDMATRIX(fc, shared_address(s) + lane * 16);
    s[128 + lane * 4] = 5;
    s[lane * 4 + 1] = 9;
    MMA("s8.u8", d, fc, fb);
    __syncwarp();
    LDMATRIX(fa, shared_address(s) + lane * 16);
    MMA("u8.s8", d, fa, fc);
    for (int k = 0; k < 4; k++)
        out[lane * 8 + k] = c[k], out[lane * 8 + 4 + k] = d[k];
}

// What products multiply is looked at by others, or is a sum.
extern "C" __global__ void used_twice(const unsigned *in, int *out) {
    __shared__ __align__(16) unsigned s[512];
    unsigned lane = threadIdx.x, fa[4], fb[4], fc[4];
    fill(s, in, 512);
    __syncwarp();
    LDMATRIX(fa, shared_address(s) + lane * 16);
    LDMATRIX(fb, shared_address(s) + 512 + lane * 16);
    LDMATRIX(fc, shared_address(s) + 1024 + lane * 16);
    int c[4] = {(int)fc[0], (int)fc[1], (int)fc[2], (int)fc[3]};
    MMA("s8.s8", c, fa, fb);
    unsigned after = fa[3];
    if (lane < 20)
        after += fb[1];
    for (int k = 0; k < 4; k++)
        out[lane * 8 + k] = c[k];
    out[lane * 8 + 4] = after;
    out[lane * 8 + 5] = fc[2];
}

// A warp in a branch that others do not take.
extern "C" __global__ void in_part(const unsigned *in, int *out, unsigned n) {
    __shared__ __align__(16) unsigned s[512];
    unsigned t = threadIdx.x, lane = t % 32, fa[4], fb[4];
    int c[4] = {};
    fill(s, in, 512);
    __syncthreads();
    if (t < n) {
        LDMATRIX(fa, shared_address(s) + lane * 16);
        LDMATRIX(fb, shared_address(s) + 512 + lane * 16);
        MMA("s8.s8", c, fa, fb);
    }
    for (int k = 0; k < 4; k++)
        out[t * 4 + k] = c[k];
}
