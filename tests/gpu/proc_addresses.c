// proc_addresses: what a driver's cuGetProcAddress answers for each function, at each version.
//
// Usage: proc_addresses libcuda.so.1 driver.api [name...]
// The names are those of the description of the driver API, and further ones.
//
// Prints a line a function and form (legacy, per_thread, first: of cuGetProcAddress before 12.0,
// which has no status): from which version on the answer is which, as VERSION:RESULT,STATUS,SYMBOL.
// SYMBOL is "-" for NULL, "kept" where the pointer was not written, "?" for a function that is
// exported under no name of its own; STATUS is "kept" where it was not written.
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_NAMES = 2000, NAME_BYTES = 100, LAST_VERSION = 14000, KEPT = 77 };
enum { LEGACY = 1, PER_THREAD = 2 };

typedef int second_form(const char *, void **, int, unsigned long long, int *);
typedef int first_form(const char *, void **, int, unsigned long long);

static void *library;
static second_form *second;
static first_form *first;
static char names[MAX_NAMES][NAME_BYTES];
static int count;

struct answer {
    int result, status;
    void *function;
};

static void add_name(const char *name, size_t length) {
    if (length >= NAME_BYTES || count == MAX_NAMES)
        return;
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], name, length))
            return;
    memcpy(names[count++], name, length);
}

// Prototypes begin a line; behind the type stands the name.
static int read_names(const char *path) {
    static char line[4096];
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        const char *at = strstr(line, " cu");
        if (!strncmp(line, "CUresult ", 9) && at)
            add_name(at + 1, strcspn(at + 1, "("));
    }
    fclose(file);
    return 1;
}

static struct answer ask(const char *name, int version, unsigned long long flags, int with_status) {
    struct answer a = {.status = KEPT, .function = &library};
    a.result = with_status ? second(name, &a.function, version, flags, &a.status)
                           : first(name, &a.function, version, flags);
    return a;
}

static const char *symbol(const char *name, void *function, char text[NAME_BYTES + 20]) {
    static const char *const versions[] = {"", "_v2", "_v3", "_v4", "_v5"};
    static const char *const forms[] = {"", "_ptds", "_ptsz"};
    if (!function)
        return "-";
    if (function == &library)
        return "kept";
    for (int v = 0; v < 5; v++) {
        for (int f = 0; f < 3; f++) {
            snprintf(text, NAME_BYTES + 20, "%s%s%s", name, versions[v], forms[f]);
            if (dlsym(library, text) == function)
                return text;
        }
    }
    return "?";
}

static void print(const char *name, int version, struct answer a) {
    char text[NAME_BYTES + 20];
    if (a.status == KEPT)
        printf(" %d:%d,kept,%s", version, a.result, symbol(name, a.function, text));
    else
        printf(" %d:%d,%d,%s", version, a.result, a.status, symbol(name, a.function, text));
}

static void print_name(const char *title, const char *name, unsigned long long flags, int status) {
    static const int ends[] = {LAST_VERSION + 1, 99990, INT_MAX};
    struct answer before = {.result = -1};
    printf("%s %s", name, title);
    for (int i = -1; i <= LAST_VERSION / 10 + 3; i++) {
        int version = i < 0                    ? INT_MIN
                      : i <= LAST_VERSION / 10 ? i * 10
                                               : ends[i - LAST_VERSION / 10 - 1];
        struct answer a = ask(name, version, flags, status);
        if (a.result != before.result || a.status != before.status || a.function != before.function)
            print(name, version, a);
        before = a;
    }
    printf("\n");
}

// Runs one case in a process of its own: NVIDIA's driver may crash on it.
static void apart(const char *title, void (*run)(void)) {
    int status = 0;
    printf("%s: ", title);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run();
        fflush(stdout);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("crashes");
    printf("\n");
}

static void without_symbol(void) {
    int status = KEPT;
    void *function = &library;
    printf("%d", second(NULL, &function, 12000, 0, &status));
}

static void without_pointer(void) {
    int status = KEPT;
    printf("%d", second("cuInit", NULL, 12000, 0, &status));
}

static void print_found(const char *title, const char *name, int version) {
    void *function = &library;
    int result = second(name, &function, version, 0, NULL);
    printf("%s: %d %s\n", title, result, function == &library ? "kept" : function ? "found" : "-");
}

// Versions between those that there are, and calls that cannot be answered.
static void print_misuse(void) {
    static const int between[] = {1, 3019, 3021, 3025, 11999};
    for (int i = 0; i < 5; i++) {
        printf("between");
        print("cuMemAlloc", between[i], ask("cuMemAlloc", between[i], 0, 1));
        printf("\n");
    }
    print_found("no status", "cuInit", 12000);
    print_found("no status, too early", "cuCtxGetId", 2000);
    print_found("no status, no name", "cuNoSuch", 12000);
    apart("no symbol", without_symbol);
    apart("no pointer", without_pointer);
    for (int flags = 0; flags < 9; flags++) {
        printf("flags %d:", flags);
        print("cuMemcpyHtoD", 12000, ask("cuMemcpyHtoD", 12000, (unsigned long long)flags, 1));
        printf("\n");
    }
}

int main(int argc, char **argv) {
    if (argc < 3 || !(library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) || !read_names(argv[2])) {
        fprintf(stderr, "usage: proc_addresses libcuda.so.1 driver.api [name...]\n");
        return 2;
    }
    for (int i = 3; i < argc; i++)
        add_name(argv[i], strlen(argv[i]));
    second = (second_form *)dlsym(library, "cuGetProcAddress_v2");
    first = (first_form *)dlsym(library, "cuGetProcAddress");
    int (*get_version)(int *) = (int (*)(int *))dlsym(library, "cuDriverGetVersion");
    int version = 0;
    if (!second || !first || !get_version || get_version(&version)) {
        fprintf(stderr, "proc_addresses: %s has no cuGetProcAddress_v2\n", argv[1]);
        return 2;
    }
    printf("driver %d\n", version);
    for (int i = 0; i < count; i++) {
        print_name("legacy", names[i], LEGACY, 1);
        print_name("per_thread", names[i], PER_THREAD, 1);
        print_name("first", names[i], 0, 0);
    }
    print_misuse();
    return 0;
}
