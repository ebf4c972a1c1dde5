// What a run has found, and the formats in which it is written.
#ifndef KUDZU_TOOLS_CHECK_RESULTS_H
#define KUDZU_TOOLS_CHECK_RESULTS_H

#include <stdio.h>

#include "support/check/check_record.h"
#include "support/vec.h"

struct check_results {
    struct arena *arena;
    VEC(struct check_record) records;
    const char *program; // as it was named
    const char *tools;   // words, separated by commas
    int status;          // of the program
};

// The record's place in a source: of the kernel, or else of the host. NULL: neither is known.
struct check_place {
    const char *file;
    uint32_t line;
};
struct check_place check_place_of(const struct check_record *r);

// JSON: one object, "reports" in it.
void check_write_json(FILE *out, const struct check_results *all);
// SARIF 2.1.0. Files below the current folder are named from there.
void check_write_sarif(FILE *out, const struct check_results *all);
// JUnit: a test for each report, which fails, and one that passes for each tool without any.
void check_write_junit(FILE *out, const struct check_results *all);
// The XML of compute-sanitizer.
void check_write_xml(FILE *out, const struct check_results *all);

// A string in JSON, with its quotes; text that is no UTF-8 has its bytes as Latin-1.
void check_json_string(FILE *out, const char *text);
// Text between tags or in attributes.
void check_xml_text(FILE *out, const char *text);

#endif
