// kudzu smi: the devices that programs see, in nvidia-smi's familiar forms. It asks the management
// library of the driver that programs use.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "tools/smi.h"
#include "tools/tools.h"

struct smi_options {
    bool list, all, xml, version, header, units;
    const char *fields, *process_fields, *devices, *file; // NULL: not asked for
    bool csv;
    const char *section_list;
    const char *mode; // to set
    unsigned sections;
    long loop_ms; // 0: once
};

enum { MAX_FIELDS = 64 };

nvmlDevice_t smi_devices[SMI_MAX_DEVICES];
int smi_device_count;

void smi_field_value(const char *field, nvmlDevice_t d, bool unit, char *out, unsigned size) {
    smi_value(smi_find_field(field, (unsigned)strlen(field)), d, unit, false, out, size);
}

unsigned smi_list_processes(nvmlDevice_t d, nvmlProcessInfo_t infos[SMI_MAX_PROCESSES]) {
    unsigned n = SMI_MAX_PROCESSES, kept = 0;
    if (nvml.Processes(d, &n, infos))
        return 0;
    for (unsigned i = 0; i < n; ++i)
        if (infos[i].pid != (unsigned)getpid())
            infos[kept++] = infos[i];
    return kept;
}

bool smi_process_memory(const nvmlProcessInfo_t *p, unsigned long long *mib) {
    *mib = p->usedGpuMemory >> 20;
    return p->usedGpuMemory != (unsigned long long)NVML_VALUE_NOT_AVAILABLE;
}

// ---- The table ------------------------------------------------------------------------------

#define WIDE                                                                                       \
    "+-----------------------------------------------------------------------------------------+"
#define RULE                                                                                       \
    "+-----------------------------------------+------------------------+----------------------+"

// "12MiB", "7%": the table has no blanks before units.
static void put_short(const char *field, nvmlDevice_t d, char out[64]) {
    char value[48];
    const struct smi_field *f = smi_find_field(field, (unsigned)strlen(field));
    smi_value(f, d, false, false, value, sizeof value);
    snprintf(out, 64, "%s%s", value, strcmp(value, "N/A") ? f->unit : "");
}

static void print_device(nvmlDevice_t d) {
    char index[16], name[96], persistence[16], bus[40], display[16], ecc[16], fan[64], heat[64];
    char state[64], draw[64], limit[64], used[64], total[64], busy[64], mode[64], mig[16];
    char power[130], memory[130], line[256];
    smi_field_value("index", d, false, index, sizeof index);
    smi_field_value("name", d, false, name, sizeof name);
    smi_field_value("persistence_mode", d, false, persistence, sizeof persistence);
    smi_field_value("pci.bus_id", d, false, bus, sizeof bus);
    smi_field_value("display_active", d, false, display, sizeof display);
    smi_field_value("ecc.mode.current", d, false, ecc, sizeof ecc);
    smi_field_value("compute_mode", d, false, mode, sizeof mode);
    smi_field_value("mig.mode.current", d, false, mig, sizeof mig);
    smi_field_value("pstate", d, false, state, sizeof state);
    put_short("fan.speed", d, fan);
    put_short("temperature.gpu", d, heat);
    put_short("power.draw", d, draw);
    put_short("power.limit", d, limit);
    put_short("memory.used", d, used);
    put_short("memory.total", d, total);
    put_short("utilization.gpu", d, busy);
    printf("| %3s  %-27.27s %6s | %-18s%4s | %20s |\n", index, name,
           !strcmp(persistence, "Enabled") ? "On" : "Off", bus,
           !strcmp(display, "Enabled") ? "On" : "Off", !strcmp(ecc, "Enabled") ? "On" : ecc);
    snprintf(power, sizeof power, "%s / %s", draw, limit);
    snprintf(memory, sizeof memory, "%s / %s", used, total);
    snprintf(line, sizeof line, "%-4s %5s   %-6s", fan, heat, state);
    printf("| %-20.20s %18.18s | %22.22s | %8.8s %11.11s |\n", line, power, memory, busy, mode);
    printf("| %39s | %22s | %20s |\n" RULE "\n", "", "", mig);
}

static void put_memory(const nvmlProcessInfo_t *p, bool brackets, bool unit, char out[48]) {
    unsigned long long mib;
    if (!smi_process_memory(p, &mib))
        snprintf(out, 48, brackets ? "[N/A]" : "N/A");
    else
        snprintf(out, 48, "%llu%s", mib, unit ? brackets ? " MiB" : "MiB" : "");
}

