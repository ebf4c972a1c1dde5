// The language as clang lowers it: aggregates, calls of every kind, control flow, integer widths.
#include "portable.h"

struct Pair {
    int a;
    double b;
};
struct Big {
    int v[9];
    Pair p;
    char c[3];
};

DEVICE NOINLINE Big spread(Big b, int k) {
    b.v[k % 9] += k;
    b.p.b *= 1.5;
    b.c[k % 3]++;
    return b;
}
BODY(aggregates) {
    Big b = {};
    for (int k = 0; k < 9; k++)
        b.v[k] = k * t;
    b.p = Pair{t, t * 0.25};
    Big c = b;
    for (int k = 0; k < t % 5 + 1; k++)
        c = spread(c, t + k);
    for (int k = 0; k < 9; k++)
        out[0] = out[0] * 31 + c.v[k];
    out[1] = (unsigned)(int)(c.p.b * 8) + b.p.a;
    out[2] = c.c[0] + c.c[1] * 256 + c.c[2] * 65536;
    out[3] = b.c[0] + b.v[t % 9];
}

struct Shape {
    int id;
    DEVICE Shape(int i) : id(i) {
    }
    DEVICE virtual int area(int s) const = 0;
    DEVICE virtual int name() const {
        return id * 1000;
    }
};
struct Square : Shape {
    DEVICE Square(int i) : Shape(i) {
    }
    DEVICE int area(int s) const override {
        return s * s;
    }
};
struct Box : Square {
    int h;
    DEVICE Box(int i, int h) : Square(i), h(h) {
    }
    DEVICE int area(int s) const override {
        return Square::area(s) * 2 + 4 * s * h;
    }
    DEVICE int name() const override {
        return id * 7;
    }
};
DEVICE NOINLINE int measure(const Shape *s, int k) {
    return s->area(k) + s->name();
}
BODY(virtuals) {
    Square s(t);
    Box b(t, 3);
    const Shape *list[2] = {&s, &b};
    for (int k = 0; k < 6; k++)
        out[k % 4] += measure(list[(t + k) & 1], k);
}

DEVICE NOINLINE int twice(int x) {
    return 2 * x;
}
DEVICE NOINLINE int square(int x) {
    return x * x;
}
DEVICE NOINLINE int negate(int x) {
    return -x;
}
typedef int (*Function)(int);
DEVICE static const Function functions[3] = {twice, square, negate};
BODY(pointers) {
    int x = t;
    for (int k = 0; k < 4; k++) {
        x = functions[(t + k) % 3](x) + k;
        out[k] = x;
    }
}

DEVICE NOINLINE unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
DEVICE bool is_odd(unsigned n);
DEVICE NOINLINE bool is_even(unsigned n) {
    return n == 0 ? true : is_odd(n - 1);
}
DEVICE NOINLINE bool is_odd(unsigned n) {
    return n == 0 ? false : is_even(n - 1);
}
BODY(recursion) {
    out[0] = ackermann(2, t % 6);
    out[1] = is_even(t) * 2 + is_odd(t);
    out[2] = ackermann(t % 3, 3);
}

BODY(switches) {
    int x = t * 7 % 13;
    switch (x) {
    case 0:
        out[0] = 100;
        break;
    case 1:
    case 2:
        out[0] = 200 + t;
        // fall through
    case 3:
        out[1] = 300;
        break;
    case 5:
        for (int k = 0; k < t; k++) {
            if (k * k > t)
                goto done;
            out[2] += k;
        }
        break;
    case 8:
        out[0] = 8;
        return;
    default:
        out[3] = x;
    }
done:
    out[1] += 5;
}

BODY(loops) {
    unsigned sum = 0;
    for (int i = 0; i < t; i++) {
        for (int j = i; j < 10; j++) {
            if ((i ^ j) == 5)
                continue;
            if (i * j > 3 * t)
                break;
            sum += i * 100 + j;
        }
        if (sum % 17 == 3)
            break;
    }
    out[0] = sum;
    int n = t + 1, steps = 0;
    do {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    } while (n != 1 && steps < 60);
    out[1] = steps;
    int table[12];
    for (int k = 0; k < 12; k++)
        table[(k * 5 + t) % 12] = k * k;
    for (int k = 0; k < 12; k++)
        out[2] = out[2] * 3 + table[k];
    while (t >= 20 && (out[3] = out[3] * 5 + 1) < 4000u)
        ;
}

BODY(widths) {
    signed char c = (signed char)(t * 37);
    unsigned char u = (unsigned char)(t * 91);
    short s = (short)(t * 5001);
    unsigned short us = (unsigned short)(t * 40009);
    long long l = (long long)t * -0x123456789LL;
    unsigned long long ul = (unsigned long long)l * 977;
    c += u;
    s = (short)(s * us);
    out[0] = (unsigned)(c * 3 + s);
    out[1] = (unsigned)(l / (t + 3)) ^ (unsigned)(ul % (us + 1u));
    out[2] = (unsigned)(ul >> (t % 64)) + (unsigned)(l >> (t % 40)) + (unsigned)(c >> 1);
    bool b = (c < (int)u) ^ (l < 0);
    out[3] = b + 2 * (s < us) + 4 * ((unsigned)c > 100u) + ((us << 3) ^ (c & 0x55));
}

struct Node {
    Node *next;
    int value;
};
BODY(lists) {
    Node nodes[8];
    Node *head = nullptr;
    for (int k = 0; k < 8; k++) {
        Node **at = &head;
        nodes[k].value = (k * 13 + t * 7) % 32;
        while (*at && (*at)->value < nodes[k].value)
            at = &(*at)->next;
        nodes[k].next = *at;
        *at = &nodes[k];
    }
    int k = 0;
    for (Node *n = head; n; n = n->next, k++)
        out[k % 4] = out[k % 4] * 100 + n->value;
}

template <int N, class F> DEVICE int apply(F f, int x) {
    for (int k = 0; k < N; k++)
        x = f(x, k);
    return x;
}
BODY(lambdas) {
    int base = t * 3;
    auto add = [=](int x, int k) { return x + base * k; };
    auto mix = [&](int x, int k) { return (x ^ (base += k)) & 0xffff; };
    out[0] = apply<5>(add, t);
    out[1] = apply<7>(mix, t);
    out[2] = base;
}

BODY(floats) {
    float f = t * 0.37f - 3.0f;
    double d = f;
    for (int k = 1; k < 6; k++) {
        f = f * f / (k + 1) - 1.0f / k;
        d = d * 0.5 + k;
    }
    union {
        float f;
        unsigned u;
    } bits;
    bits.f = f;
    out[0] = bits.u;
    out[1] = (unsigned)(int)(d * 1024);
    out[2] = (f < 0) + 2 * (f != f) + 4 * (d > 3.5) + 8 * (unsigned)(t * 1.25f);
    bits.f = (float)(d / 3);
    out[3] = bits.u;
}
