// Lists that threads append to at places an addition gives them: kept for a run of blocks. In which
// order they come is not known, so lists are put into order before anybody sees them, or hold equal
// elements.
// run: compacted grid=1 block=96 args=buf:96:rand,buf:96:zero,buf:96:zero,buf:1:zero
// run: compacted grid=1 block=1000 args=buf:1000:rand,buf:1000:zero,buf:1000:zero,buf:1:zero
// run: many_blocks grid=40 block=96 args=buf:500:rand,buf:4000:zero,buf:1:zero
// run: long_lists grid=2 block=64 args=buf:500:rand,buf:30000:zero,buf:1:zero,u32:100
// run: search grid=1 block=64 args=buf:500:rand,buf:300:zero,buf:300:zero,buf:300:zero,buf:1:zero
// run: two_arrays grid=1 block=128 args=buf:128:rand,buf:128:zero,buf:256:zero,buf:1:zero
// run: pairs grid=1 block=160 args=buf:160:rand,buf:320:zero,buf:1:zero
// run: wide grid=1 block=64 args=buf:64:rand,buf:256:zero,buf:2:zero
// run: reads_count grid=3 block=32 args=buf:96:rand,buf:400:zero,buf:3:zero,buf:96:zero
// run: reads_list grid=1 block=64 args=buf:64:rand,buf:800:zero,buf:1:zero,buf:64:zero
// run: writes_list grid=1 block=64 args=buf:64:rand,buf:800:zero,buf:1:zero
// run: other_atomics grid=1 block=64 args=buf:64:rand,buf:800:zero,buf:2:zero
// run: crosses_zero grid=1 block=64 args=buf:64:rand,buf:128:zero,buf:1:zero
// run: uses_place grid=1 block=64 args=buf:64:rand,buf:64:zero,buf:1:zero
// run: bounded grid=4 block=64 args=buf:256:rand,buf:50:zero,buf:1:zero
// run: fenced grid=4 block=64 args=buf:256:rand,buf:256:zero,buf:1:zero
// run: of_variable grid=1 block=64 args=buf:64:rand,buf:64:zero
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// Elements, all different, to where they belong in order.
__device__ void put_in_order(unsigned *list, unsigned n, unsigned *out) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned before = 0, x = list[i];
        for (unsigned k = 0; k < n; k++)
            before += list[k] < x;
        out[before] = x;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        list[i] = 0;
}

extern "C" __global__ void compacted(const unsigned *in, unsigned *list, unsigned *out,
                                     unsigned *count) {
    int t = threadIdx.x;
    if (in[t] % 3)
        list[atomicAdd(count, 1)] = t + 1;
    __syncthreads();
    put_in_order(list, *count, out);
}

// The list's elements are equal: of many blocks nobody knows which comes first.
extern "C" __global__ void many_blocks(const unsigned *in, unsigned *list, unsigned *count) {
    if (in[THREAD % 500] % 5 < 3)
        list[atomicAdd(count, 1)] = 77;
}

// More than is kept, by loops that threads leave at turns of their own, in four places.
extern "C" __global__ void long_lists(const unsigned *in, unsigned *list, unsigned *count,
                                      int most) {
    unsigned v = in[THREAD], n = v % most;
    for (unsigned k = 0; k < n; k++)
        if ((v ^ k) % 7)
            list[atomicAdd(count, 1)] = 5;
    if (v & 1)
        list[atomicAdd(count, 1)] = 5;
    else if (v & 2)
        for (unsigned k = 0; k < 40; k++)
            list[atomicAdd(count, 1)] = 5;
}

// As in a graph: who sees an element first appends it.
extern "C" __global__ void search(const unsigned *in, unsigned *seen, unsigned *list, unsigned *out,
                                  unsigned *count) {
    unsigned first = in[threadIdx.x] % 400, n = in[threadIdx.x + 100] % 40;
    for (unsigned e = first; e < first + n; e++) {
        unsigned v = in[e] % 300;
        if (seen[v] == 0 && atomicCAS(&seen[v], 0, 1) == 0)
            list[atomicAdd(count, 1)] = v + 1;
    }
    __syncthreads();
    put_in_order(list, *count, out);
}

