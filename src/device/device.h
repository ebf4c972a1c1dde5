// The CPU device: memory, queues, launches. The driver programs against this header alone;
// everything is plain C, nothing here knows the driver API's types.
//
// Objects, from the outside in: a device owns workers (threads); a context on it owns queues
// (streams), memory, modules, limits, and one sticky fault; a queue runs operations in order.
// All functions are safe from several threads unless said otherwise. Functions that can fail
// return an enum kd_status; kd_reason() then explains the failure of the calling thread's last
// call in plain English.
#ifndef KUDZU_DEVICE_DEVICE_H
#define KUDZU_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/generated_code.h"
#include "abi/jit.h"

struct kd_device;
struct kd_context;
struct kd_queue;
struct kd_event;
struct kd_module;
struct kd_kernel;
struct kd_multi_grid;
struct host_call;

enum kd_status {
    KD_OK,
    KD_NOT_READY,     // query: work is left
    KD_INVALID_VALUE, // a size, pointer or flag that makes no sense
    KD_OUT_OF_MEMORY,
    KD_NOT_FOUND,     // no such kernel, variable, allocation
    KD_FAULTED,       // the context has a sticky fault: kd_context_fault
    KD_INVALID_IMAGE, // neither PTX nor a container; damaged
    KD_NO_BINARY,     // a container without an entry for this device
    KD_INVALID_PTX,   // PTX does not parse, verify or compile
    KD_UNSUPPORTED_PTX_VERSION,
    KD_JIT_NOT_FOUND,    // libkudzu-jit.so cannot be loaded, and something must be compiled
    KD_UNRESOLVED,       // an extern symbol has no definition
    KD_OUT_OF_RESOURCES, // launch: too many of the device's own
    KD_COOPERATIVE_TOO_LARGE,
    KD_INVALID_CLUSTER, // launch: clusters that the kernel or the grid cannot have
    KD_ALREADY_REGISTERED,
    KD_NOT_REGISTERED,
    KD_NOT_SUPPORTED,
    KD_SYSTEM, // the operating system refused: threads, address space
};
const char *kd_reason(void); // never NULL; "" after success
// What the calling thread's calls since the last question had to warn of, the last of it; NULL:
// nothing. malloc'ed.
char *kd_take_warning(void);

// ---- Devices ------------------------------------------------------------------------------

// Devices of this process: KUDZU_DEVICES (1..64, default 1). CUDA_VISIBLE_DEVICES is the
// driver's affair.
int kd_device_count(void);
// Opens device `index` on the first call (address space; workers start with the first work) and
// returns it. Devices live until the process ends. NULL: see kd_reason.
struct kd_device *kd_device_open(int index);
int kd_device_index(const struct kd_device *d);

// Loads what compiling needs now, not when something has to be compiled. KD_JIT_NOT_FOUND.
enum kd_status kd_preload(void);
// The process ends. A program that is run once more should find better code in the cache, where a
// short run would never get to its end: so this waits for code of kernels whose quick code an
// earlier process has left there, at most ten times as long as they have run in this one, and two
// seconds. Where that is not enough, no later process waits for them.
void kd_finish_better_code(void);

struct kd_properties {
    char name[256];        // "kudzu CPU: " and the processor's name
    uint8_t uuid[16];      // stable for machine and index
    int workers;           // multiprocessors
    uint64_t total_memory; // bytes
    int clock_khz, memory_clock_khz;
    uint64_t l2_bytes;                   // last-level cache
    enum kd_level level;                 // what compiled code uses
    const struct capability *capability; // what a multiprocessor has of memory, threads and blocks
    bool lenient;              // PTX for every target is loaded: the capability is the default one
    uint32_t max_shared_block; // bytes, without opting in
    uint32_t registers_sm;
    uint32_t max_cooperative_blocks_sm;    // blocks a worker keeps resident
    int priority_least, priority_greatest; // 0 .. -5
};
const struct kd_properties *kd_device_properties(const struct kd_device *d);
void kd_device_memory(struct kd_device *d, uint64_t *free_bytes, uint64_t *total_bytes);

// ---- Contexts -----------------------------------------------------------------------------

// A context has one legacy default queue from the start. Destroying a context waits for its
// work, of which it stops kernels in which for KUDZU_HANG_SECONDS (30) no block has begun; then
// frees its queues, events' hold on it, modules and memory. No other call may use the context
// during or after that.
enum kd_status kd_context_new(struct kd_device *d, struct kd_context **out);
void kd_context_destroy(struct kd_context *c);
// What the end of a context begins with: waits for its work, and stops kernels as said above. Other
// threads may still use the context, and find a fault in it then.
void kd_context_finish(struct kd_context *c);
struct kd_device *kd_context_device(const struct kd_context *c);
struct kd_queue *kd_context_legacy_queue(struct kd_context *c);
// Waits for all queues of the context, then writes out the kernels' printf output.
enum kd_status kd_context_wait(struct kd_context *c);
// Whether nothing is left to be done in any queue of the context.
bool kd_context_idle(struct kd_context *c);
// Writes finished printf output to stdout. Waits call it by themselves.
void kd_context_flush_printf(struct kd_context *c);
// For `kudzu check`: blocks of the heap that kernels have not freed. NULL: of all contexts.
void kd_context_tell_heap_leaks(struct kd_context *c);

