// What `kudzu check` tells of calls that the host made: where, as far as the program has symbols.
#ifndef KUDZU_SUPPORT_CHECK_HOST_H
#define KUDZU_SUPPORT_CHECK_HOST_H

// The calling thread is in a call of the API, which fails: told where it frees, copies or sets
// memory wrongly and memory is checked, once for each place. name and text: of the error; reason:
// more, or NULL.
void check_host_failed(int error, const char *name, const char *text, const char *reason);

#endif
