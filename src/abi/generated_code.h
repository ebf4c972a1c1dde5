// The contract between the CPU device and the code it runs: generated code, and the
// interpreter, which stands in for it. Offsets are part of cached code: a change here must
// change KD_ABI_VERSION.
#ifndef KUDZU_DEVICE_ABI_H
#define KUDZU_DEVICE_ABI_H

#include <stdbool.h>
#include <stdint.h>

enum { KD_BARRIERS = 16 }; // named barriers of a block (PTX ISA, bar)
enum { KD_ABI_VERSION = 26, KD_WARP = 32, KD_MOST_WARPS = 32 }; // warps of a block

// Through which blocks synchronise: what code reads behind the address in %envreg1 and 2
// (include/cooperative_groups.h). All but `barrier` and what `across` points to stays as it is.
struct kd_grid_workspace {
    uint32_t unused;
    uint32_t barrier;     // of the grid's blocks; zero at first
    uint64_t across;      // a word for the grids of a launch on several devices; zero at first
    uint32_t grid, grids; // the rank among these; 0, 0: no such launch
};

// `kudzu check`: where an allocation lies; size 0: nowhere any more, or it takes a closer look.
struct kd_check_extent {
    uint64_t base, size;
};
enum { KD_CHECK_EXTENTS = 1 << 16 };
// The same of memory that may be unwritten: a pointer for each page, in a table of two levels, to
// its bytes' bits; NULL: it is written; below KD_CHECK_PAGE_MARKS: only the device knows.
enum { KD_CHECK_PAGE_BITS = 12, KD_CHECK_LEAF_BITS = 17, KD_CHECK_TOP_BITS = 47 - 12 - 17 };
#define KD_CHECK_PAGE_MARKS UINT64_C(4096)
struct kd_check_shadow {
    const void *top;  // pointers to leaves of the table; NULL: no page of it has any
    const void *none; // NULL: what a page without a leaf has
    uint32_t copied;  // stores are told of, whatever is stored
};
// What an address was found to lie in while the block ran; address 0: none.
enum { KD_CHECK_ASKED = 4 };
struct kd_check_asked {
    uint64_t address;
    uint32_t number, changes;
};

// One block that is being run. Filled by the worker, read by generated code (uniform loads).
struct kd_block {
    const uint8_t *params; // the launch's parameter block
    uint8_t *shared;       // the block's shared window; generic address = shared + offset
    uint8_t *local;        // thread t's local memory is local + t * local_stride
    uint64_t local_stride;
    uint8_t *spill;           // warp w's values across barriers: spill + w * spill_bytes
    uint8_t *const *vars;     // address of module variable i (kir_module.vars)
    struct kd_launch *launch; // the device's own; opaque to generated code
    uint32_t ntid[3];
    uint32_t nctaid[3];
    uint32_t ctaid[3];
    uint32_t nthreads;       // of the block
    uint32_t nwarps;         // (nthreads + 31) / 32
    uint32_t dynamic_shared; // offset of dynamic shared memory in the window
    uint32_t dynamic_shared_bytes;
    uint32_t smid, nsmid;
    uint64_t gridid;
    uint64_t shared_window_bytes; // for isspacep and bounds
    uint64_t block_index;         // linear; of a run, its first block's
    uint8_t *fiber;               // stack modes: the device's own
    // KD_CODE_RUNS_ROWS: the code runs `run` blocks (0 is 1), neighbours in x, from ctaid on. It
    // keeps ctaid[0] as that of the block that it runs.
    uint32_t run;
    uint64_t grid_workspace; // of a cooperative launch: a struct kd_grid_workspace; else 0
    // The cluster: the window of its block of rank r begins at cluster_shared + r *
    // KD_CLUSTER_STRIDE. A launch without clusters has clusters of one block.
    uint8_t *cluster_shared;
    uint32_t cluster_dim[3];
    uint32_t cluster_rank, cluster_blocks;
    uint32_t cluster_explicit; // the launch, or the kernel, has clusters
    // KD_CODE_SPLITS: where the block's pass over its groups is, for all calls that work on it.
    uint32_t pass_group, pass_groups; // the next group, and behind the last one
    uint32_t pass_calls;              // that have not returned
    uint32_t pass_counts[4];          // of bar.red: lanes and true lanes, in this pass and the last
    uint8_t pass_waiting, pass_first; // some group is at a barrier; it is the first pass
    // Stores of at least so many bytes a thread may go past the caches: together they fill them.
    uint64_t stream_bytes;
    // `kudzu check`: which arrays of the kernel (struct kd_check_array, a bit for each) threads
    // cannot race in: accesses need not be told of.
    uint64_t check_apart;
    struct tensor_memory *tensor; // the device's own; NULL: none so far
    // The extents of what has numbers below KD_CHECK_EXTENTS, by their numbers.
    const struct kd_check_extent *check_extents;
    struct kd_check_asked check_asked[KD_CHECK_ASKED];
    const struct kd_check_shadow *check_shadow; // what init keeps
    // The same of the first bytes of the block's window, side by side; 0 bytes: they are not.
    uint8_t *check_shared;
    uint64_t check_shared_bytes;
};

// Addresses of shared::cluster have 32 bits: below KD_CLUSTER_MAPPED, and from the top of the range
// down, they are offsets in the block's own window (negative ones reach blocks of lower rank); else
// the block's rank plus one stands above bit KD_CLUSTER_RANK_BIT, and an offset in its window
// below.
enum {
    KD_CLUSTER_STRIDE_BITS = 18,
    KD_CLUSTER_STRIDE = 1 << KD_CLUSTER_STRIDE_BITS,
    KD_CLUSTER_RANK_BIT = 24,
    KD_CLUSTER_MAPPED = 1 << KD_CLUSTER_RANK_BIT,
    KD_CLUSTER_MAX_BLOCKS = 16,
    KD_CLUSTER_PORTABLE = 8, // blocks that any device of compute capability 9.0 can have
};

