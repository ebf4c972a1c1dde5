// Compiled to an object that the loader's test loads: calls in and out of the object, constants,
// a jump table, tables of addresses, writable data, large vectors from .rodata.
#include <stdint.h>

double fma(double, double, double);
void *memcpy(void *, const void *, unsigned long);
uint64_t kd_rt_globaltimer(void);

static const double weights[5] = {1, 2, 4, 8, 16};
static int counter;       // .bss
static int started = 100; // .data

static __attribute__((noinline)) int add(int a, int b) {
    return a + b;
}
static __attribute__((noinline)) int sub(int a, int b) {
    return a - b;
}
// .data.rel.ro
static int (*const volatile table[2])(int, int) = {add, sub};
static const char *const volatile names[2] = {"first", "second"};

static __attribute__((noinline)) int choose(unsigned k) {
    switch (k) {
    case 0:
        return 17;
    case 1:
        return started++;
    case 2:
        return ++counter;
    case 3:
        return table[1](50, 8);
    case 4:
        return names[1][3];
    case 5:
        return table[0](1, 2);
    case 6:
        return kd_rt_globaltimer() != 0;
    default:
        return -1;
    }
}

// in[0] chooses; out gets the answer and a sum that needs the library.
void kd_entry(const uint32_t *in, double *out);
void kd_entry(const uint32_t *in, double *out) {
    double copy[5], sum = 0;
    memcpy(copy, weights, sizeof copy);
    for (int i = 0; i < 5; i++)
        sum = fma(copy[i], (double)(i + 1), sum);
    out[0] = choose(in[0]);
    out[1] = sum;
}
