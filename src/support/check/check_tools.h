// What `kudzu check` looks for in this process: the words of KUDZU_CHECK.
#ifndef KUDZU_SUPPORT_CHECK_TOOLS_H
#define KUDZU_SUPPORT_CHECK_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

#define CHECK_TOOLS_VARIABLE "KUDZU_CHECK"

enum check_tool {
    CHECK_MEMORY = 1, // accesses outside of what a pointer points into
    CHECK_RACE = 2,   // accesses of threads that nothing orders
    CHECK_INIT = 4,   // what follows from memory that nobody has written
    CHECK_SYNC = 8,   // barriers and operations of warps to which others come than have to
    CHECK_KERNELS = CHECK_MEMORY | CHECK_RACE | CHECK_INIT | CHECK_SYNC,

    CHECK_APART = 16, // no tool: lanes that __activemask names are one each
    CHECK_READS = 32, // no tool: loads of memory that nobody has written; needs init

    CHECK_API = 64,          // calls that fail, and whose error the program does not look at
    CHECK_EVERY_ERROR = 128, // all calls that fail
    CHECK_LEAKS = 256,       // what is never freed
    CHECK_UNWRITTEN = 512,   // copies to the host of memory that nobody has written; needs init
    CHECK_HOST = CHECK_MEMORY | CHECK_API | CHECK_EVERY_ERROR | CHECK_LEAKS | CHECK_UNWRITTEN,
};

// The tools of CHECK_KERNELS, CHECK_APART and CHECK_READS, or-ed; 0: kernels are not checked. Read
// once. Words that are not known are passed over.
unsigned check_tools(void);
// Those of CHECK_HOST: what is looked at in calls. Memory: copies, sets and frees.
unsigned check_calls(void);
// The bits that a list of words (separated by commas) names; false: one of them is no tool.
bool check_tools_parse(const char *words, unsigned *tools);
// The list for a set of tools.
void check_tools_print(unsigned tools, char *words, size_t size);

#endif