// A change of a kernel node by a kernel.
enum kd_update_kind { KD_UPDATE_GRID, KD_UPDATE_PARAM, KD_UPDATE_ENABLED };
struct kd_kernel_update {
    enum kd_update_kind kind;
    bool enabled;
    uint32_t grid[3];
    const void *value; // `size` bytes of the parameters from `offset` on
    uint64_t offset, size;
};

// What the device runtime has to ask its user, since devices have other numbers there. `attribute`
// takes the API's numbers and returns false when there is none.
struct kd_device_queries {
    int (*count)(void);
    int (*ordinal)(const struct kd_device *d);
    bool (*attribute)(int ordinal, int attribute, int *out);
    // The graph with this handle, which the caller gives back by kd_graph_unref; NULL: none that
    // kernels may launch.
    struct kd_graph *(*graph)(uint64_t handle);
    // Changes the kernel node with this handle, by kd_graph_update. KD_NOT_FOUND: none that kernels
    // may change.
    enum kd_status (*update)(uint64_t handle, const struct kd_kernel_update *u);
};
void kd_set_device_queries(const struct kd_device_queries *q);

enum kd_limit {
    KD_LIMIT_STACK,
    KD_LIMIT_PRINTF_FIFO,
    KD_LIMIT_MALLOC_HEAP,
    KD_LIMIT_PENDING_LAUNCHES,
    // What the machine does not heed, kept for kernels that ask:
    KD_LIMIT_L2_FETCH,
    KD_LIMIT_PERSISTING_L2,
    KD_LIMIT_CACHE_CONFIG, // the preferred one, a CUfunc_cache
    KD_LIMIT_COUNT
};
// The heap's limit cannot change once a kernel that allocates has run: KD_INVALID_VALUE.
enum kd_status kd_context_set_limit(struct kd_context *c, enum kd_limit limit, uint64_t value);
uint64_t kd_context_get_limit(const struct kd_context *c, enum kd_limit limit);

// The first fault of a context. It stays: everything queued or submitted afterwards ends with
// KD_FAULTED, until the context is destroyed.
struct kd_fault_record {
    enum kd_fault fault;
    char kernel[256];
    uint32_t block[3], thread[3];
    bool thread_known, address_known;
    uint64_t address;
    char text[768]; // one English sentence with all of it
};
bool kd_context_fault(struct kd_context *c, struct kd_fault_record *out); // out may be NULL
// fn is called with the first fault of each context, on the thread that met it. Before any launch.
void kd_on_fault(void (*fn)(struct kd_context *c, const struct kd_fault_record *r));

// ---- Memory -------------------------------------------------------------------------------
// One address space with the host. Lookup is O(log n).

enum kd_memory_kind {
    KD_MEMORY_DEVICE,
    KD_MEMORY_PINNED,     // allocated for the host, mapped into every device
    KD_MEMORY_REGISTERED, // the host's own pages
    KD_MEMORY_MANAGED,
    KD_MEMORY_VARIABLE, // a module's variable
};
struct kd_memory {
    uint64_t base, size; // as asked for
    enum kd_memory_kind kind;
    uint32_t flags; // the driver's own, as given
    uint64_t id;    // unique in the process, never reused
    struct kd_context *context;
    struct kd_device *device;
};
// Allocates `size` > 0 bytes, aligned to 256 (512 from 512 bytes on, a page from a page to 2 MiB
// and what is not KD_MEMORY_DEVICE). Contents are undefined (zero at first use). KD_OUT_OF_MEMORY
// also for absurd sizes.
enum kd_status kd_memory_alloc(struct kd_context *c, enum kd_memory_kind kind, uint64_t size,
                               uint32_t flags, uint64_t *out);
// `ptr` must be the base of an allocation that is not a variable: else KD_NOT_FOUND. Does not
// wait for the device: the driver waits first where the guide says so.
enum kd_status kd_memory_free(uint64_t ptr);
// The two halves of freeing, for memory that other threads may be about to use: from the first on
// no lookup finds it, and the second follows when what was found before has been done. False:
// nothing with this id begins at ptr, or it is a variable. `opened`: it is of kd_ipc_open, and
// kd_ipc_close is the second half.
bool kd_memory_retire(uint64_t ptr, uint64_t id, bool opened);
void kd_memory_release(uint64_t ptr);
// Queues of other contexts than its own have used it.
void kd_memory_set_foreign(uint64_t ptr);
bool kd_memory_foreign(uint64_t ptr); // retired or not
// Retires all that belongs to a context, which kd_context_destroy frees; true: some is foreign.
bool kd_memory_retire_context(struct kd_context *c);
// Gives the pages of an allocation back to the system; its contents are lost. Nothing uses them.
void kd_memory_discard(uint64_t ptr);
// `kudzu check`: an allocation is memory of a graph, to be used only between the operations that
// take and free it (guide 16.3).
void kd_graph_memory_new(uint64_t ptr);
// The memory is freed by a call of the host, at once.
void kd_graph_memory_freed(uint64_t ptr, const struct host_call *call);
// The allocation that contains `ptr`; false: none (ordinary host memory).
bool kd_memory_find(uint64_t ptr, struct kd_memory *out);
// The host has written to all of the range itself, with no operation.
void kd_memory_written(uint64_t ptr, uint64_t size);
// ptr is neither in an allocation nor where allocations were or will be.
bool kd_memory_is_foreign(uint64_t ptr);
enum kd_status kd_memory_register(struct kd_context *c, void *ptr, uint64_t size, uint32_t flags);
enum kd_status kd_memory_unregister(void *ptr);