// How a compiled kernel is run.
enum kd_mode {
    // void entry(struct kd_block *): runs the whole block, all warps, barriers inside;
    // with KD_CODE_RUNS_ROWS several blocks. With KD_CODE_SPLITS a call that waits (kd_rt_yield) is
    // helped by another one, on another stack, which goes on with the groups behind.
    KD_MODE_BLOCK,
    // void entry(struct kd_block *, uint32_t warp): one call a warp, each on its own stack;
    // what blocks calls kd_rt_bar_* / kd_rt_yield, which switch stacks.
    KD_MODE_WARP_STACKS,
    // void entry(struct kd_block *, uint32_t thread): one call a thread, each on its own stack;
    // warp operations call kd_rt_warp_*, which wait for the other lanes.
    KD_MODE_THREAD_STACKS,
    // No code: kj_interpret_block runs it.
    KD_MODE_INTERPRETER,
};

// Where a group's values are kept at barriers begins so. A group some of whose lanes wait for
// others of it becomes several splits, each with such a frame: the group's own, and those that
// kd_rt_park made. A split is run on with its lanes alone, as if the others had ended.
struct kd_split {
    uint32_t state; // where it goes on; KD_SPLIT_DONE: its lanes have ended
    uint8_t wait;   // enum kd_split_wait: for what it stopped
    uint8_t op, mode;
    uint8_t ran;    // the device's: in this pass over the block's groups
    uint32_t lanes; // of the group, where it goes on
    uint32_t bits;  // of a match's values; of a reduction: they are signed
    uint64_t next;  // the group's next split, from its own frame on
};
enum { KD_SPLIT_START, KD_SPLIT_DONE, KD_SPLIT_FRAME = 64 };
enum kd_split_wait {
    KD_SPLIT_BARRIER, // until all threads of the block have come
    KD_SPLIT_WARP_OP, // until all lanes of the member masks have
    KD_SPLIT_TURN     // until others have had their turn: it has looked in vain
};
enum kd_warp_op {
    KD_WARP_SYNC,
    KD_WARP_SHFL,
    KD_WARP_VOTE,
    KD_WARP_MATCH,
    KD_WARP_REDUX,
    KD_WARP_MATRIX,
    KD_WARP_ACTIVEMASK
};
// Operands of the lanes of a warp operation, behind the first KD_SPLIT_FRAME bytes; results take
// the place of a: the value, with the predicate in bit 32.
struct kd_split_operands {
    uint64_t a[KD_WARP];
    uint32_t b[KD_WARP], c[KD_WARP], members[KD_WARP];
};

// What a kernel that is checked (passes/check/check.h) tells of its instructions, in a module
// variable. Texts are given by their distance in bytes from where the description begins; 0: there
// is none.
#define KD_CHECK_SITES "__kudzu_check"
struct kd_check_variable {
    int32_t name;
    uint32_t dynamic; // 1: dynamic shared memory
    uint64_t offset, size;
};
struct kd_check_module {
    uint32_t nshared, nlocal, nvars; // shared and local variables, those of the module
    int32_t shared, local, vars;     // where they are: struct kd_check_variable
    uint32_t bulk_copies; // some read shared memory behind barriers, which are no fences of proxies
};
enum kd_check_kind {
    KD_CHECK_READ,
    KD_CHECK_WRITE,
    KD_CHECK_ATOMIC,
    KD_CHECK_FREE,
    KD_CHECK_TAKEN, // malloc has returned the address
    // A local variable's scope begins or ends: its address, and in more its size. site.bytes: one
    // more than its number among the module's local variables, 0: not known.
    KD_CHECK_SCOPE_BEGIN,
    KD_CHECK_SCOPE_END
};
enum kd_check_flag {
    KD_CHECK_ORDERED = 1,  // all that orders what the function does is told of: look for races
    KD_CHECK_STRONG = 2,   // atomic, volatile or relaxed, or what these are with an order
    KD_CHECK_LOCKSTEP = 4, // lanes of a warp run together: PTX for targets before sm_70
    KD_CHECK_INSIDE = 8,   // is known to be inside its variable
    KD_CHECK_RELEASE = 16,
    KD_CHECK_ACQUIRE = 32,
    KD_CHECK_COPY = 64,      // an asynchronous copy's: goes on until the thread waits for it
    KD_CHECK_COMPUTED = 128, // what is stored is more than a copy of what was loaded
    KD_CHECK_BULK = 256,     // a bulk copy's, whose groups are counted apart
    KD_CHECK_SCOPE_SHIFT = 9 // what is strong: bits from here on are its enum isa_scope
};
// BEGIN: none; where a kernel begins, so that what is kept of its block has begun.
enum kd_check_sync { KD_CHECK_SYNC_BLOCK, KD_CHECK_SYNC_WARP, KD_CHECK_SYNC_BEGIN };
struct kd_check_site {
    int32_t module; // struct kd_check_module
    int32_t file, function;
    uint32_t line, number; // number: of the site in its function
    uint32_t bytes;        // 0: an operand says how many
    uint32_t align;
    uint8_t space;  // enum isa_space: of the address
    uint8_t kind;   // enum kd_check_kind
    uint16_t flags; // enum kd_check_flag
    int32_t cause;  // the site that what is stored follows from; 0: none
    int32_t array;  // a kernel's struct kd_check_array that is accessed; 0: nobody knows
    int64_t offset; // is added to the address
};
// What a kernel does to an array that it has as a parameter or as a variable. The others' stand
// beside it.
enum kd_check_array_flag {
    KD_CHECK_OF_VARIABLE = 1,   // `at` is the variable's index, not an offset in the parameters
    KD_CHECK_ARRAY_USED = 2,    // is accessed
    KD_CHECK_ARRAY_WRITTEN = 4, // is written to
    // Threads of a grid of one dimension have elements of their own, and what is accessed besides
    // are other arrays.
    KD_CHECK_ARRAY_OWN = 8,
    // No array: accesses to shared memory. at: how many bytes behind the first array their program
    // stands (check_steps.h), which tells whether threads cannot race there.
    KD_CHECK_OF_SHARED = 16,
    KD_CHECK_ARRAY_WEAK = 32 // some accesses are not atomic for the whole device
};
struct kd_check_array {
    uint32_t at;
    uint16_t flags;
    uint8_t index, count; // which of how many
};
// Where a pointer came from: the device's number of an allocation, below KD_CHECK_LOCAL, or a
// variable. Nobody knows of KD_CHECK_NONE; KD_CHECK_MIXED was made of pointers into different ones.
// Local variables: the offset in local memory in units of eight bytes, above the variable's index.
enum {
    KD_CHECK_NONE = 0,
    KD_CHECK_LOCAL_INDEX = 10, // bits
    KD_CHECK_LOCAL_UNITS = 20
};
#define KD_CHECK_LOCAL UINT32_C(0x40000000)
#define KD_CHECK_SHARED UINT32_C(0x80000000)
#define KD_CHECK_VARIABLE UINT32_C(0xc0000000)
#define KD_CHECK_MIXED UINT32_MAX
// Of kd_rt_check_*: lanes of the group, and whether all have one address, origin, and what follows.
enum {
    KD_CHECK_WIDTH = 255,
    KD_CHECK_SAME_ADDRESS = 256,
    KD_CHECK_SAME_ORIGIN = 512,
    KD_CHECK_SAME_MORE = 1024,
    KD_CHECK_IS_INSIDE = 2048 // what is accessed is known to be inside what the origin names
};
// Of a check.access's index: what generated code may decide without the device; 0: nothing. One
// more than the array in which alone races are looked for (0: in more).
enum {
    KD_CHECK_ARRAY = 255,
    KD_CHECK_IF_OUTSIDE = 256, // whether the access is inside what its origin names
    KD_CHECK_IF_RACES = 512,   // races are looked for
    KD_CHECK_IF_DIRTY = 1024,  // whether the last operand has bits
    KD_CHECK_IS_STORE = 2048,  // the last operand is stored's bits (check_shadow.h)
    KD_CHECK_BYTES_SHIFT = 16  // log2 of the access's size, which is its alignment as well
};

