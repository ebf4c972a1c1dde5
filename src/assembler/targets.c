#include "assembler/targets.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *const target_names[] = {
    "sm_50",   "sm_52",  "sm_53",   "sm_60",   "sm_61",  "sm_62",   "sm_70",   "sm_72",  "sm_75",
    "sm_80",   "sm_86",  "sm_87",   "sm_88",   "sm_89",  "sm_90",   "sm_90a",  "sm_100", "sm_100a",
    "sm_100f", "sm_101", "sm_101a", "sm_101f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a",
    "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f", NULL};

bool target_find(const char *name, struct target *out) {
    static const char virtual_prefix[] = "compute_";
    const char *digits = strncmp(name, virtual_prefix, sizeof virtual_prefix - 1)
                             ? name + (strncmp(name, "sm_", 3) ? 0 : 3)
                             : name + sizeof virtual_prefix - 1;
    for (const char *const *t = target_names; digits != name && *t; t++)
        if (!strcmp(digits, *t + 3)) {
            char *end;
            out->number = (uint32_t)strtoul(digits, &end, 10);
            out->suffix = *end;
            return true;
        }
    return false;
}
