#include "device/check/check_steps.h"

#include <stdlib.h>
#include <string.h>

#include "device/sync.h"

enum {
    THREADS = 1024,
    WINDOW_BITS = 18, // bytes of shared memory have different low bits of their addresses
    WORD_BITS = 2,
    MOST_PHIS = 8,
    KNOWN = 1024 // results that are kept
};
static const uint64_t MOST_WORK = UINT64_C(12) << 20; // values that are computed

// A value: one for all threads, or one for each.
struct value {
    bool one;
    uint64_t x[THREADS];
};
// Of a word, or a byte: in which group and iteration it was accessed, by whom, and whether it was
// written.
struct mark {
    uint32_t time;
    uint16_t thread; // SEVERAL: more than one
    uint8_t weak, written;
};
enum { SEVERAL = 0xffff };
struct machine {
    const struct kd_block *b;
    uint32_t n; // threads
    struct value *values;
    struct value next[MOST_PHIS];
    uint32_t time, unit_bits;
    uint64_t work;
    struct mark marks[1 << WINDOW_BITS];
};

// ---- steps ------------------------------------------------------------------------------------

static void widen(struct machine *m, struct value *v) {
    uint64_t x = v->x[0];
    for (uint32_t k = 0; v->one && k < m->n; k++)
        v->x[k] = x;
    v->one = false;
}

static uint64_t sext(uint64_t x, uint64_t bits) {
    return bits >= 64 ? x : (uint64_t)((int64_t)(x << (64 - bits)) >> (64 - bits));
}

