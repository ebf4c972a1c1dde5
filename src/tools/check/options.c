#include "tools/check/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/processes/cc.h"
#include "support/check/check_filter.h"
#include "support/check/check_tools.h"
#include "support/closest_word.h"
#include "support/environment.h"

struct reader {
    struct arena *arena;
    struct check_options *o;
    unsigned tools;
    const char *name; // of the option
    const char *save;
    bool xml, errors_set;
};

static void print_help(bool sanitizer) {
    printf("Usage: %s [options] program [arguments]\n",
           sanitizer ? "compute-sanitizer" : "kudzu check");
    puts("       kudzu check [options] [options of kudzu cc] prog.cu [arguments]\n\n"
         "Runs a program, on CPUs, with checks in its kernels and of its calls, and prints what "
         "they\n"
         "find, in the form of compute-sanitizer's reports. A source is compiled before, as\n"
         "`kudzu run` does. Options are compute-sanitizer's; a note tells of those without "
         "effect.\n\n"
         "  --tool NAME            memory, race, init, sync, api (memcheck and so on: the same);\n"
         "                         more than once: all of these. Without it all; as\n"
         "                         compute-sanitizer: memcheck\n"
         "  --leak-check full|no   memory, streams, events, graphs and others that are never freed "
         "(no)\n"
         "  --unwritten-copies yes|no  copies to the host of memory that nobody has written (no)\n"
         "  --unwritten-reads yes|no  loads of memory that nobody has written (no; as\n"
         "                         compute-sanitizer: yes)\n"
         "  --report-api-errors V  calls that fail: ignored (the program does not look at the "
         "error),\n"
         "                         explicit (all), no\n"
         "  --error-exitcode N     the exit status when something was found; 0: the program's\n"
         "  --format F             text, json, sarif, junit, xml\n"
         "  --output FILE          where the format goes; text is printed as well\n"
         "  --suppressions FILE    what is not told of: lines KIND KERNEL FILE, or XML\n"
         "  --kernel-name K=V      kernels that are looked at: kne= (name), kns= (a part of it), "
         "regex=\n"
         "  --kernel-name-exclude K=V  kernels that are not\n"
         "  --launch-skip N, --launch-count N  of their launches, which\n"
         "  --print-limit N        how many reports are printed (100; 0: all)\n"
         "  --progress S           a line on standard error every S seconds (30 on a terminal; 0: "
         "none)\n"
         "  --host-access yes      the host may access device memory\n"
         "  --schedules N, --seed S  runs it N times with its threads in other orders; results "
         "that\n"
         "                         differ are told of\n"
         "  --log-file FILE        the text goes there\n"
         "  --save FILE [--xml]    the reports go there too\n"
         "  --show-backtrace V     yes, host, device, no: frames of the host\n"
         "  --check-exit-code, --require-cuda-init, --check-api-memory-access, "
         "--check-device-heap,\n"
         "  --strip-paths, --backtrace-short  yes|no\n"
         "  --demangle full|simple, --prefix TEXT, --num-callers-host N, --target-processes V,\n"
         "  --force-blocking-launches, --preload-library FILE, -q (--quiet), -v (--version), -h "
         "(--help)\n\n"
         "docs/check.md explains each. The exit status is the program's where nothing was found.");
}

static bool one_of(const char *value, const char *words) {
    size_t n = strlen(value);
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, "|");
        if (n == length && !strncmp(at, value, n))
            return true;
        at += length + (at[length] == '|');
    }
    return false;
}

static bool is_yes(const char *value) {
    return !strcmp(value, "yes");
}

static bool read_number(struct reader *r, const char *value, uint64_t most, uint64_t *out) {
    char *end;
    unsigned long long n = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || n > most)
        return cc_error("%s takes a number from 0 to %llu, not '%s'", r->name,
                        (unsigned long long)most, value);
    *out = n;
    return true;
}

// ---- Options with an effect ---------------------------------------------------------------

static bool set_tool(struct reader *r, const char *value) {
    static const char *const names[][2] = {{"memcheck", "memory"},
                                           {"racecheck", "race"},
                                           {"initcheck", "init"},
                                           {"synccheck", "sync"}};
    unsigned tools;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(value, names[k][0]))
            value = names[k][1];
    if (strchr(value, ',') || !check_tools_parse(value, &tools) || !tools)
        return cc_error("'%s' is no tool; `kudzu check --help` lists them", value);
    r->tools |= tools;
    return true;
}