extern "C" __global__ void two_arrays(const unsigned *in, unsigned *keys,
                                      unsigned long long *values, unsigned *count) {
    int t = threadIdx.x;
    if (in[t] % 4 != 1) {
        unsigned at = atomicAdd(count, 1);
        keys[at] = t;
        values[at] = t * 0x100000001ull;
    }
    __syncthreads();
    unsigned n = *count, sum = 0;
    for (unsigned k = t; k < n; k += blockDim.x)
        sum |= (values[k] != keys[k] * 0x100000001ull) + 2;
    __syncthreads();
    keys[t] = sum;
    values[t] = 0;
}

extern "C" __global__ void pairs(const unsigned *in, int2 *list, unsigned *count) {
    int t = threadIdx.x;
    for (int k = 0; k < 2; k++)
        if ((in[t] >> k) % 3 == 0)
            list[atomicAdd(count, 1)] = make_int2(t, t * 3 + 1);
    __syncthreads();
    int2 x = list[t];
    __syncthreads();
    list[t] = make_int2(t < *count ? x.y - x.x * 3 : 9, 0);
}

extern "C" __global__ void wide(const unsigned *in, double *list, unsigned long long *count) {
    int t = threadIdx.x;
    if (in[t] & 4)
        list[atomicAdd(count, 1ull) + 8] = 1.5;
}

// One thread of each warp appends and sees how many there are.
extern "C" __global__ void reads_count(const unsigned *in, unsigned *list, unsigned *count,
                                       unsigned *out) {
    unsigned v = in[THREAD], sum = 0;
    unsigned *own = count + blockIdx.x;
    if (threadIdx.x == 5)
        for (int k = 0; k < 20; k++) {
            if (v >> k & 1)
                list[100 * blockIdx.x + atomicAdd(own, 1)] = k;
            sum = sum * 3 + *own;
        }
    out[THREAD] = sum;
}

extern "C" __global__ void reads_list(const unsigned *in, unsigned *list, unsigned *count,
                                      unsigned *out) {
    unsigned v = in[threadIdx.x], sum = 0;
    if (threadIdx.x == 33)
        for (int k = 0; k < 24; k++) {
            if (v >> k & 1)
                list[atomicAdd(count, 1)] = k + 1;
            sum = sum * 3 + list[k % 5];
        }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void writes_list(const unsigned *in, unsigned *list, unsigned *count) {
    unsigned v = in[threadIdx.x];
    if (threadIdx.x == 12)
        for (int k = 0; k < 24; k++) {
            if (v >> k & 1)
                list[atomicAdd(count, 1)] = k + 1;
            if (k % 3 == 1)
                list[k / 2] = 100 + k;
        }
}

// Others change counter and list, too.
extern "C" __global__ void other_atomics(const unsigned *in, unsigned *list, unsigned *count) {
    unsigned v = in[threadIdx.x];
    if (threadIdx.x == 40)
        for (int k = 0; k < 24; k++) {
            if (v >> k & 1)
                list[atomicAdd(count, 1)] = k + 1;
            if (k % 4 == 2)
                atomicAdd(count, 3);
            if (k % 5 == 2)
                count[1] += atomicExch(&list[k % 3], 1000 + k);
        }
}

extern "C" __global__ void crosses_zero(const unsigned *in, unsigned *list, int *count) {
    if (threadIdx.x == 0)
        *count = -20;
    __syncthreads();
    (list + 64)[atomicAdd(count, 1)] = 3;
}

extern "C" __global__ void uses_place(const unsigned *in, unsigned *list, unsigned *count) {
    if (in[threadIdx.x] % 3) {
        unsigned at = atomicAdd(count, 1);
        list[at] = at + 1;
    }
}

extern "C" __global__ void bounded(const unsigned *in, unsigned *list, unsigned *count) {
    if (in[THREAD] % 3) {
        unsigned at = atomicAdd(count, 1);
        if (at < 50)
            list[at] = 4;
    }
}

extern "C" __global__ void fenced(const unsigned *in, unsigned *list, unsigned *count) {
    if (in[THREAD] % 3)
        list[atomicAdd(count, 1)] = 4;
    __threadfence();
}

__device__ unsigned appended, kept_list[64];

extern "C" __global__ void of_variable(const unsigned *in, unsigned *out) {
    if (in[threadIdx.x] % 3)
        kept_list[atomicAdd(&appended, 1)] = threadIdx.x + 1;
    __syncthreads();
    put_in_order(kept_list, appended, out);
}
