// Where lanes that part meet again: behind a way that some take, in loops that lanes leave at turns
// of their own, with loops inside, and where not all of them come back.
// run: ways grid=2 block=128 args=buf:256:small,u32:7,buf:256:zero
// run: ways grid=1 block=96 args=buf:256:rand,u32:3,buf:256:zero
// run: turns grid=2 block=128 args=buf:2048:small,u32:9,buf:1024:zero
// run: turns grid=1 block=64 args=buf:2048:rand,u32:4,buf:1024:zero
// run: inner grid=2 block=64 args=buf:2048:small,u32:11,buf:512:zero
// run: inner grid=1 block=33 args=buf:2048:rand,u32:5,buf:512:zero
// run: away grid=2 block=128 args=buf:2048:small,u32:6,buf:512:zero
// run: away grid=1 block=64 args=buf:2048:rand,u32:8,buf:512:zero
// run: called grid=2 block=64 args=buf:2048:small,u32:5,buf:512:zero
// run: called grid=1 block=96 args=buf:2048:rand,u32:7,buf:512:zero
// run: many grid=2 block=128 args=buf:2048:small,u32:6,buf:512:zero
// run: many grid=1 block=40 args=buf:2048:rand,u32:9,buf:512:zero
// run: nobody grid=1 block=64 args=buf:2048:zero,u32:6,buf:512:zero
// run: nobody grid=2 block=64 args=buf:2048:small,u32:6,buf:512:zero
// run: barriers grid=2 block=96 args=buf:2048:small,u32:3,buf:512:zero
// run: barriers grid=1 block=256 args=buf:2048:rand,u32:2,buf:512:zero
// run: barriers grid=3 block=40 args=buf:2048:rand,u32:2,buf:512:zero
// run: turned_back grid=2 block=34 args=buf:256:rand,buf:68:zero

// What the first way brings is a constant; the second one's value takes long.
static __device__ float meet(float d, float far) {
    if (d < 3.0f)
        return far;
    float t = d - sqrtf(d);
    return t > 0.5f ? t : far;
}

extern "C" __global__ void ways(const int *x, unsigned n, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float nearest = 1e30f, last = -1.0f;
    for (unsigned k = 0; k < n; k++) {
        float t = meet((float)((x[i] >> k) & 15), 1e20f);
        if (t < nearest) {
            nearest = t;
            last = k;
        }
    }
    out[i] = nearest + last;
}

// Lanes that have left the outer loop keep what they had, also of what is chosen anew in each turn.
extern "C" __global__ void turns(const int *x, unsigned n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, chosen = -1, other = 0, seen = 0;
    for (unsigned k = 0; k <= n; k++) {
        int v = x[i + k];
        if (v & 1) {
            chosen = 10 * (int)k;
        } else {
            chosen = 7;
            if (v & 2)
                other = x[(i + v) & 511] + k;
            else
                other = 3;
        }
        seen += chosen;
        if (v % 5 == 3)
            break;
    }
    out[i] = chosen + 1000 * other;
    out[i + 512] = seen;
}

// A loop in one of the ways, which lanes leave at different turns, and another behind it.
extern "C" __global__ void inner(const int *x, unsigned n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0, last = 5;
    for (unsigned k = 0; k < n; k++) {
        int v = x[i + k] & 31;
        if (v > 4) {
            for (int j = 0; j < v; j++) {
                if ((x[i + j] & 7) == 2)
                    sum += j;
                else if ((x[i + j] & 7) == 5)
                    break;
                last = sum ^ j;
            }
            sum += 100;
        }
        sum += last;
        while ((sum & 3) == 3)
            sum += x[i] & 1 ? 2 : 1;
    }
    out[i] = sum * 64 + last;
}

// Not all come back: some go on with the loop's next turn, some leave it, some end.
extern "C" __global__ void away(const int *x, unsigned n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a = 1, b = 2;
    for (unsigned k = 0; k < n; k++) {
        int v = x[i + k];
        if (v & 1) {
            a = v;
            if ((v & 14) == 2)
                continue;
            if ((v & 14) == 4)
                break;
            if ((v & 14) == 6 && k > 3) {
                out[i] = a - b;
                return;
            }
            b += a >> 3;
        } else {
            b = 9;
        }
        a += b;
    }
    out[i] = a + 3 * b;
}

// A function that lanes may end in, and one that they return from in three places.
static __device__ __noinline__ int last_or(int v, int *out) {
    if ((v & 15) == 7) {
        *out = -v;
        asm volatile("exit;");
    }
    return v + 1;
}
static __device__ __noinline__ int third(int v, int w) {
    if (v & 4) {
        if (w & 1)
            return w * 3;
        v += w;
    } else if (w & 2) {
        return 11;
    }
    return v ^ w;
}

extern "C" __global__ void called(const int *x, unsigned n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a = 0, b = 4;
    for (unsigned k = 0; k < n; k++) {
        int v = x[i + k];
        if (v & 1)
            a = third(v, a);
        else
            b = 6;
        if (v & 2)
            b = last_or(v ^ b, out + i);
        a += b;
    }
    out[i] = a;
}

// More ways than two, some of which go on into each other.
extern "C" __global__ void many(const int *x, unsigned n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a = 0, b = 1;
    for (unsigned k = 0; k < n; k++) {
        int v = x[i + k];
        switch (v & 7) {
        case 0:
            a = 5;
            break;
        case 1:
            a += x[(i + b) & 255];
        case 2:
            b = 17;
            break;
        case 3:
            for (int j = 0; j < (v >> 3 & 7); j++)
                b += a ^ j;
            break;
        case 4:
            if (v & 8)
                goto done;
            a = b;
            break;
        case 5:
            b = x[i] & 63;
            break;
        default:
            a = b = 2;
        }
        a = a * 3 + (b & 255);
    }
done:
    out[i] = a ^ b;
}

// Ways that nobody takes, and blocks that no lane comes to, between others that all run.
extern "C" __global__ void nobody(const int *x, unsigned n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a = 3, b = 0;
    for (unsigned k = 0; k < n && (x[i] & 15) != 15; k++) {
        int v = x[i + k];
        if (v & 16) {
            if (v & 1)
                a = out[i] + 8;
            else
                a = 8;
            if (a > 11)
                b += x[(i + a) & 255] / (v | 1);
            a ^= b;
        }
        b += a;
    }
    out[i] = a + b;
}

// Barriers before lanes part and where they meet, when some threads have ended.
extern "C" __global__ void barriers(const int *x, unsigned n, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, a = x[i], b = 1;
    s[t] = 5;
    if (t % 32 == 26)
        return;
    for (unsigned k = 0; k < n; k++) {
        __syncthreads();
        s[t] = a + b;
        __syncthreads();
        int v = s[(t + 7) % 20];
        if (v & 1)
            b = x[(i + (v & 63)) & 511] / 3;
        else
            b += 2;
        __syncthreads();
        a ^= s[(t + 3) % 20] + b;
    }
    out[i] = a - b;
}

// Three loops become one with three ways back: some lanes have another turn where the others meet.
extern "C" __global__ void turned_back(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, x = in[i], y = in[t];
    unsigned char told[16];
    int turns = 60;
    for (int k = 0; k < 8; k++) {
        told[k] = k;
        told[k + 8] = t;
    }
    do {
        do {
            do {
                if ((in[t * 16 % 256] * x & 31) == 27) {
                    out[i] = x;
                    return;
                }
            } while (--turns > 0 && (y & 1));
        } while (--turns > 0 && blockIdx.x == told[(t - 2) % 16]);
    } while (--turns > 0 && (~x & 7) < 4);
    out[i] = turns;
}