// What the device must know about compiled code; kept beside it in images and caches.
struct kd_code_info {
    uint32_t abi_version; // KD_ABI_VERSION
    uint32_t mode;        // enum kd_mode
    uint32_t width;       // lanes a vector: 1, 4, 8, 16, 32
    uint32_t spill_bytes; // a warp
    uint32_t local_bytes; // a thread: the kernel's frame and those of its callees; recursion
                          // and indirect calls add the stack limit at launch
    uint32_t recursive;   // 1: call depth is not known
    uint32_t flags;
    uint32_t stack_bytes; // of the machine's stack: the large frames of its functions together
};
enum { KD_MOST_STACK_BYTES = 256 << 20 }; // kernels that would need more are not compiled
enum {
    KD_CODE_USES_BARRIER = 1,
    KD_CODE_MAY_WAIT = 2,
    KD_CODE_RUNS_ROWS = 4,
    KD_CODE_QUICK = 8, // compiled for KD_SPEC_QUICK; without that flag better code comes out
    KD_CODE_SPLITS = 16,
    KD_CODE_ANY_ORDER = 32, // no block asks which one it is
    // Descriptors of matrices have the low bits of addresses in shared memory (KD_CLUSTER_STRIDE).
    // Programs take those of generic addresses, too: windows have to begin where these are zero.
    KD_CODE_DESCRIBES = 64,
    // A grid-stride loop: a run of blocks makes each iteration for all of them before the next one.
    KD_CODE_STRIDES = 128,
    KD_CODE_TRIGGERS = 256,   // blocks can let dependent grids begin (KD_GRID_TRIGGER)
    KD_CODE_GRID_WAITS = 512, // blocks can wait for the grids that theirs depends on
    KD_CODE_NO_BETTER = 1024  // quick code of the cache: better code takes too long to wait for
};

// Programmatic dependent launch (guide 6.2.8.6).
enum kd_grid_action {
    KD_GRID_TRIGGER, // the block does not keep dependent grids from beginning any more
    KD_GRID_WAIT,    // until the grids that this one depends on have ended
    KD_GRID_ASK      // have they?
};

// What a kernel is specialised for. Zero means "not known": the code works for all.
struct kd_spec {
    uint32_t ntid[3]; // exact block shape; all zero: any shape
    uint32_t flags;   // enum below
    uint32_t width;   // lanes; 0: the compiler chooses
    uint32_t level;   // enum kd_level
};
enum {
    KD_SPEC_X_MULTIPLE_OF_32 = 1, // ntid.x is a multiple of 32, shape otherwise unknown
    KD_SPEC_SMALL_GRID = 2,       // every nctaid[i] * ntid[i] is at most 2^30
    KD_SPEC_FULL_WARPS = 4,       // nthreads is a multiple of 32
    KD_SPEC_1D = 8,               // ntid.y == ntid.z == 1
    KD_SPEC_ALIGNED_PARAMS = 16,  // parameters are multiples as kj_kernel.aligned says
    KD_SPEC_QUICK = 32,           // code that is there soon counts for more than its speed
    KD_SPEC_STRIDES =
        128, // n and the grid's threads in x of kj_kernel.stride: at most 2^30 together
    KD_SPEC_ALWAYS_QUICK = 64, // with KD_SPEC_QUICK: for kernels that would be small enough, too
};
enum kd_level {
    KD_LEVEL_HOST,
    KD_LEVEL_X86_64_V2,
    KD_LEVEL_X86_64_V3,
    KD_LEVEL_X86_64_V4,
    KD_LEVEL_AARCH64,
    KD_LEVEL_AARCH64_SVE256, // SVE whose vectors have exactly so many bits
    KD_LEVEL_AARCH64_SVE512
};

// Whether a machine of the one level runs code for the other: levels of x86-64 contain those
// before them; those of SVE contain that of NEON, not each other.
static inline bool kd_level_contains(uint32_t machine, uint32_t code) {
    bool x86 = code >= KD_LEVEL_X86_64_V2 && machine <= KD_LEVEL_X86_64_V4;
    bool neon = code == KD_LEVEL_AARCH64 && machine > KD_LEVEL_AARCH64;
    return code == machine || (x86 && code < machine) || neon;
}

// What a machine can do beyond its level. FAST_GATHERS: gather instructions take less than a load a
// lane. HALF_VECTORS: instructions on 64 bytes take as long as two on 32. SECOND_CACHE: lines are
// better asked for into the second cache than into the first one, and those of blocks that follow
// each other not at all.
enum {
    KD_FEATURE_VNNI = 1,
    KD_FEATURE_FAST_GATHERS = 2,
    KD_FEATURE_HALF_VECTORS = 4,
    KD_FEATURE_SECOND_CACHE = 8
};