static void print_processes(void) {
    static nvmlProcessInfo_t infos[SMI_MAX_PROCESSES];
    bool any = false;
    puts(
        "\n" WIDE "\n"
        "| Processes:                                                                              "
        "|\n"
        "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory "
        "|\n"
        "|        ID   ID                                                               Usage      "
        "|\n"
        "|========================================================================================="
        "|");
    for (int i = 0; i < smi_device_count; ++i)
        for (unsigned k = 0, n = smi_list_processes(smi_devices[i], infos); k < n; ++k) {
            char name[256] = "?", memory[48];
            size_t length;
            any = true;
            nvml.ProcessName(infos[k].pid, name, sizeof name);
            length = strlen(name);
            put_memory(&infos[k], false, true, memory);
            printf("| %4d   N/A  N/A %10u      C   %-38s %12s |\n", i, infos[k].pid,
                   length > 38 ? name + length - 38 : name, memory);
        }
    if (!any)
        puts(
            "|  No running processes found                                                         "
            "    |");
    puts(WIDE);
}

static void print_table(void) {
    int version = 0;
    char now[64] = "", driver[96] = "N/A";
    time_t t = time(NULL);
    struct tm local;
    if (localtime_r(&t, &local))
        strftime(now, sizeof now, "%a %b %e %H:%M:%S %Y", &local);
    nvml.CudaVersion(&version);
    nvml.DriverVersion(driver, sizeof driver);
    printf("%s\n" WIDE "\n", now);
    printf("| KUDZU-SMI %-23s Driver Version: %-14s  CUDA Version: %2d.%-4d |\n", KUDZU_VERSION,
           driver, version / 1000, version % 1000 / 10);
    puts(RULE
         "\n"
         "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. "
         "ECC |\n"
         "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  "
         "Compute M. |\n"
         "|                                         |                        |               "
         "MIG M. |\n"
         "|=========================================+========================+================"
         "======|");
    for (int i = 0; i < smi_device_count; ++i)
        print_device(smi_devices[i]);
    print_processes();
    printf("Driver: %s, because %s\n", nvml_driver.path, nvml_driver.why);
}

// ---- -L, --version --------------------------------------------------------------------------

static void print_list(void) {
    for (int i = 0; i < smi_device_count; ++i) {
        char index[16], name[96], uuid[96];
        smi_field_value("index", smi_devices[i], false, index, sizeof index);
        smi_field_value("name", smi_devices[i], false, name, sizeof name);
        smi_field_value("uuid", smi_devices[i], false, uuid, sizeof uuid);
        printf("GPU %s: %s (UUID: %s)\n", index, name, uuid);
    }
}

static void print_version(void) {
    int version = 0;
    char library[96] = "N/A", driver[96] = "N/A";
    nvml.NvmlVersion(library, sizeof library);
    nvml.DriverVersion(driver, sizeof driver);
    nvml.CudaVersion(&version);
    printf("%-15s : %s\n%-15s : %s\n%-15s : %s\n%-15s : %d.%d\n", "KUDZU-SMI", KUDZU_VERSION,
           "NVML version", library, "DRIVER version", driver, "CUDA version", version / 1000,
           version % 1000 / 10);
}

// ---- --query-gpu, --query-compute-apps ------------------------------------------------------

static int query_devices(const struct smi_options *o) {
    const struct smi_field *fields[MAX_FIELDS];
    int n = 0;
    for (const char *s = o->fields; *s;) {
        size_t length = strcspn(s, ",");
        const struct smi_field *f = smi_find_field(s, (unsigned)length);
        if (!f || n == MAX_FIELDS) {
            printf("Field \"%.*s\" is not a valid field to query.\n\n", (int)length, s);
            return 2;
        }
        fields[n++] = f;
        s += length + (s[length] == ',');
        s += strspn(s, " ");
    }
    for (int k = 0; o->header && k < n; ++k)
        printf(o->units && *fields[k]->unit ? "%s%s [%s]" : "%s%s", k ? ", " : "", fields[k]->name,
               fields[k]->unit);
    if (o->header)
        puts("");
    for (int i = 0; i < smi_device_count; ++i)
        for (int k = 0; k < n; ++k) {
            char value[256];
            smi_value(fields[k], smi_devices[i], o->units, true, value, sizeof value);
            printf("%s%s", value, k + 1 < n ? ", " : "\n");
        }
    return 0;
}

