// Words of shared memory that stay in registers within a turn of a loop, from threads to their
// neighbours, with edges that only some blocks have; and what must be in memory for the next turn,
// behind the loop, or because nobody sees through what touches it.
// run: march grid=2,2 block=32,8 args=buf:7168:float,buf:7168:zero,u32:64,u32:16,u32:7
// run: march grid=2,2 block=32,8 args=buf:7168:float,buf:7168:zero,u32:64,u32:16,u32:2
// run: march_line grid=3 block=64 args=buf:1536:float,buf:1536:zero,u32:192,u32:8
// run: march_line grid=2 block=128 args=buf:1536:float,buf:1536:zero,u32:256,u32:6
// run: carried grid=2 block=64 args=buf:256:small,buf:128:zero,u32:9
// run: behind grid=2 block=64 args=buf:256:small,buf:128:zero,u32:9
// run: behind grid=2 block=64 args=buf:256:small,buf:128:zero,u32:0
// run: some_lanes grid=2 block=64 args=buf:256:small,buf:128:zero,u32:9
// run: parts grid=2 block=64 args=buf:256:small,buf:128:zero,u32:7
// run: maybe_read grid=2 block=64 args=buf:256:small,buf:128:zero,u32:9
// run: leaves grid=2 block=64 args=buf:256:small,buf:128:zero,u32:9
// run: leaves grid=2 block=64 args=buf:256:small,buf:128:zero,u32:40
// run: loops grid=2 block=64 args=buf:256:small,buf:128:zero,u32:5
// run: halves grid=2 block=64 args=buf:256:small,buf:128:zero,u32:5
// run: moving grid=2 block=64 args=buf:256:small,buf:128:zero,u32:9
// run: unseen grid=2 block=64 args=buf:256:small,buf:128:zero,u32:9
// run: unseen grid=2 block=64 args=buf:256:small,buf:128:zero,u32:4
// run: dynamic grid=2 block=64 shared=512 args=buf:256:small,buf:128:zero,u32:9
// run: one_row grid=2 block=64 args=buf:256:small,buf:128:zero,u32:9
// run: skips grid=2 block=64 args=buf:256:small,buf:128:zero,u32:9
// run: few_unknown grid=4 block=64 args=buf:256:small,buf:256:zero,u32:6
// run: entered grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: entered grid=2 block=32 args=buf:256:small,buf:256:zero,u32:9
// run: entered_always grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: scattered grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: scattered grid=2 block=64 args=buf:256:small,buf:256:zero,u32:30
// run: scattered_once grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: nested grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: ended grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: left grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: counted grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: copied grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: read_by_call grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: read_by_atomic grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: wide_words grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: dynamic_end grid=2 block=64 shared=268 args=buf:256:small,buf:256:zero,u32:9
// run: edges_later grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: counted_last grid=2 block=64 args=buf:256:small,buf:256:zero,u32:9
// run: nobody_goes grid=2 block=5,3 args=buf:256:rand,buf:256:zero

// A plane a turn; neighbours, and edges of the tile that other blocks' points are.
extern "C" __global__ void march(const float *in, float *out, int w, int h, int d) {
    __shared__ float s[8 + 2][32 + 2];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1, plane = w * h, i = y * w + x;
    bool inside = x >= 1 && y >= 1 && x < w - 1 && y < h - 1;
    float below = 0, here = in[i], above = in[i + plane];
    for (int z = 1; z < d - 1; z++) {
        i += plane;
        below = here;
        here = above;
        above = in[i + plane];
        __syncthreads();
        s[ly][lx] = here;
        if (threadIdx.x == 0 && x > 0)
            s[ly][0] = in[i - 1];
        if (threadIdx.x == 31 && x < w - 1)
            s[ly][33] = in[i + 1];
        if (threadIdx.y == 0 && y > 0)
            s[0][lx] = in[i - w];
        if (threadIdx.y == 7 && y < h - 1)
            s[9][lx] = in[i + w];
        __syncthreads();
        if (inside)
            out[i] = 0.4f * here + 0.1f * (s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] +
                                           s[ly + 1][lx] + below + above);
    }
}

