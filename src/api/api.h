// What the code generated from an API description expects of its library.
#ifndef KUDZU_API_API_H
#define KUDZU_API_API_H

// Above zero while a _ptds or _ptsz function of this library runs on the calling thread: a
// stream handle of zero then means the per-thread default stream. Each library defines its own.
extern _Thread_local int api_per_thread __attribute__((visibility("hidden")));

// Records in the error log that `function` is not supported, and why.
void api_not_supported(const char *function, const char *reason);

#endif