// Products of bytes on tile registers, for kd_rt_tile_product: up to two by two tiles of 16 by 16
// sums of 32 bits. A panel of a is 16 rows of 64 bytes of k; one of b 16 rows, of four bytes of k
// each, of 16 columns. Sums lie row by row; column 4 * q + i of a tile is column 8 * (q / 2) + 2 *
// i + q % 2 of c, so that the 16 bytes q of a row are those of lanes 4 * row to 4 * row + 3 in one
// register of c; panels of b have the same order.
enum {
    KD_TILE_MOST = 8,  // tiles down, and across, of a warp's product
    KD_TILE_STEPS = 2, // panels of k
    KD_TILE_BYTES = 1024
};
// Panels that warps of a block have in common (kd_rt_common_panels): of how many different rows,
// and bytes of a set of them.
enum { KD_COMMON_ROWS_MOST = 32, KD_COMMON_PANEL_BYTES = KD_TILE_MOST * (2048 + 64) };

struct kd_tile_block {
    uint8_t a_signed, b_signed;
    uint8_t down, across, steps;    // one or two tiles down, panels of k
    uint32_t a, b;                  // where panels begin, those of one tile behind each other
    uint32_t sums[2][KD_TILE_MOST]; // where tiles of sums begin
};

// Of kd_rt_wait: the address is an offset in shared memory; it is a module variable's index, above
// bit KD_WAIT_INDEX, and an offset in it; the loop writes what others may see; the call returns at
// once; an iteration leaves nothing to the next, so that all are alike until others write.
enum {
    KD_WAIT_SHARED = 1,
    KD_WAIT_VARIABLE = 2,
    KD_WAIT_WRITES = 4,
    KD_WAIT_GOES_ON = 8,
    KD_WAIT_ALIKE = 16,
    KD_WAIT_INDEX = 32
};

// Operations on memory whose old values nobody reads, and which may come in any order.
enum kd_red { KD_ADD, KD_AND, KD_OR, KD_XOR, KD_MIN, KD_MAX, KD_UMIN, KD_UMAX };

// What a run of blocks keeps of such operations on the words from `start` on: of each word what it
// is to be combined with. A run has one for each array, in memory of its own; all bytes are zero at
// first but for `values`, `capacity`, `limit` (the same), `op` and `bytes`.
struct kd_window {
    uint64_t start, size; // bytes; size 0: it is not open
    uint8_t *values;      // aligned to a cache line
    uint32_t capacity;    // of these, a multiple of 64
    uint32_t limit;       // so large it may grow
    int32_t credit;       // below 0: it is not worth while to open it anew; code counts up
    uint32_t op;          // enum kd_red
    uint32_t bytes;       // of a word: 4 or 8
};

// What it keeps of such operations on one word, a value a lane.
struct kd_cell {
    uint64_t address; // 0: of no word
    uint8_t *values;
    uint32_t op, bytes, lanes;
};

// All of a run's, where there are several kinds; else its windows alone.
struct kd_reds {
    struct kd_window *windows;
    struct kd_cell *cells;
    uint32_t nwindows, ncells;
};

// Why a launch ends early; becomes a CUresult in the driver.
enum kd_fault {
    KD_FAULT_NONE,
    KD_FAULT_ILLEGAL_ADDRESS,
    KD_FAULT_MISALIGNED,
    KD_FAULT_TRAP, // CUDA_ERROR_LAUNCH_FAILED
    KD_FAULT_ASSERT,
    KD_FAULT_STACK_OVERFLOW, // CUDA_ERROR_HARDWARE_STACK_ERROR
    KD_FAULT_ILLEGAL_INSTRUCTION,
    KD_FAULT_INVALID_PC, // call through a pointer that is no function
    KD_FAULT_DEADLOCK,   // every thread of a block waits
    KD_FAULT_OUT_OF_MEMORY,
};