// The edges are loaded by whole lanes, and what is missing is left from the turn before.
extern "C" __global__ void march_line(const float *in, float *out, int w, int n) {
    __shared__ float s[130];
    int t = threadIdx.x, x = blockIdx.x * blockDim.x + t, last = blockDim.x + 1;
    s[t] = s[last - t] = t;
    __syncthreads();
    for (int k = 0; k < n && k * w + x < 1536; k++) {
        float v = in[k * w + x];
        s[t + 1] = v;
        if (blockIdx.x > 0 && k % 3)
            s[0] = in[k * w + x - t - 1];
        if (k % 2 && blockIdx.x + 1 < gridDim.x)
            s[last] = in[k * w + x - t + blockDim.x];
        __syncthreads();
        out[k * w + x] = s[t] + 3 * s[t + 2] - v;
        __syncthreads();
    }
}

// Read before it is written, in the next turn.
extern "C" __global__ void carried(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned sum = 0;
    s[t] = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        sum = sum * 5 + s[t ^ 1];
        __syncthreads();
        s[63 - t] = sum ^ k;
        __syncthreads();
        sum += s[(t + 3) % 64];
    }
    out[blockIdx.x * 64 + t] = sum;
}

extern "C" __global__ void behind(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned v = in[t];
    s[t] = 5;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        v = v * 3 + s[t ^ 7];
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t] + v;
}

// Stores of lanes that data choose: the others' words stay as they were.
extern "C" __global__ void some_lanes(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[66];
    int t = threadIdx.x;
    unsigned v = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (k == 0 || (v >> k) % 3)
            s[t + 1] = v + k;
        if (k > 0 && (in[t + 64] >> k & 1) && t == 63)
            s[0] = k;
        if (k == 0 && t < 2)
            s[t * 65] = 9;
        __syncthreads();
        v = v * 3 + s[t] + s[t + 2];
    }
    out[blockIdx.x * 64 + t] = v;
}

// Parts of words: the rest of a word is that of the turn before.
extern "C" __global__ void parts(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned v = in[t], sum = 0;
    s[t] = v;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (n > k + 2)
            ((unsigned char *)s)[4 * t + k % 4] = v + k;
        __syncthreads();
        sum = sum * 7 + s[t ^ 9];
        __syncthreads();
        s[t] = s[t] * 3 + sum;
    }
    out[blockIdx.x * 64 + t] = sum;
}

// Ways that some turns take read and write what is in registers.
extern "C" __global__ void maybe_read(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned v = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        if (k & blockIdx.x)
            v += s[t ^ 1];
        if (k % 3 == 1)
            v ^= s[63 - t];
        else if (k % 3 == 2)
            out[blockIdx.x * 64 + t] = s[t ^ 2];
        __syncthreads();
        if (k % 4 == 2)
            s[t ^ 3] = v;
        __syncthreads();
        v += s[(t + 1) % 64];
    }
    out[blockIdx.x * 64 + t] += v;
}

// Left in the middle of a turn, with words that are read behind.
extern "C" __global__ void leaves(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned v = in[t];
    for (int k = 0;; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        v += s[t ^ 1];
        if (in[k] > n + blockIdx.x || k > 30)
            break;
        __syncthreads();
        s[t] = v * 3;
        __syncthreads();
        v ^= s[63 - t];
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + s[(t + 9) % 64];
}

extern "C" __global__ void loops(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64], u[64];
    int t = threadIdx.x;
    unsigned v = in[t];
    u[t] = v * 5;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n + j; k++) {
            __syncthreads();
            s[t] = v + k;
            __syncthreads();
            v = v * 3 + s[t ^ 1] + u[63 - t];
        }
        __syncthreads();
        u[t ^ 5] = v;
        __syncthreads();
        for (int k = 0; k < n; k++) {
            __syncthreads();
            v += s[(t + 1) % 64];
            __syncthreads();
            s[t] = v;
        }
    }
    out[blockIdx.x * 64 + t] = v;
}