// ---- Pools --------------------------------------------------------------------------------
// Stream-ordered allocation (guide, chapter 15). A pool takes segments of whole 2 MiB of a device
// and gives out blocks of them. A block that was freed in a queue can be had at once by what is
// submitted to that queue later, and by others when the queue has come to the freeing.

struct kd_pool;
struct kd_pool_options {
    uint64_t max_size; // bytes of all segments; 0: what the device has
    bool shareable;    // other processes can map its memory
    bool host;    // blocks are host memory (KD_MEMORY_PINNED), which does not count as the device's
    bool managed; // blocks are KD_MEMORY_MANAGED
};
enum kd_status kd_pool_new(struct kd_device *d, const struct kd_pool_options *options,
                           struct kd_pool **out);
// The pool ends with its last block; its owner is forgotten at once.
void kd_pool_free(struct kd_pool *p);
// A block of at least `size` > 0 bytes, aligned to 512, for what is submitted to q later.
enum kd_status kd_pool_alloc(struct kd_pool *p, struct kd_queue *q, uint64_t size, uint32_t flags,
                             uint64_t *out);
// Frees a block when q has come here. KD_NOT_FOUND: ptr is not the start of a pool's block. (The
// alternative, kd_memory_free, frees it at once.)
enum kd_status kd_pool_give(uint64_t ptr, struct kd_queue *q);
// The driver's own note on a pool, from an address in a block; NULL: none.
void kd_pool_set_owner(struct kd_pool *p, void *owner);
void *kd_pool_owner(uint64_t ptr);

enum kd_reuse { KD_REUSE_EVENTS, KD_REUSE_OPPORTUNISTIC, KD_REUSE_INTERNAL, KD_REUSES };
struct kd_pool_state {
    bool reuse[KD_REUSES]; // all true at first
    uint64_t threshold;    // bytes of segments that are kept at a synchronisation
    uint64_t reserved, reserved_high, used, used_high; // bytes
};
struct kd_pool_state kd_pool_state(struct kd_pool *p);
void kd_pool_set_reuse(struct kd_pool *p, enum kd_reuse which, bool allowed);
void kd_pool_set_threshold(struct kd_pool *p, uint64_t threshold);
void kd_pool_reset_high(struct kd_pool *p, bool reserved, bool used); // to the current values
// Gives back segments without blocks in use until `keep` bytes are left.
void kd_pool_trim(struct kd_pool *p, uint64_t keep);
// After the calling thread has waited for a queue, an event or a context: pools give back what is
// above their thresholds.
void kd_pools_settle(void);
void kd_pools_reclaim(struct kd_device *d); // gives back all that is not in use: memory is short

// The file behind a shareable pool, a new descriptor; -1: kd_reason tells why.
int kd_pool_export(struct kd_pool *p);
// A pool of another process: nothing can be allocated from it. The descriptor stays the caller's.
// Its device is the one that it was made for; KD_INVALID_VALUE: this process has none such.
enum kd_status kd_pool_import(int fd, struct kd_pool **out);
struct kd_device *kd_pool_device(const struct kd_pool *p); // NULL: it is the host's
// The same by a handle, good as long as the other process has the pool. KD_NOT_FOUND: it names
// none.
struct kd_physical_handle;
void kd_pool_describe(struct kd_pool *p, struct kd_physical_handle *out); // of a shareable one
enum kd_status kd_pool_open(const struct kd_physical_handle *in, struct kd_pool **out);
struct kd_pool_pointer {
    uint64_t magic, inode, offset, size;
    uint64_t check; // made of the others and of what only the pool's file tells
};
enum kd_status kd_pool_export_pointer(uint64_t ptr, struct kd_pool_pointer *out);
// Maps a block of the other process, of no context; kd_memory_free ends that.
enum kd_status kd_pool_import_pointer(struct kd_pool *p, uint32_t flags,
                                      const struct kd_pool_pointer *in, uint64_t *out);

// ---- Physical memory and address ranges ---------------------------------------------------
// Memory without an address, which can be mapped anywhere, also twice (guide, chapter 14). It is a
// file in memory, so that other processes can map it too.

enum { KD_GRANULARITY = 2 << 20 };
struct kd_physical;
// `size` bytes, a multiple of KD_GRANULARITY; `host`: not counted as the device's memory.
enum kd_status kd_physical_new(struct kd_device *d, uint64_t size, bool host,
                               struct kd_physical **out);
// Of a descriptor that kd_physical_export gave in some process; it stays the caller's.
// KD_INVALID_VALUE: it is something else, or of a device that this process does not have.
enum kd_status kd_physical_import(int fd, struct kd_physical **out);
int kd_physical_export(struct kd_physical *p); // a new descriptor; -1: kd_reason tells why
// A handle of a few bytes, good in any process of the user that sees this one in /proc, while it
// lives and keeps the memory.
struct kd_ipc_file {
    uint64_t magic, process, inode;
    uint32_t pid;
    int32_t fd;
};
struct kd_physical_handle {
    struct kd_ipc_file file;
    uint64_t size;
    uint64_t check; // made of the others and of what only the file tells
};
void kd_physical_describe(struct kd_physical *p, struct kd_physical_handle *out);
// KD_NOT_FOUND: the handle makes no sense, or the memory or its process is gone.
enum kd_status kd_physical_open(const struct kd_physical_handle *in, struct kd_physical **out);
uint64_t kd_physical_size(const struct kd_physical *p);
struct kd_device *kd_physical_device(const struct kd_physical *p); // NULL: it is the host's
void kd_physical_free(struct kd_physical *p);                      // mappings stay as they are

