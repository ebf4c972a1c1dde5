// What `kudzu check` has found: one thing, as the program's process tells the command. Without a
// command the process prints it.
#ifndef KUDZU_SUPPORT_CHECK_RECORD_H
#define KUDZU_SUPPORT_CHECK_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Path of the file, opened anew by each process, that records are appended to.
#define CHECK_RECORDS_VARIABLE "KUDZU_CHECK_RECORDS"

enum {
    CHECK_RECORD_SITES = 2,
    CHECK_RECORD_LINES = 4,
    CHECK_RECORD_FRAMES = 16,
};

// An instruction of a kernel.
struct check_site {
    const char *function; // as written in C++
    const char *file;     // NULL: not known
    uint32_t line, offset;
};

// A return address on the host.
struct check_frame {
    const char *module; // the file's path; "": the program
    uint64_t offset;    // in the file's addresses
    const char *symbol; // NULL: not known
    const char *file;   // NULL: not known
    uint32_t line;
};

struct check_record {
    const char *kind; // "memory.access": the tool, and what of it
    const char *what; // the first line
    uint32_t nsites, nlines, nframes;
    struct check_site sites[CHECK_RECORD_SITES];
    const char *lines[CHECK_RECORD_LINES]; // more
    const char *kernel;                    // NULL: none is concerned
    bool has_thread;
    uint32_t thread[3], block[3];
    const char *frames_of; // "driver entry point at error"
    struct check_frame frames[CHECK_RECORD_FRAMES];
    // Of a call that failed; NULL: it is none.
    const char *call, *error, *message;
    int32_t error_number;
    uint64_t leaked; // bytes
    int32_t process; // that sent it
    // A report that is told later or not at all: NULL: it is told; "call": at the thread's next
    // call; "launch": at the end. Records of the kinds "seen" and "next" are no reports: the thread
    // has asked for its last error, or made its next call.
    const char *held;
    int32_t host_thread;
};

// Writes the record in the form in which it is handed over.
void check_record_encode(const struct check_record *r, FILE *out);
// Writes the lines of compute-sanitizer, each behind `prefix` ("=========").
void check_record_print(const struct check_record *r, const char *prefix, FILE *out);

// Hands the record to the command, or prints it on standard output where there is none: what is
// held is lost then.
void check_record_send(const struct check_record *r);

#endif
