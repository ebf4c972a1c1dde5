// The environment, as far as it may be believed.
#ifndef KUDZU_SUPPORT_ENVIRONMENT_H
#define KUDZU_SUPPORT_ENVIRONMENT_H

#include <stdbool.h>

// The value of a variable, or NULL. In a program that has rights which its caller has not
// (set-user-ID, set-group-ID, file capabilities: AT_SECURE) every variable counts as missing: the
// caller could choose libraries, programs and files by them. Nothing here calls getenv.
const char *environment_get(const char *name);

// Whether variables count.
bool environment_is_trusted(void);

// Where programs are looked for without PATH.
#define ENVIRONMENT_SYSTEM_PATH "/usr/bin:/bin"

#endif
