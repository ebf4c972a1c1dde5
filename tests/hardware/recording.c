// See recording.h. After the head stand the number of cases, their texts, their counts, their
// results and their hashes, each kind together, because they compress best so.
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "operands.h"

// Bytes on their way to or from the file.
struct bytes {
    uint8_t *data;
    size_t size, capacity, at;
    bool failed; // read past the end
};

static void *allocate(size_t size) {
    void *p = calloc(size ? size : 1, 1);
    if (!p)
        abort();
    return p;
}

// ---- Records
// ---------------------------------------------------------------------------------------
struct hw_record hw_record_of(const struct hw_case *c, const union isa_bits *results) {
    struct hw_extent e = hw_extent_of(c);
    struct hw_record r = {.refused = !results, .nresults = c->nresults};
    snprintf(r.text, sizeof r.text, "%s", c->text);
    if (!results)
        return r;
    unsigned sets = e.edges + e.random;
    r.operands = hw_operand_digest(c);
    r.edges = e.edges;
    r.random = e.random;
    r.block = e.block;
    r.results = allocate(sizeof *results * r.nresults * e.edges);
    r.blocks = allocate(sizeof *r.blocks * (e.random / e.block));
    for (unsigned k = 0; k < c->nresults; k++) {
        r.types[k] = c->results[k].type;
        memcpy(&r.results[(size_t)k * e.edges], &results[(size_t)k * sets],
               e.edges * sizeof *results);
    }
    for (unsigned b = 0; b < e.random / e.block; b++) {
        uint64_t h = 0;
        for (unsigned n = 0; n < e.block; n++)
            for (unsigned k = 0; k < c->nresults; k++)
                h = hw_hash(h, results[(size_t)k * sets + e.edges + b * e.block + n]);
        r.blocks[b] = (uint16_t)(h >> 40);
        r.hash = hw_hash(r.hash, (union isa_bits){.u64 = {h}});
    }
    return r;
}

void hw_record_free(struct hw_record *r) {
    free(r->results);
    free(r->blocks);
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct hw_record *)a)->text, ((const struct hw_record *)b)->text);
}

const struct hw_record *hw_recording_find(const struct hw_recording *r, const char *text) {
    struct hw_record key;
    snprintf(key.text, sizeof key.text, "%s", text);
    return bsearch(&key, r->records, r->count, sizeof key, by_text);
}

void hw_recording_free(struct hw_recording *r) {
    for (unsigned k = 0; k < r->count; k++)
        hw_record_free(&r->records[k]);
    free(r->records);
    free(r->head);
}

// ---- Bytes
// -----------------------------------------------------------------------------------------
static void put(struct bytes *b, const void *p, size_t n) {
    if (b->size + n > b->capacity) {
        b->capacity = 2 * (b->size + n);
        b->data = realloc(b->data, b->capacity);
        if (!b->data)
            abort();
    }
    memcpy(b->data + b->size, p, n);
    b->size += n;
}

static void get(struct bytes *b, void *p, size_t n) {
    if (n > b->size - b->at) {
        b->failed = true;
        memset(p, 0, n);
        return;
    }
    memcpy(p, b->data + b->at, n);
    b->at += n;
}

static void put_number(struct bytes *b, uint64_t v, unsigned n) {
    put(b, &v, n);
}

static uint64_t get_number(struct bytes *b, unsigned n) {
    uint64_t v = 0;
    get(b, &v, n);
    return v;
}

// Bytes of a result's register; predicates are packed eight a byte.
static unsigned bytes_of(enum isa_type t) {
    return t == ISA_PRED ? 0 : hw_register_bits(t) / 8;
}

static void put_results(struct bytes *b, const struct hw_record *r) {
    for (unsigned k = 0; k < r->nresults; k++) {
        const union isa_bits *x = &r->results[(size_t)k * r->edges];
        unsigned width = bytes_of((enum isa_type)r->types[k]);
        for (unsigned j = 0; j < width; j++)
            for (unsigned n = 0; n < r->edges; n++)
                put(b, &x[n].u8[j], 1);
        for (unsigned n = 0; !width && n < r->edges; n += 8) {
            uint8_t packed = 0;
            for (unsigned j = 0; j < 8; j++)
                packed |= (uint8_t)((x[n + j].u8[0] & 1) << j);
            put(b, &packed, 1);
        }
    }
}

static void get_results(struct bytes *b, struct hw_record *r) {
    r->results = allocate(sizeof *r->results * r->nresults * r->edges);
    for (unsigned k = 0; k < r->nresults; k++) {
        union isa_bits *x = &r->results[(size_t)k * r->edges];
        unsigned width = bytes_of((enum isa_type)r->types[k]);
        for (unsigned j = 0; j < width; j++)
            for (unsigned n = 0; n < r->edges; n++)
                get(b, &x[n].u8[j], 1);
        for (unsigned n = 0; !width && n < r->edges; n += 8) {
            uint8_t packed;
            get(b, &packed, 1);
            for (unsigned j = 0; j < 8; j++)
                x[n + j].u8[0] = packed >> j & 1;
        }
    }
}

static void put_counts(struct bytes *b, const struct hw_record *r) {
    put_number(b, r->refused, 1);
    put_number(b, r->nresults, 1);
    put(b, r->types, sizeof r->types);
    put_number(b, r->edges, 4);
    put_number(b, r->random, 4);
    put_number(b, r->block, 4);
}

