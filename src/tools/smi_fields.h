// What `kudzu smi` can tell of a device, by the names that nvidia-smi has for it.
#ifndef KUDZU_TOOLS_SMI_FIELDS_H
#define KUDZU_TOOLS_SMI_FIELDS_H

#include "tools/nvml_functions.h"

struct smi_field {
    const char *name, *alias; // alias: "" where there is none
    const char *unit;         // "MiB", "%", ...; "" where there is none
    const char *help;
    // The value without its unit; false: the device does not have it.
    bool (*write)(nvmlDevice_t device, char *out, unsigned size);
};
extern const struct smi_field smi_fields[];
extern const int smi_field_count;

// NULL: there is none of that name.
const struct smi_field *smi_find_field(const char *name, unsigned length);
// The value with its unit, or "N/A" in these brackets: "[N/A]" or "N/A".
void smi_value(const struct smi_field *f, nvmlDevice_t device, bool with_unit, bool brackets,
               char *out, unsigned size);

#endif
