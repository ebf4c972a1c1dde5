// Operations on global memory whose old values nobody reads, which a run of blocks puts off: every
// operation and width, lanes that go to words of their own or all to one, several kinds that go to
// the same words or to neighbouring ones, and accesses in between.
// run: kinds grid=3 block=64 args=buf:192:rand,buf:1024:rand,buf:1024:rand
// run: kinds grid=2 block=40 args=buf:192:rand,buf:1024:small,buf:1024:small
// run: wide grid=3 block=64 args=buf:192:rand,buf:2048:rand
// run: bounds grid=2 block=64 args=buf:500:rand,buf:64:rand,u32:500
// run: next_to_each_other grid=3 block=64 args=buf:192:rand,buf:256:small
// run: interleaved grid=3 block=64 args=buf:192:rand,buf:1024:small
// run: own_words grid=2 block=64 args=buf:128:rand,buf:1024:small
// run: ones grid=3 block=64 args=buf:500:rand,buf:16:small,u32:500
// run: ones grid=3 block=50 args=buf:500:rand,buf:16:small,u32:333
// run: one_of_block grid=5 block=64 args=buf:320:rand,buf:8:zero
// run: one_and_many grid=3 block=64 args=buf:192:rand,buf:512:small
// run: grows grid=4 block=96 args=buf:384:rand,buf:16384:zero
// run: moving_base grid=4 block=64 args=buf:256:rand,buf:4096:zero
// run: loaded_base grid=3 block=64 args=buf:192:rand,buf:1024:zero
// run: generic_or_shared grid=2 block=64 args=buf:128:rand,buf:256:zero
// run: read_by_others grid=2 block=64 args=buf:128:rand,buf:1024:zero,buf:128:zero
// run: counted grid=3 block=64 args=buf:192:rand,buf:1024:zero,buf:192:zero
// run: floats_between grid=2 block=64 args=buf:128:rand,buf:1024:zero
// run: read_one grid=2 block=64 args=buf:128:rand,buf:8:zero,buf:128:zero
extern "C" __global__ void kinds(const unsigned *in, unsigned *a, int *b) {
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAnd(&a[v % 64], v | 0xff00);
    atomicOr(&a[64 + v % 64], v & 0x1111);
    atomicXor(&a[128 + v % 64], v);
    atomicMin(&a[192 + v % 64], v);
    atomicMax(&a[256 + v % 64], v);
    atomicAdd(&a[320 + v % 64], v);
    atomicMin(&b[v % 64], (int)v);
    atomicMax(&b[64 + v % 64], (int)v);
    atomicSub(&b[128 + v % 64], (int)v);
}

extern "C" __global__ void wide(const unsigned *in, unsigned long long *a) {
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned long long x = v * 0x100000001ull ^ (unsigned long long)v << 40;
    atomicAdd(&a[v % 32], x);
    atomicAnd(&a[64 + v % 32], x);
    atomicOr(&a[128 + v % 32], x);
    atomicXor(&a[192 + v % 32], x);
    atomicMin(&a[256 + v % 32], x);
    atomicMax(&a[320 + v % 32], x);
    atomicMin((long long *)&a[384 + v % 32], (long long)x);
    atomicMax((long long *)&a[448 + v % 32], (long long)x);
}

// Least and greatest of each group, and how many there are.
extern "C" __global__ void bounds(const unsigned *in, unsigned *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = in[i] % 16;
        atomicMin((int *)&out[k], (int)in[i]);
        atomicMax((int *)&out[16 + k], (int)in[i]);
        if (in[i] % 5)
            atomicAdd(&out[32 + k], 1);
    }
}

// Arrays of different kinds that share cache lines; the later one is known first.
extern "C" __global__ void next_to_each_other(const unsigned *in, unsigned *a) {
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned *high = a + 37, *higher = a + 64;
    for (int k = 0; k < 3; k++, v >>= 3) {
        atomicMax(&high[v % 27], v);
        atomicAdd(&a[v % 37], v);
        atomicXor((unsigned long long *)&higher[v % 19 * 2], v * 0x1000ull);
    }
}

// Words of one kind between words of others.
extern "C" __global__ void interleaved(const unsigned *in, unsigned *a) {
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x], *p = a + v % 64 * 4;
    atomicAdd(&p[0], 1);
    atomicMax(&p[1], v);
    atomicMin(&p[2], v);
    atomicAdd(&p[3], v);
}

// Several kinds go to the same words, each of which one thread has for itself.
extern "C" __global__ void own_words(const unsigned *in, unsigned *a) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t], *p = a + 8 * t;
    for (int k = 0; k < 9; k++, v >>= 2) {
        atomicAdd(&p[v % 8], v);
        atomicMax(&p[v / 2 % 8], v & 0xffff);
        atomicXor(&p[v / 4 % 8], 0x55);
    }
}