// The `form` of kd_rt_tex and kd_rt_surf: geometry (enum kd_geometry) in bits 0 to 3, operation
// (enum kd_image_op) in bits 4 to 7, and:
enum {
    KD_IMAGE_INTEGER = 1 << 8, // texel coordinates are s32, else f32
    KD_IMAGE_OFFSETS = 1 << 9, // texel offsets follow
    KD_IMAGE_ARG = 10,         // 5 bits: component that is gathered, enum kd_query, enum isa_atom
    KD_IMAGE_HALF = 1 << 15,   // components become f16
    KD_IMAGE_PAIRS = 1 << 16,  // two results, of two f16 each
    KD_IMAGE_CLAMP = 17,       // 2 bits: surface accesses outside trap, are clamped, are zero
    KD_IMAGE_BYTES = 19,       // 2 bits: element of a surface access, log2 of its bytes
    KD_IMAGE_VEC = 21,         // 2 bits: log2 of the number of elements
    KD_IMAGE_SIGNED = 1 << 23, // of a reduction
    // A sampler (ISA_SAMPLER, a texture's handle, or 0: the texture's own) stands before the values
    KD_IMAGE_SAMPLER = 1 << 24,
    KD_IMAGE_FORMATTED = 1 << 25, // surfaces: words become texels, x counts texels
    KD_IMAGE_RESIDENT = 1 << 26,  // fetches: another result, 1 where all texels lie in memory
    KD_IMAGE_MAX_INPUTS = 16,
    KD_IMAGE_MAX_OUTPUTS = 5
};
enum kd_geometry {
    KD_GEOMETRY_NONE,
    KD_GEOMETRY_1D,
    KD_GEOMETRY_2D,
    KD_GEOMETRY_3D,
    KD_GEOMETRY_1D_LAYERED,
    KD_GEOMETRY_2D_LAYERED,
    KD_GEOMETRY_CUBE,
    KD_GEOMETRY_CUBE_LAYERED,
    KD_GEOMETRY_2D_SAMPLES,
    KD_GEOMETRY_2D_LAYERED_SAMPLES
};
enum kd_image_op {
    KD_IMAGE_FETCH, // at level 0 where there are several
    KD_IMAGE_LEVEL,
    KD_IMAGE_GRAD,
    KD_IMAGE_GATHER,
    KD_IMAGE_QUERY,       // no coordinates
    KD_IMAGE_QUERY_LEVEL, // a level, no coordinates
    KD_IMAGE_LOAD,        // surfaces from here on: x in bytes
    KD_IMAGE_STORE,
    KD_IMAGE_REDUCE
};
// In the order of the table of instructions.
enum kd_query {
    KD_QUERY_WIDTH,
    KD_QUERY_HEIGHT,
    KD_QUERY_DEPTH,
    KD_QUERY_DATA_TYPE,
    KD_QUERY_ORDER,
    KD_QUERY_NORMALIZED,
    KD_QUERY_LAYERS,
    KD_QUERY_LEVELS,
    KD_QUERY_SAMPLES,
    KD_QUERY_UNNORMALIZED,
    KD_QUERY_FILTER,
    KD_QUERY_ADDRESSING, // three
    KD_QUERY_LAYOUT = 14,
    KD_QUERY_IS_TEXTURE = 16, // any handle is allowed
    KD_QUERY_IS_SURFACE,
    KD_QUERY_IS_SAMPLER
};
static inline uint32_t kd_image_op(uint32_t form) {
    return form >> 4 & 15;
}
// Spatial dimensions (of a cube: 3), and indices (layer, sample) that precede them.
static inline uint32_t kd_image_dims(uint32_t form) {
    static const uint8_t dims[16] = {0, 1, 2, 3, 1, 2, 3, 3, 2, 2};
    return dims[form & 15];
}
static inline uint32_t kd_image_indices(uint32_t form) {
    static const uint8_t indices[16] = {0, 0, 0, 0, 1, 1, 0, 1, 1, 2};
    return indices[form & 15];
}
// Values that the helper reads: a sampler; coordinates; then a level, or gradients in x and in y;
// then offsets; then what is stored.
static inline uint32_t kd_image_inputs(uint32_t form) {
    uint32_t op = kd_image_op(form), dims = kd_image_dims(form);
    uint32_t n =
        op == KD_IMAGE_QUERY || op == KD_IMAGE_QUERY_LEVEL ? 0 : kd_image_indices(form) + dims;
    n += op == KD_IMAGE_LEVEL || op == KD_IMAGE_QUERY_LEVEL ? 1
         : op == KD_IMAGE_GRAD                              ? 2 * dims
                                                            : 0;
    n += (form & KD_IMAGE_OFFSETS ? dims : 0) + (form & KD_IMAGE_SAMPLER ? 1 : 0);
    return n + (op == KD_IMAGE_STORE ? 1u << (form >> KD_IMAGE_VEC & 3) : op == KD_IMAGE_REDUCE);
}
static inline uint32_t kd_image_outputs(uint32_t form) {
    uint32_t op = kd_image_op(form);
    if (op == KD_IMAGE_LOAD)
        return 1u << (form >> KD_IMAGE_VEC & 3);
    if (op == KD_IMAGE_QUERY || op == KD_IMAGE_QUERY_LEVEL)
        return 1;
    if (op > KD_IMAGE_LOAD)
        return 0;
    return (form & KD_IMAGE_PAIRS ? 2 : 4) + (form & KD_IMAGE_RESIDENT ? 1 : 0);
}

// Helpers that generated code and interpreter call: X(return type, name, parameters).
// The `code` of kd_rt_async: an operation, and with some what follows. Their operands are 64-bit
// words; addresses are generic. Copies are complete when the call returns.
enum kd_async_op {
    KD_ASYNC_MBARRIER_INIT,        // address, count
    KD_ASYNC_MBARRIER_INVAL,       // address
    KD_ASYNC_MBARRIER_EXPECT_TX,   // address, bytes
    KD_ASYNC_MBARRIER_COMPLETE_TX, // address, bytes
    KD_ASYNC_MBARRIER_ARRIVE,      // address, count -> state before
    KD_ASYNC_MBARRIER_ARRIVE_TX,   // address, bytes -> state; one arrival
    KD_ASYNC_MBARRIER_DROP,        // address, count -> state
    KD_ASYNC_MBARRIER_DROP_TX,     // address, bytes -> state; one arrival
    KD_ASYNC_MBARRIER_WAIT,        // address, state -> has its phase ended?
    KD_ASYNC_MBARRIER_WAIT_PARITY, // address, parity -> the same
    KD_ASYNC_MBARRIER_PENDING,     // state -> count
    KD_ASYNC_COPY,                 // to, from, bytes to write, bytes to read: the rest is zero
    KD_ASYNC_BULK,                 // to, from, bytes (, mbarrier (, block mask))
    KD_ASYNC_BULK_REDUCE,          // the same; no block mask
    KD_ASYNC_TENSOR_LOAD,          // to, map, coordinates, mbarrier (, offsets) (, block mask)
    KD_ASYNC_TENSOR_STORE,         // map, coordinates, from
    KD_ASYNC_TENSOR_REDUCE,        // the same
    KD_ASYNC_TENSORMAP_REPLACE,    // map, index, value; the field in place of dimensions
    KD_ASYNC_MULTIMEM_LOAD,        // address in a multicast object -> what its members reduce to
    KD_ASYNC_MULTIMEM_STORE,       // address, value
    KD_ASYNC_MULTIMEM_REDUCE,      // the same
    KD_ASYNC_TRY_CANCEL,           // to, mbarrier; async_execute: the answer's two words, too
    KD_ASYNC_FILL,                 // address, bytes: zeros
    KD_ASYNC_ARRIVE_BLOCKS,        // address, block mask: an arrival in each block of the mask
    KD_ASYNC_TENSOR_ALLOC,         // shared address, columns -> is there room? stack modes wait
    KD_ASYNC_TENSOR_DEALLOC,       // place in tensor memory, columns
    KD_ASYNC_TENSOR_RELINQUISH,    // 0
    KD_ASYNC_TENSOR_AT,            // place, lanes << 16 | columns of a warp's access -> its address
    KD_ASYNC_TENSOR_COPY,          // isa_tensor_copy_code, place, descriptor
    KD_ASYNC_TENSOR_SHIFT,         // place; KD_ASYNC_PAIR: of both blocks of a pair
    KD_ASYNC_TENSOR_MMA,           // isa_tensor_code, the operands of isa_tensor_product_of
    KD_ASYNC_OP_MASK = 255,
    KD_ASYNC_DIMS_SHIFT = 8, // 4 bits: dimensions, or a tensor map's field
    KD_ASYNC_IM2COL = 1 << 12,
    KD_ASYNC_MULTICAST = 1 << 13,
    KD_ASYNC_SIGNALS = 1 << 14, // an mbarrier object is told
    KD_ASYNC_BLOCKS = 1 << 15,  // of a wait: returns when the phase has ended (stack modes)
    KD_ASYNC_WHOLE = 1 << 14,   // of a wait: all threads of the block are here; it returns as those
    KD_ASYNC_PRECISE = 1 << 12, // of multimem: sums of halves in single precision
    KD_ASYNC_ATOM_SHIFT = 16,   // 4 bits: enum kd_async_atom
    KD_ASYNC_TYPE_SHIFT = 20,   // 4 bits: enum kd_async_type
    KD_ASYNC_SAME_SHIFT = 24,   // bit k: operand k is the same for all lanes of kd_rt_async_lanes
    KD_ASYNC_ROWS = 1 << 26, // of tensors: a column and four rows of a matrix are its coordinates
    KD_ASYNC_PAIR = 1 << 27, // of tensors: the mbarrier objects are in the blocks of a pair that
                             // the named one is in, even or odd
    KD_ASYNC_MAX_ARGS = 16,
};
enum kd_async_atom {
    KD_ATOM_AND,
    KD_ATOM_OR,
    KD_ATOM_XOR,
    KD_ATOM_ADD,
    KD_ATOM_INC,
    KD_ATOM_DEC,
    KD_ATOM_MIN,
    KD_ATOM_MAX
};
enum kd_async_type {
    KD_TYPE_U32,
    KD_TYPE_S32,
    KD_TYPE_U64,
    KD_TYPE_S64,
    KD_TYPE_F16,
    KD_TYPE_BF16,
    KD_TYPE_F32,
    KD_TYPE_F64,
    KD_TYPE_F16X2, // of multimem alone
    KD_TYPE_BF16X2
};

