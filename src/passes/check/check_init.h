// What the files share that follow values of memory that nobody has written. Beside each value that
// may is another one, of its width, with a bit for each of its bits: 1 where nobody has decided it.
//
//   check_init.c       which values, and what each instruction needs
//   check_init_code.c  making instructions, and what the device is asked and told by
//   check_bits.c       which bits of a result follow from those of the operands
//   check_made.c       which of them a computation made, and which were only moved
//   check_bits_kept.c  loads and stores
//   check_places.c     where values were loaded that are only moved
//   check_cause.c      where what is stored comes from
#ifndef KUDZU_PASSES_CHECK_INIT_H
#define KUDZU_PASSES_CHECK_INIT_H

#include "passes/check/check.h"

struct init_phi {
    struct kir_inst *of, *shadow, *made, *place[2]; // made, place: NULL where it is not wanted
};
// Where bits of a value come from: only moved from where they were loaded, or made of such ones.
enum { INIT_LOADED = 1, INIT_MADE = 2, INIT_BOTH = INIT_LOADED | INIT_MADE };

struct init {
    struct kir_func *f;
    struct check_sites *sites;
    struct arena tmp;
    bool reads;                  // told of as well
    uint32_t n;                  // values that there were
    uint8_t *dirty;              // by value: it may have such bits
    uint8_t *origin;             // by value: INIT_LOADED, INIT_MADE or both
    uint8_t *wanted;             // by value: which of the bits are made is to be known
    struct kir_value **bits;     // by value: those that nobody has decided
    struct kir_value **made;     // by value that is wanted: of these, those that are made
    struct kir_value **shadow;   // of the two the one that is followed
    struct kir_inst *at;         // behind which instructions are put
    uint32_t number;             // of the next site
    uint32_t *seen, turn;        // by value: in which turn of init_find_cause
    uint8_t *placed;             // by value: where it was loaded is to be known
    struct kir_value **place[2]; // by value that is placed: that of its low and its high word;
                                 // NULL: nobody knows
    // By value: its register as the last product has it that takes it for a factor, and the number
    // in it that stands for what is decided (check_products.c).
    struct kir_value **factor;
    uint64_t *factor_as;
    VEC(struct init_phi) phis;
};

static inline bool init_has(const struct init *s, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->id < s->n && s->dirty[v->id];
}
// Has any operand such bits?
static inline bool init_any(const struct init *s, const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nops; k++)
        if (init_has(s, i->ops[k]))
            return true;
    return false;
}
// Memory of which the device keeps what is written.
static inline bool init_is_kept(uint8_t space) {
    return space == ISA_SPACE_GENERIC || space == ISA_SPACE_GLOBAL || space == ISA_SPACE_SHARED ||
           space == ISA_SPACE_LOCAL;
}
static inline unsigned init_width(const struct kir_value *v) {
    return kir_type_bits((enum kir_type)v->type);
}

// check_init_code.c ---------------------------------------------------------------------------

// The type of a value's bits; types of instructions on as many.
enum kir_type init_type(const struct kir_value *v);
enum isa_type init_bits_type(unsigned bits);
enum isa_type init_unsigned(unsigned bits);
enum isa_type init_signed(unsigned bits);
// An instruction behind the last one.
struct kir_inst *init_make(struct init *s, isa_op op, enum isa_type ty, unsigned nops,
                           enum kir_type result);
struct kir_value *init_two(struct init *s, isa_op op, enum isa_type ty, struct kir_value *a,
                           struct kir_value *b, enum kir_type result);
struct kir_value *init_zero(struct init *s, enum kir_type t);
// The bits of a value, of the kind that is followed.
struct kir_value *init_shadow(struct init *s, const struct kir_value *v);
// Are there any? As a predicate. Of several operands: of the first n.
struct kir_value *init_is_dirty(struct init *s, struct kir_value *x);
struct kir_value *init_any_of(struct init *s, const struct kir_inst *i, uint32_t n);
struct kir_value *init_select(struct init *s, struct kir_value *p, struct kir_value *a,
                              struct kir_value *b);
// All bits where p holds, else none.
struct kir_value *init_all_bits(struct init *s, struct kir_value *p, enum kir_type t);
// The same instruction on the bits of its first n operands, for one result.
struct kir_inst *init_same(struct init *s, const struct kir_inst *i, uint32_t n);
struct kir_value *init_compared(struct init *s, enum isa_cmp cmp, struct kir_value *a,
                                struct kir_value *b);