// Addresses without memory, aligned to a power of two; at `wish` when that is free and not 0.
enum kd_status kd_range_reserve(uint64_t size, uint64_t align, uint64_t wish, uint64_t *out);
void kd_range_release(uint64_t base, uint64_t size);
// Puts memory of p, from `offset` on, at reserved addresses, for nobody to touch yet, and makes it
// known as an allocation with `flags`.
enum kd_status kd_range_map(struct kd_physical *p, uint64_t base, uint64_t size, uint64_t offset,
                            uint32_t flags);
void kd_range_unmap(uint64_t base, uint64_t size); // what one kd_range_map put there
// Part of a range that is an allocation already: puts readable and writable memory there, or
// nothing that could be touched. False: the system does not map it.
bool kd_range_place(struct kd_physical *p, uint64_t base, uint64_t size, uint64_t offset);
void kd_range_clear(uint64_t base, uint64_t size);
// Physical memory at an address of the process's own, readable and writable.
enum kd_status kd_window_open(struct kd_physical *p, uint64_t offset, uint64_t size, uint64_t *out);
void kd_window_close(uint64_t address, uint64_t size);

// Multicast objects: memory of several devices, the members, behind one range of addresses.
struct kd_multicast;
struct kd_multicast_info {
    uint64_t size, types; // types: of handles, the driver's own
    uint32_t members;     // 1 to 64
};
struct kd_multicast *kd_multicast_new(const struct kd_multicast_info *info); // NULL: no memory
// An object of another process, by a descriptor, which stays the caller's, or by a handle. It is
// another kd_multicast, with what is bound to the first. KD_INVALID_VALUE, KD_NOT_FOUND: it is
// none.
enum kd_status kd_multicast_import(int fd, struct kd_multicast **out);
enum kd_status kd_multicast_open(const struct kd_physical_handle *in, struct kd_multicast **out);
int kd_multicast_export(struct kd_multicast *m); // a new descriptor; -1: kd_reason tells why
void kd_multicast_describe(struct kd_multicast *m, struct kd_physical_handle *out);
const struct kd_multicast_info *kd_multicast_info_of(const struct kd_multicast *m);
void kd_multicast_free(struct kd_multicast *m); // nothing is bound by it or mapped any more
// Adds a member, 0 to 63; the members, of all processes, one bit each.
enum kd_status kd_multicast_add(struct kd_multicast *m, unsigned member);
uint64_t kd_multicast_members(const struct kd_multicast *m);
// A member's memory p, from in_memory on, which this process has at `address`, stands for [offset,
// offset + size) of the object.
enum kd_status kd_multicast_bind(struct kd_multicast *m, unsigned member, uint64_t offset,
                                 uint64_t size, struct kd_physical *p, uint64_t in_memory,
                                 uint64_t address);
// Ends one binding of a member that this object made and that lies in the range, and says what it
// was; false: there is none.
bool kd_multicast_unbind(struct kd_multicast *m, unsigned member, uint64_t offset, uint64_t size,
                         uint64_t *address, uint64_t *bytes);
// The object's first `size` bytes at an address, for multimem instructions.
enum kd_status kd_multicast_map(struct kd_multicast *m, uint64_t base, uint64_t size);
void kd_multicast_unmap(uint64_t base);

// Addresses for a sparse array, in tiles, and what tells which of them memory is mapped at
// (memory/sparse.h). The addresses are an allocation of the context with `flags`: kd_memory_free
// ends them, kd_sparse_free the rest.
enum { KD_TILE_SHIFT = 16, KD_TILE = 1 << KD_TILE_SHIFT };
struct kd_sparse;
struct kd_image_level;
enum kd_status kd_sparse_new(struct kd_context *c, uint64_t tiles, uint32_t flags,
                             struct kd_sparse **out);
void kd_sparse_free(struct kd_sparse *s);
uint64_t kd_sparse_base(const struct kd_sparse *s);
// To be filled in by the caller. Texture objects and copies may name it as long as the process
// lives.
struct kd_image_level *kd_sparse_level(struct kd_sparse *s, unsigned level);
// Maps memory, from `offset` on, at n tiles, or with p NULL nothing; what was there is not any
// more. False: the system refuses; kd_sparse_failed makes that a fault of the context.
bool kd_sparse_map(struct kd_sparse *s, uint64_t first, uint64_t n, struct kd_physical *p,
                   uint64_t offset);
void kd_sparse_failed(struct kd_context *c, uint64_t address);

// Maps part of a file of another API into the process: `size` bytes from `offset` on. `c`: whose it
// is, or NULL. kd_memory_free ends it.
enum kd_status kd_memory_map_file(struct kd_device *d, struct kd_context *c, int fd,
                                  uint64_t offset, uint64_t size, uint32_t flags, uint64_t *out);