static bool set_error_status(struct reader *r, const char *value) {
    uint64_t n = 0;
    if (!read_number(r, value, 255, &n))
        return false;
    r->o->error_status = (int)n;
    return true;
}

static bool set_print_limit(struct reader *r, const char *value) {
    return read_number(r, value, UINT64_MAX / 2, &r->o->print_limit);
}

static bool set_progress(struct reader *r, const char *value) {
    return read_number(r, value, 86400, &r->o->progress);
}

static bool set_schedules(struct reader *r, const char *value) {
    return read_number(r, value, 10000, &r->o->schedules);
}

static bool set_seed(struct reader *r, const char *value) {
    return read_number(r, value, UINT32_MAX, &r->o->seed);
}

static bool set_leaks(struct reader *r, const char *value) {
    r->o->leaks = !strcmp(value, "full");
    return true;
}

static bool set_unwritten(struct reader *r, const char *value) {
    r->o->unwritten = !strcmp(value, "yes");
    return true;
}

static bool set_reads(struct reader *r, const char *value) {
    r->o->reads = !strcmp(value, "yes");
    return true;
}

static bool set_errors(struct reader *r, const char *value) {
    r->errors_set = true;
    r->o->errors = !strcmp(value, "no")        ? CHECK_ERRORS_NONE
                   : !strcmp(value, "ignored") ? CHECK_ERRORS_IGNORED
                                               : CHECK_ERRORS_EXPLICIT;
    return true;
}

static bool add_filter(struct reader *r, const char *value, char sign) {
    while (*value) {
        // A regular expression may have commas.
        size_t n = strncmp(value, "regex=", 6) ? strcspn(value, ",") : strlen(value);
        const char *why, *line = arena_printf(r->arena, "%c%.*s", sign, (int)n, value);
        if (!check_filter_valid(line, &why))
            return cc_error("%s %s: %s", r->name, value, why);
        strbuf_printf(&r->o->kernels, "%s\n", line);
        value += n + (value[n] == ',');
    }
    return true;
}

static bool set_kernels(struct reader *r, const char *value) {
    return add_filter(r, value, '+');
}

static bool set_no_kernels(struct reader *r, const char *value) {
    return add_filter(r, value, '-');
}

static bool set_skip(struct reader *r, const char *value) {
    uint64_t n = 0;
    if (!read_number(r, value, UINT32_MAX, &n))
        return false;
    strbuf_printf(&r->o->kernels, "skip=%llu\n", (unsigned long long)n);
    return true;
}

static bool set_count(struct reader *r, const char *value) {
    uint64_t n = 0;
    if (!read_number(r, value, UINT32_MAX, &n))
        return false;
    strbuf_printf(&r->o->kernels, "count=%llu\n", (unsigned long long)n);
    return true;
}

// %p: this process, %q{NAME}: a variable of the environment.
static bool file_name(struct reader *r, const char *value, const char **out) {
    struct strbuf name = {0};
    for (; *value; value++) {
        size_t n = *value == '%' && value[1] == 'q' && value[2] == '{' ? strcspn(value, "}") : 0;
        if (*value != '%') {
            strbuf_append(&name, value, 1);
        } else if (value[1] == '%' || value[1] == 'p') {
            strbuf_printf(&name, value[1] == 'p' ? "%ld" : "%%", (long)getpid());
            value++;
        } else if (n && value[n] == '}') {
            const char *set = environment_get(arena_strndup(r->arena, value + 3, n - 3));
            strbuf_puts(&name, set ? set : "");
            value += n;
        } else {
            strbuf_free(&name);
            return cc_error("%s: a name may have %%%%, %%p and %%q{VARIABLE}, no other %%",
                            r->name);
        }
    }
    *out = arena_strdup(r->arena, strbuf_str(&name));
    strbuf_free(&name);
    return true;
}

static bool set_log_file(struct reader *r, const char *value) {
    return file_name(r, value, &r->o->log_file);
}

static bool set_save(struct reader *r, const char *value) {
    return file_name(r, value, &r->save);
}

