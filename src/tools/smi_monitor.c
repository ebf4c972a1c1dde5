// `kudzu smi dmon` and `kudzu smi pmon`: a line a device or process, again and again.
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/smi.h"

struct monitor {
    const char *devices, *metrics, *file; // NULL: not given
    long delay, count;                    // seconds; samples, 0: without end
    bool date, time;
};

// A column of a device's line: its name, unit and field; "": what no device tells.
struct column {
    char metric;
    const char *name, *unit, *field;
    int width;
};

static const struct column columns[] = {
    {'p', "pwr", "W", "power.draw", 6},
    {'p', "gtemp", "C", "temperature.gpu", 6},
    {'p', "mtemp", "C", "", 6},
    {'u', "sm", "%", "utilization.gpu", 6},
    {'u', "mem", "%", "utilization.memory", 6},
    {'u', "enc", "%", "", 6},
    {'u', "dec", "%", "", 6},
    {'u', "jpg", "%", "", 6},
    {'u', "ofa", "%", "", 6},
    {'c', "mclk", "MHz", "clocks.current.memory", 6},
    {'c', "pclk", "MHz", "clocks.current.graphics", 6},
    {'v', "pviol", "%", "", 6},
    {'v', "tviol", "bool", "", 6},
    {'m', "fb", "MB", "memory.used", 6},
    {'m', "bar1", "MB", "", 6},
    {'m', "ccpm", "MB", "", 6},
    {'e', "sbecc", "errs", "", 6},
    {'e', "dbecc", "errs", "", 6},
    {'e', "pci", "errs", "", 6},
    {'t', "rxpci", "MB/s", "", 6},
    {'t', "txpci", "MB/s", "", 6},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static int monitor_help(const char *command, const char *metrics) {
    printf("Usage: kudzu smi %s [options]\n\n"
           "  -i, --id=ID,...       These devices\n"
           "  -d, --delay=SECONDS   Between samples, 1 to 10; 1 where it is not given\n"
           "  -c, --count=N         Ends after N samples\n"
           "  -s, --select=METRICS  %s\n"
           "  -o, --options=D|T|DT  Prints the date, the time before each line\n"
           "  -f, --filename=FILE   Writes there\n",
           command, metrics);
    return 0;
}

static bool parse_dates(struct monitor *m, const char *text) {
    for (; *text; ++text)
        if (*text == 'D' || *text == 'T')
            *(*text == 'D' ? &m->date : &m->time) = true;
        else
            return false;
    return true;
}

// The exit status, or -1 to go on.
static int parse_monitor(struct monitor *m, const char *known, int argc, char **argv) {
    static const char *const id[] = {"--id", "-i", NULL}, *const delay[] = {"--delay", "-d", NULL};
    static const char *const count[] = {"--count", "-c", NULL};
    static const char *const select[] = {"--select", "-s", NULL};
    static const char *const options[] = {"--options", "-o", NULL};
    static const char *const file[] = {"--filename", "-f", NULL};
    const char *value;
    for (int i = 1; i < argc; ++i) {
        const char *option = argv[i];
        bool good = true;
        if ((value = smi_option_value(id, argc, argv, &i)))
            m->devices = value;
        else if ((value = smi_option_value(delay, argc, argv, &i)))
            good = smi_parse_number(value, 1, 10, &m->delay);
        else if ((value = smi_option_value(count, argc, argv, &i)))
            good = smi_parse_number(value, 1, 1000000000, &m->count);
        else if ((value = smi_option_value(select, argc, argv, &i)))
            good = *value && !value[strspn(value, known)], m->metrics = value;
        else if ((value = smi_option_value(options, argc, argv, &i)))
            good = parse_dates(m, value);
        else if ((value = smi_option_value(file, argc, argv, &i)))
            m->file = value;
        else
            good = false;
        if (!good) {
            fprintf(stderr, "kudzu smi: error: unknown option or value: '%s'\n", option);
            return SMI_INVALID_ARGUMENT;
        }
    }
    if (!smi_find_devices(m->devices))
        return SMI_NOT_FOUND;
    if (m->file && !freopen(m->file, "w", stdout)) {
        fprintf(stderr, "kudzu smi: error: '%s' cannot be written\n", m->file);
        return SMI_INVALID_ARGUMENT;
    }
    return -1;
}

static bool asks_for_help(int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            return true;
    return false;
}

static void put_date(const struct monitor *m) {
    char text[32];
    time_t t = time(NULL);
    struct tm local;
    if (!localtime_r(&t, &local))
        return;
    if (m->date && strftime(text, sizeof text, " %Y%m%d", &local))
        fputs(text, stdout);
    if (m->time && strftime(text, sizeof text, " %H:%M:%S", &local))
        fputs(text, stdout);
}

// The names of the columns of date and time; `unit`: of the second line.
static void put_date_head(const struct monitor *m, bool unit) {
    if (m->date)
        fputs(unit ? "YYYYMMDD " : "Date     ", stdout);
    if (m->time)
        fputs(unit ? "HH:MM:SS " : "Time     ", stdout);
}

// ---- dmon -----------------------------------------------------------------------------------

static void print_device_head(const struct monitor *m) {
    for (int line = 0; line < 2; ++line) {
        fputs("# ", stdout);
        put_date_head(m, line);
        fputs(line ? "Idx" : "gpu", stdout);
        for (int k = 0; k < COLUMNS; ++k)
            if (strchr(m->metrics, columns[k].metric))
                printf(" %*s", columns[k].width, line ? columns[k].unit : columns[k].name);
        puts("");
    }
}

static void print_device_line(const struct monitor *m, nvmlDevice_t d) {
    char value[96];
    put_date(m);
    smi_field_value("index", d, false, value, sizeof value);
    printf("%5s", value);
    for (int k = 0; k < COLUMNS; ++k) {
        if (!strchr(m->metrics, columns[k].metric))
            continue;
        snprintf(value, sizeof value, "N/A");
        if (*columns[k].field)
            smi_field_value(columns[k].field, d, false, value, sizeof value);
        value[strcspn(value, ".")] = 0; // whole watts
        printf(" %*s", columns[k].width, strcmp(value, "N/A") ? value : "-");
    }
    puts("");
}

int smi_device_monitor(int argc, char **argv) {
    struct monitor m = {.delay = 1, .metrics = "puc"};
    if (asks_for_help(argc, argv))
        return monitor_help("dmon",
                            "p power and temperature, u utilization, c clocks, v\n"
                            "                        violations, m memory, e errors, t PCIe");
    int status = parse_monitor(&m, "pucvmet", argc, argv);
    for (long k = 0; status < 0 && (!m.count || k < m.count); ++k) {
        if (k)
            sleep((unsigned)m.delay);
        if (k % 40 == 0)
            print_device_head(&m);
        for (int i = 0; i < smi_device_count; ++i)
            print_device_line(&m, smi_devices[i]);
        fflush(stdout);
    }
    return status < 0 ? 0 : status;
}

// ---- pmon -----------------------------------------------------------------------------------

static void print_process_head(const struct monitor *m) {
    bool use = strchr(m->metrics, 'u'), memory = strchr(m->metrics, 'm');
    for (int line = 0; line < 2; ++line) {
        fputs("# ", stdout);
        put_date_head(m, line);
        printf(line ? "Idx          #   C/G" : "gpu        pid  type");
        for (int k = 0; use && k < 6; ++k)
            printf(" %6s",
                   line ? "%" : (const char *[]){"sm", "mem", "enc", "dec", "jpg", "ofa"}[k]);
        for (int k = 0; memory && k < 2; ++k)
            printf(" %6s", line ? "MB" : k ? "ccpm" : "fb");
        puts(line ? "    name" : "    command");
    }
}

// p is NULL for a device that no process uses.
static void print_process_line(const struct monitor *m, nvmlDevice_t d,
                               const nvmlProcessInfo_t *p) {
    char index[16], id[16] = "-", name[256] = "-", used[24] = "-";
    unsigned long long mib;
    smi_field_value("index", d, false, index, sizeof index);
    if (p) {
        snprintf(id, sizeof id, "%u", p->pid);
        snprintf(name, sizeof name, "?");
        nvml.ProcessName(p->pid, name, sizeof name);
        if (smi_process_memory(p, &mib))
            snprintf(used, sizeof used, "%llu", mib);
    }
    put_date(m);
    printf("%5s %10s %5s", index, id, p ? "C" : "-");
    for (int k = 0; strchr(m->metrics, 'u') && k < 6; ++k)
        printf(" %6s", "-");
    if (strchr(m->metrics, 'm'))
        printf(" %6s %6s", used, "-");
    const char *slash = strrchr(name, '/');
    printf("    %s\n", slash ? slash + 1 : name);
}

int smi_process_monitor(int argc, char **argv) {
    static nvmlProcessInfo_t processes[SMI_MAX_PROCESSES];
    struct monitor m = {.delay = 1, .metrics = "u"};
    if (asks_for_help(argc, argv))
        return monitor_help("pmon", "u utilization, m memory");
    int status = parse_monitor(&m, "um", argc, argv);
    for (long k = 0; status < 0 && (!m.count || k < m.count); ++k) {
        if (k)
            sleep((unsigned)m.delay);
        if (k % 40 == 0)
            print_process_head(&m);
        for (int i = 0; i < smi_device_count; ++i) {
            unsigned n = smi_list_processes(smi_devices[i], processes);
            if (!n)
                print_process_line(&m, smi_devices[i], NULL);
            for (unsigned p = 0; p < n; ++p)
                print_process_line(&m, smi_devices[i], &processes[p]);
        }
        fflush(stdout);
    }
    return status < 0 ? 0 : status;
}
