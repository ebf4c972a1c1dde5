// Lanes of a warp that come to a barrier or a warp operation by different ways, at different turns of
// a loop, or not at all.
// run: stride grid=2 block=64 args=buf:512:small,buf:512:zero,u32:512
// run: stride grid=2 block=64 args=buf:512:small,buf:512:zero,u32:500
// run: stride grid=1 block=96 args=buf:512:small,buf:512:zero,u32:455
// run: stride grid=1 block=40 args=buf:512:small,buf:512:zero,u32:333
// run: leavers grid=2 block=64 args=buf:128:small,buf:128:zero
// run: leavers grid=1 block=32 args=buf:128:small,buf:128:zero
// run: leavers grid=1 block=100 args=buf:128:small,buf:128:zero
// run: two_ways grid=2 block=64 args=buf:128:small,buf:128:zero
// run: two_ways grid=1 block=7 args=buf:128:small,buf:128:zero
// run: turns grid=1 block=64 args=buf:128:small,buf:512:zero
// run: turns grid=1 block=100 args=buf:128:small,buf:512:zero
// run: nested grid=1 block=64 args=buf:128:small,buf:128:zero
// run: nested grid=1 block=32 args=buf:128:small,buf:128:zero
// run: skips grid=1 block=64 args=buf:128:small,buf:128:zero
// run: cases grid=1 block=96 args=buf:128:small,buf:128:zero
// run: returns grid=1 block=96 args=buf:128:small,buf:128:zero,u32:70
// run: returns grid=1 block=96 args=buf:128:small,buf:128:zero,u32:96
// run: counts grid=1 block=96 args=buf:128:small,buf:512:zero
// run: doubles grid=1 block=64 args=buf:128:small,buf:128:zero
extern "C" __global__ void stride(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x;
    s[t] = 0;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        s[t] = in[i];
        __syncthreads();
        out[i] = s[blockDim.x - 1 - t] * 2 + s[t];
        __syncthreads();
    }
}

// Those that have left the loop store what the others read in it, and end.
extern "C" __global__ void leavers(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x, n = blockDim.x, turns = in[t] % 5, sum = 0;
    s[t] = t;
    for (unsigned k = 0; k < turns; k++) {
        __syncthreads();
        sum += s[(t + k) % n];
        __syncthreads();
        s[t] += in[(t + k) % n];
    }
    s[t] = 1000 + turns;
    out[blockIdx.x * n + t] = sum;
}

// Lanes of one warp at two barriers.
extern "C" __global__ void two_ways(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x, n = blockDim.x, x = 0;
    if (in[t] & 1) {
        s[t] = in[t] * 3;
        __syncthreads();
        x = s[(t + 1) % n] + 100;
    } else {
        s[t] = in[t] * 5;
        __syncthreads();
        x = s[(t + 2) % n] + 200;
    }
    __syncthreads();
    s[t] = x;
    __syncthreads();
    out[blockIdx.x * n + t] = s[(t + 3) % n] * 7 + x;
}

// Each thread passes 6 barriers, in two loops; a uniform counter has different values in lanes that
// wait at one barrier.
extern "C" __global__ void turns(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x, n = blockDim.x, first = in[t] % 7, sum = 0;
    s[t] = in[t];
    for (unsigned k = 0; k < first; k++) {
        __syncthreads();
        sum = sum * 3 + s[(t + k) % n];
    }
    for (unsigned k = first; k < 6; k++) {
        __syncthreads();
        sum = sum * 5 + s[(t + 2 * k) % n];
    }
    out[t] = sum;
    __syncthreads();
    s[t] = sum;
    __syncthreads();
    out[n + t] = s[n - 1 - t];
}

extern "C" __global__ void nested(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2][128];
    unsigned t = threadIdx.x, n = blockDim.x, sum = in[t], at = 0;
    for (unsigned k = 0; k < 2 + t % 3; k++) {
        for (unsigned j = 0; j < in[(t + k) % n] % 3; j++) {
            s[at & 1][t] = sum;
            __syncthreads();
            sum += s[at & 1][(t + 1) % n] & 255;
            at++;
        }
        if (in[t] & 1)
            sum ^= k << 3;
    }
    for (; at < 12; at++) {
        s[at & 1][t] = sum;
        __syncthreads();
        sum += s[at & 1][(t + 5) % n] & 127;
    }
    out[t] = sum;
}

// Some lanes do not come in the first turns.
extern "C" __global__ void skips(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2][128];
    unsigned t = threadIdx.x, n = blockDim.x, late = in[t] % 3, sum = 0, passed = 0;
    for (unsigned k = 0; passed < 5; k++) {
        sum += in[(t + k) % n] * k;
        if (k < late)
            continue;
        s[passed & 1][t] = sum + k;
        __syncthreads();
        sum += s[passed & 1][(t * 5 + 1) % n];
        passed++;
    }
    out[t] = sum;
}

extern "C" __global__ void cases(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x, n = blockDim.x, x = in[t];
    s[t] = x;
    switch (x % 5) {
    case 0:
        __syncthreads();
        x += s[(t + 1) % n];
        break;
    case 1:
        x *= 3;
        __syncthreads();
        break;
    case 2:
        x ^= 77;
        // also the next
    case 3:
        __syncthreads();
        x += s[(t + 7) % n] * 2;
        break;
    default:
        out[t] = x + 5;
        return;
    }
    __syncthreads();
    s[t] = x;
    __syncthreads();
    out[t] = x * 3 + s[(t + 11) % n];
}

extern "C" __global__ void returns(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[128];
    unsigned t = threadIdx.x;
    if (t >= n) {
        s[t] = in[t] + 3;
        out[t] = 9;
        return;
    }
    s[t] = in[t];
    __syncthreads();
    if (in[t] % 4 == 1) {
        out[t] = s[(t + 9) % 96];
        s[t] = 5;
        return;
    }
    __syncthreads();
    out[t] = s[95 - t] + s[(t + 9) % 96];
}

extern "C" __global__ void counts(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, n = blockDim.x, x = in[t];
    int a, b;
    if (x & 1) {
        a = __syncthreads_count(x % 3 == 0);
        b = __syncthreads_or(x == 1) + 2 * __syncthreads_and(x != 1);
    } else {
        a = __syncthreads_count(x % 3 == 1) + 1000;
        if (x & 2)
            return;
        b = __syncthreads_or(0) + 2 * __syncthreads_and(1) + 100;
    }
    out[t] = a;
    out[n + t] = b;
    for (unsigned k = 0; k < x % 3; k++)
        out[2 * n + t] += __syncthreads_count(k < 1) << (4 * k);
}

// Values of 64 bits, predicates and offsets live across the barrier.
extern "C" __global__ void doubles(const unsigned *in, unsigned *out) {
    __shared__ double s[128];
    unsigned t = threadIdx.x, n = blockDim.x;
    double x = in[t] * 0.5;
    const unsigned *p = in + t;
    bool odd = in[t] & 1;
    unsigned long long big = (unsigned long long)in[t] << 33;
    for (unsigned k = 0; k < in[t] % 4; k++) {
        s[t] = x;
        __syncthreads();
        x += s[(t + 1) % n] * (odd ? 2 : 1);
        __syncthreads();
        p += k & 1 ? 0 : (t + 1 < n);
        big += *p;
        odd = !odd;
    }
    s[t] = 3;
    out[t] = (unsigned)(x * 4) + (unsigned)(big >> 32) + (unsigned)big + *p + odd;
}
