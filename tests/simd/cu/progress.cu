// Threads that spin in memory always make progress: blocks, more of them than workers; warps of a
// block; lanes of a warp.
// run: blocks_in_reverse grid=70 block=33 args=buf:70:zero,buf:70:zero
// run: ping_pong grid=24 block=64 args=buf:24:zero,buf:24:zero,u32:20
// run: queue grid=40 block=32 args=buf:64:zero,buf:40:zero
// run: warps_in_turn grid=2 block=160 args=buf:10:zero,u32:7
// run: producer_warp grid=3 block=64 args=buf:96:small,buf:96:zero
// run: lane_locks grid=2 block=64 args=buf:1:zero,buf:1:zero
// run: lane_exchange_lock grid=1 block=96 args=buf:1:zero,buf:1:zero
// run: lane_tickets grid=2 block=40 args=buf:2:zero,buf:1:zero
// run: lanes_in_order grid=1 block=64 args=buf:1:zero,buf:64:zero
// run: lane_feeds grid=1 block=64 args=buf:64:zero,buf:64:zero
// run: try_lock grid=3 block=32 args=buf:1:zero,buf:1:zero
// run: grid_barrier grid=30 block=64 args=buf:1:zero,buf:60:zero,u32:4
// run: look_back grid=60 block=32 args=buf:120:zero,buf:60:zero
// run: called_lock grid=2 block=64 args=buf:1:zero,buf:1:zero
// run: asked_by_function grid=40 block=32 args=buf:41:zero,buf:40:zero
// run: noted_when_done grid=40 block=64 args=buf:41:zero,buf:40:zero
// run: older_than_the_model grid=40 block=64 args=buf:40:zero,buf:40:zero
// run: last_warp_first grid=3 block=160 args=buf:480:zero
// run: any_look_back grid=300 block=64 args=buf:301:zero,buf:300:zero
// run: any_look_back grid=90 block=32 args=buf:91:zero,buf:90:zero
// run: any_in_reverse grid=70 block=64 args=buf:71:zero,buf:70:zero
// run: any_meet grid=60 block=64 args=buf:2:zero,buf:60:zero
// run: any_meet grid=60 block=33 args=buf:2:zero,buf:60:zero
// run: acquired grid=16 block=32 args=buf:17:zero,buf:16:zero

// Each block waits for the next one, which starts later.
extern "C" __global__ void blocks_in_reverse(volatile unsigned *flag, unsigned *out) {
    unsigned b = blockIdx.x;
    if (threadIdx.x == 0) {
        while (b + 1 < gridDim.x && flag[b + 1] == 0)
            ;
        __threadfence();
        out[b] = b + 1 < gridDim.x ? ((volatile unsigned *)out)[b + 1] + b : b;
        __threadfence();
        flag[b] = 1;
    }
}

// The same with ordinary loads, and a fence in each turn.
extern "C" __global__ void older_than_the_model(unsigned *flag, unsigned *out) {
    unsigned b = blockIdx.x;
    if (threadIdx.x == 0 && b + 1 < gridDim.x) {
        for (;;) {
            unsigned there;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(there) : "l"(flag + b + 1) : "memory");
            if (there)
                break;
            __threadfence_block();
        }
    }
    __syncthreads();
    if (threadIdx.x == 40) {
        out[b] = b + 1 < gridDim.x ? ((volatile unsigned *)out)[b + 1] + b : b;
        __threadfence();
        ((volatile unsigned *)flag)[b] = 1;
    }
}

// Pairs of blocks that hand a number to and fro.
extern "C" __global__ void ping_pong(volatile unsigned *ball, unsigned *out, unsigned turns) {
    unsigned pair = blockIdx.x % (gridDim.x / 2), side = blockIdx.x / (gridDim.x / 2);
    if (threadIdx.x == 40)
        for (unsigned k = 0; k < turns; k++) {
            while (ball[pair] != 2 * k + side)
                ;
            ball[pair] = 2 * k + side + 1;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = side ? ball[pair] : turns;
}

// Every block takes a number and waits until the one before has been served.
extern "C" __global__ void queue(unsigned *q, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(&q[0], 1u);
        while (atomicAdd(&q[1], 0u) != mine)
            __nanosleep(20);
        out[mine] = 3 * mine + 1;
        __threadfence();
        atomicAdd(&q[1], 1u);
    }
}