// ---- Between processes --------------------------------------------------------------------
// A handle of a few bytes names a file that a process has open. Any process of the same user can
// open it, through /proc, while the first one lives and keeps it.

struct kd_ipc_memory {
    struct kd_ipc_file file;
    uint32_t area_pages, slot;
    uint64_t offset, size; // of the allocation in the area
    uint32_t id;           // its lower half
    uint32_t check;        // made of the others and of what only the file tells
};
bool kd_ipc_is_own(const struct kd_ipc_file *f); // this process gave the handle
// For an address in memory of kd_memory_alloc: a handle of the whole allocation. KD_INVALID_VALUE:
// it is other memory.
enum kd_status kd_ipc_export(uint64_t ptr, struct kd_ipc_memory *out);
// Maps it: *out is the start of the allocation. KD_NOT_FOUND: the handle makes no sense, or the
// memory or its process is gone.
enum kd_status kd_ipc_open(struct kd_context *c, const struct kd_ipc_memory *in, uint32_t flags,
                           uint64_t *out);
void kd_ipc_close(uint64_t ptr);

// A file of zeroed words, and its mapping (pinned memory that kd_ipc_close ends); the descriptor is
// the caller's.
enum kd_status kd_ipc_words_new(struct kd_device *d, uint64_t bytes, int *fd, uint64_t *out);
enum kd_status kd_ipc_words_map(struct kd_device *d, int fd, uint64_t bytes, uint64_t *out);
struct kd_ipc_file kd_ipc_words_handle(int fd);
int kd_ipc_words_open(const struct kd_ipc_file *f, uint64_t bytes); // -1: kd_reason tells why

// ---- Queues -------------------------------------------------------------------------------

enum {
    KD_QUEUE_NONBLOCKING = 1, // does not synchronise with the legacy default queue
};
// Priorities: numerically smaller goes first; cut to the device's range.
enum kd_status kd_queue_new(struct kd_context *c, uint32_t flags, int priority,
                            struct kd_queue **out);
// Returns at once; what is queued still runs.
void kd_queue_free(struct kd_queue *q);
// For what is submitted from now on; cut to the device's range.
void kd_queue_set_priority(struct kd_queue *q, int priority);
struct kd_context *kd_queue_context(const struct kd_queue *q);
int kd_queue_priority(const struct kd_queue *q);
uint32_t kd_queue_flags(const struct kd_queue *q);
uint64_t kd_queue_id(const struct kd_queue *q); // unique in the process
// Waits until all that was submitted before has ended (the caller helps to run it), then writes
// printf output. KD_FAULTED when the context has a fault.
enum kd_status kd_queue_wait(struct kd_queue *q);
enum kd_status kd_queue_query(struct kd_queue *q); // KD_OK, KD_NOT_READY, KD_FAULTED

// What follows is submitted to a queue and returns at once. In a queue operations run in order;
// on the legacy queue they also wait for all earlier work of the context's blocking queues, and
// those for it (guide 6.2.8.5). On a context with a fault: KD_FAULTED.

struct kd_launch_config {
    struct kd_kernel *kernel;
    uint32_t grid[3], block[3];  // at least 1 each
    uint32_t cluster[3];         // blocks; [0] 0: what the kernel was compiled for
    uint32_t shared_bytes;       // dynamic shared memory
    const void *params;          // copied; kj_kernel.param_bytes of them
    uint32_t param_bytes;        // up to 32,764
    bool cooperative;            // all blocks must be resident together
    struct kd_multi_grid *multi; // cooperative: the launch on several devices that this is a part
    uint32_t grid_rank;          // of, and its number there; NULL: none
    bool prioritized;            // by `priority`, not the queue's; cut to the range
    int priority;
    // Programmatic dependent launch (guide 6.2.8.6): it may begin when all blocks of the launch
    // before it have triggered or ended.
    bool programmatic;
    // Events that become records of that place of this launch, or of the one where all blocks have
    // begun; of this process alone, without timing. NULL: none.
    struct {
        struct kd_event *event;
        bool at_begin;
    } marks[2];
};
// Picks or compiles code for the block's shape, then submits. Limits of the kernel (threads,
// shared memory, parameters) are checked here.
enum kd_status kd_submit_launch(struct kd_queue *q, const struct kd_launch_config *config);

// What kd_submit_launch would say, without submitting.
enum kd_status kd_check_launch(struct kd_queue *q, const struct kd_launch_config *config);

// One cooperative launch on several devices: grids of one shape that can wait for each other (guide
// 11.5.1.4). It lives as long as the launches that were submitted with it. NULL: no memory.
struct kd_multi_grid *kd_multi_grid_new(uint32_t grids);
void kd_multi_grid_unref(struct kd_multi_grid *m); // also NULL

struct kd_copy {
    void *dst;
    const void *src;
    uint64_t width, height, depth; // bytes, rows, slices; 1-D: height = depth = 1
    uint64_t dst_pitch, src_pitch; // bytes from row to row
    uint64_t dst_slice, src_slice; // bytes from slice to slice
    bool stage; // the source is pageable: it may change as soon as the call returns
    const struct host_call *call; // `kudzu check`: that asked for it; NULL: not known
    // Of a side that is a level of a sparse array: it, and the byte of a row, row and slice where
    // the box begins. Pitch and slice say nothing then. NULL: rows at a pitch.
    const struct kd_image_level *dst_level, *src_level;
    uint32_t dst_from[3], src_from[3];
};
enum kd_status kd_submit_copy(struct kd_queue *q, const struct kd_copy *copy);