static bool set_output(struct reader *r, const char *value) {
    return file_name(r, value, &r->o->output);
}

static bool set_xml(struct reader *r, const char *value) {
    r->xml = is_yes(value);
    return true;
}

static bool set_format(struct reader *r, const char *value) {
    static const char *const names[] = {"text", "json", "sarif", "junit", "xml"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(value, names[k]))
            r->o->format = (enum check_format)k;
    return true;
}

static bool set_suppressions(struct reader *r, const char *value) {
    r->o->suppressions = value;
    return true;
}

static bool set_backtrace(struct reader *r, const char *value) {
    r->o->host_frames = is_yes(value) || !strcmp(value, "host");
    return true;
}

static bool set_short(struct reader *r, const char *value) {
    r->o->all_frames = !is_yes(value);
    return true;
}

static bool set_callers(struct reader *r, const char *value) {
    uint64_t n = 0;
    if (!read_number(r, value, UINT32_MAX, &n))
        return false;
    r->o->most_frames = (uint32_t)n;
    return true;
}

#define SWITCH(function, field, on)                                                                \
    static bool function(struct reader *r, const char *value) {                                    \
        r->o->field = !strcmp(value, on);                                                          \
        return true;                                                                               \
    }
SWITCH(set_copies, with_copies, "yes")
SWITCH(set_heap, with_heap, "yes")
SWITCH(set_exit_code, tells_exit_status, "yes")
SWITCH(set_cuda_init, needs_cuda, "yes")
SWITCH(set_quiet, quiet, "yes")
SWITCH(set_strip, strips_paths, "yes")
SWITCH(set_demangle, simple_names, "simple")
SWITCH(set_processes, one_process, "application-only")
SWITCH(set_missing, ignores_missing_functions, "yes")
SWITCH(set_blocking, blocking, "yes")
SWITCH(set_host_access, host_access, "yes")
#undef SWITCH

static bool set_prefix(struct reader *r, const char *value) {
    r->o->prefix = value;
    return true;
}

static bool set_preload(struct reader *r, const char *value) {
    r->o->preload = value;
    return true;
}

// ---- The table ----------------------------------------------------------------------------

enum takes { FLAG, VALUE, YES_NO }; // FLAG, YES_NO: alone it is yes