static uint64_t zext(uint64_t x, uint64_t bits) {
    return bits >= 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

static uint64_t shift_signed(uint64_t x, uint64_t by, uint64_t bits) {
    return (uint64_t)((int64_t)x >> (by < bits ? by : bits - 1));
}

static int64_t of(uint64_t x) {
    return (int64_t)x;
}

#define EACH(op, result)                                                                           \
    case op:                                                                                       \
        for (uint32_t k = 0; k < n; k++) {                                                         \
            uint64_t a = x[k], b = y[k];                                                           \
            (void)a;                                                                               \
            (void)b;                                                                               \
            r[k] = (result);                                                                       \
        }                                                                                          \
        break

static void compute(struct machine *m, const struct kd_check_step *s, struct value *v) {
    struct value *out = v, *values = m->values, *p = &values[s->a];
    bool two = s->op <= KD_STEP_SLE && s->op != KD_STEP_SELECT;
    struct value *q = two || s->op == KD_STEP_SELECT ? &values[s->b] : p;
    struct value *last = s->op == KD_STEP_SELECT ? &values[s->c] : p;
    out->one = p->one && q->one && last->one;
    if (!out->one) {
        widen(m, p);
        widen(m, q);
        widen(m, last);
    }
    uint32_t n = out->one ? 1 : m->n;
    const uint64_t *x = p->x, *y = q->x, *z = last->x;
    uint64_t *r = out->x, value = s->value;
    m->work += n;
    switch (s->op) {
        EACH(KD_STEP_ADD, a + b);
        EACH(KD_STEP_SUB, a - b);
        EACH(KD_STEP_MUL, a * b);
        EACH(KD_STEP_SHL, b < value ? a << b : 0);
        EACH(KD_STEP_SHR, b < value ? a >> b : 0);
        EACH(KD_STEP_SAR, shift_signed(a, b, value));
        EACH(KD_STEP_AND, a & b);
        EACH(KD_STEP_OR, a | b);
        EACH(KD_STEP_XOR, a ^ b);
        EACH(KD_STEP_MIN, a < b ? a : b);
        EACH(KD_STEP_MAX, a > b ? a : b);
        EACH(KD_STEP_SMIN, of(a) < of(b) ? a : b);
        EACH(KD_STEP_SMAX, of(a) > of(b) ? a : b);
        EACH(KD_STEP_DIV, b ? a / b : 0);
        EACH(KD_STEP_REM, b ? a % b : 0);
        EACH(KD_STEP_EQ, a == b);
        EACH(KD_STEP_NE, a != b);
        EACH(KD_STEP_LT, a < b);
        EACH(KD_STEP_LE, a <= b);
        EACH(KD_STEP_SLT, of(a) < of(b));
        EACH(KD_STEP_SLE, of(a) <= of(b));
        EACH(KD_STEP_SELECT, a ? b : z[k]);
        EACH(KD_STEP_ZEXT, zext(a, value));
        EACH(KD_STEP_SEXT, sext(a, value));
    default:
        break;
    }
}

// What the launch has, and the numbers of threads.
static bool begin(struct machine *m, const struct kd_check_step *s, struct value *v) {
    const struct kd_block *b = m->b;
    uint32_t nx = b->ntid[0], ny = b->ntid[1];
    v->one = true;
    switch (s->op) {
    case KD_STEP_CONST:
        v->x[0] = s->value;
        return true;
    case KD_STEP_NTID:
        v->x[0] = b->ntid[s->value];
        return true;
    case KD_STEP_NCTAID:
        v->x[0] = b->nctaid[s->value];
        return true;
    case KD_STEP_DYNAMIC:
        v->x[0] = b->dynamic_shared;
        return true;
    case KD_STEP_PARAM:
        v->x[0] = 0;
        memcpy(&v->x[0], b->params + s->value, s->b);
        return true;
    case KD_STEP_TID:
        v->one = false;
        for (uint32_t k = 0; k < m->n; k++)
            v->x[k] = s->value == 0 ? k % nx : s->value == 1 ? k / nx % ny : k / nx / ny;
        return true;
    default:
        return false;
    }
}

// ---- accesses ---------------------------------------------------------------------------------

// False: another thread has accessed it.
static inline bool mark(struct machine *m, uint64_t unit, uint32_t thread, uint32_t how) {
    struct mark *k = &m->marks[unit & ((1u << (WINDOW_BITS - m->unit_bits)) - 1)];
    uint8_t writes = how & KD_STEP_WRITES, weak = !(how & KD_STEP_STRONG);
    if (k->time != m->time) {
        *k = (struct mark){m->time, (uint16_t)thread, weak, writes};
        return true;
    }
    bool other = k->thread != thread;
    k->thread = other ? SEVERAL : k->thread;
    k->weak |= weak;
    k->written |= writes;
    return !(other && k->written && k->weak);
}

static bool mark_all(struct machine *m, const struct kd_check_step *s) {
    struct value *at = &m->values[s->a], *where = &m->values[s->b];
    uint32_t units = (uint32_t)((s->value + (1u << m->unit_bits) - 1) >> m->unit_bits);
    widen(m, at);
    widen(m, where);
    m->work += 4 * m->n * units;
    for (uint32_t t = 0; t < m->n; t++) {
        if (!where->x[t])
            continue;
        uint64_t from = at->x[t] >> m->unit_bits, to = (at->x[t] + s->value - 1) >> m->unit_bits;
        for (uint64_t k = from; k <= to; k++)
            if (!mark(m, k, t, s->c))
                return false;
    }
    return true;
}

// Does the loop go on? Its phis have what they have in the next iteration then.
static bool next_iteration(struct machine *m, const struct kd_check_step *s,
                           const struct kd_check_step *group) {
    const struct value *again = s->b == KD_STEP_NONE ? NULL : &m->values[s->b];
    uint64_t some = !again, changed = 0;
    for (uint32_t k = 0; again && k < (again->one ? 1 : m->n); k++)
        some |= again->x[k];
    if (!some)
        return false;
    for (uint32_t p = 0; p < s->c; p++) {
        struct value *from = &m->values[group[s->value + p].b];
        struct value *phi = &m->values[s->value + p];
        uint32_t n = from->one && phi->one ? 1 : m->n;
        if (n > 1) {
            widen(m, from);
            widen(m, phi);
        }
        for (uint32_t k = 0; k < n; k++)
            changed |= phi->x[k] ^ from->x[k];
        m->next[p].one = from->one;
        memcpy(m->next[p].x, from->x, n * sizeof *from->x);
        m->work += n;
    }
    for (uint32_t p = 0; p < s->c && changed; p++) {
        struct value *phi = &m->values[s->value + p];
        phi->one = m->next[p].one;
        memcpy(phi->x, m->next[p].x, (phi->one ? 1 : m->n) * sizeof *phi->x);
    }
    return changed;
}

static bool run_group(struct machine *m, const struct kd_check_step *group, uint64_t n) {
    m->unit_bits = WORD_BITS;
    for (uint64_t k = 0; k < n; k++)
        if (group[k].op == KD_STEP_ACCESS && group[k].value % (1u << WORD_BITS))
            m->unit_bits = 0;
    for (uint64_t k = 0; k < n; k++) {
        const struct kd_check_step *s = &group[k];
        struct value *v = &m->values[k];
        if (m->work++ > MOST_WORK)
            return false;
        switch (s->op) {
        case KD_STEP_PHI:
            v->one = m->values[s->a].one;
            memcpy(v->x, m->values[s->a].x, (v->one ? 1 : m->n) * sizeof *v->x);
            break;
        case KD_STEP_TOGETHER:
            m->time++;
            break;
        case KD_STEP_ACCESS:
            if (!mark_all(m, s))
                return false;
            break;
        case KD_STEP_LOOP:
            if (next_iteration(m, s, group))
                k = s->value + s->c - 1;
            break;
        default:
            if (!begin(m, s, v))
                compute(m, s, v);
            break;
        }
    }
    return true;
}

static bool run(const struct kd_block *b, const struct kd_check_step *program) {
    uint64_t most = 0;
    for (const struct kd_check_step *s = program; s->op != KD_STEP_END; s += s->value + 1)
        most = s->value > most ? s->value : most;
    struct machine *m = calloc(1, sizeof *m);
    struct value *values = m ? malloc(most * sizeof *values + 1) : NULL;
    bool apart = values && b->nthreads <= THREADS && b->shared_window_bytes <= 1u << WINDOW_BITS;
    if (apart) {
        m->b = b;
        m->n = b->nthreads;
        m->values = values;
    }
    for (const struct kd_check_step *s = program; apart && s->op != KD_STEP_END; s += s->value + 1)
        apart = run_group(m, s + 1, s->value);
    free(values);
    free(m);
    return apart;
}

// ---- what was told before ---------------------------------------------------------------------

static struct known {
    uint64_t key[2];
    bool apart;
} known[KNOWN];
static struct kd_spinlock lock;

static void mix(uint64_t *key, uint64_t x) {
    static const uint64_t by[2] = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f)};
    for (int k = 0; k < 2; k++) {
        key[k] = (key[k] ^ x) * by[k];
        key[k] ^= key[k] >> 29;
    }
}

