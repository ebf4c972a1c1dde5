// mbarrier objects and asynchronous copies, without the device around them: plain functions on
// memory, so that tests can run them alone.
#ifndef KUDZU_DEVICE_ASYNC_H
#define KUDZU_DEVICE_ASYNC_H

#include <stdbool.h>

#include "abi/generated_code.h"

struct async_outcome {
    enum kd_fault fault; // it cannot be done: the caller ends the launch
    const char *why;     // the reason, in plain English
    bool phase_ended;    // of an mbarrier object, one or more
    uint64_t ended;      // of which ones: async_object_bit
};
// One of 64 that an mbarrier object shares with few others.
static inline uint64_t async_object_bit(uint64_t address) {
    return UINT64_C(1) << (address / 8 % 64);
}
// What copies do to memory, for whoever checks it.
enum async_move {
    ASYNC_COPY,    // of a bulk copy by which code says what it accesses
    ASYNC_COMBINE, // the same, an element of a reduction
    ASYNC_SPREAD,  // to a block of the cluster, of what has been read
    ASYNC_LOAD,    // of a box of a tensor to shared memory; from 0: what lies outside of the tensor
    ASYNC_STORE,   // of a box to the tensor
    ASYNC_REDUCE,  // the same, an element of a reduction
    ASYNC_OPERAND, // of shared memory, for a product or to tensor memory: nothing is written
    ASYNC_MEMBERS  // of multimem: of one device's memory; to, from: 0 where it is not written, read
};
// Generic addresses. The bytes differ where elements are padded.
struct async_piece {
    uint64_t to, from;
    uint32_t to_bytes, from_bytes;
};
struct async_watch {
    // A piece is about to be moved.
    void (*moves)(struct async_watch *w, enum async_move how, const struct async_piece *p);
    // The mbarrier object there is about to be told of what has been moved, but by ASYNC_COPY and
    // ASYNC_COMBINE.
    void (*signals)(struct async_watch *w, uint64_t object);
};
// Does what kd_rt_async is asked for. watch: NULL: nobody.
uint64_t async_execute(struct kd_block *b, uint32_t code, const uint64_t *args,
                       struct async_outcome *out, struct async_watch *watch);
// `count` arrivals of several threads, as KD_ASYNC_MBARRIER_ARRIVE: the state before them. False,
// with nothing done: not in one step, since a phase would end on the way, or it is an error.
bool async_arrive_together(uint64_t address, uint64_t count, uint64_t *before,
                           struct async_outcome *out);
// The two words that answer a request to cancel a cluster (guide 12.2): ctaid is the index of its
// first block; NULL: none was cancelled. What lower_query_cancel takes apart.
void async_cancel_answer(const uint32_t *ctaid, uint64_t answer[2]);
// Has the phase of that parity ended, of the mbarrier object there?
bool async_phase_ended(uint64_t address, uint32_t parity);
// The parity of the phase that a wait asks about; what: its second operand.
uint32_t async_parity(uint32_t code, uint64_t what);

// async_reduce.c: n elements of the type at `from` into those at `to`. Elements are handled one by
// one with relaxed atomic operations; flush: sums of f32 take subnormal numbers for zero, as those
// in global memory mostly do. False: the type does not have the operation.
bool async_reduce(enum kd_async_atom atom, enum kd_async_type type, bool flush, uint64_t to,
                  const void *from, uint64_t n);
uint32_t async_type_bytes(enum kd_async_type type);
// What an element becomes, flushing; the type has the operation.
uint64_t async_combine(enum kd_async_atom atom, enum kd_async_type type, uint64_t old, uint64_t x);

// multimem.c: KD_ASYNC_MULTIMEM_*. watch: as async_execute has it.
enum kd_fault multimem_execute(uint32_t code, const uint64_t *args, struct async_watch *watch,
                               uint64_t *result);

// Block `rank` of the cluster of b; NULL: it has ended. What runs the blocks has it.
struct kd_block *cluster_block(struct kd_block *b, uint32_t rank);

// tensor_copy.c: boxes of tensors. The number of bytes that moved in shared memory, or 0 with *why.
// watch: as async_execute has it.
uint64_t tensor_load(uint32_t code, uint8_t *to, const void *map, const int32_t *coords,
                     const uint32_t *offsets, struct async_watch *watch, const char **why);
uint64_t tensor_store(uint32_t code, const void *map, const int32_t *coords, const uint8_t *from,
                      struct async_watch *watch, const char **why);
bool tensor_map_replace(void *map, uint32_t field, uint32_t index, uint64_t value);

#endif
