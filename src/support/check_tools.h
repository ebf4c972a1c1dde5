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
};

// The tools, or-ed; 0: nothing is checked. Read once. Words that are not known are passed over.
unsigned check_tools(void);
// The bits that a list of words (separated by commas) names; false: one of them is no tool.
bool check_tools_parse(const char *words, unsigned *tools);
// The list for a set of tools.
void check_tools_print(unsigned tools, char *words, size_t size);

#endif
