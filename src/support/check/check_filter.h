// Which launches `kudzu check` looks at: by kernels' names, and by their number.
#ifndef KUDZU_SUPPORT_CHECK_FILTER_H
#define KUDZU_SUPPORT_CHECK_FILTER_H

#include <stdbool.h>

// Lines "+KEY=VALUE": kernels that are looked at; "-KEY=VALUE": that are not; "skip=N" and
// "count=N". KEY: kernel_name or kne (the whole name), kernel_substring or kns (a part of it),
// regex. Names are those of PTX or as written in C++.
#define CHECK_FILTER_VARIABLE "KUDZU_CHECK_KERNELS"

// Whether what a launch does is looked at. Called once for each launch: those of kernels that are
// looked at are counted.
bool check_filter_launch(const char *kernel);
// Whether a line is one that the variable may have; *why: why not.
bool check_filter_valid(const char *line, const char **why);

#endif
