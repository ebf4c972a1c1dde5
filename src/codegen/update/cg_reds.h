// What cg_reds.c, cg_bins.c and cg_cells.c have in common: operations on memory whose old values
// nobody reads, which a run of blocks puts off.
#ifndef KUDZU_CODEGEN_CG_REDS_H
#define KUDZU_CODEGEN_CG_REDS_H

#include "codegen/core/state.h"

enum {
    CG_MOST_WINDOWS = 16,
    CG_MOST_CELLS = 16,
    CG_MOST_REDS = 32 // in the code; others are made one by one
};

// Operations of one kind may come in any order, also on one word.
struct cg_red_kind {
    enum kd_red op;
    unsigned bytes; // of a word: 4 or 8
};

struct cg_window {
    struct cg_red_kind kind;
    const struct kir_value *base; // of the array; NULL: not known
    LLVMValueRef state, values;   // struct kd_window, and what it keeps
};

// A word that all lanes go to.
struct cg_cell {
    const struct kir_inst *i;
    struct cg_red_kind kind;
    LLVMValueRef state;   // where there are several kinds: struct kd_cell
    LLVMValueRef address; // i64 variable; 0: none
    LLVMValueRef value;   // a vector's: what it is to be combined with
};

struct cg_reds {
    struct cg_window windows[CG_MOST_WINDOWS];
    struct cg_cell cells[CG_MOST_CELLS];
    unsigned nwindows, ncells;
    struct cg_red_site {
        const struct kir_inst *i;
        struct cg_window *window; // one of these two
        struct cg_cell *cell;
        // Variables, for the base (i64) that was seen last: see bounds_of.
        LLVMValueRef first, words, base;
    } sites[CG_MOST_REDS];
    unsigned nsites;
    LLVMValueRef state; // struct kd_reds
    bool mixed;         // there are several kinds
};

// cg_red_site.c
bool cg_is_relaxed_red(const struct kir_inst *i);
// May i be put off? read: cg_read_values'.
bool cg_is_red(const struct kir_inst *i, const uint8_t *read);
const struct kir_value *cg_behind_conversions(const struct kir_value *v);
struct cg_red_kind cg_red_kind_of(const struct kir_inst *i);
bool cg_is_kind(const struct cg_red_kind *x, const struct cg_red_kind *y);
const struct cg_red_site *cg_red_site(const struct cg_func *g, const struct kir_inst *i);
// The uniform one of two numbers that make the address of i; NULL: there is none.
const struct kir_value *cg_red_base(const struct flow *fl, const struct kir_inst *i);
// Do `bytes` bytes from p (i64, or a vector) on touch `size` bytes from `start` on? An i1.
LLVMValueRef cg_touches(struct cg_func *g, LLVMValueRef start, LLVMValueRef size, LLVMValueRef p,
                        uint64_t bytes);

// cg_bins.c
// In the entry block: struct kd_window, side by side.
LLVMValueRef cg_make_windows(struct cg_func *g);
LLVMValueRef cg_window_field(struct cg_func *g, const struct cg_window *w, size_t offset,
                             LLVMTypeRef t);
// Words may have left windows: of this one, or, NULL, of all.
void cg_forget_bounds(struct cg_func *g, const struct cg_window *w);
void cg_flush_window_if(struct cg_func *g, const struct cg_window *w, LLVMValueRef cond);

// cg_cells.c
LLVMValueRef cg_make_cells(struct cg_func *g);                     // the same of struct kd_cell
void cg_flush_cell(struct cg_func *g, const struct cg_cell *cell); // where it has an address

// Does a run of blocks put off operations on memory? In vectors only.
bool cg_puts_off(struct cg *c, const struct flow *fl);
const uint8_t *cg_read_values(struct arena *arena, const struct kir_func *f); // by id: is it read?
void cg_make_reds(struct cg_func *g);  // the builder stands in the entry block
void cg_close_reds(struct cg_func *g); // at the end of a run of blocks

// Before an access of so many bytes a lane that is not put off itself.
void cg_settle_reds(struct cg_func *g, struct kir_inst *i, unsigned bytes);

#endif