struct kir_value *init_word(struct init *s, uint32_t x);
// The low half of 64 bits, and 32 bits as 64.
struct kir_value *init_narrow(struct init *s, struct kir_value *v);
struct kir_value *init_wide(struct init *s, struct kir_value *v);
struct kir_value *init_special(struct init *s, enum isa_sreg r);
// Of all lanes of a warp: enum of a shuffle's modes.
struct kir_value *init_shuffled(struct init *s, uint8_t mode, struct kir_value *v,
                                struct kir_value *by);
// The generic address of one of a space.
struct kir_value *init_generic(struct init *s, struct kir_value *address, uint8_t space);
// The bits of so many bytes. space: that the generic address is in, which saves code a look for it.
struct kir_value *init_ask(struct init *s, struct kir_value *address, int64_t offset,
                           uint32_t bytes, uint8_t space);
// A check in front of or behind i.
void init_tell(struct init *s, struct kir_inst *i, bool before, struct kd_check_site site,
               struct kir_value *address, struct kir_value *more);

// check_bits.c --------------------------------------------------------------------------------

// Makes the bits of a pointwise instruction's results.
void init_follow(struct init *s, struct kir_inst *i);
bool init_is_int_conversion(const struct kir_inst *i);
// Have no operands from that one on such bits?
bool init_rest_is_clean(const struct init *s, const struct kir_inst *i, uint32_t from);

// check_made.c --------------------------------------------------------------------------------

// Does the result have the operands' bits and no others?
bool init_is_move(const struct init *s, const struct kir_inst *i);
// Of operands behind the first one: does it store them, with their bits?
bool init_stores(const struct kir_inst *i);
// What is known before any instruction is made: origins, then what is wanted.
void init_find_origins(struct init *s);
void init_find_wanted(struct init *s);
// Which of the bits are made, where that is wanted.
void init_follow_made(struct init *s, struct kir_inst *i);

// check_bits_kept.c ---------------------------------------------------------------------------

void init_load(struct init *s, struct kir_inst *i);
void init_fetch(struct init *s, struct kir_inst *i); // of a texture or a surface
void init_store(struct init *s, struct kir_inst *i);
// A part of a store: site.bytes of v, from bit `from` on.
void init_store_part(struct init *s, struct kir_inst *i, struct kd_check_site site,
                     struct kir_value *address, struct kir_value *v, uint32_t from);
void init_update(struct init *s, struct kir_inst *i); // by an atomic operation
void init_clean(struct init *s, struct kir_inst *i, struct kir_value *bytes);
void init_copy(struct init *s, struct kir_inst *i);
// One of KD_CHECK_SHADOW_CLEAN_ALL, KD_CHECK_SHADOW_CLEAN_LOCAL, KD_CHECK_SHADOW_OFF.
void init_everything(struct init *s, struct kir_inst *i, uint16_t kind);
// A branch or an address that follows from the first operand: KD_CHECK_SHADOW_BRANCH or _ADDRESS.
void init_decides(struct init *s, struct kir_inst *i, uint16_t kind);

// check_places.c ------------------------------------------------------------------------------

// The load whose result v is, moved only; NULL: there is none, or another one may be meant.
const struct kir_inst *init_find_load(struct init *s, const struct kir_value *v);
// Which values' places are to be known; before any instruction is made.
void init_find_placed(struct init *s);
// Makes the places of an instruction's results, where they are to be known; not of a phi.
void init_follow_place(struct init *s, const struct kir_inst *i);
// That of a value's low or high word, a generic address of B64; 0: nobody knows.
struct kir_value *init_place(struct init *s, const struct kir_value *v, uint32_t half);

// check_cause.c -------------------------------------------------------------------------------

// The instruction nearest to a stored value that made more of what nobody has written than a copy:
// a comparison, else a computation, with a line if there is one. NULL: there is none.
const struct kir_inst *init_find_cause(struct init *s, struct kir_value *v);
void init_note_cause(struct init *s, struct kd_check_site *site, const struct kir_inst *cause);
// What is only moved may have been computed where it was loaded: the store's site says so. half: of
// the value, that is stored; a whole value of 64 bits that was loaded so is one.
void init_note_load(struct init *s, struct kir_inst *i, struct kd_check_site *site,
                    struct kir_value *v, uint32_t half);

#endif
