#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/strbuf.h"
#include "tools/check/results.h"

// What kinds of reports are about, by how the kind begins.
static const struct {
    const char *id, *text;
} rules[] = {
    {"memory", "An access, copy or free outside of what a pointer points into"},
    {"race", "Two accesses of which one writes, and that nothing orders"},
    {"init", "A value that nobody has written decides something"},
    {"sync", "A barrier or mask that threads do not meet"},
    {"fault", "A kernel that cannot go on"},
    {"api", "A call that fails"},
    {"leak", "Something that is never freed"},
    {"schedule", "Results that depend on the order in which threads come"},
};
enum { RULES = sizeof rules / sizeof *rules };

static const char *rule_of(const struct check_record *r) {
    for (int k = 0; k < RULES; k++)
        if (!strncmp(r->kind, rules[k].id, strlen(rules[k].id)))
            return rules[k].id;
    return rules[0].id;
}

// Paths from the current folder on, where they lie in it.
static void write_uri(FILE *out, const char *named) {
    char folder[PATH_MAX], real[PATH_MAX];
    const char *file = realpath(named, real) ? real : named;
    size_t n = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    bool inside = n > 1 && !strncmp(file, folder, n) && file[n] == '/';
    const char *at = inside ? file + n + 1 : file;
    fputs(*at == '/' ? "\"file://" : "\"", out);
    for (; *at; at++)
        if (isalnum((unsigned char)*at) || strchr("/._-~", *at))
            fputc(*at, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*at);
    fputc('"', out);
}

static void write_location(FILE *out, const char *file, uint32_t line, const char *function) {
    fputs("{", out);
    if (file) {
        fputs("\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", out);
        write_uri(out, file);
        fprintf(out, "}, \"region\": {\"startLine\": %" PRIu32 "}}", line ? line : 1);
    }
    if (function) {
        fprintf(out, "%s\"logicalLocations\": [{\"fullyQualifiedName\": ", file ? ", " : "");
        check_json_string(out, function);
        fputs("}]", out);
    }
    fputs("}", out);
}

static void write_message(FILE *out, const struct check_record *r) {
    struct strbuf text = {0};
    strbuf_puts(&text, r->what);
    if (r->has_thread)
        strbuf_printf(&text,
                      "\nby thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") in block (%" PRIu32
                      ",%" PRIu32 ",%" PRIu32 ")",
                      r->thread[0], r->thread[1], r->thread[2], r->block[0], r->block[1],
                      r->block[2]);
    for (uint32_t k = 0; k < r->nlines; k++)
        strbuf_printf(&text, "\n%s", r->lines[k]);
    if (r->kernel)
        strbuf_printf(&text, "\nin kernel %s", r->kernel);
    fputs("\"message\": {\"text\": ", out);
    check_json_string(out, strbuf_str(&text));
    fputs("}", out);
    strbuf_free(&text);
}

static void write_result(FILE *out, const struct check_record *r) {
    struct check_place place = check_place_of(r);
    const char *function = r->nsites    ? r->sites[0].function
                           : r->nframes ? r->frames[0].symbol
                                        : NULL;
    fputs("        {\"ruleId\": ", out);
    check_json_string(out, rule_of(r));
    fputs(", \"level\": \"error\", ", out);
    write_message(out, r);
    if (place.file || function) {
        fputs(", \"locations\": [", out);
        write_location(out, place.file, place.line, function);
        fputs("]", out);
    }
    if (r->nsites > 1) {
        fputs(", \"relatedLocations\": [", out);
        write_location(out, r->sites[1].file, r->sites[1].line, r->sites[1].function);
        fputs("]", out);
    }
    fputs("}", out);
}

void check_write_sarif(FILE *out, const struct check_results *all) {
    fputs("{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
          "  \"version\": \"2.1.0\",\n  \"runs\": [\n    {\n"
          "      \"tool\": {\"driver\": {\"name\": \"kudzu check\", \"version\": \"" KUDZU_VERSION
          "\", \"rules\": [\n",
          out);
    for (int k = 0; k < RULES; k++)
        fprintf(out, "        {\"id\": \"%s\", \"shortDescription\": {\"text\": \"%s\"}}%s\n",
                rules[k].id, rules[k].text, k + 1 < RULES ? "," : "");
    fprintf(
        out,
        "      ]}},\n      \"invocations\": [{\"executionSuccessful\": %s, \"exitCode\": %d}],\n"
        "      \"results\": [",
        all->status ? "false" : "true", all->status);
    for (uint32_t k = 0; k < all->records.len; k++) {
        fputs(k ? ",\n" : "\n", out);
        write_result(out, &all->records.data[k]);
    }
    fputs(all->records.len ? "\n      ]\n    }\n  ]\n}\n" : "]\n    }\n  ]\n}\n", out);
}
