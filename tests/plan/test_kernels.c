// test_plan_kernels FILE.ptx...: plans of all functions of these files, for machines, widths and
// teams, are valid, and are read back as they were printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planned.h"
#include "support/whole_file.h"

static int failures;
static unsigned plans;

static void check(const char *file, struct kir_func *f, const struct machine *m,
                  const struct planned_for *how) {
    struct arena a = {0};
    struct strbuf err = {0}, out = {0}, again = {0};
    struct plan *p = planned_function(&a, f, m, how);
    if (p) {
        plans++;
        plan_print(p, &out);
        struct plan *back = plan_parse(&a, &p->in, strbuf_str(&out), &err);
        if (back)
            plan_print(back, &again);
        bool ok = plan_validate(p, &err) && back && plan_validate(back, &err) &&
                  !strcmp(strbuf_str(&out), strbuf_str(&again));
        if (!ok) {
            printf("%s: %s, width %u, team %u\n%s", file, f->name, how->width, how->team,
                   strbuf_str(&err));
            failures++;
        }
    }
    strbuf_free(&err);
    strbuf_free(&out);
    strbuf_free(&again);
    arena_free(&a);
}

static void check_function(const char *file, struct kir_func *f) {
    static const enum kd_level levels[] = {KD_LEVEL_X86_64_V2, KD_LEVEL_X86_64_V3,
                                           KD_LEVEL_X86_64_V4};
    static const struct planned_for how[] = {
        {.width = 1},
        {.width = 8},
        {.width = 16, .has_runs = true},
        {.width = 32, .ntid = {100, 1, 1}},
        {.width = 16, .team = 4, .ntid = {16, 16, 1}},
        {.width = 8, .team = 8, .quick = true},
    };
    for (unsigned l = 0; l < sizeof levels / sizeof *levels; l++) {
        struct machine m = machine_of(levels[l], 0);
        for (unsigned k = 0; k < sizeof how / sizeof *how; k++)
            check(file, f, &m, &how[k]);
    }
}

static void check_file(const char *path) {
    struct arena a = {0};
    struct strbuf err = {0};
    struct whole_file text;
    if (!whole_file_read(&text, path, 0, 1 << 24)) {
        printf("%s: %s\n", path, text.why);
        failures++;
        return;
    }
    struct kir_module *m = planned_read(&a, text.data, strlen(text.data), &err);
    for (uint32_t f = 0; m && f < m->funcs.len; f++)
        if (!m->funcs.data[f]->is_extern)
            check_function(path, m->funcs.data[f]);
    if (!m) {
        printf("%s: %s", path, strbuf_str(&err));
        failures++;
    } else {
        kir_module_free(m);
    }
    free(text.data);
    strbuf_free(&err);
    arena_free(&a);
}

int main(int argc, char **argv) {
    for (int k = 1; k < argc; k++)
        check_file(argv[k]);
    printf("%u plans, %d failures\n", plans, failures);
    return failures != 0 || plans < 1000;
}
