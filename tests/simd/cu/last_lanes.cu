// Loops that lanes leave as data say: the last ones go on one by one in a copy of the loop. Values
// that come into it, are carried, and leave it; several ways out; loops inside; what each lane has
// of its own in it; writes.

typedef unsigned long long u64;

// A walk through a table, until a stop; longer for few.
// run: walks grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:9
// run: walks grid=2,1,1 block=61,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:30
// run: walks grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:1
// run: walks grid=1,1,1 block=1,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:50
extern "C" __global__ void walks(const unsigned *table, unsigned *out, unsigned rare) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i % 1024, n = 0, sum = 0;
    while (table[p] % rare && n < 300) {
        sum = sum * 31 + table[p];
        p = (table[p] + n) % 1024;
        n++;
    }
    out[i] = sum;
    out[256 + i] = n;
    out[512 + i] = p;
}

// Numbers of all kinds are carried: the bits of each, of NaNs too, are the same in either version.
// run: kinds grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:special,buf:1024:rand,buf:4096:zero,u32:12
// run: kinds grid=2,1,1 block=96,1,1 shared=0 args=buf:1024:float,buf:1024:rand,buf:4096:zero,u32:40
extern "C" __global__ void kinds(const float *x, const unsigned *table, unsigned *out, unsigned rare) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i % 1024, n = 0;
    float a = x[p], b = 1;
    double d = i;
    u64 long_ = i;
    unsigned short s = (unsigned short)i;
    bool odd = i & 1;
    while (table[p] % rare && n < 200) {
        a = x[p];
        b = fmaf(a, 0.5f, b);
        d = d * 0.75 + (table[p] & 255);
        long_ = long_ * 6364136223846793005ull + table[p];
        s = (unsigned short)(s * 5 + table[p]);
        odd ^= (table[p] >> 7) & 1;
        p = (p * 7 + table[p] + (unsigned)(long_ >> 60)) % 1024;
        n++;
    }
    unsigned *o = out + 8 * i;
    o[0] = __float_as_uint(a);
    o[1] = __float_as_uint(b);
    o[2] = (unsigned)(__double_as_longlong(d) >> 32);
    o[3] = (unsigned)__double_as_longlong(d);
    o[4] = (unsigned)long_ ^ (unsigned)(long_ >> 32);
    o[5] = s;
    o[6] = odd;
    o[7] = n;
}

// Three ways out, one of which ends the thread.
// run: ways grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:20
// run: ways grid=2,1,1 block=100,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:3
// run: ways grid=1,1,1 block=64,1,1 shared=0 args=buf:1024:zero,buf:1024:zero,u32:3
extern "C" __global__ void ways(const unsigned *table, unsigned *out, unsigned rare) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i % 1024, n = 0, why = 0;
    for (;;) {
        unsigned t = table[p];
        if (t % rare == 0) {
            why = 1 + p;
            break;
        }
        if (t % (2 * rare) == 1) {
            out[i] = n * 3 + 7;
            return;
        }
        n += t & 3;
        if (n > 400) {
            why = n;
            break;
        }
        p = (p + t) % 1024;
    }
    out[i] = why * 2 + (n << 16);
    out[256 + i] = p;
}

// A loop in a loop, both uneven, and what the outer one keeps.
// run: nested grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:6
// run: nested grid=1,1,1 block=77,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:15
extern "C" __global__ void nested(const unsigned *table, unsigned *out, unsigned rare) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i % 1024, n = 0, sum = 0;
    while (table[p] % rare && n < 60) {
        unsigned q = table[p] % 1000, m = 0;
        while (table[q] % 4 && m < 40) {
            sum += table[q] ^ p;
            q = (q + table[q]) % 1024;
            m++;
        }
        p = (p + q + m) % 1024;
        n++;
    }
    out[i] = sum;
    out[256 + i] = n * 1024 + p;
}

