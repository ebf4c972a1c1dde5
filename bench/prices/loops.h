// Bodies of loops, for kernels and for plain native code: LOOP(name) { ... } gives an int for
// number k of n (a power of two). a: ints from 0 to 999, f: floats from 0 to 1, s: 0, 1 ... 4095.

LOOP(collatz) {
    int x = a[k] + 1, c = 0;
    while (x != 1 && c < 500) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        c++;
    }
    return c;
}
LOOP(bsearch) {
    int lo = 0, hi = 4096, v = a[k] * 4;
    while (lo < hi) {
        int m = (lo + hi) / 2;
        if (s[m] < v)
            lo = m + 1;
        else
            hi = m;
    }
    return lo;
}
LOOP(sw8) {
    int x = a[k];
    switch (x & 7) {
    case 0:
        return x * 3;
    case 1:
        return x + 5;
    case 2:
        return x ^ 77;
    case 3:
        return x / 7;
    case 4:
        return x % 13;
    case 5:
        return -x;
    case 6:
        return x << 3;
    default:
        return x >> 1;
    }
}
LOOP(early) {
    int x = a[k];
    if (x < 100)
        return 0;
    int r = 0;
    for (int i = 0; i < 16; i++)
        r += (x * i) ^ r;
    return r;
}
LOOP(isprime) {
    int x = a[k];
    if (x < 2)
        return 0;
    for (int d = 2; d * d <= x; d++)
        if (x % d == 0)
            return 0;
    return 1;
}
LOOP(popl) {
    unsigned x = a[k] * 2654435761u;
    int c = 0;
    while (x) {
        x &= x - 1;
        c++;
    }
    return c;
}
LOOP(gcd) {
    int x = a[k] + 1, y = a[(k + 1) & (n - 1)] + 1;
    while (y) {
        int t = x % y;
        x = y;
        y = t;
    }
    return x;
}
LOOP(inner) {
    int r = 0, m = a[k] & 31;
    for (int i = 0; i < m; i++)
        r += a[(k + i) & (n - 1)];
    return r;
}
LOOP(rowsum) {
    int r = 0;
    for (int i = 0; i < 16; i++)
        r += a[(k * 16 + i) & (n - 1)];
    return r;
}
LOOP(colsum) {
    int r = 0;
    for (int i = 0; i < 16; i++)
        r += a[(k + i * 1024) & (n - 1)];
    return r;
}
LOOP(horner) {
    float x = f[k], r = 0;
    for (int i = 0; i < 12; i++)
        r = r * x + i;
    return (int)(r * 1000);
}
LOOP(newton) {
    float x = f[k] + 1, y = x;
    int c = 0;
    while (c < 30) {
        float z = 0.5f * (y + x / y);
        if (z == y)
            break;
        y = z;
        c++;
    }
    return c;
}
LOOP(hist16) {
    int c[16];
    for (int i = 0; i < 16; i++)
        c[i] = 0;
    for (int i = 0; i < 32; i++)
        c[a[(k + i) & (n - 1)] & 15]++;
    int m = 0;
    for (int i = 0; i < 16; i++)
        if (c[i] > c[m])
            m = i;
    return m;
}
LOOP(sort8) {
    int v[8];
    for (int i = 0; i < 8; i++)
        v[i] = a[(k * 8 + i) & (n - 1)];
    for (int i = 1; i < 8; i++) {
        int t = v[i], j = i - 1;
        while (j >= 0 && v[j] > t) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = t;
    }
    return v[3];
}
LOOP(lcg) {
    unsigned x = a[k];
    for (int i = 0; i < 20; i++)
        x = x * 1664525u + 1013904223u;
    return x >> 8;
}
LOOP(lcg64) {
    unsigned long long x = a[k];
    for (int i = 0; i < 20; i++)
        x = x * 6364136223846793005ull + 1442695040888963407ull;
    return x >> 33;
}
LOOP(strhash) {
    unsigned h = 2166136261u;
    const unsigned char *p = (const unsigned char *)a + (k * 12 & (n - 1));
    for (int i = 0; i < 12; i++)
        h = (h ^ p[i]) * 16777619u;
    return h & 0x7fffffff;
}
LOOP(cmpstr) {
    const unsigned char *p = (const unsigned char *)a + (k * 4 & (n - 1)),
                        *q = (const unsigned char *)s;
    int i = 0;
    while (i < 24 && p[i] == q[i])
        i++;
    return i;
}
LOOP(nested) {
    int x = a[k], y = a[(k + 7) & (n - 1)];
    if (x > 500) {
        if (y > 500)
            return x + y;
        else if (y > 250)
            return x * y;
        else
            return x - y;
    } else {
        if (y & 1)
            return x | y;
        return x & y;
    }
}
LOOP(mandel) {
    float cx = f[k] * 3 - 2, cy = f[(k + 1) & (n - 1)] * 2 - 1, x = 0, y = 0;
    int i = 0;
    while (x * x + y * y < 4 && i < 64) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        i++;
    }
    return i;
}
LOOP(list) {
    int p = a[k] & 4095, c = 0;
    while (p > 7 && c < 40) {
        p = s[p] >> 3;
        c++;
    }
    return c + p;
}
LOOP(digits) {
    int x = a[k] * 7919, r = 0;
    do {
        r = r * 10 + x % 10;
        x /= 10;
    } while (x);
    return r;
}
LOOP(lut) {
    int r = 0;
    for (int i = 0; i < 8; i++)
        r += s[(a[(k + i) & (n - 1)] * 37) & 255];
    return r;
}
LOOP(dbl) {
    double x = f[k], r = 0;
    for (int i = 1; i < 10; i++)
        r += 1.0 / (x + i);
    return (int)(r * 1000);
}
LOOP(minmax) {
    int lo = 1000, hi = 0;
    for (int i = 0; i < 16; i++) {
        int v = a[(k * 3 + i) & (n - 1)];
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    return hi - lo;
}
LOOP(bits) {
    unsigned x = a[k], r = 0;
    for (int i = 0; i < 10; i++) {
        r = (r << 1) | (x & 1);
        x >>= 1;
    }
    return r;
}
LOOP(divs) {
    int x = a[k] + 1;
    return 1000000 / x + 1000003 % x;
}
LOOP(cont) {
    int r = 0;
    for (int i = 0; i < 24; i++) {
        int v = a[(k + i) & (n - 1)];
        if (v & 1)
            continue;
        if (v > 900)
            break;
        r += v;
    }
    return r;
}
LOOP(two) {
    int r = 0;
    for (int i = 0; i < (a[k] & 7); i++)
        for (int j = 0; j < (a[(k + 1) & (n - 1)] & 7); j++)
            r += i * j ^ r;
    return r;
}
LOOP(u64d) {
    unsigned long long x = a[k] * 1000003ull + 7;
    return (int)(x / ((unsigned)a[(k + 3) & (n - 1)] + 11));
}
LOOP(shortf) {
    short x = (short)a[k], y = (short)a[(k + 1) & (n - 1)];
    short r = 0;
    for (int i = 0; i < 8; i++)
        r = (short)(r * 3 + x * y - i);
    return r;
}
LOOP(sel4) {
    int v[4] = {a[k], a[(k + 1) & (n - 1)], a[(k + 2) & (n - 1)], a[(k + 3) & (n - 1)]};
    return v[a[(k + 4) & (n - 1)] & 3] + v[a[(k + 5) & (n - 1)] & 3];
}
