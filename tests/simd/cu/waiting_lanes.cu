// Loops that wait. Lanes that tell others nothing before the next barrier, but by what a turn of
// the loop does, need no stacks of their own: one lane of a block that waits for other blocks, as
// in grid synchronisation, or all lanes. Lanes that hand something on behind the loop do.
// run: grid_sync grid=12 block=64 args=buf:1:zero,buf:768:small,buf:768:zero,u32:3
// run: rank_of_three grid=12 block=4,4,4 args=buf:1:zero,buf:12:zero
// run: other_number grid=6 block=48 args=buf:1:zero,buf:6:zero,u32:35
// run: two_of_a_warp grid=1 block=64 args=buf:1:zero,buf:4:zero
// run: number_of_each grid=1 block=64 args=buf:64:iota,buf:1:zero,buf:64:zero
// run: number_of_a_turn grid=1 block=64 args=buf:1:zero,buf:64:zero
// run: one_a_turn grid=1 block=64 args=buf:1:zero,buf:64:zero
// run: met_outside grid=1 block=64 args=buf:1:zero,buf:64:zero
// run: passed_inside grid=3 block=64 args=buf:1:zero,buf:64:zero
// run: words_of_each grid=9 block=48 args=buf:480:zero

// Waits until the number is there, takes it, and hands on the next one.
static __device__ unsigned wait_and_pass(volatile unsigned *turn, unsigned mine) {
    unsigned seen;
    while ((seen = *turn) != mine)
        ;
    __threadfence();
    *turn = mine + 1;
    return seen;
}

// Every block waits for all, twice a round, with loops of different lengths between.
static __device__ void everybody(unsigned *arrived, unsigned expected) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < expected)
            ;
        __threadfence();
    }
    __syncthreads();
}

extern "C" __global__ void grid_sync(unsigned *arrived, const unsigned *in, unsigned *out,
                                     unsigned rounds) {
    unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (unsigned k = i; k < n; k += 1 + threadIdx.x)
        sum += in[k];
    out[i] = sum;
    for (unsigned r = 1; r <= rounds; r++) {
        everybody(arrived, (2 * r - 1) * gridDim.x);
        for (unsigned k = 0; k < (in[i] & 7); k++)
            sum += out[(i + 64 * k) % n];
        everybody(arrived, 2 * r * gridDim.x);
        out[i] = sum;
    }
}

// The thread of rank 0 in a block of three dimensions; blocks in turn.
extern "C" __global__ void rank_of_three(volatile unsigned *turn, unsigned *out) {
    unsigned rank = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (rank == 0)
        out[blockIdx.x] = wait_and_pass(turn, blockIdx.x);
}

extern "C" __global__ void other_number(volatile unsigned *turn, unsigned *out, unsigned who) {
    if (threadIdx.x == who)
        out[blockIdx.x] = wait_and_pass(turn, blockIdx.x);
}

// Two lanes of each warp; the first of them comes last.
extern "C" __global__ void two_of_a_warp(volatile unsigned *turn, unsigned *out) {
    if ((threadIdx.x & 15) == 0)
        out[threadIdx.x / 16] = wait_and_pass(turn, (threadIdx.x / 16) ^ 1);
}

// The number is each lane's own: all of them come.
extern "C" __global__ void number_of_each(const unsigned *in, volatile unsigned *turn,
                                          unsigned *out) {
    unsigned t = threadIdx.x;
    if (t == in[t])
        out[t] = wait_and_pass(turn, 63 - t);
}

// The number is what a counter was when the lane left a loop: all of them come.
extern "C" __global__ void number_of_a_turn(volatile unsigned *turn, unsigned *out) {
    unsigned t = threadIdx.x, count = 0;
    while (count < t) {
        asm volatile("");
        count++;
    }
    if (t == count)
        out[t] = wait_and_pass(turn, 63 - t);
}

// One lane in each turn, while the others wait for it.
extern "C" __global__ void one_a_turn(volatile unsigned *turn, unsigned *out) {
    for (unsigned k = 0; k < 64; k++)
        if (threadIdx.x == k)
            out[k] = wait_and_pass(turn, k);
}

// One lane leaves in each turn; outside they meet and wait for each other.
extern "C" __global__ void met_outside(volatile unsigned *turn, unsigned *out) {
    unsigned t = threadIdx.x, k;
    for (k = 0; k < 64; k++) {
        asm volatile("");
        if (t == k)
            goto out_of_turns;
    }
    return;
out_of_turns:
    out[t] = wait_and_pass(turn, 63 - t);
}

// What the others wait for is done in the loop itself.
extern "C" __global__ void passed_inside(volatile unsigned *turn, unsigned *out) {
    unsigned mine = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
    bool passed = false;
    while (!passed) {
        if (*turn == mine) {
            __threadfence();
            *turn = mine + 1;
            passed = true;
        }
    }
    __syncthreads();
    out[threadIdx.x] = *turn >= (blockIdx.x + 1) * blockDim.x;
}

// Each lane waits for a word of its own, which a thread of the next block writes.
extern "C" __global__ void words_of_each(volatile unsigned *word) {
    unsigned t = threadIdx.x, n = blockDim.x;
    volatile unsigned *mine = word + blockIdx.x * n, *next = mine + n;
    if (blockIdx.x + 1 < gridDim.x)
        while (next[t] == 0)
            ;
    __syncthreads();
    __threadfence();
    mine[n - 1 - t] = blockIdx.x + 1 < gridDim.x ? next[n - 1 - t] + t : t + 1;
}
