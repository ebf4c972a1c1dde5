// Divergent control flow: nested loops, breaks, continues, switches, early returns, gotos.
// run: collatz grid=3 block=100 args=buf:300:small,buf:300:zero,u32:300
// run: nested grid=2 block=96 args=buf:192:small,buf:192:zero,u32:192
// run: switches grid=2 block=64 args=buf:128:small,buf:128:zero
// run: uniform_in_divergent grid=2 block=64 args=buf:128:small,buf:128:zero,u32:7
// run: live_out grid=1 block=77 args=buf:77:small,buf:154:zero
// run: irreducible grid=1 block=64 args=buf:64:small,buf:64:zero
// run: irreducible_or_not grid=1 block=32 args=buf:64:iota,buf:64:zero,u32:5
// run: irreducible_or_not grid=1 block=32 args=buf:64:iota,buf:64:zero,u32:0
// run: search grid=1 block=128 args=buf:1024:iota,buf:128:small,buf:128:zero,u32:1024
// run: dear grid=2 block=128 args=buf:256:special,buf:1024:zero,u32:0
// run: dear grid=1 block=64 args=buf:256:float,buf:1024:zero,u32:3
extern "C" __global__ void collatz(const unsigned *in, unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i] + 1, steps = 0;
    while (x != 1) {
        if (x & 1)
            x = 3 * x + 1;
        else
            x >>= 1;
        steps++;
    }
    out[i] = steps;
}

extern "C" __global__ void nested(const unsigned *in, unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, acc = 0;
    for (unsigned a = 0; a < in[i] % 13; a++) {
        if (a == 5)
            continue;
        for (unsigned b = a; b < 20; b++) {
            acc = acc * 31 + a * b;
            if ((acc & 63) == 17)
                break;
            if (acc % 1001 == 3) {
                out[i] = acc;
                return;
            }
        }
        acc ^= i;
    }
    out[i] = acc;
}

extern "C" __global__ void switches(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, r = 1;
    for (unsigned k = 0; k < 4; k++) {
        switch ((in[i] >> k) % 9) {
        case 0: r += 7; break;
        case 1: r *= 3;
        case 2: r ^= 0x55; break;
        case 3: r = r << 2 | r >> 30; break;
        case 4: r -= i; break;
        case 5: r += in[(i + 1) % 128];
        case 6: r *= 5; break;
        case 7: r = ~r; break;
        default: r += k;
        }
    }
    out[i] = r;
}

extern "C" __global__ void uniform_in_divergent(const unsigned *in, unsigned *out, unsigned u) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, r = 0;
    if (in[i] & 1) {
        if (u > 5)
            r = in[i] * u;
        else
            r = in[i] + u;
        for (unsigned k = 0; k < u; k++)
            r += k * k;
    } else if (u & 1) {
        r = 1000 + i;
    } else {
        r = 2000 + i;
    }
    out[i] = r;
}

extern "C" __global__ void live_out(const unsigned *in, unsigned *out) {
    unsigned i = threadIdx.x, k = 0, last = 99, sum = 0;
    for (;; k++) {
        unsigned t = in[(i + k) % 77];
        sum += t;
        if (t > 180) {
            last = t;
            break;
        }
        if (k > in[i] % 29)
            break;
    }
    out[i] = sum * 256 + k;
    out[77 + i] = last;
}

extern "C" __global__ void irreducible(const unsigned *in, unsigned *out) {
    unsigned i = threadIdx.x, x = in[i], n = 0;
    if (x & 1)
        goto second;
first:
    x = x * 5 + 1;
    n++;
    if (n > 40)
        goto done;
second:
    x ^= x >> 3;
    n += 2;
    if (x % 7 != 0)
        goto first;
done:
    out[i] = x + n;
}

// All threads skip a loop with two entries, or none does.
extern "C" __global__ void irreducible_or_not(const unsigned *in, unsigned *out, unsigned n) {
    unsigned t = threadIdx.x, v = 7;
    int fuel = 6;
    bool odd = in[t + 1] & 1;
    if (n < 3) {
        if (odd)
            goto second;
    first:
        if (--fuel < 0)
            goto done;
    second:
        if (--fuel < 0)
            goto done;
        if (odd)
            goto first;
    done:
        v = in[t] * 3;
    }
    out[t] = v + (fuel << 16);
}

extern "C" __global__ void search(const unsigned *table, const unsigned *key, unsigned *out,
                                  unsigned n) {
    unsigned want = key[threadIdx.x] * 3, lo = 0, hi = n;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (table[mid] < want)
            lo = mid + 1;
        else
            hi = mid;
    }
    out[threadIdx.x] = lo;
}

// Short ways that take long: left out where no thread goes there, with loops around them.
extern "C" __global__ void dear(const float *x, float *out, unsigned odd) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], nearest = INFINITY;
    for (int k = 0; k < 6; k++) {
        float d = a * a - k * 0.25f * x[(i + k) % 256], t = INFINITY;
        if (d >= 0)
            t = a - sqrtf(d);
        if (t < nearest)
            nearest = t;
        if (a > k && d < 100)
            nearest = nearest / (d + k);
    }
    out[i] = nearest;
    unsigned u = __float_as_uint(a) >> 20, q = u;
    if (i / 32 == odd)
        q = u / (i % 7 + 1);
    if (u % 16 == 3)
        q += u % (i + 1);
    out[256 + i] = (float)q;
    double r = a;
    if (i % 64 < odd)
        r = sqrt(r * r + 1.0) / 3.0;
    out[512 + i] = (float)r;
}