// The same with an outer loop that all leave together.
// run: rounds grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:9,u32:7
// run: rounds grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:30,u32:0
extern "C" __global__ void rounds(const unsigned *table, unsigned *out, unsigned rare, int m) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i % 1024, sum = 0;
    for (int k = 0; k < m; k++) {
        unsigned n = 0;
        while (table[p] % rare && n < 100) {
            p = (p + table[p]) % 1024;
            n++;
        }
        sum = sum * 5 + n;
        p = (p + k) % 1024;
    }
    out[i] = sum;
}

// What each lane has of its own: its frame, its number, its generic addresses.
// run: own grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:12
// run: own grid=2,1,1 block=90,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:40
extern "C" __global__ void own(const unsigned *table, unsigned *out, unsigned rare) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i % 1024, n = 0, stack[16];
    for (unsigned k = 0; k < 16; k++)
        stack[k] = i + k;
    while (table[p] % rare && n < 200) {
        unsigned lane;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
        stack[table[p] % 16] += lane * n + stack[(p + n) % 16];
        const unsigned *from = table[p] & 256 ? &stack[p % 16] : &table[p];
        p = (p + *from + threadIdx.x) % 1024;
        n++;
    }
    unsigned sum = n;
    for (unsigned k = 0; k < 16; k++)
        sum = sum * 3 + stack[k];
    out[i] = sum;
}

// Writes: to the thread's own row, to shared memory, and what atomic operations give.
// run: writes grid=1,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:8192:zero,u32:12
// run: writes grid=1,1,1 block=33,1,1 shared=0 args=buf:1024:rand,buf:8192:zero,u32:50
extern "C" __global__ void writes(const unsigned *table, unsigned *out, unsigned rare) {
    __shared__ unsigned rows[128 * 4];
    unsigned i = threadIdx.x, p = i % 1024, n = 0, sum = 0;
    for (unsigned k = 0; k < 4; k++)
        rows[i * 4 + k] = k;
    while (table[p] % rare && n < 60) {
        out[1024 + i * 32 + n % 32] += table[p];
        rows[i * 4 + table[p] % 4] ^= table[p];
        sum = sum * 7 + atomicAdd(&out[512 + i], table[p] & 15);
        atomicMax(&out[256 + i % 3], table[p] >> 8);
        p = (p + rows[i * 4 + n % 4]) % 1024;
        n++;
    }
    out[i] = sum + n;
}

// Threads meet behind the loop, in a warp operation and at a barrier.
// run: meet grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:12
// run: meet grid=2,1,1 block=64,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:40
extern "C" __global__ void meet(const unsigned *__restrict__ table, unsigned *__restrict__ out, unsigned rare) {
    __shared__ unsigned last[128];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i % 1024, n = 0;
    for (int k = 0; k < 3; k++) {
        while (table[p] % rare && n < 200) {
            p = (p + table[p] + k) % 1024;
            n++;
        }
        n += __shfl_xor_sync(~0u, n, 5);
        last[threadIdx.x] = n + p;
        __syncthreads();
        p = (p + last[(threadIdx.x + 33) % blockDim.x]) % 1024;
        __syncthreads();
    }
    out[i] = n * 1024 + p;
}

// Some threads alone come to the loop; they leave by a search that may find nothing.
// run: some grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:50
// run: some grid=2,1,1 block=128,1,1 shared=0 args=buf:1024:rand,buf:1024:zero,u32:3
extern "C" __global__ void some(const unsigned *table, unsigned *out, unsigned rare) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = i * 37 % 1024, n = 0;
    if (table[i] % 3 == 0) {
        unsigned key = table[i] % rare;
        while (table[h] % rare != key) {
            if (table[h] % 61 == 60 || ++n == 500) {
                key = ~0u;
                break;
            }
            h = (h * 5 + 1) % 1024;
        }
        out[i] = key == ~0u ? n : h / (n + 1);
    }
    out[256 + i] = h;
}
