// Device printf: the formatter against the C library, the guide's return values and the ring.
// Combinations that compilers warn about are tested too.
#pragma GCC diagnostic ignored "-Wformat"

#include <stdarg.h>
#include <unistd.h>

#include "device/fake_module.h"
#include "device/helpers/print_buffer.h"
#include "device/helpers/print_format.h"

static uint8_t args[512];
static size_t args_size;

static void add(const void *p, size_t n) {
    args_size = (args_size + n - 1) / n * n;
    memcpy(args + args_size, p, n);
    args_size += n;
}
static void add_int(int v) {
    add(&v, 4);
}
static void add_long(long long v) {
    add(&v, 8);
}
static void add_double(double v) {
    add(&v, 8);
}
static void add_pointer(const void *v) {
    add(&v, 8);
}

// Formats what was added, compares, starts anew.
static void check_at(int line, const char *fmt, const char *want, int count) {
    char out[4096];
    size_t length;
    int got = print_format(out, sizeof out, fmt, args, &length);
    if (strcmp(out, want) || length != strlen(want) || got != count) {
        fprintf(stderr, "line %d: \"%s\" gave \"%s\" (%d), expected \"%s\" (%d)\n", line, fmt, out,
                got, want, count);
        expect_failures++;
    }
    args_size = 0;
    memset(args, 0xAA, sizeof args);
}
#define CHECK(fmt, want, count) check_at(__LINE__, fmt, want, count)

// The C library formats the same arguments.
#define SAME_INT(fmt, v)                                                                           \
    do {                                                                                           \
        char want_[512];                                                                           \
        snprintf(want_, sizeof want_, fmt, v);                                                     \
        add_int(v);                                                                                \
        CHECK(fmt, want_, 1);                                                                      \
    } while (0)
#define SAME_LONG(fmt, v)                                                                          \
    do {                                                                                           \
        char want_[512];                                                                           \
        snprintf(want_, sizeof want_, fmt, v);                                                     \
        add_long(v);                                                                               \
        CHECK(fmt, want_, 1);                                                                      \
    } while (0)
#define SAME_DOUBLE(fmt, v)                                                                        \
    do {                                                                                           \
        char want_[2048];                                                                          \
        snprintf(want_, sizeof want_, fmt, v);                                                     \
        add_double(v);                                                                             \
        CHECK(fmt, want_, 1);                                                                      \
    } while (0)

static void test_integers(void) {
    static const int values[] = {0, 1, -1, 42, -12345, 0x7fffffff, (int)0x80000000};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        int v = values[i];
        SAME_INT("%d", v);
        SAME_INT("%i|", v);
        SAME_INT("%u", v);
        SAME_INT("%x", v);
        SAME_INT("%#X", v);
        SAME_INT("%o", v);
        SAME_INT("%#o", v);
        SAME_INT("%+d", v);
        SAME_INT("% d", v);
        SAME_INT("%12d|", v);
        SAME_INT("%-12d|", v);
        SAME_INT("%012d|", v);
        SAME_INT("%+012d|", v);
        SAME_INT("%12.5d|", v);
        SAME_INT("%-12.5x|", v);
        SAME_INT("%012.5d|", v);
        SAME_INT("%.0d|", v);
        SAME_INT("%#010x|", v);
        SAME_INT("%hd", (short)v);
        SAME_INT("%hhd", (signed char)v);
        SAME_INT("%hhu", (unsigned char)v);
        SAME_LONG("%lld", (long long)v * 1000003);
        SAME_LONG("%ld", (long)v * 1000003);
        SAME_LONG("%llx", (unsigned long long)v);
        SAME_LONG("%zu", (size_t)v);
    }
    SAME_INT("%c", 'x');
    SAME_INT("%5c|", 'x');
    SAME_INT("%-5c|", 'x');
}

static void test_doubles(void) {
    static const double values[] = {0,      -0.0,          1,  -1.5, 3.14159265358979, 1e300,
                                    1e-300, 123456789.125, 0.1};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double v = values[i];
        SAME_DOUBLE("%f", v);
        SAME_DOUBLE("%e", v);
        SAME_DOUBLE("%g", v);
        SAME_DOUBLE("%G", v);
        SAME_DOUBLE("%a", v);
        SAME_DOUBLE("%.3f", v);
        SAME_DOUBLE("%+.10e", v);
        SAME_DOUBLE("%020.3f|", v);
        SAME_DOUBLE("%-20.3g|", v);
        SAME_DOUBLE("%#.0f", v);
        SAME_DOUBLE("%.0f", v);
    }
    SAME_DOUBLE("%f", __builtin_inf());
    SAME_DOUBLE("%10.2f|", -__builtin_inf());
    SAME_DOUBLE("%600.2f|", 1.5);
    SAME_DOUBLE("%.1000f", 1e300);
}