enum process_field { PID, PROCESS_NAME, DEVICE_UUID, USED_MEMORY, PROCESS_FIELDS };
static const char *const process_fields[][2] = {
    {"pid", ""}, {"process_name", "name"}, {"gpu_uuid", ""}, {"used_gpu_memory", "used_memory"}};

static int find_process_field(const char *s, size_t length) {
    for (int k = 0; k < PROCESS_FIELDS; ++k)
        for (int a = 0; a < 2; ++a)
            if (strlen(process_fields[k][a]) == length && !strncmp(process_fields[k][a], s, length))
                return k;
    return -1;
}

static void put_process_field(const struct smi_options *o, int field, const nvmlProcessInfo_t *p,
                              nvmlDevice_t d) {
    char value[256] = "[N/A]";
    if (field == PID)
        snprintf(value, sizeof value, "%u", p->pid);
    else if (field == PROCESS_NAME)
        nvml.ProcessName(p->pid, value, sizeof value);
    else if (field == DEVICE_UUID)
        smi_field_value("uuid", d, false, value, sizeof value);
    else
        put_memory(p, true, o->units, value);
    fputs(value, stdout);
}

static int query_processes(const struct smi_options *o) {
    static nvmlProcessInfo_t infos[SMI_MAX_PROCESSES];
    int fields[MAX_FIELDS], n = 0;
    for (const char *s = o->process_fields; *s;) {
        size_t length = strcspn(s, ",");
        int f = find_process_field(s, length);
        if (f < 0 || n == MAX_FIELDS) {
            printf("Field \"%.*s\" is not a valid field to query.\n\n", (int)length, s);
            return 2;
        }
        fields[n++] = f;
        s += length + (s[length] == ',');
        s += strspn(s, " ");
    }
    for (int k = 0; o->header && k < n; ++k)
        printf("%s%s%s%s", k ? ", " : "", process_fields[fields[k]][0],
               o->units && fields[k] == USED_MEMORY ? " [MiB]" : "", k + 1 < n ? "" : "\n");
    for (int i = 0; i < smi_device_count; ++i)
        for (unsigned p = 0, count = smi_list_processes(smi_devices[i], infos); p < count; ++p)
            for (int k = 0; k < n; ++k) {
                put_process_field(o, fields[k], &infos[p], smi_devices[i]);
                fputs(k + 1 < n ? ", " : "\n", stdout);
            }
    return 0;
}

// ---- Options --------------------------------------------------------------------------------

static void print_help(void) {
    puts("Usage: kudzu smi [options]\n\n"
         "Shows the devices that CUDA programs see, which driver they use, and why.\n"
         "KUDZU_DEVICE=cpu, gpu or auto chooses.\n\n"
         "Options:\n"
         "  -L, --list-gpus              One line a device\n"
         "  -q, --query                  All that is known\n"
         "  -d, --display=SECTION,...    With -q, these sections: MEMORY, UTILIZATION, ECC,\n"
         "                               TEMPERATURE, POWER, CLOCK, COMPUTE, PIDS, PERFORMANCE\n"
         "  -x, --xml-format             With -q, as XML\n"
         "  -i, --id=ID,...              These devices: numbers, UUIDs or PCI addresses\n"
         "  -l, --loop[=SECONDS]         Again and again, every five seconds or so often\n"
         "  -lms, --loop-ms=MILLISECONDS The same\n"
         "  -f, --filename=FILE          Writes there\n"
         "  -c, --compute-mode=MODE      Sets who may have contexts of the devices, for your "
         "programs:\n"
         "                               0 or DEFAULT, 2 or PROHIBITED, 3 or EXCLUSIVE_PROCESS\n"
         "  --version                    Versions of library, driver and CUDA\n"
         "  --query-gpu=FIELD,...        These fields, a line a device; needs --format\n"
         "  --query-compute-apps=FIELD,...\n"
         "                               The same of processes: pid, process_name, gpu_uuid,\n"
         "                               used_gpu_memory\n"
         "  --format=csv[,noheader][,nounits]\n"
         "  --help-query-gpu             The fields\n"
         "  -h, --help                   This text\n\n"
         "Commands, each with --help:\n"
         "  topo                         How devices are joined\n"
         "  dmon                         A line a device, every second\n"
         "  pmon                         A line a process, every second");
}