struct kd_set {
    void *dst;
    uint32_t value;
    uint32_t element;              // 1, 2 or 4 bytes
    uint64_t width, height, depth; // elements, rows, slices
    uint64_t pitch, slice;         // bytes
    const struct host_call *call;  // as in struct kd_copy
    bool frees; // `kudzu check`: nothing is set; a block is freed or taken, as value says
};
enum kd_status kd_submit_set(struct kd_queue *q, const struct kd_set *set);
// `kudzu check`: takes or frees memory of kd_graph_memory_new, as a node or to be submitted. call:
// of the program, that made it.
struct kd_set kd_graph_memory_set(uint64_t ptr, bool takes, const struct host_call *call);

// Runs fn(arg, status) on a thread of the device that runs nothing else; status is KD_OK or
// KD_FAULTED. always: call it even when the context has a fault (cuStreamAddCallback).
typedef void (*kd_host_fn)(void *arg, enum kd_status status);
enum kd_status kd_submit_host(struct kd_queue *q, kd_host_fn fn, void *arg, bool always);

// Operations on words of 4 or 8 bytes, aligned to their size, in memory that kd_memory_find knows;
// in their order. A wait holds the queue's later work back until its condition holds.
enum kd_value_kind {
    KD_VALUE_WRITE,         // after all earlier writes of the queue
    KD_VALUE_BARRIER,       // orders memory, no address
    KD_VALUE_WAIT_AT_LEAST, // (signed)(*address - value) >= 0
    KD_VALUE_WAIT_EQUAL,
    KD_VALUE_WAIT_AND, // *address & value is not 0
    KD_VALUE_WAIT_NOR, // ~(*address | value) is not 0
    // One count of an eventfd, whose descriptor stands in `address` and stays open until then.
    KD_VALUE_FILE_SIGNAL,
    KD_VALUE_FILE_WAIT, // and takes it
};
struct kd_value_op {
    enum kd_value_kind kind;
    uint32_t bytes; // 4 or 8
    uint64_t address, value;
};
enum kd_status kd_submit_values(struct kd_queue *q, const struct kd_value_op *list, uint32_t n);

// One count of an eventfd: added, or waited for and taken. The descriptor stays the caller's.
enum kd_status kd_submit_file_signal(struct kd_queue *q, int fd);
enum kd_status kd_submit_file_wait(struct kd_queue *q, int fd);

// A share of a context's device, for queues whose work runs on at most so many of its workers at
// one time; they have a default queue of their own. KD_INVALID_VALUE: the device has not so many.
struct kd_share;
enum kd_status kd_share_new(struct kd_context *c, uint32_t workers, struct kd_share **out);
// Its queues stay, and what is queued still runs. Also after the context's end.
void kd_share_free(struct kd_share *s);
struct kd_queue *kd_share_default_queue(struct kd_share *s);
enum kd_status kd_share_queue_new(struct kd_share *s, uint32_t flags, int priority,
                                  struct kd_queue **out);
struct kd_share *kd_queue_share(const struct kd_queue *q); // NULL: the whole device
int kd_queue_workers(const struct kd_queue *q);            // that run its work at most
enum kd_status kd_share_wait(struct kd_share *s);          // for what was submitted to its queues

// ---- Events -------------------------------------------------------------------------------

enum {
    KD_EVENT_NO_TIMING = 1,
    KD_EVENT_BLOCKING_WAIT = 2, // waiting threads sleep and do not help
    KD_EVENT_SHARED = 4,        // other processes can record it and wait for it
};
enum kd_status kd_event_new(struct kd_context *c, uint32_t flags, struct kd_event **out);
// A handle of a shared event; the event of another process's handle (KD_NOT_FOUND: it is gone).
enum kd_status kd_event_export(const struct kd_event *e, struct kd_ipc_file *out);
enum kd_status kd_event_import(struct kd_context *c, const struct kd_ipc_file *file,
                               struct kd_event **out);
void kd_event_free(struct kd_event *e); // at once; a recorded one still completes
uint32_t kd_event_flags(const struct kd_event *e);
struct kd_context *kd_event_context(const struct kd_event *e);
enum kd_status kd_event_record(struct kd_event *e, struct kd_queue *q);
// Later work of q (of any context or device) waits for the event's last record; nothing if it
// was never recorded.
enum kd_status kd_event_wait_on(struct kd_queue *q, struct kd_event *e);
// The event happens when all that was submitted to any queue of the context has ended.
enum kd_status kd_event_record_context(struct kd_event *e, struct kd_context *c);
// All later work of the context, in queues made later too, waits for the event's last record.
enum kd_status kd_event_wait_on_context(struct kd_context *c, struct kd_event *e);
// The same for the queues of a share.
enum kd_status kd_event_record_share(struct kd_event *e, struct kd_share *s);
enum kd_status kd_event_wait_on_share(struct kd_share *s, struct kd_event *e);
enum kd_status kd_event_wait(struct kd_event *e);  // the calling thread waits
enum kd_status kd_event_query(struct kd_event *e); // KD_OK also when never recorded
// Nanoseconds of the device's clock when the last record ended. KD_INVALID_VALUE: never
// recorded or no timing; KD_NOT_READY: still queued.
enum kd_status kd_event_time(struct kd_event *e, uint64_t *ns);