// Functions of the device runtime (guide 13.3) and of the device's heap, under the names by which
// PTX calls them: X(name, arguments, which of them are aggregates, bits of the result). A name may
// have the prefix
// __cudaCDP2 in place of cuda, and the suffix _ptsz.
#define KD_DEVICE_FUNCTIONS(X)                                                                     \
    X(cudaGetParameterBuffer, 2, 0, 64)                                                            \
    X(cudaLaunchDevice, 6, 1 << 2 | 1 << 3, 32)                                                    \
    X(cudaGetParameterBufferV2, 4, 1 << 1 | 1 << 2, 64)                                            \
    X(cudaLaunchDeviceV2, 2, 0, 32)                                                                \
    X(cudaStreamCreateWithFlags, 2, 0, 32)                                                         \
    X(cudaStreamDestroy, 1, 0, 32)                                                                 \
    X(cudaStreamWaitEvent, 3, 0, 32)                                                               \
    X(cudaEventCreateWithFlags, 2, 0, 32)                                                          \
    X(cudaEventRecord, 2, 0, 32)                                                                   \
    X(cudaEventRecordWithFlags, 3, 0, 32)                                                          \
    X(cudaEventDestroy, 1, 0, 32)                                                                  \
    X(cudaGetLastError, 0, 0, 32)                                                                  \
    X(cudaPeekAtLastError, 0, 0, 32)                                                               \
    X(cudaGetErrorName, 1, 0, 64)                                                                  \
    X(cudaGetErrorString, 1, 0, 64)                                                                \
    X(cudaGetDevice, 1, 0, 32)                                                                     \
    X(cudaGetDeviceCount, 1, 0, 32)                                                                \
    X(cudaDeviceGetAttribute, 3, 0, 32)                                                            \
    X(cudaDeviceGetLimit, 2, 0, 32)                                                                \
    X(cudaDeviceGetCacheConfig, 1, 0, 32)                                                          \
    X(cudaDeviceGetSharedMemConfig, 1, 0, 32)                                                      \
    X(cudaRuntimeGetVersion, 1, 0, 32)                                                             \
    X(cudaFuncGetAttributes, 2, 0, 32)                                                             \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessor, 4, 0, 32)                                     \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 5, 0, 32)                            \
    X(cudaMalloc, 2, 0, 32)                                                                        \
    X(cudaFree, 1, 0, 32)                                                                          \
    X(cudaMemcpyAsync, 5, 0, 32)                                                                   \
    X(cudaMemcpy2DAsync, 8, 0, 32)                                                                 \
    X(cudaMemcpy3DAsync, 2, 0, 32)                                                                 \
    X(cudaMemsetAsync, 4, 0, 32)                                                                   \
    X(cudaMemset2DAsync, 6, 0, 32)                                                                 \
    X(cudaMemset3DAsync, 4, 1 << 0 | 1 << 2, 32)                                                   \
    X(cudaGraphLaunch, 2, 0, 32)                                                                   \
    X(cudaGetCurrentGraphExec, 0, 0, 64)                                                           \
    X(cudaGraphKernelNodeUpdatesApply, 2, 0, 32)                                                   \
    X(cudaGraphSetConditional, 2, 0, 0)                                                            \
    X(__cuda_syscall_aligned_malloc, 2, 0, 64) /* guide 10.36 */

enum kd_device_function {
#define KD_DEVICE_ENUM(name, nargs, aggregates, bits) KD_##name,
    KD_DEVICE_FUNCTIONS(KD_DEVICE_ENUM)
#undef KD_DEVICE_ENUM
        KD_DEVICE_FUNCTION_COUNT,
    KD_DEVICE_MAX_ARGS = 8,
    // The address of the module's n-th kernel is this, plus 16 n: no function's.
    KD_KERNEL_HANDLE = 1 << 30
};

