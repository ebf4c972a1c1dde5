// Static libraries: their members, and the index that tells where these lie.
#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binutils/prune.h"
#include "image/cubin.h"

struct member {
    const uint8_t *header, *data;
    size_t at, size; // `at`: of the header in the file
    uint8_t *out;
    size_t out_at, out_size;
};
typedef VEC(struct member) member_list;

static bool is_called(const struct member *m, const char *name) {
    return !memcmp(m->header, name, strlen(name));
}

static bool refuse(struct prune_choice *c, const char *why) {
    c->why = why;
    return false;
}

static bool read_members(struct prune_choice *c, const uint8_t *data, size_t size,
                         member_list *out) {
    for (size_t at = SARMAG; at < size;) {
        const struct ar_hdr *h = (const struct ar_hdr *)(data + at);
        char digits[sizeof h->ar_size + 1] = "";
        if (size - at < sizeof *h || memcmp(h->ar_fmag, ARFMAG, sizeof h->ar_fmag) != 0)
            return refuse(c, "the archive is damaged");
        memcpy(digits, h->ar_size, sizeof h->ar_size);
        struct member m = {.header = data + at, .data = data + at + sizeof *h, .at = at};
        m.size = strtoul(digits, NULL, 10);
        if (m.size > size - at - sizeof *h)
            return refuse(c, "the archive is damaged");
        vec_push(c->arena, out, m);
        at += sizeof *h + m.size + (m.size & 1);
    }
    return true;
}

static bool prune_member(struct prune_choice *c, struct member *m) {
    bool host = m->size && cubin_is_elf(m->data, m->size);
    m->out = host ? prune_object(c, m->data, m->size, &m->out_size) : NULL;
    if (!host) {
        m->out = arena_memdup(c->arena, m->data, m->size);
        m->out_size = m->size;
    }
    return m->out != NULL;
}

// ---- The index ------------------------------------------------------------------------------

static uint64_t big_endian(const uint8_t *p, unsigned bytes) {
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v = v << 8 | p[i];
    return v;
}

static void put_big_endian(uint8_t *p, uint64_t v, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
}

// How many symbols, then for each the place of its member's header, then their names.
static bool move_index(struct prune_choice *c, struct member *index, const member_list *members) {
    unsigned word = is_called(index, "/SYM64/") ? 8 : 4;
    uint64_t n = index->size < word ? 0 : big_endian(index->data, word);
    if (n > index->size / word - (index->size >= word))
        return refuse(c, "the archive's index is damaged");
    uint32_t m = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *p = index->out + (i + 1) * word;
        uint64_t at = big_endian(p, word);
        // Symbols of one member stand together.
        for (uint32_t tried = 0; tried < members->len && members->data[m].at != at; tried++)
            m = (m + 1) % members->len;
        if (members->data[m].at != at)
            return refuse(c, "the archive's index is damaged");
        put_big_endian(p, members->data[m].out_at, word);
    }
    return true;
}

static void write_member(uint8_t *out, const struct member *m) {
    struct ar_hdr h;
    char digits[sizeof h.ar_size + 1];
    memcpy(&h, m->header, sizeof h);
    snprintf(digits, sizeof digits, "%-*zu", (int)sizeof h.ar_size, m->out_size);
    memcpy(h.ar_size, digits, sizeof h.ar_size);
    memcpy(out + m->out_at, &h, sizeof h);
    memcpy(out + m->out_at + sizeof h, m->out, m->out_size);
    if (m->out_size & 1)
        out[m->out_at + sizeof h + m->out_size] = '\n';
}

uint8_t *prune_archive(struct prune_choice *c, const uint8_t *data, size_t size, size_t *out_size) {
    member_list members = {0};
    if (memcmp(data, ARMAG, SARMAG) != 0) {
        c->why = "the members of a thin archive lie outside it";
        return NULL;
    }
    if (!read_members(c, data, size, &members))
        return NULL;
    size_t at = SARMAG;
    for (uint32_t i = 0; i < members.len; i++) {
        struct member *m = &members.data[i];
        if (!prune_member(c, m))
            return NULL;
        m->out_at = at;
        at += sizeof(struct ar_hdr) + m->out_size + (m->out_size & 1);
    }
    uint8_t *out = arena_alloc(c->arena, at);
    memcpy(out, ARMAG, SARMAG);
    for (uint32_t i = 0; i < members.len; i++) {
        struct member *m = &members.data[i];
        if ((is_called(m, "/ ") || is_called(m, "/SYM64/")) && !move_index(c, m, &members))
            return NULL;
        write_member(out, m);
    }
    *out_size = at;
    return out;
}
