#include "ptx/names.h"

#include <string.h>

uint32_t ptx_hash(const char *text, size_t len) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)text[i]) * 16777619u;
    return h ^ h >> 15;
}

void ptx_names_init(struct ptx_names *n, struct arena *a) {
    *n = (struct ptx_names){.buckets = arena_array(a, struct ptx_name *, PTX_NAME_BUCKETS)};
}

bool ptx_names_open(struct ptx_names *n) {
    if (n->depth + 1 == PTX_MAX_SCOPES)
        return false;
    n->newest[++n->depth] = NULL;
    return true;
}

static void remove_name(struct ptx_names *n, struct ptx_name *e) {
    struct ptx_name **at = &n->buckets[e->hash % PTX_NAME_BUCKETS];
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
}

void ptx_names_close(struct ptx_names *n) {
    for (struct ptx_name *e = n->newest[n->depth]; e; e = e->older)
        remove_name(n, e);
    n->depth--;
}

struct ptx_name *ptx_names_add(struct ptx_names *n, struct arena *a, const char *text, uint8_t kind,
                               uint32_t depth) {
    struct ptx_name *e = arena_new(a, struct ptx_name);
    e->text = text;
    e->hash = ptx_hash(text, strlen(text));
    e->kind = kind;
    e->depth = depth;
    struct ptx_name **at = &n->buckets[e->hash % PTX_NAME_BUCKETS];
    while (*at && (*at)->depth > depth)
        at = &(*at)->next;
    e->next = *at;
    *at = e;
    e->older = n->newest[depth];
    n->newest[depth] = e;
    return e;
}

struct ptx_name *ptx_names_find(const struct ptx_names *n, const char *text, size_t len) {
    uint32_t h = ptx_hash(text, len);
    for (struct ptx_name *e = n->buckets[h % PTX_NAME_BUCKETS]; e; e = e->next)
        if (e->hash == h && !strncmp(e->text, text, len) && !e->text[len])
            return e;
    return NULL;
}
