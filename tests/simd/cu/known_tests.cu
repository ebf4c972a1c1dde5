// What is asked behind a loop of its counter, where the way out of the loop knows the answer
// already, and where it does not.
// run: ends grid=2 block=256 args=buf:2048:small,u32:5,buf:512:zero
// run: ends grid=2 block=96 args=buf:2048:small,u32:0,buf:512:zero
// run: ends grid=1 block=64 args=buf:2048:small,u32:1,buf:512:zero
// run: ends grid=1 block=128 args=buf:2048:zero,u32:4294967295,buf:512:zero
// run: odd grid=2 block=128 args=buf:2048:small,u32:5,u32:3,buf:512:zero
// run: odd grid=2 block=64 args=buf:2048:zero,u32:6,u32:9,buf:512:zero
// run: odd grid=1 block=64 args=buf:2048:small,u32:2147483648,u32:0,buf:512:zero
// run: several grid=2 block=128 args=buf:2048:small,u32:6,u32:2,buf:512:zero
// run: several grid=1 block=256 args=buf:2048:small,u32:3,u32:7,buf:512:zero
// run: nested grid=2 block=128 args=buf:2048:small,u32:4,u32:3,buf:512:zero
// run: nested grid=1 block=32 args=buf:2048:zero,u32:2,u32:5,buf:512:zero

__device__ bool differs(unsigned char a, unsigned k) {
    return (a + k) % 4 == 1;
}

// Each loop's counter is wanted for one comparison alone: those that a branch in the loop answers.
extern "C" __global__ void ends(const unsigned char *x, int m, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k;
    unsigned bits = 0, n = m & 7;
    for (k = 0; k < m && !differs(x[i + k], k); k++)
        if (k == 40)
            break;
    bits |= k == m ? 1 : 0;
    for (k = 0; k < (int)n && !differs(x[i + k], k); k++) {
    }
    bits |= k < (int)n ? 2 : 0;
    for (k = 1; k != (int)n + 1 && !differs(x[i + k], k); k++) {
    }
    bits |= k == (int)n + 1 ? 4 : 0;
    unsigned u;
    for (u = 3; u < n && !differs(x[i + u], u); u++) {
    }
    bits |= u >= n ? 8 : 0;
    for (u = 0; u <= n && !differs(x[i + u], u); u++) {
    }
    bits |= u > n ? 16 : 0;
    long long l;
    for (l = 0; l < (long long)n && !differs(x[i + l], 2); l++) {
    }
    bits |= l == (long long)n ? 32 : 0;
    short s;
    for (s = 0; s < (short)n && !differs(x[i + s], 3); s++) {
    }
    bits |= s != (short)n ? 64 : 0;
    out[i] = bits;
}

// Comparisons that the ways out do not answer: of another sign, with another number, of counters
// that step over the end, go on before they leave, or count down; with an end that moves.
extern "C" __global__ void odd(const unsigned char *x, int m, int other, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k, few = m & 15;
    unsigned bits = 0;
    for (k = 0; k < few && !differs(x[i + k], k); k++) {
    }
    bits |= k == other ? 1 : 0;
    for (k = 0; k < few && !differs(x[i + k], k); k++) {
    }
    bits |= (unsigned)k < (unsigned)m ? 2 : 0;
    for (k = 0; k < few && !differs(x[i + k], k); k += 2) {
    }
    bits |= k == few ? 4 : 0;
    for (k = 0; k < few && !differs(x[i + k++], 1);) {
    }
    bits |= k == few ? 8 : 0;
    for (k = few; k != other && k > 0 && !differs(x[i + k], k); k--) {
    }
    bits |= k == other ? 16 : 0;
    int end = few;
    for (k = 0; k < end && !differs(x[i + k], k); k++)
        end -= x[i + k] == 9;
    bits |= k == end ? 32 : 0;
    for (k = other; k != few && k < 20 && !differs(x[i + k], k); k++) {
    }
    bits |= k != few ? 64 : 0;
    out[i] = bits;
}

// Several ways out, of which some answer; lanes that have left are counted in the loop, too.
extern "C" __global__ void several(const unsigned char *x, int m, int few, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k;
    unsigned bits = 0, turns = 0;
    for (k = 0; k < m; k++) {
        if (differs(x[i + k], k))
            break;
        if (k == few && x[i + 2 * k] % 2)
            break;
        turns += __popc(__activemask());
    }
    bits |= k == m ? 1 : 0;
    for (k = 0; k < m; k++) {
        if (k == few && x[i] % 2)
            break;
        if (x[i + k] % 8 == 5) {
            bits |= 2;
            break;
        }
        bits += 256;
    }
    bits |= k == few ? 4 : 0;
    k = 0;
    bool stop = false;
    while (!stop && k < m) {
        stop = differs(x[i + k], 1);
        k += !stop;
    }
    bits |= k == m ? 8 : 0;
    out[i] = bits + (turns > 0 ? 1 << 20 : 0);
}

extern "C" __global__ void nested(const unsigned char *x, int m, int few, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, a, b;
    unsigned hits = 0, whole = 0;
    for (a = 0; a < m; a++) {
        for (b = 0; b < few && !differs(x[i + 5 * a + b], b); b++) {
        }
        if (b == few)
            whole++;
        for (b = a; b < few && !differs(x[i + b], a); b++) {
        }
        if (b >= few)
            hits++;
        if (hits == 3)
            break;
    }
    out[i] = whole | hits << 8 | (a == m ? 1 << 16 : 0);
}
