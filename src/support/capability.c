#include "support/capability.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "support/environment.h"

enum { KIB = 1024, DEFAULT = 90 };

static const struct capability table[] = {
    {70, 2048, 32, 96 * KIB, 96 * KIB, 0, 256},
    {72, 2048, 32, 96 * KIB, 96 * KIB, 0, 256},
    {75, 1024, 16, 64 * KIB, 64 * KIB, 0, 256},
    {80, 2048, 32, 164 * KIB, 163 * KIB, KIB, 128},
    {86, 1536, 16, 100 * KIB, 99 * KIB, KIB, 128},
    {87, 1536, 16, 164 * KIB, 163 * KIB, KIB, 128},
    {89, 1536, 24, 100 * KIB, 99 * KIB, KIB, 128},
    {90, 2048, 32, 228 * KIB, 227 * KIB, KIB, 128},
    {100, 2048, 32, 228 * KIB, 227 * KIB, KIB, 128},
    {101, 1536, 24, 228 * KIB, 227 * KIB, KIB, 128},
    {103, 2048, 32, 228 * KIB, 227 * KIB, KIB, 128},
    {110, 1536, 24, 228 * KIB, 227 * KIB, KIB, 128},
    {120, 1536, 24, 100 * KIB, 99 * KIB, KIB, 128},
    {121, 1536, 24, 100 * KIB, 99 * KIB, KIB, 128},
};

static const struct capability *find(uint32_t number) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].number == number)
            return &table[i];
    return NULL;
}

// NULL: not set.
static const char *value(void) {
    const char *text = environment_get("KUDZU_COMPUTE_CAPABILITY");
    return text && *text ? text : NULL;
}

static const struct capability *parse(const char *text) {
    unsigned major, minor;
    char end;
    if (strlen(text) > 4 || sscanf(text, "%2u.%1u%c", &major, &minor, &end) != 2)
        return NULL;
    return find(major * 10 + minor);
}

const struct capability *capability_of_device(void) {
    const char *text = value();
    const struct capability *c = text ? parse(text) : NULL;
    return c ? c : find(DEFAULT);
}

bool capability_is_chosen(void) {
    return value() != NULL;
}

const char *capability_unknown(void) {
    const char *text = value();
    return text && !parse(text) ? text : NULL;
}