// Of the program, and what it takes from the launch.
static void find_key(const struct kd_block *b, const struct kd_check_step *s, uint64_t *key) {
    key[0] = key[1] = UINT64_C(0xcbf29ce484222325);
    for (int k = 0; k < 3; k++)
        mix(key, b->ntid[k]);
    for (; s->op != KD_STEP_END; s++) {
        uint64_t word, taken = 0;
        memcpy(&word, s, sizeof word);
        mix(key, word);
        mix(key, s->value);
        if (s->op == KD_STEP_PARAM)
            memcpy(&taken, b->params + s->value, s->b);
        else if (s->op == KD_STEP_NCTAID)
            taken = b->nctaid[s->value];
        else if (s->op == KD_STEP_DYNAMIC)
            taken = b->dynamic_shared;
        mix(key, taken);
    }
}

bool check_steps_apart(const struct kd_block *b, const struct kd_check_step *program) {
    uint64_t key[2];
    find_key(b, program, key);
    struct known *k = &known[key[0] % KNOWN];
    kd_lock(&lock);
    bool is_known = k->key[0] == key[0] && k->key[1] == key[1], apart = k->apart;
    kd_unlock(&lock);
    if (is_known)
        return apart;
    apart = run(b, program);
    kd_lock(&lock);
    *k = (struct known){{key[0], key[1]}, apart};
    kd_unlock(&lock);
    return apart;
}