extern "C" __global__ void warps_in_turn(unsigned *out, unsigned turns) {
    __shared__ volatile unsigned turn;
    unsigned w = threadIdx.x / 32, n = blockDim.x / 32;
    if (threadIdx.x == 0)
        turn = 0;
    __syncthreads();
    for (unsigned k = 0; k < turns; k++) {
        while (turn != k * n + (n - 1 - w))
            ;
        __syncwarp();
        if (threadIdx.x % 32 == 5) {
            out[blockIdx.x * n + w] += turn;
            turn = turn + 1;
        }
        __syncwarp();
    }
}

extern "C" __global__ void producer_warp(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned room[32], full;
    unsigned t = threadIdx.x % 32;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x >= 32) {
        room[t] = in[blockIdx.x * 32 + t];
        __threadfence_block();
        __syncwarp();
        if (t == 0)
            full = 1;
    } else {
        while (full == 0)
            ;
        __threadfence_block();
        out[blockIdx.x * 32 + t] = room[31 - t] + 1;
    }
}

// Warps wait for later ones of their block, between barriers over which sums live.
extern "C" __global__ void last_warp_first(unsigned *out) {
    __shared__ volatile unsigned turn;
    unsigned w = threadIdx.x / 32, sum = threadIdx.x;
    for (unsigned k = 1; k < 4; k++) {
        if (threadIdx.x == 0)
            turn = blockDim.x / 32;
        __syncthreads();
        while (turn != w + 1)
            ;
        __syncwarp();
        sum += turn * k;
        __syncwarp();
        if (threadIdx.x % 32 == 7)
            turn = w;
        sum += __syncthreads_count(sum % 3 == 0);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A lock that each lane takes for itself while the others of its warp spin.
extern "C" __global__ void lane_locks(unsigned *lock, unsigned *sum) {
    while (atomicCAS(lock, 0u, 1u) != 0)
        ;
    __threadfence();
    *(volatile unsigned *)sum = *(volatile unsigned *)sum + threadIdx.x;
    __threadfence();
    atomicExch(lock, 0u);
}

extern "C" __global__ void lane_exchange_lock(unsigned *lock, unsigned *sum) {
    while (atomicExch(lock, 1u) != 0)
        ;
    __threadfence();
    *(volatile unsigned *)sum = *(volatile unsigned *)sum * 1u + 3u;
    __threadfence();
    *(volatile unsigned *)lock = 0;
}

extern "C" __global__ void lane_tickets(unsigned *tickets, unsigned *sum) {
    unsigned mine = atomicAdd(&tickets[0], 1u);
    while (((volatile unsigned *)tickets)[1] != mine)
        ;
    __threadfence();
    *(volatile unsigned *)sum = *(volatile unsigned *)sum + mine;
    __threadfence();
    atomicAdd(&tickets[1], 1u);
}

extern "C" __global__ void lanes_in_order(volatile unsigned *turn, unsigned *out) {
    unsigned t = threadIdx.x;
    while (*turn != 63 - t)
        ;
    out[t] = *turn * 2;
    __threadfence();
    *turn = 64 - t;
}

// One lane feeds the others of its warp, in the other arm of a branch.
extern "C" __global__ void lane_feeds(volatile unsigned *room, unsigned *out) {
    unsigned t = threadIdx.x, first = t / 32 * 32;
    if (t % 32 == 31) {
        for (unsigned k = 0; k < 31; k++)
            room[first + k] = k + 1;
        out[t] = 99;
    } else {
        unsigned v;
        while ((v = room[t]) == 0)
            ;
        out[t] = v * 10;
    }
}

// Who does not get the lock does something else and tries again.
extern "C" __global__ void try_lock(unsigned *lock, unsigned *sum) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0u, 1u) == 0) {
            __threadfence();
            *(volatile unsigned *)sum = *(volatile unsigned *)sum + 5;
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}

// All blocks of the grid meet, again and again, by their first threads.
extern "C" __global__ void grid_barrier(unsigned *count, unsigned *out, unsigned turns) {
    unsigned sum = 0;
    for (unsigned k = 1; k <= turns; k++) {
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1u);
            while (*(volatile unsigned *)count < k * gridDim.x)
                ;
            __threadfence();
        }
        __syncthreads();
        if (threadIdx.x % 32 == 0)
            ((volatile unsigned *)out)[blockIdx.x * 2 + threadIdx.x / 32] += k;
        sum += k;
    }
}

