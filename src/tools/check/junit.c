#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check/results.h"

// The tool whose reports have this kind: "leak.memory" is "leaks".
static bool is_of(const struct check_record *r, const char *tool, size_t n) {
    size_t word = strcspn(r->kind, ".");
    if (n == 6 && !strncmp(tool, "errors", n))
        return word == 3 && !strncmp(r->kind, "api", word);
    if (n == 5 && !strncmp(tool, "leaks", n))
        return word == 4 && !strncmp(r->kind, "leak", word);
    return word == n && !strncmp(r->kind, tool, n);
}

static void write_failure(FILE *out, const struct check_record *r) {
    struct check_place place = check_place_of(r);
    char *text = NULL;
    size_t size = 0;
    FILE *lines = open_memstream(&text, &size);
    if (!lines)
        return;
    check_record_print(r, "=========", lines);
    fclose(lines);
    fputs("    <testcase classname=\"kudzu check\" name=\"", out);
    check_xml_text(out, r->kind);
    if (place.file) {
        fputs(" ", out);
        check_xml_text(out, place.file);
        fprintf(out, ":%" PRIu32 "\" file=\"", place.line);
        check_xml_text(out, place.file);
        fprintf(out, "\" line=\"%" PRIu32, place.line);
    }
    fputs("\"><failure message=\"", out);
    check_xml_text(out, r->what);
    fputs("\" type=\"", out);
    check_xml_text(out, r->kind);
    fputs("\">", out);
    check_xml_text(out, text);
    fputs("</failure></testcase>\n", out);
    free(text);
}

// The number of the list's tools that have told nothing.
static uint32_t write_passes(FILE *out, const struct check_results *all) {
    uint32_t passes = 0;
    for (const char *tool = all->tools; *tool;) {
        size_t n = strcspn(tool, ",");
        bool told = false;
        for (uint32_t k = 0; k < all->records.len; k++)
            told |= is_of(&all->records.data[k], tool, n);
        passes += !told;
        if (!told && out)
            fprintf(out, "    <testcase classname=\"kudzu check\" name=\"%.*s\"/>\n", (int)n, tool);
        tool += n + (tool[n] == ',');
    }
    return passes;
}

void check_write_junit(FILE *out, const struct check_results *all) {
    uint32_t failures = all->records.len, tests = failures + write_passes(NULL, all);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%" PRIu32
            "\" failures=\"%" PRIu32 "\">\n  <testsuite name=\"",
            tests, failures);
    check_xml_text(out, all->program);
    fprintf(out, "\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"0\">\n", tests,
            failures);
    for (uint32_t k = 0; k < all->records.len; k++)
        write_failure(out, &all->records.data[k]);
    write_passes(out, all);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