// Which threads act is known.
extern "C" __global__ void halves(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned v = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        if (t < 32)
            s[t] += s[t + 32];
        __syncthreads();
        if (t < 8)
            s[t] += s[t + 8] * s[t + 16];
        __syncthreads();
        v = v * 3 + s[t] + s[0];
    }
    out[blockIdx.x * 64 + t] = v;
}

// Places that differ from turn to turn.
extern "C" __global__ void moving(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[128];
    int t = threadIdx.x;
    unsigned v = in[t];
    s[t] = s[t + 64] = v;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v * 3;
        s[64 + (t + k) % 64] = v;
        __syncthreads();
        if (n > 3)
            s[(k * 5) % 64] = k;
        __syncthreads();
        v += s[t ^ 1] + s[64 + t] + s[(v >> 3) % 128];
    }
    out[blockIdx.x * 64 + t] = v;
}

// Generic addresses, atomics, volatile words.
extern "C" __global__ void unseen(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64], u[64];
    int t = threadIdx.x;
    unsigned v = in[t];
    unsigned *p = n > 5 ? s : out + blockIdx.x * 64;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        if (t == k)
            p[t ^ 1] = 77;
        __syncthreads();
        v = v * 3 + s[t ^ 1];
    }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        __syncthreads();
        u[t] = v + k;
        __syncthreads();
        atomicAdd(&u[v % 64], 3);
        __syncthreads();
        v = v * 5 + u[t ^ 1];
    }
    for (int k = 0; k < n; k++) {
        __syncthreads();
        u[t] = v + k;
        __syncthreads();
        *(volatile unsigned *)&u[t ^ 2] = v;
        __syncthreads();
        v = v * 5 + u[t ^ 1];
    }
    out[blockIdx.x * 64 + t] = v;
}

extern "C" __global__ void dynamic(const unsigned *in, unsigned *out, int n) {
    extern __shared__ unsigned d[];
    int t = threadIdx.x;
    unsigned v = in[t];
    d[t + 64] = 3;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        d[t] = v + k;
        if (k % 3 == 1)
            d[64] = k;
        __syncthreads();
        v = v * 3 + d[t + 1] + d[t ^ 1];
    }
    out[blockIdx.x * 64 + t] = v;
}

// A turn's words of one warp, in shuffles and without barriers between them.
extern "C" __global__ void one_row(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned v = in[t];
    for (int k = 0; k < n; k++) {
        s[t] = v + k;
        __syncwarp();
        v = v * 3 + s[t / 32 * 32 + 31 - t % 32] + __shfl_xor_sync(~0u, v, 1);
        __syncwarp();
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v;
}

// A turn that ends early for all.
extern "C" __global__ void skips(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned v = in[t];
    s[t] = v;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        v = v * 3 + s[t ^ 1];
        __syncthreads();
        s[t] = v;
        if ((k ^ blockIdx.x) & 1)
            continue;
        __syncthreads();
        v += s[63 - t];
        __syncthreads();
        s[t ^ 4] = v * k;
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + s[t ^ 8];
}

// One, two, and more words of a row that are in memory alone, at its ends and between.
extern "C" __global__ void few_unknown(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[70];
    int t = threadIdx.x;
    unsigned v = in[t], b = blockIdx.x;
    s[t] = s[t + 6] = t;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t + 3] = v + k;
        __syncthreads();
        if (k > 1) {
            if (b & 1)
                s[3 + 5] = s[3 + 63] = k;
            if (b & 2)
                s[2] = s[1] = s[0] = s[67] = k * 7;
            if (k == 3)
                s[40] = s[41] = s[42] = b;
        }
        __syncthreads();
        v = v * 3 + s[t + 2] + s[t + 4] * 5 + s[t] * 7 + s[t + 6];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = v;
}