// Decoupled look-back: each block publishes its own number, then the sum up to it.
extern "C" __global__ void look_back(volatile unsigned *state, unsigned *out) {
    unsigned b = blockIdx.x;
    volatile unsigned *own = state, *total = state + gridDim.x;
    if (threadIdx.x == 0) {
        unsigned sum = b + 1;
        own[b] = b + 1;
        __threadfence();
        for (unsigned k = b; k-- > 0;) {
            unsigned all, part;
            do {
                all = total[k];
                part = own[k];
            } while (all == 0 && part == 0);
            sum += all ? all : part;
            if (all)
                break;
        }
        total[b] = sum;
        out[b] = sum;
    }
}

__device__ __noinline__ void take(unsigned *lock) {
    while (atomicCAS(lock, 0u, 1u) != 0)
        ;
    __threadfence();
}
__device__ __noinline__ void give(unsigned *lock) {
    __threadfence();
    atomicExch(lock, 0u);
}
extern "C" __global__ void called_lock(unsigned *lock, unsigned *sum) {
    if (threadIdx.x % 3)
        return;
    take(lock);
    *(volatile unsigned *)sum = *(volatile unsigned *)sum + 1;
    give(lock);
}

// A chain of blocks by acquire loads and release stores.
extern "C" __global__ void acquired(unsigned *flag, unsigned *out) {
    unsigned b = blockIdx.x, next = gridDim.x - 1 - b, v;
    if (threadIdx.x == 0 && next > 0)
        do
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(flag + next) : "memory");
        while (v == 0);
    __syncwarp();
    if (threadIdx.x == 1)
        out[next] = next ? out[next - 1] + next : 7;
    __syncwarp();
    if (threadIdx.x == 0)
        asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(flag + next + 1), "r"(1u) : "memory");
}

__device__ __noinline__ bool ready(volatile unsigned *p, unsigned k) {
    return p[k] != 0;
}
extern "C" __global__ void asked_by_function(volatile unsigned *flag, unsigned *out) {
    unsigned b = blockIdx.x;
    if (threadIdx.x == 0) {
        while (b + 1 < gridDim.x && !ready(flag, b + 1))
            ;
        out[b] = b * 3;
        __threadfence();
        flag[b] = 1;
    }
}

// What ends the loop is a variable that a branch sets.
extern "C" __global__ void noted_when_done(volatile unsigned *flag, unsigned *out) {
    unsigned b = blockIdx.x, asked = 0;
    if (threadIdx.x == 35) {
        bool done = b + 1 == gridDim.x;
        while (!done) {
            asked = 1;
            if (flag[b + 1])
                done = true;
        }
        out[b] = b * 3 + asked;
        __threadfence();
        flag[b] = 1;
    }
}

// Blocks that take numbers and do not ask which one they are: several are handed out together. Each
// waits for the one with the number before.
extern "C" __global__ void any_look_back(unsigned *state, unsigned *out) {
    __shared__ unsigned number, before;
    unsigned t = threadIdx.x;
    if (t == 0)
        number = atomicAdd(&state[0], 1);
    __syncthreads();
    if (t < 32) {
        unsigned b = number, word = 1;
        do
            word = b ? *(volatile unsigned *)&state[b] : 1;
        while (word == 0);
        if (t == 0) {
            before = word;
            atomicExch(&state[b + 1], word + b % 7 + 1);
        }
    }
    __syncthreads();
    if (t == 0)
        out[number] = before;
}

// For the one with the next number, which starts later.
extern "C" __global__ void any_in_reverse(unsigned *state, unsigned *out) {
    __shared__ unsigned number;
    if (threadIdx.x == 0) {
        number = atomicAdd(&state[0], 1);
        unsigned b = number, word = 5;
        while (b + 1 < gridDim.x && (word = ((volatile unsigned *)state)[b + 2]) == 0)
            ;
        __threadfence();
        atomicExch(&state[b + 1], word + b % 5);
    }
    __syncthreads();
    out[number] = state[number + 1] * 3;
}

// Each waits until all have come.
extern "C" __global__ void any_meet(unsigned *state, unsigned *out) {
    __shared__ unsigned number;
    if (threadIdx.x == 0) {
        number = atomicAdd(&state[0], 1);
        while (((volatile unsigned *)state)[0] < gridDim.x)
            ;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[number] = number * 2 + state[0];
}
