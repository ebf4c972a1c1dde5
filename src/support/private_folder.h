// Folders for what is used again without being made again: compiled kernels, programs, headers.
// Whoever can write there can have his code run, so every cache asks here.
#ifndef KUDZU_SUPPORT_PRIVATE_FOLDER_H
#define KUDZU_SUPPORT_PRIVATE_FOLDER_H

#include <stdbool.h>

// Opens a folder that is the user's and that nobody else can write to or put in another's place:
// each folder on the way there, and each symbolic link, is the user's or root's, and what others
// can write to has the sticky bit. A group may write above the folder if it is the user's own (its
// number is the user's). `make`: missing folders are made, for the user alone.
// -1: it is not there, or cannot be trusted.
int private_folder_open(const char *path, bool make);

// The same, without keeping it open.
bool private_folder_is(const char *path, bool make);

// Whether an open file is a regular file of the user's that nobody else can write.
bool private_file_is(int fd);

#endif
