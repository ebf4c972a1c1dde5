// Products of bytes on tile registers (AMX): up to four tiles of sums at a time stay in registers
// while they are added to. Generated code makes the panels.
#include "device/helpers/tile_product.h"

#include "device/exec/runner.h"
#include "device/helpers/runtime.h"
#include "device/topology.h"

#include <string.h>

enum { ROWS = 16, ROW_BYTES = 64, REGISTERS = 8 };

static uint8_t *memory_of(struct runner *r) {
    return r->tiles.bytes + (-(uintptr_t)r->tiles.bytes & 63);
}

#if defined(__x86_64__)
#define INLINE __attribute__((always_inline)) static inline

struct config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

static const struct config all_whole
    __attribute__((aligned(64))) = {.palette = 1,
                                    .row_bytes = {ROW_BYTES, ROW_BYTES, ROW_BYTES, ROW_BYTES,
                                                  ROW_BYTES, ROW_BYTES, ROW_BYTES, ROW_BYTES},
                                    .rows = {ROWS, ROWS, ROWS, ROWS, ROWS, ROWS, ROWS, ROWS}};

// The instructions, or the same in C: registers are memory then.
#define TILE_LOAD(n, p)                                                                            \
    (plain ? (void)memcpy(plain + (n)*KD_TILE_BYTES, p, KD_TILE_BYTES) : ({                        \
        __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #n                                           \
                         :                                                                         \
                         : "r"(p), "r"((long)ROW_BYTES)                                            \
                         : "memory");                                                              \
    }))
#define TILE_STORE(n, p)                                                                           \
    (plain ? (void)memcpy(p, plain + (n)*KD_TILE_BYTES, KD_TILE_BYTES) : ({                        \
        __asm__ volatile("tilestored %%tmm" #n ", (%0,%1,1)"                                       \
                         :                                                                         \
                         : "r"(p), "r"((long)ROW_BYTES)                                            \
                         : "memory");                                                              \
    }))
#define TILE_DOT(name, c, a, b) __asm__ volatile(name " %%tmm" #b ", %%tmm" #a ", %%tmm" #c::)
#define TILE_MULTIPLY(c, a, b)                                                                     \
    do {                                                                                           \
        if (plain)                                                                                 \
            multiply_plain(plain, c, a, b, sa, sb);                                                \
        else if (sa && sb)                                                                         \
            TILE_DOT("tdpbssd", c, a, b);                                                          \
        else if (sa)                                                                               \
            TILE_DOT("tdpbsud", c, a, b);                                                          \
        else if (sb)                                                                               \
            TILE_DOT("tdpbusd", c, a, b);                                                          \
        else                                                                                       \
            TILE_DOT("tdpbuud", c, a, b);                                                          \
    } while (0)

static int32_t byte_of(uint8_t x, bool is_signed) {
    return is_signed ? (int8_t)x : x;
}

static void multiply_plain(uint8_t *t, unsigned c, unsigned a, unsigned b, bool sa, bool sb) {
    const uint8_t *x = t + a * KD_TILE_BYTES, *y = t + b * KD_TILE_BYTES;
    for (unsigned row = 0; row < ROWS; row++) {
        uint32_t sum[16];
        uint8_t *at = t + c * KD_TILE_BYTES + row * ROW_BYTES;
        memcpy(sum, at, sizeof sum);
        for (unsigned k = 0; k < ROW_BYTES; k++)
            for (unsigned n = 0; n < 16; n++)
                sum[n] += (uint32_t)(byte_of(x[row * ROW_BYTES + k], sa) *
                                     byte_of(y[k / 4 * ROW_BYTES + n * 4 + k % 4], sb));
        memcpy(at, sum, sizeof sum);
    }
}

// ---- products ----------------------------------------------------------------------------------

// All of a stays in registers 4 to 7: a row of tiles in 4 and 5, the other one in 6 and 7. Sums of
// a column of tiles go through 0 and 1, b's panels through 2 and 3: the processor gives each load a
// register of its own and begins the next column while it still adds to the last one.
INLINE void multiply(const struct kd_tile_block *t, const uint8_t *panels, uint8_t *sums,
                     uint8_t *plain, bool sa, bool sb) {
    const uint8_t *a = panels + t->a, *b = panels + t->b;
    bool deep = t->steps > 1, low = t->down > 1;
    const uint8_t *below = a + (deep ? 2 : 1) * KD_TILE_BYTES;
    TILE_LOAD(4, a);
    if (deep)
        TILE_LOAD(5, a + KD_TILE_BYTES);
    if (low)
        TILE_LOAD(6, below);
    if (low && deep)
        TILE_LOAD(7, below + KD_TILE_BYTES);
    for (unsigned j = 0; j < t->across; j++) {
        uint8_t *upper = sums + t->sums[0][j], *lower = sums + t->sums[1][j];
        TILE_LOAD(0, upper);
        TILE_LOAD(2, b);
        b += KD_TILE_BYTES;
        TILE_MULTIPLY(0, 4, 2);
        if (low) {
            TILE_LOAD(1, lower);
            TILE_MULTIPLY(1, 6, 2);
        }
        if (deep) {
            TILE_LOAD(3, b);
            b += KD_TILE_BYTES;
            TILE_MULTIPLY(0, 5, 3);
        }
        if (low && deep)
            TILE_MULTIPLY(1, 7, 3);
        TILE_STORE(0, upper);
        if (low)
            TILE_STORE(1, lower);
    }
}

static void multiply_in_c(const struct kd_tile_block *t, const uint8_t *panels, uint8_t *sums,
                          uint8_t *registers) {
    multiply(t, panels, sums, registers, t->a_signed, t->b_signed);
}

static void configure(struct tile_memory *m) {
    if (!m->configured && topology_tiles() == TILES_MACHINE) {
        __asm__ volatile("ldtilecfg %0" : : "m"(all_whole));
        m->configured = true;
    }
}

void tile_release(struct runner *r) {
    if (r->tiles.configured)
        __asm__ volatile("tilerelease");
    r->tiles.configured = false;
}

void kd_rt_tile_product(const struct kd_tile_block *t, const uint8_t *panels, uint8_t *sums) {
    struct runner *r = runner_current();
    if (!r->tiles.configured)
        multiply_in_c(t, panels, sums,
                      memory_of(r) + (sizeof r->tiles.bytes - 64) - REGISTERS * KD_TILE_BYTES);
    else if (t->a_signed && t->b_signed)
        multiply(t, panels, sums, NULL, true, true);
    else if (t->a_signed)
        multiply(t, panels, sums, NULL, true, false);
    else if (t->b_signed)
        multiply(t, panels, sums, NULL, false, true);
    else
        multiply(t, panels, sums, NULL, false, false);
}

#else

static void configure(struct tile_memory *m) {
}

void tile_release(struct runner *r) {
}

// No code that calls this is made for such a processor.
void kd_rt_tile_product(const struct kd_tile_block *t, const uint8_t *panels, uint8_t *sums) {
    __builtin_trap();
}

#endif

uint32_t kd_rt_tiles(void) {
    return topology_tiles() != TILES_NONE;
}

uint8_t *kd_rt_panels(void) {
    return memory_of(runner_current());
}

uint8_t *kd_rt_tile_panels(void) {
    struct runner *r = runner_current();
    configure(&r->tiles);
    return memory_of(r);
}