static void print_fields(void) {
    puts("Fields of --query-gpu:\n");
    for (int i = 0; i < smi_field_count; ++i) {
        const struct smi_field *f = &smi_fields[i];
        printf("\"%s\"", f->name);
        if (*f->alias)
            printf(" or \"%s\"", f->alias);
        printf("\n    %s%s%s\n", f->help, *f->unit ? ", in " : "", f->unit);
    }
}

static bool parse_format(struct smi_options *o, const char *text) {
    while (*text) {
        size_t n = strcspn(text, ",");
        if (n == 3 && !strncmp(text, "csv", n))
            o->csv = true;
        else if (n == 8 && !strncmp(text, "noheader", n))
            o->header = false;
        else if (n == 7 && !strncmp(text, "nounits", n))
            o->units = false;
        else
            return false;
        text += n + (text[n] == ',');
    }
    return true;
}

const char *smi_option_value(const char *const *names, int argc, char **argv, int *i) {
    for (; *names; ++names) {
        size_t n = strlen(*names);
        if (strncmp(argv[*i], *names, n))
            continue;
        if (argv[*i][n] == '=')
            return argv[*i] + n + 1;
        if (!argv[*i][n] && *i + 1 < argc)
            return argv[++*i];
    }
    return NULL;
}

bool smi_parse_number(const char *text, long least, long most, long *out) {
    char *end;
    errno = 0;
    *out = strtol(text, &end, 10);
    return *text && !*end && !errno && *out >= least && *out <= most;
}

int smi_refuse(const char *option) {
    // What changes a device, and what is told of it by hardware that CPUs do not have.
    static const char *const absent[] = {"-pm",
                                         "--persistence-mode",
                                         "-e",
                                         "--ecc-config",
                                         "-p",
                                         "--reset-ecc-errors",
                                         "--gom",
                                         "-r",
                                         "--gpu-reset",
                                         "-vm",
                                         "--virt-mode",
                                         "-lgc",
                                         "--lock-gpu-clocks",
                                         "-rgc",
                                         "--reset-gpu-clocks",
                                         "-lmc",
                                         "--lock-memory-clocks",
                                         "-rmc",
                                         "--reset-memory-clocks",
                                         "-ac",
                                         "--applications-clocks",
                                         "-rac",
                                         "--reset-applications-clocks",
                                         "-am",
                                         "--accounting-mode",
                                         "-caa",
                                         "--clear-accounted-apps",
                                         "-pl",
                                         "--power-limit",
                                         "-mig",
                                         "--multi-instance-gpu",
                                         "-gtt",
                                         "--gpu-target-temp",
                                         "-u",
                                         "--unit",
                                         "-B",
                                         "--list-excluded-gpus",
                                         "--dtd",
                                         "--debug",
                                         "--query-supported-clocks",
                                         "--query-accounted-apps",
                                         "--query-retired-pages",
                                         "--query-remapped-rows",
                                         "daemon",
                                         "replay",
                                         "nvlink",
                                         "clocks",
                                         "encodersessions",
                                         "fbcsessions",
                                         "drain",
                                         "vgpu",
                                         "mig",
                                         "compute-policy",
                                         "boost-slider",
                                         "power-hint",
                                         "conf-compute",
                                         "c2c",
                                         "gpm",
                                         "pci",
                                         "power-smoothing",
                                         "power-profiles"};
    size_t length = strcspn(option, "=");
    for (size_t k = 0; k < sizeof absent / sizeof absent[0]; ++k)
        if (strlen(absent[k]) == length && !strncmp(absent[k], option, length)) {
            fprintf(stderr,
                    "kudzu smi: error: '%s' is not supported: kudzu smi shows devices and changes "
                    "their compute mode alone\n",
                    option);
            return SMI_NOT_SUPPORTED;
        }
    fprintf(stderr, "kudzu smi: error: unknown option or value: '%s'\n", option);
    return SMI_INVALID_ARGUMENT;
}

static bool is_one_of(const char *arg, const char *a, const char *b) {
    return !strcmp(arg, a) || !strcmp(arg, b);
}

