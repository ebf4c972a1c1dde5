// The path of the library or program that this is linked into, as it was when it was loaded: a
// relative path means something only until the program changes its directory. "": not known.
#ifndef KUDZU_SUPPORT_LIBRARY_PATH_H
#define KUDZU_SUPPORT_LIBRARY_PATH_H

const char *library_path(void);

#endif