extern "C" __global__ void ones(const unsigned *in, unsigned *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&a[0], in[i]);
        atomicMin(&a[1], in[i]);
        atomicMax((int *)&a[2], (int)in[i]);
        if (in[i] % 3 == 0)
            atomicAdd(&a[3], 1);
        atomicOr(&a[4], in[i] & 0xff0);
        atomicAnd(&a[5], in[i] | 0xff);
        atomicXor(&a[6], in[i]);
        atomicAdd((unsigned long long *)&a[8], (unsigned long long)in[i] << 20);
        atomicMax((long long *)&a[10], (long long)in[i] << 20);
    }
}

// The word changes from block to block, and comes again.
extern "C" __global__ void one_of_block(const unsigned *in, unsigned *a) {
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&a[blockIdx.x % 2], v);
    if (threadIdx.x == 3)
        atomicMax(&a[2 + blockIdx.x % 3], v);
}

// A word that all go to, among words that lanes go to by themselves, of one kind and of another.
extern "C" __global__ void one_and_many(const unsigned *in, unsigned *a) {
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < 4; k++, v >>= 4) {
        atomicAdd(&a[v % 200], v);
        atomicAdd(&a[100], 1);
        atomicMax(&a[210 + v % 50], v);
        if (v % 2)
            atomicAdd(&a[300], v);
        atomicMax(&a[301], v);
    }
}

// Further and further behind the first word, and before it.
extern "C" __global__ void grows(const unsigned *in, unsigned *a) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t];
    atomicAdd(&a[v % (16 << threadIdx.x / 9)], 1);
    atomicAdd(&a[16383 - v % (t * 30 + 1)], v);
}

extern "C" __global__ void moving_base(const unsigned *in, unsigned *a) {
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < 6; k++, v >>= 3) {
        unsigned *row = a + (blockIdx.x * 5 + k) * 100;
        atomicAdd(&row[v % 100], v);
    }
}

struct place {
    unsigned *p;
};
__device__ place places[2];

extern "C" __global__ void loaded_base(const unsigned *in, unsigned *a) {
    place *s = places;
    s[0].p = a;
    s[1].p = a + 300;
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 0; k < 3; k++, v >>= 5) {
        atomicAdd(&s[0].p[v % 256], v);
        atomicAdd(&s[k & 1].p[v % 64], 1);
        atomicAdd(s[1].p + 70, v);
    }
}

// A pointer to either kind of memory.
extern "C" __global__ void generic_or_shared(const unsigned *in, unsigned *a) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, v = in[blockIdx.x * blockDim.x + t];
    s[t] = t;
    __syncthreads();
    for (int k = 0; k < 4; k++, v >>= 3) {
        unsigned *p = v & 64 ? s : a;
        atomicAdd(&p[v % 64], v);
    }
    __syncthreads();
    atomicAdd(&a[64 + blockIdx.x * 64 + t], s[63 - t]);
}

// Behind a barrier another thread reads what a thread has combined.
extern "C" __global__ void read_by_others(const unsigned *in, unsigned *a, unsigned *out) {
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t, v = in[i], *own = a + blockIdx.x * 256;
    unsigned sum = 0;
    for (int k = 0; k < 3; k++, v >>= 4) {
        atomicMax(&own[v % 64], v);
        atomicAdd(&own[64 + v % 64], v);
        atomicOr(&own[200], v);
        __syncthreads();
        sum = sum * 7 + own[63 - t] + own[64 + t] + own[200];
        __syncthreads();
        if (t < 5)
            own[t * 9] = t;
        __syncthreads();
    }
    out[i] = sum;
}

// Old values of words that others add to without reading them.
extern "C" __global__ void counted(const unsigned *in, unsigned *a, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t], *p = a + t * 4;
    atomicAdd(&p[v % 4], 3);
    unsigned old = atomicAdd(&p[v / 4 % 4], 1);
    atomicAdd(&p[v / 16 % 4], v);
    old = old * 5 + atomicExch(&p[v / 64 % 4], 9);
    atomicMax(&p[v / 256 % 4], v & 31);
    out[t] = old * 5 + atomicCAS(&p[v / 1024 % 4], 9, 10);
}

extern "C" __global__ void floats_between(const unsigned *in, float *a) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t];
    float *p = a + t * 8;
    for (int k = 0; k < 4; k++, v >>= 3) {
        atomicMax((int *)&p[v % 4], __float_as_int((float)(v % 100)));
        atomicAdd(&p[v / 8 % 4], 0.5f);
    }
}

extern "C" __global__ void read_one(const unsigned *in, unsigned *a, unsigned *out) {
    unsigned t = threadIdx.x, v = in[blockIdx.x * 64 + t];
    unsigned *own = a + blockIdx.x * 4;
    atomicMax(own, v);
    atomicAdd(own + 1, v);
    __syncthreads();
    out[blockIdx.x * 64 + t] = own[0] + own[1];
    __syncthreads();
    if (t == 7)
        own[0] = 5;
    __syncthreads();
    atomicMax(own, t);
}