// ---- Graphs -------------------------------------------------------------------------------
// Operations prepared once and run together, in the order that edges give. Launches of one graph
// follow each other. A change of a node takes effect with the next launch; those before it, queued
// or running, are not changed.

struct kd_graph;

enum kd_node_kind {
    KD_NODE_EMPTY,
    KD_NODE_LAUNCH,
    KD_NODE_COPY,
    KD_NODE_SET,
    KD_NODE_HOST,      // host.fn on the device's thread for host functions
    KD_NODE_CALL,      // host.fn at once, on the thread that ends the last predecessor: short
    KD_NODE_VALUES,    // words in memory are written or waited for
    KD_NODE_RECORD,    // an event, as of the launch
    KD_NODE_WAIT,      // for the last record of an event before the launch
    KD_NODE_CONDITION, // runs regions of the graph
};
enum kd_condition_kind { KD_CONDITION_IF, KD_CONDITION_WHILE, KD_CONDITION_SWITCH };
struct kd_condition {
    enum kd_condition_kind kind;
    uint32_t *value;   // read when the node is reached and, by WHILE, after each iteration
    uint32_t first, n; // its regions: IF: value != 0, value == 0; SWITCH: by value; WHILE: one
};
struct kd_graph_node {
    enum kd_node_kind kind;
    struct kd_context *context;
    bool own_priority; // else that of the queue
    int priority;
    union {
        struct kd_launch_config launch; // parameters are copied
        struct kd_copy copy;
        struct kd_set set;
        struct {
            kd_host_fn fn;
            void *arg;
            size_t arg_bytes; // above 0: they are copied, and fn gets the copy
            bool always;
        } host;
        struct {
            const struct kd_value_op *list; // copied
            uint32_t n;
        } values;
        struct kd_event *event;
        struct kd_condition condition;
    };
};
// Edges and regions; no cycles, and no edge from one region to another. Region 0 is the graph
// itself; the others are run by conditional nodes.
enum kd_port { KD_PORT_END, KD_PORT_TRIGGER, KD_PORT_BEGIN };
struct kd_graph_shape {
    uint32_t nodes, edges, regions;
    const uint32_t *from, *to; // edges
    // Of each edge: KD_PORT_END, or it lets a launch begin at another place of one that it depends
    // on (guide 6.2.8.6.3). NULL: all KD_PORT_END.
    const uint8_t *port;
    const uint32_t *region; // of each node; NULL: all 0
    const uint32_t *owner;  // of each region: its conditional node
};
// All nodes are empty at first. The caller may change arrays of the shape afterwards.
enum kd_status kd_graph_new(const struct kd_graph_shape *shape, struct kd_graph **out);
// Launches that are queued still run.
void kd_graph_free(struct kd_graph *g);
struct kd_graph *kd_graph_ref(struct kd_graph *g);
void kd_graph_unref(struct kd_graph *g);
enum kd_status kd_graph_set(struct kd_graph *g, uint32_t index, const struct kd_graph_node *node);
// A node that is not enabled does nothing.
enum kd_status kd_graph_enable(struct kd_graph *g, uint32_t index, bool enabled);
// A kernel changes a kernel node: for the launch that runs, when the node has not begun, and for
// all later ones, those that are queued too. KD_INVALID_VALUE: it is no kernel node, has no such
// parameter, or the grid is impossible. Small enough for a kernel's stack.
enum kd_status kd_graph_update(struct kd_graph *g, uint32_t index,
                               const struct kd_kernel_update *u);
// Before the first launch: kernels will change nodes.
void kd_graph_set_updatable(struct kd_graph *g);

// Value cells that are set when a launch begins, for this and later launches.
struct kd_graph_cell {
    uint32_t *cell, value;
};
enum kd_status kd_graph_set_cells(struct kd_graph *g, const struct kd_graph_cell *cells, size_t n);
// fn(arg) is called when no launch with what was set before the next call of this function is left
// and the graph was freed or changed: on any thread.
enum kd_status kd_graph_hold(struct kd_graph *g, void (*fn)(void *), void *arg);
enum kd_status kd_graph_launch(struct kd_graph *g, struct kd_queue *q);
// No launch is queued or runs.
bool kd_graph_idle(struct kd_graph *g);
// What kernels know the graph by, when they may launch it (kd_device_queries.graph).
void kd_graph_set_handle(struct kd_graph *g, uint64_t handle);

// ---- Textures -----------------------------------------------------------------------------

enum kd_texel { KD_TEXEL_UNSIGNED, KD_TEXEL_SIGNED, KD_TEXEL_FLOAT };
enum kd_addressing { KD_ADDRESS_WRAP, KD_ADDRESS_CLAMP, KD_ADDRESS_MIRROR, KD_ADDRESS_BORDER };

enum { KD_MAX_LEVELS = 18 };

// One level of an image: texels in rows, rows in slices (of a depth, layers, faces). Rows of a
// compressed image are rows of blocks.
struct kd_image_level {
    uint64_t base, pitch, slice;   // first texel; bytes from row to row, from slice to slice
    uint64_t width, height, depth; // texels, at least 1
    const struct kd_sparse
        *sparse;           // of a sparse array (memory/sparse.h); NULL: all memory is there
    bool tiled;            // texels lie in tiles: pitch says nothing
    uint8_t shift[3];      // a tile's bytes of a row, rows and slices, as powers of two
    uint32_t across, down; // tiles
};

