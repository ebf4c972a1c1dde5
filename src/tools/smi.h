// What the files of `kudzu smi` share.
#ifndef KUDZU_TOOLS_SMI_H
#define KUDZU_TOOLS_SMI_H

#include "tools/smi_fields.h"

// nvidia-smi's documented exit statuses.
enum {
    SMI_INVALID_ARGUMENT = 2,
    SMI_NOT_SUPPORTED = 3,
    SMI_NO_PERMISSION = 4,
    SMI_NOT_FOUND = 6,
    SMI_NO_LIBRARY = 12
};

enum { SMI_MAX_DEVICES = 64, SMI_MAX_PROCESSES = 1024 };

// The devices that -i chose, or all.
extern nvmlDevice_t smi_devices[SMI_MAX_DEVICES];
extern int smi_device_count;
// `ids` is a list of numbers, UUIDs and PCI addresses, or NULL for all devices. False: one names no
// device, or there is none; said on stderr.
bool smi_find_devices(const char *ids);

// The value of the field of that name; with its unit or without. "N/A": the device has none.
void smi_field_value(const char *field, nvmlDevice_t d, bool unit, char *out, unsigned size);
// Processes that use the device, but this one, which has loaded the driver only to ask it.
unsigned smi_list_processes(nvmlDevice_t d, nvmlProcessInfo_t infos[SMI_MAX_PROCESSES]);
// MiB, or false: not known.
bool smi_process_memory(const nvmlProcessInfo_t *p, unsigned long long *mib);

// The option's value, behind "=" or in the next argument; NULL: another option, or no value there.
// `names` ends with NULL.
const char *smi_option_value(const char *const *names, int argc, char **argv, int *i);
// A whole number from `least` to `most`; false: it is something else.
bool smi_parse_number(const char *text, long least, long most, long *out);
// Says that this is no option or command, or one of nvidia-smi's that kudzu does not have; returns
// the exit status.
int smi_refuse(const char *option);

// The sections of a list as -d takes it, one bit each; 0: *wrong is the element that is none.
unsigned smi_parse_sections(const char *list, const char **wrong);
// Everything that is known of the devices, of these sections (0: of all), as text; all as XML.
void smi_print_all(unsigned sections);
void smi_print_xml(void);

// The commands: argv[0] is the command's name; the result is the exit status.
int smi_topology(int argc, char **argv);
int smi_device_monitor(int argc, char **argv);
int smi_process_monitor(int argc, char **argv);

#endif