static void test_strings(void) {
    add_pointer("hello");
    CHECK("%s", "hello", 1);
    add_pointer("hello");
    CHECK("[%8s]", "[   hello]", 1);
    add_pointer("hello");
    CHECK("[%-8.3s]", "[hel     ]", 1);
    add_pointer(NULL);
    CHECK("%s", "(null)", 1);
    add_pointer((void *)0x1234abcd);
    CHECK("%p", "0x1234abcd", 1);
    CHECK("no arguments, 100%%", "no arguments, 100%", 0);
    CHECK("", "", 0);
    CHECK("ends with %", "ends with %", 0);
    add_int(7);
    CHECK("%k %d", "%k 7", 1);
}

static void test_mixtures(void) {
    add_int(1);
    add_double(2.5);
    add_int(3);
    add_pointer("four");
    add_long(-5);
    CHECK("%d %g %d %s %lld\n", "1 2.5 3 four -5\n", 5);
    add_int(8);
    add_int(42);
    CHECK("[%*d]", "[      42]", 2);
    add_int(-8);
    add_int(42);
    CHECK("[%*d]", "[42      ]", 2);
    add_int(2);
    add_double(3.14159);
    CHECK("%.*f", "3.14", 2);
    int untouched = 1;
    add_pointer(&untouched);
    add_int(9);
    CHECK("%n%d", "9", 2);
    EXPECT_EQ(untouched, 1);
    // Guide 10.35.2: 32 arguments; what is beyond is output as it is.
    char fmt[200] = "", want[200] = "";
    for (int i = 0; i < 34; i++) {
        add_int(i % 10);
        strcat(fmt, "%d");
        strcat(want, i < 32 ? (char[]){(char)('0' + i % 10), 0} : "%d");
    }
    CHECK(fmt, want, 32);
}

// Output that does not fit is cut, the length is the whole.
static void test_cut(void) {
    char out[8];
    size_t length;
    add_int(123456789);
    EXPECT_EQ(print_format(out, sizeof out, "%d", args, &length), 1);
    EXPECT_STR(out, "1234567");
    EXPECT_EQ(length, 9);
    args_size = 0;
}

static void test_ring(void) {
    struct print_buffer b;
    char *text = NULL;
    size_t size = 0;
    print_buffer_open(&b, 64);
    FILE *f = open_memstream(&text, &size);
    print_buffer_append(&b, "first\n", 6);
    print_buffer_append(&b, "second\n", 7);
    print_buffer_flush(&b, f);
    fflush(f);
    EXPECT_STR(text, "first\nsecond\n");
    rewind(f);
    // 10 bytes a record and 64 in all: the last six remain.
    for (char c = 'a'; c < 'k'; c++)
        print_buffer_append(&b, (char[]){c, c, c, c, c, '\n'}, 6);
    print_buffer_append(
        &b, "this is far longer than the whole ring, and is therefore not kept at all", 72);
    print_buffer_flush(&b, f);
    fclose(f);
    EXPECT(strncmp(text, "eeeee\nfffff\nggggg\nhhhhh\niiiii\njjjjj\n", 36) == 0);
    free(text);
    print_buffer_close(&b);
}

static void print_three(struct kd_block *b) {
    struct {
        uint32_t block;
        double value;
    } a = {b->ctaid[0], 0.5};
    int32_t *r = *(int32_t *const *)b->params;
    for (uint32_t t = 0; t < 3; t++)
        r[t] = kd_rt_vprintf(b, t, "block %d, %.1f\n", &a);
    r[3] = kd_rt_vprintf(b, 0, NULL, NULL);
    r[4] = kd_rt_vprintf(b, 0, "plain\n", NULL);
}

static void bad_string(struct kd_block *b) {
    void *a = (void *)8;
    kd_rt_vprintf(b, 0, "%s", &a);
}

static const struct fake_kernel kernels[] = {
    {.name = "print_three", .entry = print_three, .param_bytes = 8},
    {.name = "bad_string", .entry = bad_string},
};

// Through a kernel to stdout.
static void test_output(void) {
    char text[512] = "";
    int32_t results[5], *p = results, pipes[2], saved = dup(1);
    struct kd_context *c = fake_context();
    struct kd_module *m = fake_module(c, kernels, 2);
    struct kd_queue *q = kd_context_legacy_queue(c);
    REQUIRE(pipe(pipes) == 0);
    fflush(stdout);
    dup2(pipes[1], 1);
    EXPECT_EQ(fake_launch(q, m, "print_three", 1, 1, &p, 8), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_OK);
    fflush(stdout);
    dup2(saved, 1);
    EXPECT(read(pipes[0], text, sizeof text - 1) > 0);
    EXPECT_STR(text, "block 0, 0.5\nblock 0, 0.5\nblock 0, 0.5\nplain\n");
    EXPECT_EQ(results[0], 2);
    EXPECT_EQ(results[3], -1);
    EXPECT_EQ(results[4], 0);
    // A bad pointer is the kernel's fault; printing works afterwards.
    EXPECT_EQ(fake_launch(q, m, "bad_string", 1, 1, NULL, 0), KD_OK);
    EXPECT_EQ(kd_queue_wait(q), KD_FAULTED);
    kd_context_destroy(c);
    close(pipes[0]);
    close(pipes[1]);
    close(saved);
}

int main(void) {
    test_integers();
    test_doubles();
    test_strings();
    test_mixtures();
    test_cut();
    test_ring();
    test_output();
    return expect_done();
}