// `thread` is the linear index of the calling thread in its block.
#define KD_RT_FUNCTIONS(X)                                                                         \
    /* vprintf of one thread; returns the number of arguments, negative on failure */              \
    X(int32_t, kd_rt_vprintf,                                                                      \
      (struct kd_block * b, uint32_t thread, const char *fmt, const void *args))                   \
    X(uint64_t, kd_rt_malloc, (struct kd_block * b, uint32_t thread, uint64_t size))               \
    X(void, kd_rt_free, (struct kd_block * b, uint32_t thread, uint64_t ptr))                      \
    /* prints that the thread's assertion failed; a fault of KD_FAULT_ASSERT must follow when all  \
       lanes have said so */                                                                       \
    X(void, kd_rt_assertfail,                                                                      \
      (struct kd_block * b, uint32_t thread, const char *expr, const char *file, uint32_t line,    \
       const char *func, uint64_t char_size))                                                      \
    /* ends the launch with an enum kd_fault; does not return */                                   \
    X(void, kd_rt_fault, (struct kd_block * b, uint32_t thread, uint32_t fault))                   \
    /* the same; address: what was touched, of address faults; file, line: where in the source,    \
       NULL and 0 when that is not known */                                                        \
    X(void, kd_rt_fault_at,                                                                        \
      (struct kd_block * b, uint32_t thread, uint32_t fault, uint64_t address, const char *file,   \
       uint32_t line))                                                                             \
    X(void, kd_rt_nanosleep, (struct kd_block * b, uint32_t thread, uint32_t ns))                  \
    /* enum kd_grid_action, for the block; lanes: 0 where none is there. 0: it is not so */        \
    X(uint32_t, kd_rt_grid, (struct kd_block * b, uint32_t action, uint32_t lanes))                \
    X(uint64_t, kd_rt_globaltimer, (void))                                                         \
    /* lets other warps, threads and blocks run (stack modes); cheap elsewhere */                  \
    X(void, kd_rt_yield, (struct kd_block * b))                                                    \
    /* the same for lanes (a mask, from `thread` on) that have looked in vain in a loop at         \
       file:line for what lies at `address` (0: not known); what: KD_WAIT_* */                     \
    X(void, kd_rt_wait,                                                                            \
      (struct kd_block * b, uint32_t thread, uint32_t lanes, uint64_t address, uint32_t what,      \
       const char *file, uint32_t line))                                                           \
    /* lets the block's other threads come as far as the caller is (KD_MODE_THREAD_STACKS) */      \
    X(void, kd_rt_let_others, (struct kd_block * b))                                               \
    /* barrier `id` for `count` threads (0: all of the block); `arriving` is the number of         \
       threads that the caller stands for (32 a warp as in hardware, less in the last one) */      \
    X(void, kd_rt_bar_sync, (struct kd_block * b, uint32_t unit, uint32_t id, uint32_t count))     \
    X(void, kd_rt_bar_arrive, (struct kd_block * b, uint32_t unit, uint32_t id, uint32_t count))   \
    /* op: enum isa_boolop; `value` is the caller's count of true predicates, `lanes` of all */    \
    X(uint32_t, kd_rt_bar_red,                                                                     \
      (struct kd_block * b, uint32_t unit, uint32_t id, uint32_t count, uint32_t op,               \
       uint32_t value, uint32_t lanes))                                                            \
    /* KD_MODE_BLOCK: the split that runs, in `frame` of `bytes` bytes, stops for its lanes in the \
       frame's kd_split alone: they become a split of their own, and what runs goes on with the    \
       other lanes. own: the frame of the group */                                                 \
    X(void, kd_rt_park,                                                                            \
      (struct kd_block * b, uint8_t * own, const uint8_t *frame, uint64_t bytes))                  \
    /* the same group's next split that can go on; NULL: all have come to a barrier, or ended.     \
       frame: that which has just stopped */                                                       \
    X(uint8_t *, kd_rt_next_split,                                                                 \
      (struct kd_block * b, uint8_t * own, uint8_t * frame, uint64_t bytes))                       \
    /* KD_MODE_THREAD_STACKS: each waits until all lanes of membermask that have not exited        \
       have called it with the same membermask */                                                  \
    X(uint64_t, kd_rt_warp_shfl,                                                                   \
      (struct kd_block * b, uint32_t thread, uint32_t mode, uint32_t a, uint32_t lane_b,           \
       uint32_t c, uint32_t membermask))                                                           \
    X(uint32_t, kd_rt_warp_vote,                                                                   \
      (struct kd_block * b, uint32_t thread, uint32_t mode, uint32_t pred, uint32_t membermask))   \
    X(uint64_t, kd_rt_warp_match,                                                                  \
      (struct kd_block * b, uint32_t thread, uint32_t mode, uint64_t a, uint32_t bits,             \
       uint32_t membermask))                                                                       \
    X(uint32_t, kd_rt_warp_redux,                                                                  \
      (struct kd_block * b, uint32_t thread, uint32_t op, uint32_t is_signed, uint32_t a,          \
       uint32_t membermask))                                                                       \
    X(void, kd_rt_warp_sync, (struct kd_block * b, uint32_t thread, uint32_t membermask))          \
    X(uint32_t, kd_rt_warp_activemask, (struct kd_block * b, uint32_t thread))                     \
    /* one matrix instruction of a warp: rows[k * 32 + lane] is operand k, addresses are those of  \
       the process; results follow the operands, of wgmma they take their place. code: see         \
       isa_matrix_pack. The second is KD_MODE_THREAD_STACKS's: one lane's operands and results */  \
    X(void, kd_rt_matrix,                                                                          \
      (struct kd_block * b, uint32_t thread, uint32_t lanes, uint32_t nops, uint64_t code,         \
       uint64_t * rows))                                                                           \
    X(void, kd_rt_lane_matrix,                                                                     \
      (struct kd_block * b, uint32_t thread, uint32_t nops, uint64_t code, uint64_t * operands,    \
       uint64_t * results))                                                                        \
    /* one fetch from a texture object, or access to a surface object. in: kd_image_inputs values, \
       each in the low bits of 64; out: kd_image_outputs. A handle that names no such object ends  \
       the launch */                                                                               \
    X(void, kd_rt_tex,                                                                             \
      (struct kd_block * b, uint32_t thread, uint64_t object, uint32_t form, const uint64_t *in,   \
       uint64_t *out))                                                                             \
    /* the same for the lanes in mask of a group of `width` that begins with `thread`, all from    \
       one object: input k of lane l is in[k * width + l], of which output k becomes out[k * width \
       + l] (zero for lanes that are not in mask) */                                               \
    X(void, kd_rt_tex_lanes,                                                                       \
      (struct kd_block * b, uint32_t thread, uint64_t object, uint32_t form, uint32_t width,       \
       uint32_t mask, const uint32_t *in, uint32_t *out))                                          \
    X(void, kd_rt_surf,                                                                            \
      (struct kd_block * b, uint32_t thread, uint64_t object, uint32_t form, const uint64_t *in,   \
       uint64_t *out))                                                                             \
    /* the same for the lanes in mask, at least one, as kd_rt_tex_lanes has them; no queries */    \
    X(void, kd_rt_surf_lanes,                                                                      \
      (struct kd_block * b, uint32_t thread, uint64_t object, uint32_t form, uint32_t width,       \
       uint32_t mask, const uint64_t *in, uint64_t *out))                                          \
    /* mbarrier objects and asynchronous copies: see enum kd_async_op */                           \
    X(uint64_t, kd_rt_async,                                                                       \
      (struct kd_block * b, uint32_t thread, uint32_t code, const uint64_t *args))                 \
    /* the same for the lanes in mask of a group of `width` that begins with `thread`, in their    \
       order: operand k of lane l is args[k * width + l], its result becomes out[l] */             \
    X(void, kd_rt_async_lanes,                                                                     \
      (struct kd_block * b, uint32_t thread, uint32_t code, uint32_t width, uint32_t nargs,        \
       uint32_t mask, const uint64_t *args, uint64_t *out))                                        \
    /* see struct kd_check_site. The allocation that each address in mask lies in becomes          \
       origins[lane] (zero for lanes that are not in mask) */                                      \
    X(void, kd_rt_check_origin,                                                                    \
      (struct kd_block * b, uint32_t thread, uint32_t mask, uint32_t code,                         \
       const uint64_t *addresses, uint32_t *origins))                                              \
    /* the lanes in mask of the group that begins with `thread` are about to access memory. What   \
       code says to be the same for all stands once. more: NULL, or how many bytes, where the site \
       does not say, else what is stored */                                                        \
    X(void, kd_rt_check_access,                                                                    \
      (struct kd_block * b, uint32_t thread, uint32_t mask, uint32_t code, uint64_t site,          \
       const uint64_t *addresses, const uint32_t *origins, const uint64_t *more))                  \
    /* they have passed a barrier: enum kd_check_sync */                                           \
    X(void, kd_rt_check_sync,                                                                      \
      (struct kd_block * b, uint32_t thread, uint32_t mask, uint32_t what))                        \
    /* the cluster's barrier, in stack modes */                                                    \
    X(void, kd_rt_cluster_arrive, (struct kd_block * b, uint32_t unit))                            \
    X(void, kd_rt_cluster_wait, (struct kd_block * b, uint32_t unit))                              \
    /* the same for a block that keeps count of its threads itself: it arrives as a whole, and     \
       the phase is another one when all of the cluster have */                                    \
    X(void, kd_rt_cluster_block_arrive, (struct kd_block * b))                                     \
    X(uint32_t, kd_rt_cluster_phase, (struct kd_block * b))                                        \
    /* the same: every thread of the block waits for other blocks of the cluster; returns when     \
       they may have done something for it */                                                      \
    X(void, kd_rt_cluster_park, (struct kd_block * b))                                             \
    /* a function of the device runtime (enum kd_device_function). Each argument has 64 bits; an   \
       aggregate is an offset in the thread's local memory. Errors of functions that return one    \
       become the thread's last error */                                                           \
    X(uint64_t, kd_rt_device_function,                                                             \
      (struct kd_block * b, uint32_t thread, uint32_t function, const uint64_t *args))             \
    /* what the machine can do beyond the level that code was made for: KD_FEATURE_* */            \
    X(uint32_t, kd_rt_features, (void))                                                            \
    /* are products of bytes to be computed by kd_rt_tile_product? */                              \
    X(uint32_t, kd_rt_tiles, (void))                                                               \
    /* where panels are made, for all that is multiplied before the next call */                   \
    X(uint8_t *, kd_rt_tile_panels, (void))                                                        \
    /* the same for products that need no tile registers */                                        \
    X(uint8_t *, kd_rt_panels, (void))                                                             \
    /* the same for panels that warps of a block may have in common: of the product `place` of the \
       kernel, made of rows in shared memory that begin at the n addresses `from`. filled: another \
       warp has made them, else the caller does */                                                 \
    X(uint8_t *, kd_rt_common_panels,                                                              \
      (uint32_t place, uint32_t warp, uint32_t n, const uint64_t *from, uint32_t *filled))         \
    /* all warps have met at a barrier (begins: of a block that is begun): those are forgotten */  \
    X(void, kd_rt_forget_panels, (uint32_t begins))                                                \
    /* adds products to tiles of sums */                                                           \
    X(void, kd_rt_tile_product,                                                                    \
      (const struct kd_tile_block *block, const uint8_t *panels, uint8_t *sums))                   \
    /* where the allocation that contains an address begins, and its size, in multiples of 16      \
       bytes; all memory when there is none, or what it belongs to may go on behind it */          \
    X(void, kd_rt_allocation, (uint64_t address, uint64_t * extent))                               \
    /* makes window `which` cover the word at `address`, if it can. base: where the array begins   \
       that the word belongs to; 0: not known. Words that others keep for other operations are     \
       combined with memory first, and stay with one of them */                                    \
    X(void, kd_rt_open_window,                                                                     \
      (struct kd_reds * r, uint32_t which, uint64_t address, uint64_t base))                       \
    /* combines with memory what the window keeps; it stays open */                                \
    X(void, kd_rt_flush_window, (struct kd_window * w))                                            \
    /* the same of a cell, and the cell is for the word at `address` from now on */                \
    X(void, kd_rt_move_cell, (struct kd_reds * r, uint32_t which, uint64_t address))               \
    X(void, kd_rt_flush_cell, (struct kd_cell * cell))                                             \
    /* combines with memory what is kept for other operations of n words */                        \
    X(void, kd_rt_settle_others,                                                                   \
      (struct kd_reds * r, uint32_t op, uint32_t bytes, const uint64_t *addresses, uint32_t n))

// shfl returns the value in the low half, the predicate in bit 32; match the same.

#define KD_RT_DECLARE(ret, name, args) ret name args;
#define KD_RT_POINTER(ret, name, args) ret(*name) args;
// The helpers as a table, for the JIT library's interpreter.
struct kd_rt {
    KD_RT_FUNCTIONS(KD_RT_POINTER)
};

#endif