// How a texture object samples memory (guide 6.2.14.1 and chapter 19), or what a surface object
// reads and writes (guide 6.2.14.2).
struct kd_texture {
    struct kd_image_level level[KD_MAX_LEVELS];
    uint32_t levels, layers; // at least 1; layers: of all, where a cube is six of them
    bool cube, surface;
    uint8_t texel;     // enum kd_texel
    uint8_t bytes;     // of a component: 1, 2, 4
    uint8_t channels;  // 1, 2, 4; of a compressed image also 3
    bool fractions;    // the texels' values are in [0, 1] or [-1, 1] however they are read
    uint8_t block;     // enum kd_block_format: the memory holds blocks, whose texels are as above
    bool indexed;      // linear memory: texels by index, zero outside
    bool filtered;     // linear filtering; else the nearest texel
    bool mip_filtered; // a mixture of two levels; else the nearest level
    bool normalized;   // coordinates are in [0, 1)
    bool as_float;     // integers of 1 and 2 bytes become [0, 1] or [-1, 1]
    bool srgb;         // 8-bit colours become linear
    bool seamless;     // filtering goes on across the edges of a cube's faces
    uint8_t addressing[3]; // enum kd_addressing
    float bias, min_level, max_level;
    uint8_t anisotropy; // the most samples along the longer gradient; 0, 1: one
    uint32_t border[4]; // component bits, for KD_ADDRESS_BORDER
    void *owner;        // the driver's own
};
// Makes a texture or surface object and its handle, which is never 0 and never given out twice. The
// memory must stay allocated as long as kernels use the object.
enum kd_status kd_texture_new(const struct kd_texture *t, uint64_t *handle);
void kd_texture_free(uint64_t handle);
bool kd_texture_find(uint64_t handle, struct kd_texture *out); // false: no such object

// ---- Modules and kernels ------------------------------------------------------------------

struct kd_load_options {
    char *error_log;
    size_t error_log_size;
    char *info_log;
    size_t info_log_size;
};
// Loads PTX text (NUL-terminated when size is 0), a container (image/image.h) or one native
// image, and creates its variables on the context's device. options may be NULL.
enum kd_status kd_module_load(struct kd_context *c, const void *image, size_t size,
                              const struct kd_load_options *options, struct kd_module **out);
void kd_module_retire(struct kd_module *m); // its variables
bool kd_module_foreign(const struct kd_module *m);
// The caller has waited for what uses it.
void kd_module_free(struct kd_module *m);
const struct kj_module_info *kd_module_info(const struct kd_module *m);
struct kd_kernel *kd_module_kernel(struct kd_module *m, const char *name);  // NULL: none
struct kd_kernel *kd_module_kernel_at(struct kd_module *m, uint32_t index); // of info
// Address and size of a visible variable. Managed variables are ordinary memory of kind
// KD_MEMORY_MANAGED. KD_NOT_FOUND when there is none.
enum kd_status kd_module_var(struct kd_module *m, const char *name, uint64_t *ptr, uint64_t *size);

// Whether a PTX text may become part of a link: KD_INVALID_PTX, KD_UNSUPPORTED_PTX_VERSION. The log
// is that of kd_link_ptx.
enum kd_status kd_check_ptx(const char *ptx, size_t size, char *log, size_t log_size);

// Links PTX texts into one through the JIT library (cuLink*): *out is malloc'ed and ends with
// NUL. Messages go to log (may be NULL when log_size is 0).
enum kd_status kd_link_ptx(const char *const *ptx, const size_t *size, size_t n, char *log,
                           size_t log_size, char **out);

const struct kj_kernel *kd_kernel_info(const struct kd_kernel *k);
struct kd_module *kd_kernel_module(const struct kd_kernel *k);
uint32_t kd_kernel_max_threads(const struct kd_kernel *k); // a block: from .maxntid/.reqntid
// Dynamic shared memory that a launch may ask for (MAX_DYNAMIC_SHARED_SIZE_BYTES; default what
// 48 KiB leave, up to the opt-in limit).
enum kd_status kd_kernel_set_max_dynamic_shared(struct kd_kernel *k, uint32_t bytes);
uint32_t kd_kernel_max_dynamic_shared(const struct kd_kernel *k);
// The shape of clusters, in blocks, that the kernel was compiled for or, when it was not, that was
// set; 0: neither.
uint32_t kd_kernel_cluster(const struct kd_kernel *k, unsigned axis);
void kd_kernel_set_cluster(struct kd_kernel *k, unsigned axis, uint32_t blocks);
// Whether its clusters may have more than KD_CLUSTER_PORTABLE blocks.
bool kd_kernel_large_clusters(const struct kd_kernel *k);
void kd_kernel_allow_large_clusters(struct kd_kernel *k, bool allowed);
// Of the __constant__ variables of its module.
uint64_t kd_kernel_constant_bytes(const struct kd_kernel *k);
// Blocks of this shape that one worker keeps resident.
uint32_t kd_kernel_occupancy(const struct kd_kernel *k, uint32_t threads, uint32_t dynamic_shared);

#endif