// Words that are in registers where a loop is entered, which nothing tests: its turns store to
// places that nobody knows.
extern "C" __global__ void entered(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64], u[16];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    if (t < 16)
        u[t] = 99;
    __syncthreads();
    for (unsigned i = t; i < 1024; i += blockDim.x) {
        unsigned v = in[i / 64];
        if ((v >> 1 & 31) == t)
            u[i / 64 + n & 15] = i + s[t];
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = u[t % 16] + s[t ^ 1];
}

// The same with barriers, and known places beside them.
extern "C" __global__ void entered_always(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64], u[64];
    unsigned t = threadIdx.x, v = in[t];
    s[t] = v;
    u[t] = 7;
    int k = 0;
    do {
        __syncthreads();
        u[(t + in[k] % 2 * n) & 63] = v + k;
        __syncthreads();
        v = v * 3 + s[t ^ 1] + u[t];
        __syncthreads();
        if (k & 1)
            s[t] = v;
        if (t == 3)
            u[v & 63] = 8;
    } while (++k < n);
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + s[63 - t] + u[t ^ 3];
}

// Some threads store, where only the launch knows; others' words stay.
extern "C" __global__ void scattered(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, v = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        if (v & 4)
            s[(t + n) & 63] = v;
        __syncthreads();
        v = v * 3 + s[t ^ 1];
    }
    out[blockIdx.x * 64 + t] = v;
}

// Not in all turns, and what was stored is read in the next turn, or behind the loop.
extern "C" __global__ void scattered_once(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64], u[64];
    unsigned t = threadIdx.x, v = in[t];
    u[t] = t;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        v += u[63 - t];
        __syncthreads();
        if (k == 2 && t == (in[5] & 63))
            u[v & 63] = s[v & 31] = 1000 + k;
        __syncthreads();
        v = v * 3 + s[t ^ 1];
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + u[t] + s[t ^ 2];
}

// Tests within tests, with known and unknown places in each way.
extern "C" __global__ void nested(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x, v = in[t];
    s[t + 64] = t;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        if (v & 1) {
            if (k & 1)
                s[t] = v * 2;
            else
                s[t] += k;
            v += s[t];
        } else if (v & 2) {
            s[64 + ((t + n) & 63)] = v;
        } else {
            for (unsigned j = 0; j < (v & 3); j++)
                s[64 + ((t + n) & 63)] += j;
        }
        __syncthreads();
        v = v * 3 + s[t ^ 1] + s[127 - t];
    }
    out[blockIdx.x * 64 + t] = v;
}

// Threads end in the middle of a turn.
extern "C" __global__ void ended(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, v = in[t];
    s[t] = t;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        if (k == 3 && v % 3 == 1)
            return;
        __syncthreads();
        v = v * 3 + s[t ^ 1];
        out[blockIdx.x * 64 + t] = v;
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + s[63 - t];
}

// Threads leave a loop one by one.
extern "C" __global__ void left(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, v = in[t];
    s[t] = 3;
    for (int k = 0; k < n; k++) {
        s[t] = v + k;
        if ((v & 7) == k)
            break;
        s[t] += 5;
        v = v * 3 + s[t];
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + s[63 - t];
}

// Additions in some turns, by some threads.
extern "C" __global__ void counted(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, v = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        if (k % 3 == 1 && v % 2)
            atomicAdd(&s[v / 2 % 64], k);
        __syncthreads();
        v = v * 3 + s[t ^ 1];
    }
    out[blockIdx.x * 64 + t] = v;
}

