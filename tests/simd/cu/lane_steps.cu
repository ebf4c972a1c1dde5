// Threads that lie a distance apart which only the launch knows: columns of matrices, rows that a
// thread walks along, strides; distances of 0, negative ones, and such by which an index of 32 bits
// wraps around between two threads.

// run: transpose grid=3,3,1 block=16,16,1 shared=0 args=buf:16384:float,buf:16384:zero,u32:48,u32:48
// run: transpose grid=2,3,1 block=32,8,1 shared=0 args=buf:16384:float,buf:16384:zero,u32:50,u32:23
// run: transpose grid=3,3,1 block=8,4,1 shared=0 args=buf:16384:float,buf:16384:zero,u32:24,u32:12
extern "C" __global__ void transpose(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}

// run: rows grid=2,1,1 block=32,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u32:64,u32:17
// run: rows grid=2,1,1 block=32,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u32:41,u32:8
// run: rows grid=1,1,1 block=64,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u32:64,u32:1
extern "C" __global__ void rows(const unsigned *in, unsigned *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned sum = 0;
    for (int k = 0; k < m; k++)
        sum = sum * 5 + in[i * m + k];
    out[i] = sum;
}

// With 64-bit indices, and by pointers that move on.
// run: long_rows grid=2,1,1 block=32,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u64:19,u32:4
// run: long_rows grid=2,1,1 block=32,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u64:0,u32:3
extern "C" __global__ void long_rows(const unsigned short *in, unsigned *out, size_t pitch, int m) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned short *p = in + i * pitch;
    unsigned sum = 0;
    for (int k = 0; k < m; k++, p += 2)
        sum = sum * 3 + *p;
    out[i] = sum;
}

// Rows of n + 1 elements, by indices with a sign and without; one element for all where n + 1 is 0.
// run: padded grid=2,1,1 block=32,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u32:12,u32:9
// run: padded grid=1,1,1 block=64,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u32:4294967295,u32:9
// run: padded grid=1,1,1 block=64,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u32:0,u32:5
extern "C" __global__ void padded(const unsigned *in, unsigned *out, unsigned n, int m) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < m; k++)
        sum = sum * 5 + in[i * (n + 1) + k] + in[(int)i * (int)(n + 1) + (int)i * m + k];
    out[i] = sum;
}

// Downwards, from the end.
// run: down grid=1,1,1 block=64,1,1 shared=0 args=buf:16384:rand,buf:1024:zero,u32:4294967293,u32:512
// run: down grid=1,1,1 block=64,1,1 shared=0 args=buf:16384:rand,buf:1024:zero,u32:5,u32:8
// run: down grid=1,1,1 block=64,1,1 shared=0 args=buf:16384:rand,buf:1024:zero,u32:0,u32:8
extern "C" __global__ void down(const uint2 *in, uint2 *out, int by, int from) {
    uint2 v = in[from + (int)threadIdx.x * by];
    out[threadIdx.x] = make_uint2(v.y, v.x + 1);
}

// The sum wraps around: 2^31 elements of two bytes apart it comes to the same place.
// run: around grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:1024:zero,u32:2147483650,u32:5
// run: around grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:1024:zero,u32:3221225473,u32:2
// run: around grid=1,1,1 block=64,1,1 shared=0 args=buf:4096:rand,buf:1024:zero,u32:7,u32:9
extern "C" __global__ void around(const unsigned short *in, unsigned *out, unsigned by,
                                  unsigned add) {
    unsigned i = (threadIdx.x * 4 * by + add) % 4096u * 2 % 2048u;
    unsigned at = threadIdx.x * by * 4 + add; // as the index of an element it is used below 2048
    out[threadIdx.x] = in[i] + (at < 2048 ? in[at] : at);
}

// Signed, where only the last threads leave 32 bits; they come back to where a thread reads.
// run: edge grid=1,1,1 block=32,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u32:134217728,u32:64
// run: edge grid=1,1,1 block=32,1,1 shared=0 args=buf:16384:rand,buf:256:zero,u32:3,u32:64
extern "C" __global__ void edge(const unsigned *in, unsigned *out, int by, int add) {
    int at = (int)(threadIdx.x * (unsigned)by * 32) + add; // 2^32 where by is 2^27
    out[threadIdx.x] = in[at];
}

// Lanes that leave a loop in different iterations are no longer steps apart behind it.
// run: leave grid=1,1,1 block=64,1,1 shared=0 args=buf:16384:rand,buf:512:zero,u64:12,u32:3
// run: leave grid=1,1,1 block=64,1,1 shared=0 args=buf:16384:rand,buf:512:zero,u64:4,u32:7
extern "C" __global__ void leave(const unsigned *in, unsigned *out, size_t pitch, unsigned limit) {
    const unsigned *p = in + threadIdx.x * pitch;
    unsigned n = 0;
    while (*p % 8 != limit && n < 9) {
        p++;
        n++;
    }
    out[threadIdx.x] = *p + n;
}

// A choice between two pointers is none either.
// run: choose grid=1,1,1 block=64,1,1 shared=0 args=buf:16384:rand,buf:512:zero,u64:12,u32:3
extern "C" __global__ void choose(const unsigned *in, unsigned *out, size_t pitch, unsigned mod) {
    const unsigned *p = in + threadIdx.x * pitch;
    if (in[threadIdx.x] % mod == 0)
        p += 7;
    out[threadIdx.x] = *p;
}

// Doubles, and four words a thread.
// run: wide_rows grid=1,1,1 block=64,1,1 shared=0 args=buf:32768:rand,buf:4096:zero,u32:6
extern "C" __global__ void wide_rows(const uint4 *in, uint4 *out, int pitch) {
    int t = threadIdx.x;
    uint4 a = in[t * pitch];
    double d = *(const double *)&in[t * pitch + 1];
    a.x += d > 0;
    out[t * 2 + 1] = a;
    ((unsigned char *)out)[t * pitch * 4] = (unsigned char)a.y;
}