// Options without a function have no effect, and `why` says why; with `refused` they end the
// command.
static const struct option {
    const char *name;
    enum takes takes;
    const char *words; // that the value may be; NULL: any
    bool (*set)(struct reader *, const char *value);
    const char *why;
    bool refused;
} options[] = {
    {"tool", VALUE, NULL, set_tool, NULL, false},
    {"error-exitcode", VALUE, NULL, set_error_status, NULL, false},
    {"print-limit", VALUE, NULL, set_print_limit, NULL, false},
    {"progress", VALUE, NULL, set_progress, NULL, false},
    {"schedules", VALUE, NULL, set_schedules, NULL, false},
    {"seed", VALUE, NULL, set_seed, NULL, false},
    {"leak-check", VALUE, "full|no", set_leaks, NULL, false},
    {"unwritten-copies", YES_NO, "yes|no", set_unwritten, NULL, false},
    {"unwritten-reads", YES_NO, "yes|no", set_reads, NULL, false},
    {"report-api-errors", VALUE, "all|extended|explicit|ignored|no", set_errors, NULL, false},
    {"kernel-name", VALUE, NULL, set_kernels, NULL, false},
    {"kernel-regex", VALUE, NULL, set_kernels, NULL, false},
    {"filter", VALUE, NULL, set_kernels, NULL, false},
    {"kernel-name-exclude", VALUE, NULL, set_no_kernels, NULL, false},
    {"kernel-regex-exclude", VALUE, NULL, set_no_kernels, NULL, false},
    {"exclude", VALUE, NULL, set_no_kernels, NULL, false},
    {"launch-skip", VALUE, NULL, set_skip, NULL, false},
    {"launch-count", VALUE, NULL, set_count, NULL, false},
    {"log-file", VALUE, NULL, set_log_file, NULL, false},
    {"save", VALUE, NULL, set_save, NULL, false},
    {"xml", FLAG, "yes|no", set_xml, NULL, false},
    {"format", VALUE, "text|json|sarif|junit|xml", set_format, NULL, false},
    {"output", VALUE, NULL, set_output, NULL, false},
    {"suppressions", VALUE, NULL, set_suppressions, NULL, false},
    {"show-backtrace", VALUE, "yes|host|device|no", set_backtrace, NULL, false},
    {"backtrace-short", YES_NO, "yes|no", set_short, NULL, false},
    {"num-callers-host", VALUE, NULL, set_callers, NULL, false},
    {"check-api-memory-access", YES_NO, "yes|no", set_copies, NULL, false},
    {"check-device-heap", YES_NO, "yes|no", set_heap, NULL, false},
    {"host-access", YES_NO, "yes|no", set_host_access, NULL, false},
    {"check-exit-code", YES_NO, "yes|no", set_exit_code, NULL, false},
    {"require-cuda-init", YES_NO, "yes|no", set_cuda_init, NULL, false},
    {"quiet", FLAG, "yes|no", set_quiet, NULL, false},
    {"strip-paths", YES_NO, "yes|no", set_strip, NULL, false},
    {"demangle", VALUE, "full|simple", set_demangle, NULL, false},
    {"target-processes", VALUE, "all|application-only", set_processes, NULL, false},
    {"ignore-getprocaddress-notfound", FLAG, "yes|no", set_missing, NULL, false},
    {"force-blocking-launches", FLAG, "yes|no", set_blocking, NULL, false},
    {"prefix", VALUE, NULL, set_prefix, NULL, false},
    {"preload-library", VALUE, NULL, set_preload, NULL, false},

    {"racecheck-report", VALUE, "hazard|analysis|all", NULL,
     "a race is told of once for each pair of places", false},
    {"destroy-on-device-error", VALUE, "context|kernel", NULL,
     "a kernel goes on behind what was found", false},
    {"padding", VALUE, NULL, NULL, "an allocation's end is known to the byte", false},
    {"print-level", VALUE, "info|auto|warn|error", NULL, "all reports are errors", false},
    {"racecheck-detect-level", VALUE, "info|warn|error", NULL, "all reports are errors", false},
    {"force-synchronization-limit", VALUE, NULL, NULL, "nothing is kept for launches", false},
    {"num-callers-device", VALUE, NULL, NULL, "functions of kernels are inlined", false},
    {"track-stream-ordered-races", VALUE, "all|use-before-alloc|use-after-free|no", NULL,
     "uses of a block before and behind are both told of", false},
    {"track-unused-memory", FLAG, "yes|no", NULL, "unused memory is not looked for", false},
    {"unused-memory-threshold", VALUE, NULL, NULL, "unused memory is not looked for", false},
    {"unused-shared-memory-report-limit", VALUE, NULL, NULL, "unused memory is not looked for",
     false},
    {"initcheck-address-space", VALUE, "global|shared|all", NULL, "both are always looked at",
     false},
    {"report-device-side-allocation-failure", YES_NO, "yes|no", NULL,
     "malloc in kernels returns NULL, which is no error", false},
    {"check-bulk-copy", YES_NO, "yes|no", NULL, "bulk copies are always checked", false},
    {"check-cache-control", FLAG, "yes|no", NULL, "what steers caches accesses nothing", false},
    {"check-warpgroup-mma", YES_NO, "yes|no", NULL, "what they read is always checked", false},
    {"check-optix", FLAG, "yes|no", NULL, "there is no OptiX", false},
    {"check-optix-leaks", FLAG, "yes|no", NULL, "there is no OptiX", false},
    {"detect-missing-module-unload", FLAG, "yes|no", NULL, "modules are not looked for", false},
    {"missing-barrier-init-is-fatal", YES_NO, "yes|no", NULL,
     "to set one up is a write like others", false},
    {"num-cuda-barriers", VALUE, NULL, NULL, "any number will do", false},
    {"racecheck-memcpy-async", YES_NO, "yes|no", NULL, "asynchronous copies are always followed",
     false},
    {"racecheck-num-workers", VALUE, NULL, NULL, "kernels' own threads look for races", false},
    {"racecheck-continue-on-deadlock", YES_NO, "yes|no", NULL,
     "KUDZU_HANG_SECONDS has waiting threads listed", false},
    {"racecheck-deadlock-timeout", VALUE, NULL, NULL,
     "KUDZU_HANG_SECONDS has waiting threads listed", false},
    {"racecheck-trace-sync", FLAG, "yes|no", NULL, "barriers are not traced", false},
    {"racecheck-indirect-barrier-dependency", YES_NO, "yes|no", NULL,
     "barrier objects are not followed", false},
    {"binary-patching", YES_NO, "yes|no", NULL, "kernels are checked as they are compiled", false},
    {"nvtx", VALUE, "true|false|yes|no", NULL, "NVTX says nothing that is checked", false},
    {"kill", FLAG, "yes|no", NULL, "the program ends with the command", false},
    {"launch-timeout", VALUE, NULL, NULL, "no connection is waited for", false},
    {"max-connections", VALUE, NULL, NULL, "no ports are used", false},
    {"port", VALUE, NULL, NULL, "no ports are used", false},
    {"injection-path", VALUE, NULL, NULL, "nothing is injected", false},
    {"injection-path32", VALUE, NULL, NULL, "nothing is injected", false},
    {"support-32bit", FLAG, "yes|no", NULL, "there are no such programs", false},
    {"language", VALUE, "c", NULL, "numbers begin at 0", false},
    {"save-session-details", FLAG, "yes|no", NULL, "nothing is saved but reports", false},
    {"print-session-details", FLAG, "yes|no", NULL, "there is one process and no session", false},

    {"mode", VALUE, "launch|launch-and-attach", NULL, "the program is always started", false},
    {"read", VALUE, NULL, NULL, "what was saved is not read again", true},
    {"dump-kernel-launches", FLAG, NULL, NULL, "KUDZU_DEBUG=kernels lists kernels and launches",
     true},
    {"generate-coredump", FLAG, NULL, NULL,
     "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 writes one when a kernel faults", true},
    {"coredump-name", VALUE, NULL, NULL, "there are no core dumps of reports", true},
    {"coredump-behavior", VALUE, NULL, NULL, "there are no core dumps of reports", true},
    {"target-processes-filter", VALUE, NULL, NULL,
     "--target-processes alone chooses between processes", true},
    {"racecheck-filter-cluster-id", VALUE, NULL, NULL, "races are looked for in all clusters",
     true},
};
enum { OPTIONS = sizeof options / sizeof *options };