// Copies that nothing waits for at once.
extern "C" __global__ void copied(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, v = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        if (k % 3 == 1) {
            unsigned at = (unsigned)__cvta_generic_to_shared(&s[t ^ 5]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + t + k)
                         : "memory");
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
        __syncthreads();
        v = v * 3 + s[t ^ 1];
    }
    out[blockIdx.x * 64 + t] = v;
}

// Nobody but a function, or an atomic operation, reads what the last turn stored.
__device__ __noinline__ unsigned take(const unsigned *p, unsigned k) {
    return k & 1 ? p[k & 63] : k;
}

extern "C" __global__ void read_by_call(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, v = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        v = v * 3 + s[t ^ 1];
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + take(s, v);
}

extern "C" __global__ void read_by_atomic(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, v = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        v = v * 3 + s[t ^ 1];
    }
    __syncthreads();
    out[blockIdx.x * 64 + t] = v + atomicAdd(&s[63 - t], 1);
}

// Two words, four, and half of one.
extern "C" __global__ void wide_words(const unsigned *in, unsigned *out, int n) {
    __shared__ uint4 q[64];
    __shared__ unsigned long long l[66];
    unsigned t = threadIdx.x, v = in[t];
    l[t] = l[t + 2] = t;
    q[t] = make_uint4(1, 2, 3, t);
    for (int k = 0; k < n; k++) {
        __syncthreads();
        l[t + 1] = v * 0x100000001ull + k;
        q[t].y = v;
        __syncthreads();
        if (k % 3 == 1 && t == 7)
            l[0] = k;
        if (k & 1)
            ((unsigned short *)q)[8 * t + 3] = k;
        __syncthreads();
        unsigned long long x = l[t] + l[t + 2] * 3;
        v = v * 3 + (unsigned)(x >> 20) + q[63 - t].y + q[t ^ 1].w;
    }
    out[blockIdx.x * 64 + t] = v;
}

// Lanes that do not act would read behind the end.
extern "C" __global__ void dynamic_end(const unsigned *in, unsigned *out, int n) {
    extern __shared__ unsigned d[];
    unsigned t = threadIdx.x, v = in[t];
    if (t < 3)
        d[t + 64] = t;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        d[t] = v + k;
        __syncthreads();
        if (t < 64 - (k & 1) && (v & 1))
            v += d[t + 3];
        v = v * 3 + d[t ^ 1];
    }
    out[blockIdx.x * 64 + t] = v;
}

// A row's ends are read in one turn, and stored for the next one.
extern "C" __global__ void edges_later(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[66];
    unsigned t = threadIdx.x, v = in[t];
    if (t < 2)
        s[t * 65] = 9;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t + 1] = v + k;
        __syncthreads();
        v = v * 3 + s[t] + s[t + 2] * 5;
        __syncthreads();
        if (t == 0)
            s[0] = v;
        if (t == 63)
            s[65] = v ^ k;
    }
    out[blockIdx.x * 64 + t] = v;
}

// An atomic operation alone reads what a turn stored.
extern "C" __global__ void counted_last(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, v = in[t];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        s[t] = v + k;
        __syncthreads();
        v = v * 3 + s[t ^ 1];
        __syncthreads();
        if (k % 3 == 1)
            v += atomicOr(&s[v % 64], 0);
    }
    out[blockIdx.x * 64 + t] = v;
}

// No thread comes to a branch, which has a loop: what is known before it is known behind it.
extern "C" __global__ void nobody_goes(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[15];
    unsigned t = threadIdx.x + blockDim.x * threadIdx.y, x = in[t], y = in[t + 1];
    int fuel = 60;
    s[t] = 9;
    __syncthreads();
    s[t] = x * 3;
    __syncthreads();
    x = s[(t + 5) % 15];
    if (t >= 16) {
        if (--fuel < 0)
            goto end;
        while (--fuel > 0 && (y & 7) < 2) {
        }
        if (--fuel < 0)
            goto end;
    end:;
    }
    out[blockIdx.x * 15 + t] = x + fuel;
}