// -l takes a value or none, which means five seconds.
static bool parse_loop(struct smi_options *o, int argc, char **argv, int *i, bool *good) {
    static const char *const seconds[] = {"--loop", "-l", NULL};
    static const char *const milliseconds[] = {"--loop-ms", "-lms", NULL};
    const char *value;
    if ((value = smi_option_value(milliseconds, argc, argv, i))) {
        *good = smi_parse_number(value, 1, 1000L * 86400, &o->loop_ms);
        return true;
    }
    if (is_one_of(argv[*i], "-l", "--loop") && (*i + 1 == argc || argv[*i + 1][0] == '-')) {
        o->loop_ms = 5000;
        return true;
    }
    if (!(value = smi_option_value(seconds, argc, argv, i)))
        return false;
    *good = smi_parse_number(value, 1, 86400, &o->loop_ms);
    o->loop_ms *= 1000;
    return true;
}

// The options with a value.
static bool parse_valued(struct smi_options *o, int argc, char **argv, int *i) {
    static const char *const query[] = {"--query-gpu", NULL};
    static const char *const apps[] = {"--query-compute-apps", NULL};
    static const char *const format[] = {"--format", NULL};
    static const char *const id[] = {"--id", "-i", NULL};
    static const char *const file[] = {"--filename", "-f", NULL};
    static const char *const display[] = {"--display", "-d", NULL};
    static const char *const mode[] = {"--compute-mode", "-c", NULL};
    const char *value;
    bool good = true;
    if ((value = smi_option_value(query, argc, argv, i)))
        o->fields = value;
    else if ((value = smi_option_value(apps, argc, argv, i)))
        o->process_fields = value;
    else if ((value = smi_option_value(format, argc, argv, i)))
        return parse_format(o, value);
    else if ((value = smi_option_value(id, argc, argv, i)))
        o->devices = value;
    else if ((value = smi_option_value(file, argc, argv, i)))
        o->file = value;
    else if ((value = smi_option_value(display, argc, argv, i)))
        o->section_list = value;
    else if ((value = smi_option_value(mode, argc, argv, i)))
        o->mode = value;
    else
        return parse_loop(o, argc, argv, i, &good) && good;
    return true;
}

static bool parse_option(struct smi_options *o, int argc, char **argv, int *i) {
    if (is_one_of(argv[*i], "-L", "--list-gpus"))
        o->list = true;
    else if (is_one_of(argv[*i], "-q", "--query"))
        o->all = true;
    else if (is_one_of(argv[*i], "-x", "--xml-format"))
        o->xml = true;
    else if (!strcmp(argv[*i], "--version"))
        o->version = true;
    else
        return parse_valued(o, argc, argv, i);
    return true;
}

// What options demand of each other; said on stderr.
static bool check_options(struct smi_options *o) {
    const char *wrong, *reason = NULL;
    if ((o->fields || o->process_fields) && !o->csv)
        reason = "queries need --format=csv";
    else if ((o->xml || o->section_list) && !o->all)
        reason = "-x and -d need -q";
    else if (o->xml && o->section_list)
        reason = "-x shows everything: -d cannot be given with it";
    if (reason) {
        fprintf(stderr, "kudzu smi: error: %s\n", reason);
        return false;
    }
    if (o->section_list && !(o->sections = smi_parse_sections(o->section_list, &wrong))) {
        fprintf(stderr, "kudzu smi: error: '%.*s' is not a section of -d\n",
                (int)strcspn(wrong, ","), wrong);
        return false;
    }
    return true;
}

static bool find_device(const char *id, nvmlDevice_t *d) {
    long index;
    return (smi_parse_number(id, 0, SMI_MAX_DEVICES - 1, &index) &&
            !nvml.ByIndex((unsigned)index, d)) ||
           !nvml.ByUUID(id, d) || !nvml.ByPci(id, d);
}

bool smi_find_devices(const char *ids) {
    unsigned n = 0;
    smi_device_count = 0;
    nvml.Count(&n);
    for (unsigned i = 0; !ids && i < n && i < SMI_MAX_DEVICES; ++i)
        if (!nvml.ByIndex(i, &smi_devices[smi_device_count]))
            smi_device_count++;
    for (; ids && smi_device_count < SMI_MAX_DEVICES; ++ids) {
        char id[96];
        size_t length = strcspn(ids, ",");
        snprintf(id, sizeof id, "%.*s", (int)length, ids);
        if (!find_device(id, &smi_devices[smi_device_count++])) {
            fprintf(stderr, "kudzu smi: error: there is no device '%s'\n", id);
            return false;
        }
        ids += length;
        if (!*ids)
            break;
    }
    if (!smi_device_count)
        fputs("kudzu smi: error: no devices were found\n", stderr);
    return smi_device_count;
}