static const struct option *find_option(const char *name, size_t n) {
    for (int k = 0; k < OPTIONS; k++)
        if (strlen(options[k].name) == n && !strncmp(options[k].name, name, n))
            return &options[k];
    return NULL;
}

static bool unknown_option(const char *name, size_t n) {
    const char *names[OPTIONS];
    for (int k = 0; k < OPTIONS; k++)
        names[k] = options[k].name;
    const char *meant = closest_word(name, n, names, OPTIONS);
    if (meant)
        return cc_error("--%.*s is no option: did you mean --%s?", (int)n, name, meant);
    return cc_error("--%.*s is no option; `--help` lists them", (int)n, name);
}

static bool apply(struct reader *r, const struct option *p, const char *value) {
    if (p->refused)
        return cc_error("--%s is not supported: %s", p->name, p->why);
    if (p->words && !one_of(value, p->words))
        return cc_error("--%s takes one of %s, not '%s'", p->name, p->words, value);
    if (p->set)
        return p->set(r, value);
    fprintf(stderr, "kudzu check: note: --%s has no effect: %s\n", p->name, p->why);
    return true;
}

// An option "--name value" or "--name=value" at *at.
static bool read_long(struct reader *r, int argc, char **argv, int *at) {
    const char *name = argv[*at] + 2, *equals = strchr(name, '=');
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    const struct option *p = find_option(name, n);
    if (!p)
        return unknown_option(name, n);
    r->name = arena_printf(r->arena, "--%s", p->name);
    const char *value = equals ? equals + 1 : NULL, *next = *at + 1 < argc ? argv[*at + 1] : NULL;
    if (!value && next && (p->takes == VALUE || one_of(next, "yes|no"))) {
        value = next;
        ++*at;
    }
    if (!value && p->takes == VALUE)
        return cc_error("%s takes a value", r->name);
    return apply(r, p, value ? value : "yes");
}

