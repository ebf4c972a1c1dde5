// Runs files of PTX. ok: each parses, verifies, and its printed form parses to the same print.
// bad: each has lines "// expect: line:column: text", the errors in order; each reported error
// must begin so, and there must be no others.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ast.h"

static unsigned failures, files;

static char *read_file(const char *path, size_t *len) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    char *text = malloc(1 << 20);
    *len = fread(text, 1, (1 << 20) - 1, f);
    text[*len] = 0;
    fclose(f);
    return text;
}

static void fail(const char *path, const char *what, const char *detail) {
    printf("%s: %s\n%s\n", path, what, detail);
    failures++;
}

static void test_ok(const char *path, const char *text, size_t len) {
    struct arena a = {0}, b = {0};
    struct strbuf err = {0}, first = {0}, second = {0};
    struct ptx_module *m = ptx_parse(&a, text, len, &err);
    if (!m || !ptx_verify(m, &err)) {
        fail(path, "is refused", strbuf_str(&err));
    } else {
        ptx_print(m, &first);
        struct ptx_module *again = ptx_parse(&b, strbuf_str(&first), first.len, &err);
        if (!again)
            fail(path, "cannot be parsed again", strbuf_str(&err));
        else
            ptx_print(again, &second);
        if (again && strcmp(strbuf_str(&first), strbuf_str(&second)))
            fail(path, "prints differently", strbuf_str(&second));
    }
    arena_free(&a);
    arena_free(&b);
    strbuf_free(&err);
    strbuf_free(&first);
    strbuf_free(&second);
}

// Compares one expectation with one line of errors; both are advanced.
static bool expected_line(const char **want, const char **got) {
    static const char prefix[] = "ptx:";
    size_t n = strcspn(*want, "\n");
    bool same = !strncmp(*got, prefix, 4);
    const char *g = *got + 4, *w = *want;
    // "line:column: text" against "line:column: error: text"
    const char *space = strchr(w, ' ');
    size_t head = space ? (size_t)(space - w) : 0;
    same = same && !strncmp(g, w, head) && !strncmp(g + head, " error: ", 8) &&
           !strncmp(g + head + 8, w + head + 1, n - head - 1);
    *want += n;
    *got += strcspn(*got, "\n");
    *got += **got == '\n';
    return same;
}

static void test_bad(const char *path, const char *text, size_t len) {
    static const char mark[] = "// expect: ";
    struct arena a = {0};
    struct strbuf err = {0};
    struct ptx_module *m = ptx_parse(&a, text, len, &err);
    if (m && ptx_verify(m, &err))
        fail(path, "is accepted", "");
    const char *got = strbuf_str(&err), *want = text;
    while ((want = strstr(want, mark))) {
        want += strlen(mark);
        const char *line = want;
        if (!expected_line(&want, &got)) {
            printf("expected %.*s\n", (int)strcspn(line, "\n"), line);
            fail(path, "reports other errors:", strbuf_str(&err));
            got = "";
            break;
        }
    }
    if (*got)
        fail(path, "reports more errors:", got);
    arena_free(&a);
    strbuf_free(&err);
}

static void test_dir(const char *dir, void (*test)(const char *, const char *, size_t)) {
    struct dirent **names;
    int n = scandir(dir, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *dot = strrchr(names[i]->d_name, '.');
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", dir, names[i]->d_name);
        if (dot && !strcmp(dot, ".ptx")) {
            size_t len;
            char *text = read_file(path, &len);
            test(path, text, len);
            free(text);
            files++;
        }
        free(names[i]);
    }
    free(names);
}

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2)
        test_dir(argv[i + 1], !strcmp(argv[i], "ok") ? test_ok : test_bad);
    printf("%u files, %u failures\n", files, failures);
    return failures != 0 || !files;
}
