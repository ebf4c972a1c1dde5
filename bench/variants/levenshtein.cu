// Myers' algorithm with Hyyro's formulas in a grid-stride loop, masks read from global memory; a
// structure with a step, masks in constant memory, the length as the loop's bound in a register;
// masks of letters alone in shared memory, the word's letters four at a time.
#include "bench.h"

typedef unsigned long long u64;
typedef unsigned char byte;
enum { N = 1 << 17 };

__global__ void in_turn(const u64 *peq, const byte *text, const byte *length, byte *distance,
                        int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        u64 pv = ~0ull, mv = 0;
        int score = 64, m = length[i];
        const byte *t = text + i;
        for (int j = 0; j < m; j++, t += n) {
            u64 eq = peq[*t], xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq;
            u64 ph = mv | ~(xh | pv), mh = pv & xh;
            if (ph >> 63)
                score++;
            else if (mh >> 63)
                score--;
            ph = ph << 1 | 1;
            mh <<= 1;
            pv = mh | ~(xv | ph);
            mv = ph & xv;
        }
        distance[i] = score;
    }
}

__constant__ u64 letter_masks[256];

struct Column {
    u64 up = ~0ull, down = 0;
    int last = 64;
    __device__ void step(u64 eq) {
        u64 d0 = (((eq & up) + up) ^ up) | eq | down, hp = down | ~(d0 | up), hn = d0 & up;
        last += (hp & 1ull << 63) != 0;
        last -= (hn & 1ull << 63) != 0;
        u64 x = hp << 1 | 1;
        down = x & d0;
        up = hn << 1 | ~(x | d0);
    }
};

__global__ void with_steps(const byte *text, const byte *length, byte *distance) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Column column;
    unsigned end = i + length[i] * N;
    for (unsigned at = i; at < end; at += N)
        column.step(letter_masks[text[at]]);
    distance[i] = column.last;
}

__global__ void letters_shared(const u64 *masks, const byte *text, const byte *length,
                               byte *distance, int n) {
    __shared__ u64 s[26];
    if (threadIdx.x < 26)
        s[threadIdx.x] = masks['a' + threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, m = i < n ? length[i] : 0, k = 0;
    Column column;
    for (; k + 4 <= m; k += 4) {
        u64 a = s[text[k * n + i] - 'a'], b = s[text[(k + 1) * n + i] - 'a'];
        u64 c = s[text[(k + 2) * n + i] - 'a'], d = s[text[(k + 3) * n + i] - 'a'];
        column.step(a);
        column.step(b);
        column.step(c);
        column.step(d);
    }
    for (; k < m; k++)
        column.step(s[text[k * n + i] - 'a']);
    if (i < n)
        distance[i] = column.last;
}

VARIANTS(levenshtein, "Levenshtein, Myers") {
    const u64 *masks = row_buffer<u64>(0).dev;
    const byte *text = row_buffer<byte>(1).dev, *length = row_buffer<byte>(2).dev;
    byte *distance = row_buffer<byte>(3).dev;
    CHECK(cudaMemcpyToSymbol(letter_masks, row_buffer<u64>(0).host, sizeof letter_masks));
    return {
        [=] { in_turn<<<256, 128>>>(masks, text, length, distance, N); },
        [=] { with_steps<<<N / 256, 256>>>(text, length, distance); },
        [=] { letters_shared<<<N / 512, 512>>>(masks, text, length, distance, N); },
    };
}
