// Words that follow each other at each lane's own place, of which a block loads all: a row of a
// tile a lane, say, or what a thread has of its own. Each lane's are one vector of memory, and a
// transposition in registers makes a vector for each word of them.
//
// Two words of sixteen lanes take 16 loads and 16 other instructions, where lane by lane they take
// 32 and 30; sixteen words 16 and 64 for 256 and 240.
#include "plan/passes.h"
#include "plan/tables.h"

enum { WORD = 4, MOST_WORDS = 16, REACH = 256, SPAN = 128 };

// What may stand between two loads that are made together: nothing that orders or changes memory.
static bool changes_nothing(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE ||
           (i->op == ISA_OP_LD && i->mods.sem == ISA_SEM_WEAK);
}

bool plan_is_beside(const struct kir_inst *i, const struct kir_inst *earlier) {
    for (unsigned n = 0; n < REACH && i != earlier; n++) {
        i = i->prev;
        if (!i || !changes_nothing(i))
            return false;
    }
    return i == earlier;
}

static bool is_word(const struct plan_inputs *in, const struct kir_inst *i) {
    return i->op == ISA_OP_LD && i->mods.sem == ISA_SEM_WEAK && isa_type_bits(i->ty) == 8 * WORD &&
           kir_type_bits(i->res[0]->type) == 8 * WORD && !plan_is_taken(in, i);
}

static unsigned words_of(const struct kir_inst *i) {
    return i->mods.vec ? i->mods.vec : 1;
}

// The words around `of` that are loaded beside it, as have[SPAN / 2 + words behind it].
static void find_words(const struct plan_inputs *in, const struct kir_inst *of, bool *have) {
    const struct kir_inst *i = of;
    unsigned before = 0, behind = 0;
    while (before < REACH && i->prev && changes_nothing(i->prev)) {
        i = i->prev;
        before++;
    }
    for (; i && behind < before + REACH && changes_nothing(i); i = i->next, behind++) {
        int64_t by = i->offset - of->offset, at = by / WORD + SPAN / 2;
        if (!is_word(in, i) || i->ops[0] != of->ops[0] || i->mods.space != of->mods.space ||
            by % WORD || at < 0 || at + words_of(i) > SPAN)
            continue;
        for (unsigned k = 0; k < words_of(i); k++)
            have[at + k] = true;
    }
}

static unsigned power_up(unsigned n) {
    unsigned p = 2;
    while (p < n)
        p *= 2;
    return p;
}

// Which part of `n` words has word `at`. Parts are powers of two of two words and more; the last
// ones may overlap.
static unsigned part_of(unsigned n, unsigned at, unsigned most, unsigned *first) {
    unsigned begin = 0;
    for (;;) {
        unsigned left = n - begin, size = power_up(left) < most ? power_up(left) : most;
        while (size > n)
            size /= 2;
        *first = size > left ? n - size : begin;
        if (at < *first + size)
            return size;
        begin = *first + size;
    }
}

// Loads, what joins them to registers, and the transposition, against what else would be done.
static bool is_worth_it(const struct plan_inputs *in, const struct plan_access *a, unsigned words) {
    unsigned lanes = in->fl->width, stages = 1, chunks = a->window.chunks;
    if (a->kind != PLAN_STRIDED)
        return true;
    while (1U << stages < words)
        stages++;
    return a->sparse && (!chunks || chunks * (1 + a->window.members) > 2 * lanes + words * stages);
}

void plan_find_lane_words(const struct plan_inputs *in, struct plan_access *a,
                          const struct shape *s) {
    const struct kir_inst *i = a->inst;
    bool have[SPAN] = {false};
    unsigned begin = SPAN / 2, end = SPAN / 2, first, registers = in->machine->vector_bits / 32;
    unsigned most = in->fl->width < registers ? in->fl->width : registers;
    most = most < MOST_WORDS ? most : MOST_WORDS;
    if ((a->kind != PLAN_EACH && a->kind != PLAN_APART && a->kind != PLAN_STRIDED) || a->whole ||
        a->lane >= 0 || in->quick || in->fl->width < 4 || most < 4 || s->guard || in->puts_off ||
        (i->mods.space != ISA_SPACE_SHARED && i->mods.space != ISA_SPACE_GLOBAL) || !is_word(in, i))
        return;
    find_words(in, i, have);
    while (begin && have[begin - 1])
        begin--;
    while (end < SPAN && have[end])
        end++;
    if (end - begin < 2)
        return;
    unsigned at = SPAN / 2 - begin, words = part_of(end - begin, at, most, &first);
    if (at + a->count > first + words || !is_worth_it(in, a, words))
        return;
    a->words = (uint8_t)words;
    a->words_lo = i->offset + ((int64_t)first - at) * WORD;
}
