// Puts the checks of `kudzu check` into a module's functions: before each access to memory one that
// knows from which allocation the address was made. Needs valid IR as it was lowered, and no values
// or blocks whose numbers are not dense; leaves it valid. Adds one module variable, which describes
// the accesses (struct kd_check_module of abi/generated_code.h).
//
//   check.c         which accesses, and their checks
//   check_origin.c  from which allocation an address was made, as values beside the program's
//   check_init.c    values that follow from memory that nobody has written (check_init.h)
//   check_products.c  the same, of products of matrices in registers
//   check_wgmma.c   the same, of matrices in shared memory
//   check_fragments.c  the same, of loads and stores of matrices
//   check_sums.c    sums of products that are read before they are waited for
//   check_sync.c    barriers and operations of warps, and who comes to them
//   check_async.c   copies of which the device tells
//   check_matrix.c  what loads and stores of matrices access
//   check_arrays.c  arrays that threads cannot race in
//   check_shared.c  shared memory that threads cannot race in between two barriers
//   check_uniform.c what all threads of a block that come to its next barrier have in common
//   check_steps.c   where accesses to shared memory are, as a program for the device
//   check_sets.c    what values may point into
//   check_form.c    addresses as sums of what is the same for all threads times their numbers
//   check_pins.c    numbers of threads that are known where a block begins
//   check_sites.c   the description
#ifndef KUDZU_PASSES_CHECK_H
#define KUDZU_PASSES_CHECK_H

#include "abi/check_form.h"
#include "abi/generated_code.h"
#include "ir/ir.h"
#include "passes/check/check_pins.h"

// tools: of enum check_tool.
void check_module(struct kir_module *m, unsigned tools);

// check_sites.c -------------------------------------------------------------------------------

struct check_text {
    const char *text;
    int32_t at;
};
struct check_sites {
    struct kir_module *m;
    struct kir_symbol *sym; // the variable
    VEC(uint8_t) bytes;     // its contents so far
    VEC(struct check_text) texts;
    VEC(const struct kir_symbol *) locals;
    struct arena tmp;
    bool bulk_copies;   // the module has some
    bool relaxed_waits; // the module waits for mbarrier objects in ways that are not told of
};
void check_sites_begin(struct check_sites *s, struct kir_module *m);
// Describes an access of i; returns where in the variable. site.cause: what this returned for
// another one.
int64_t check_sites_add(struct check_sites *s, const struct kir_inst *i, struct kd_check_site site);
// A check.access for i with that description, and the instruction that has the description's
// address, *at; where they go is the caller's affair.
struct kir_inst *check_sites_access(struct check_sites *s, struct kir_inst *i,
                                    struct kd_check_site site, struct kir_value *address,
                                    struct kir_value *more, struct kir_inst **at);
// The number of a local variable; -1: there are too many.
int check_sites_local(struct check_sites *s, const struct kir_symbol *sym);
// Describes a kernel's arrays, and behind them n programs; returns where. What site.array is to be
// for array k: that plus k times the size of one; for program k: of the array behind those.
struct check_arrays;
struct check_program;
int64_t check_sites_arrays(struct check_sites *s, struct check_arrays *list,
                           const struct check_program *programs, uint32_t n);
void check_sites_end(struct check_sites *s);

// check_origin.c ------------------------------------------------------------------------------

struct check_origins;
struct check_origins *check_origins_new(struct arena *a, struct kir_func *f, struct check_sites *s);
// An address whose origin will be asked for.
void check_origins_want(struct check_origins *o, struct kir_value *v);
// Makes the values for all that are wanted.
void check_origins_make(struct check_origins *o);
// The origin (B32, enum in abi/generated_code.h) of a value that was wanted.
struct kir_value *check_origin_of(struct check_origins *o, const struct kir_value *v);

// check_init.c --------------------------------------------------------------------------------

// Puts in what follows memory that nobody has written. reads: loads of it are told of. Before the
// checks of accesses.
void check_init(struct kir_func *f, struct check_sites *sites, bool reads);

// check_sums.c --------------------------------------------------------------------------------

// Has the device asked, where a sum of a wgmma.mma is read, whether its group has been waited for.
void check_sums(struct kir_func *f, struct check_sites *sites);

// check_sync.c --------------------------------------------------------------------------------

// meetings: not only where threads are. flags: of where these are, KD_CHECK_ORDERED. Before the
// checks of what is unwritten, which make instructions of the same kinds.
void check_sync(struct kir_func *f, struct check_sites *sites, bool meetings, uint16_t flags);

// check_async.c -------------------------------------------------------------------------------

// What an instruction has the device access in shared and global memory, and code does not tell of:
// boxes of tensors, memory of several devices, and what goes to several blocks
// (device/check/check_async.c).
struct check_by_device {
    bool accesses;
    uint8_t kind;   // of what it writes: enum kd_check_kind
    uint16_t flags; // of its sites
    bool to_shared; // it writes shared memory, and reads the other
    bool global;    // it is of global memory, too, or alone
    // In shared memory, a generic address or a number: anywhere; NULL: none.
    struct kir_value *box;
};
struct check_by_device check_by_device_of(const struct kir_inst *i);

// check_arrays.c ------------------------------------------------------------------------------

enum { CHECK_MOST_ARRAYS = 32, CHECK_MOST_PROGRAMS = 28 };
struct check_arrays {
    // Behind arrays: what programs of shared memory tell of (check_shared.h), without forms.
    struct kd_check_array array[CHECK_MOST_ARRAYS + CHECK_MOST_PROGRAMS];
    struct kd_check_form form[CHECK_MOST_ARRAYS + CHECK_MOST_PROGRAMS];
    uint32_t n;
    bool unknown_reads, unknown_writes; // of memory that no array is known to be
};
// An access that a kernel makes to memory that all threads have, or may have.
struct check_use {
    const struct kir_inst *i; // in front of which it is made
    const struct kir_value *address;
    int64_t offset;
    uint32_t bytes; // 0: not known, or not made at once
    bool writes;
    bool atomic; // for the whole device, and orders nothing else
    int array;   // the one that it is to; -1: nobody knows
};
// Sets the arrays of uses and describes them; no arrays: all accesses have to be followed.
void check_arrays(struct arena *arena, struct kir_func *f, struct check_use *uses, uint32_t n,
                  struct check_arrays *list);

// check_form.c --------------------------------------------------------------------------------

// Adds an access to one array to its form, which had no terms before the first one, by threads that
// have those numbers. False: threads are not known to have elements of their own there.
bool check_form_add(struct kd_check_form *f, const struct check_use *u, const struct check_pins *p);
// Where in the parameters does i load a value of the type from? False: it does not, or nobody
// knows.
bool check_form_parameter(const struct kir_inst *i, enum kir_type type, uint32_t *at);

#endif
