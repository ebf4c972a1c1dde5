// Several host threads run blocks of one module at the same time, faults among them: each has
// memory of its own, and what a fault left behind does not disturb the next block.
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/interp/interp.h"

enum { HOSTS = 3, BLOCKS = 40, LANES = 64 };

// Adds to a counter that all share, sums lanes through shared memory, faults where told.
static const char text[] =
    "ir ptx 8.5 sm 90\n"
    "shared @s internal size 4 align 4 offset 0\n"
    "shared_bytes 4\n"
    "kernel @k visible param_bytes 8 shared 4 maxntid 0 0 0 reqntid 0 0 0 minnctapersm 0 maxnreg 0 "
    "frame 0 align 1\n"
    "body @k {\n"
    "  param @a internal size 8 align 8 offset 0\n"
    "bb0:\n"
    "    %0:b64 = symaddr:b64 sym=@param:a\n"
    "    %1:b64 = ld:u64 {space=param} %0\n"
    "    %2:b32 = sreg:b32 sreg=%tid.x\n"
    "    %3:b64 = symaddr:b64 sym=@shared:s\n"
    "    %4:b32 = sreg:b32 sreg=%ctaid.x\n"
    "    st:u32 {space=shared} %3, 0x0:b32\n"
    "    bar.sync:void 0x0:b32\n"
    "    red:u32 {space=shared, atom=add} %3, %2\n"
    "    bar.sync:void 0x0:b32\n"
    "    %5:b32 = rem:u32 %4, 0x5:b32\n"
    "    %6:pred = setp:u32 {cmp=eq} %5, 0x4:b32\n"
    "    cbr:void %6 -> bb1, bb2\n"
    "bb1 <- bb0:\n"
    "    trap:void\n"
    "    ret:void\n"
    "bb2 <- bb0:\n"
    "    %7:b32 = ld:u32 {space=shared} %3\n"
    "    red:u32 {space=global, atom=add} %1, %7\n"
    "    ret:void\n"
    "}\n";

static struct kir_module *module;
static uint32_t counter, faults;
static _Thread_local jmp_buf jump;

static void on_fault(struct kd_block *b, uint32_t thread, uint32_t fault, uint64_t address,
                     const char *file, uint32_t line) {
    __atomic_add_fetch(&faults, fault == KD_FAULT_TRAP, __ATOMIC_RELAXED);
    longjmp(jump, 1);
}

static void on_yield(struct kd_block *b) {
}

static const struct kd_rt rt = {.kd_rt_fault_at = on_fault, .kd_rt_yield = on_yield};

static void run_block(uint32_t index) {
    uint64_t params[1] = {(uint64_t)(uintptr_t)&counter};
    _Alignas(16) uint8_t shared[16];
    struct kd_block b = {.params = (const uint8_t *)params,
                         .shared = shared,
                         .shared_window_bytes = sizeof shared,
                         .ntid = {LANES, 1, 1},
                         .nctaid = {BLOCKS, 1, 1},
                         .ctaid = {index, 0, 0},
                         .nthreads = LANES,
                         .nwarps = LANES / KD_WARP};
    if (!setjmp(jump))
        kir_interp_block(module, kir_find_func(module, "k"), &b, &rt);
}

static void *host(void *arg) {
    for (uint32_t k = 0; k < BLOCKS; k++)
        run_block(k);
    return NULL;
}

int main(void) {
    struct strbuf err = {0};
    pthread_t threads[HOSTS];
    module = kir_parse(text, sizeof text - 1, &err);
    if (!module || !kir_validate(module, &err)) {
        printf("%s", strbuf_str(&err));
        return 1;
    }
    for (int k = 0; k < HOSTS; k++)
        pthread_create(&threads[k], NULL, host, NULL);
    for (int k = 0; k < HOSTS; k++)
        pthread_join(threads[k], NULL);
    uint32_t good = HOSTS * (BLOCKS - BLOCKS / 5), want = good * LANES * (LANES * (LANES - 1) / 2);
    bool ok = counter == want && faults == HOSTS * (BLOCKS / 5);
    printf("counter %u, expected %u; %u faults\n", counter, want, faults);
    kir_module_free(module);
    return !ok;
}