static bool read_short(struct reader *r, int argc, char **argv, int *at) {
    char letter = argv[*at][1];
    const char *value = argv[*at][2] ? argv[*at] + 2 : *at + 1 < argc ? argv[*at + 1] : NULL;
    r->name = argv[*at];
    if (letter == 'q')
        return set_quiet(r, "yes");
    if (letter == 'k')
        return apply(r, find_option("kill", 4), "yes");
    if (!value)
        return cc_error("-%c takes a number", letter);
    *at += !argv[*at][2];
    return letter == 'c' ? set_count(r, value) : set_skip(r, value);
}

// Options of kudzu cc begin with one sign, too.
static bool is_short(const char *arg, bool sanitizer) {
    return !strcmp(arg, "-q") || !strcmp(arg, "-k") ||
           (sanitizer && *arg == '-' && (arg[1] == 'c' || arg[1] == 's'));
}

static void set_defaults(struct check_options *o, bool sanitizer) {
    *o = (struct check_options){.sanitizer = sanitizer,
                                .error_status = !sanitizer,
                                .print_limit = 100,
                                .progress = isatty(STDERR_FILENO) ? 30 : 0,
                                .needs_cuda = sanitizer,
                                .tells_exit_status = true,
                                .strips_paths = sanitizer,
                                .reads = sanitizer,
                                .host_frames = true,
                                .with_heap = true,
                                .with_copies = true,
                                .prefix = "=========",
                                .at = 1};
}

// What options say together.
static bool settle(struct reader *r) {
    struct check_options *o = r->o;
    char words[64];
    if (!r->tools)
        check_tools_parse(o->sanitizer ? "memory" : "all", &r->tools);
    o->race_alone = r->tools == CHECK_RACE;
    // memcheck tells of calls, too.
    bool calls = (r->tools & CHECK_API) || (o->sanitizer && (r->tools & CHECK_MEMORY));
    if (!r->errors_set)
        o->errors = !calls         ? CHECK_ERRORS_NONE
                    : o->sanitizer ? CHECK_ERRORS_EXPLICIT
                                   : CHECK_ERRORS_IGNORED;
    r->tools &= ~(unsigned)CHECK_API;
    if (o->errors)
        r->tools |= o->errors == CHECK_ERRORS_EXPLICIT ? CHECK_EVERY_ERROR : CHECK_API;
    if (o->leaks)
        r->tools |= CHECK_LEAKS;
    if (o->unwritten)
        r->tools |= CHECK_UNWRITTEN;
    if (o->reads && r->tools & CHECK_INIT)
        r->tools |= CHECK_READS;
    check_tools_print(r->tools, words, sizeof words);
    o->tools = arena_strdup(r->arena, words);
    if (r->xml && !r->save)
        return cc_error("--xml needs --save");
    if (r->save && o->output)
        return cc_error("--save and --output exclude each other");
    if (r->save) {
        o->output = r->save;
        if (r->xml)
            o->format = CHECK_XML;
    }
    if (o->format == CHECK_TEXT && o->output && !r->save)
        return cc_error(
            "--output is for --format json, sarif, junit or xml; --log-file takes the text");
    return true;
}

int check_options_read(struct arena *arena, int argc, char **argv, bool sanitizer,
                       struct check_options *o) {
    struct reader r = {.arena = arena, .o = o};
    set_defaults(o, sanitizer);
    for (; o->at < argc && *argv[o->at] == '-'; o->at++) {
        const char *arg = argv[o->at];
        if (!strcmp(arg, "--help") || !strcmp(arg, "-h"))
            return print_help(sanitizer), -1;
        if (!strcmp(arg, "--version") || (!strcmp(arg, "-v") && sanitizer))
            return puts("kudzu check " KUDZU_VERSION), -1;
        if (!strcmp(arg, "--")) {
            o->at++;
            break;
        }
        if (!strncmp(arg, "--", 2)
                ? !read_long(&r, argc, argv, &o->at)
                : is_short(arg, sanitizer) && !read_short(&r, argc, argv, &o->at))
            return 1;
        if (strncmp(arg, "--", 2) && !is_short(arg, sanitizer))
            break;
    }
    if (o->at >= argc)
        return cc_error("no program to check; `--help` explains"), 1;
    return settle(&r) ? 0 : 1;
}