// -c, in nvidia-smi's words.
static int set_mode(const char *text) {
    static const struct {
        const char *number, *name;
        nvmlComputeMode_t mode;
    } modes[] = {{"0", "DEFAULT", NVML_COMPUTEMODE_DEFAULT},
                 {"1", "EXCLUSIVE_THREAD", NVML_COMPUTEMODE_EXCLUSIVE_THREAD},
                 {"2", "PROHIBITED", NVML_COMPUTEMODE_PROHIBITED},
                 {"3", "EXCLUSIVE_PROCESS", NVML_COMPUTEMODE_EXCLUSIVE_PROCESS}};
    size_t k = 0, n = sizeof modes / sizeof modes[0];
    while (k < n && strcmp(text, modes[k].number) && strcasecmp(text, modes[k].name))
        ++k;
    if (k == n) {
        fprintf(stderr, "kudzu smi: error: '%s' is no compute mode\n", text);
        return SMI_INVALID_ARGUMENT;
    }
    for (int i = 0; i < smi_device_count; ++i) {
        char bus[40];
        smi_field_value("pci.bus_id", smi_devices[i], false, bus, sizeof bus);
        nvmlReturn_t result = nvml.SetComputeMode(smi_devices[i], modes[k].mode);
        if (result) {
            fprintf(stderr, "kudzu smi: error: the compute mode of GPU %s cannot be %s: %s\n", bus,
                    modes[k].name,
                    result == NVML_ERROR_NOT_SUPPORTED   ? "not supported"
                    : result == NVML_ERROR_NO_PERMISSION ? "the user's settings cannot be written"
                                                         : "the driver refuses it");
            return result == NVML_ERROR_NOT_SUPPORTED ? SMI_NOT_SUPPORTED : SMI_NO_PERMISSION;
        }
        printf("Set compute mode to %s for GPU %s.\n", modes[k].name, bus);
    }
    puts("All done.");
    return 0;
}

static int show(const struct smi_options *o) {
    if (o->mode)
        return set_mode(o->mode);
    if (o->fields)
        return query_devices(o);
    if (o->process_fields)
        return query_processes(o);
    if (o->version)
        print_version();
    else if (o->list)
        print_list();
    else if (o->xml)
        smi_print_xml();
    else if (o->all)
        smi_print_all(o->sections);
    else
        print_table();
    return 0;
}

// Without end where a loop is asked for; a query's header comes once.
static int show_repeatedly(struct smi_options *o) {
    if (o->file && !freopen(o->file, "w", stdout)) {
        fprintf(stderr, "kudzu smi: error: '%s' cannot be written\n", o->file);
        return SMI_INVALID_ARGUMENT;
    }
    for (;;) {
        int status = show(o);
        if (status || !o->loop_ms)
            return status;
        o->header = false;
        fflush(stdout);
        nanosleep(&(struct timespec){o->loop_ms / 1000, o->loop_ms % 1000 * 1000000}, NULL);
    }
}

static int run_command(int argc, char **argv) {
    if (!strcmp(argv[0], "topo"))
        return smi_topology(argc, argv);
    if (!strcmp(argv[0], "dmon"))
        return smi_device_monitor(argc, argv);
    if (!strcmp(argv[0], "pmon"))
        return smi_process_monitor(argc, argv);
    return smi_refuse(argv[0]);
}

int tool_smi(int argc, char **argv) {
    struct smi_options o = {.header = true, .units = true};
    bool command = argc > 1 && argv[1][0] != '-';
    for (int i = 1; !command && i < argc; ++i) {
        if (is_one_of(argv[i], "-h", "--help"))
            return print_help(), 0;
        if (!strcmp(argv[i], "--help-query-gpu"))
            return print_fields(), 0;
        const char *option = argv[i];
        if (!parse_option(&o, argc, argv, &i))
            return smi_refuse(option);
    }
    if (!check_options(&o))
        return SMI_INVALID_ARGUMENT;
    if (!nvml_load())
        return SMI_NO_LIBRARY;
    int status = command                       ? run_command(argc - 1, argv + 1)
                 : smi_find_devices(o.devices) ? show_repeatedly(&o)
                                               : SMI_NOT_FOUND;
    nvml.Shutdown();
    return status;
}