static void get_counts(struct bytes *b, struct hw_record *r) {
    r->refused = get_number(b, 1);
    r->nresults = (uint32_t)get_number(b, 1);
    get(b, r->types, sizeof r->types);
    r->edges = (uint32_t)get_number(b, 4);
    r->random = (uint32_t)get_number(b, 4);
    r->block = (uint32_t)get_number(b, 4);
    bool bad = r->nresults > HW_MAX_RESULTS || r->edges > 1 << 20 || r->random > 1 << 20 ||
               r->edges % 8 || (r->random && !r->block);
    for (unsigned k = 0; k < HW_MAX_RESULTS; k++)
        bad |= r->types[k] >= ISA_TYPE_COUNT;
    if (bad || b->failed) {
        b->failed = true;
        r->nresults = r->edges = r->random = 0;
    }
}

static void put_hashes(struct bytes *b, const struct hw_record *r) {
    put_number(b, r->operands, 4);
    put_number(b, r->hash, 8);
    put(b, r->blocks, r->random ? r->random / r->block * sizeof *r->blocks : 0);
}

static void get_hashes(struct bytes *b, struct hw_record *r) {
    unsigned blocks = r->random ? r->random / r->block : 0;
    r->operands = (uint32_t)get_number(b, 4);
    r->hash = get_number(b, 8);
    r->blocks = allocate(blocks * sizeof *r->blocks);
    get(b, r->blocks, blocks * sizeof *r->blocks);
}

// ---- Files
// -----------------------------------------------------------------------------------------
static void put_recording(struct bytes *b, const struct hw_recording *r) {
    put(b, r->head, strlen(r->head));
    put(b, "\n", 1);
    put_number(b, r->count, 4);
    for (unsigned k = 0; k < r->count; k++)
        put(b, r->records[k].text, strlen(r->records[k].text) + 1);
    for (unsigned k = 0; k < r->count; k++)
        put_counts(b, &r->records[k]);
    for (unsigned k = 0; k < r->count; k++)
        if (!r->records[k].refused)
            put_results(b, &r->records[k]);
    for (unsigned k = 0; k < r->count; k++)
        if (!r->records[k].refused)
            put_hashes(b, &r->records[k]);
}

static void get_text(struct bytes *b, char *text) {
    unsigned n = 0;
    while (!b->failed && n < HW_TEXT - 1 && (text[n] = (char)get_number(b, 1)))
        n++;
    text[n] = 0;
}

static void get_head(struct bytes *b, struct hw_recording *r) {
    size_t n = 0;
    while (n + 1 < b->size && (b->data[n] != '\n' || b->data[n + 1] != '\n'))
        n++;
    r->head = allocate(n + 2);
    get(b, r->head, n + 1 < b->size ? n + 1 : n);
    get_number(b, 1);
}

static bool get_recording(struct bytes *b, struct hw_recording *r) {
    get_head(b, r);
    r->count = (uint32_t)get_number(b, 4);
    if (b->failed || r->count > b->size)
        r->count = 0;
    r->records = allocate(r->count * sizeof *r->records);
    for (unsigned k = 0; k < r->count; k++)
        get_text(b, r->records[k].text);
    for (unsigned k = 0; k < r->count; k++)
        get_counts(b, &r->records[k]);
    for (unsigned k = 0; k < r->count; k++)
        if (!r->records[k].refused)
            get_results(b, &r->records[k]);
    for (unsigned k = 0; k < r->count; k++)
        if (!r->records[k].refused)
            get_hashes(b, &r->records[k]);
    return r->count && !b->failed && b->at == b->size;
}

static bool compress(struct bytes *raw, struct bytes *out) {
    ZSTD_CCtx *z = ZSTD_createCCtx();
    out->data = allocate(ZSTD_compressBound(raw->size));
    ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, 22);
    ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, 27);
    ZSTD_CCtx_setParameter(z, ZSTD_c_enableLongDistanceMatching, 1);
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    out->size = ZSTD_compress2(z, out->data, ZSTD_compressBound(raw->size), raw->data, raw->size);
    ZSTD_freeCCtx(z);
    return !ZSTD_isError(out->size);
}

bool hw_recording_write(const char *path, const struct hw_recording *r) {
    struct bytes raw = {0}, out = {0};
    qsort(r->records, r->count, sizeof *r->records, by_text);
    put_recording(&raw, r);
    bool ok = compress(&raw, &out);
    FILE *f = ok ? fopen(path, "wb") : NULL;
    ok = f && fwrite(out.data, 1, out.size, f) == out.size;
    if (f && fclose(f))
        ok = false;
    if (!ok)
        fprintf(stderr, "%s cannot be written\n", path);
    free(raw.data);
    free(out.data);
    return ok;
}

static void read_file(const char *path, struct bytes *b) {
    uint8_t piece[65536];
    size_t n;
    FILE *f = fopen(path, "rb");
    while (f && (n = fread(piece, 1, sizeof piece, f)) > 0)
        put(b, piece, n);
    if (f)
        fclose(f);
}

bool hw_recording_read(const char *path, struct hw_recording *r) {
    struct bytes file = {0}, raw = {0};
    *r = (struct hw_recording){0};
    read_file(path, &file);
    unsigned long long size = ZSTD_getFrameContentSize(file.data, file.size);
    if (size < 1ull << 31) { // not an error code either
        raw.data = allocate(size);
        raw.size = ZSTD_decompress(raw.data, size, file.data, file.size);
    }
    bool ok = raw.size && !ZSTD_isError(raw.size) && get_recording(&raw, r);
    if (!ok)
        fprintf(stderr, "%s is no recording\n", path);
    free(file.data);
    free(raw.data);
    return ok;
}
