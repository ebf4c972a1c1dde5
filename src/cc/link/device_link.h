// The device link: device code of several objects and archives becomes one image.
//
// A file that is compiled with -rdc=true gives an object with
//   - host code; its kernels and device variables are listed in the section
//     cuda_offloading_entries, one entry each (clang's offloading format);
//   - its device code as LLVM bitcode for each architecture, in a container (image.h) in the
//     section .llvm.offloading, which linkers leave out of programs.
// The device link joins the bitcode with clang, optimises across files, emits PTX, and makes an
// object with the image and a constructor that registers all entries of the program or shared
// library that it is linked into. Bitcode rather than PTX, since functions of other files can
// be inlined then, and since clang's linker already knows weak, inline and common symbols.
//
// Each object with relocatable code refers to a symbol of its own that the device link's object
// defines: a linker that takes the one from an archive takes the other, and has an error where no
// device link was made.
//
// Archives are searched as a linker does: a member counts when the program or the device code
// needs one of its symbols. So plain `ld` and `ar` work on all of these files.
#ifndef KUDZU_CC_DEVICE_LINK_H
#define KUDZU_CC_DEVICE_LINK_H

#include "cc/headers/clang_flags.h"

// Links the device code of `objects` and of the archives among the options' libraries. *object
// names the object file to write (NULL: a temporary one); it becomes NULL when no object has
// relocatable device code and `always` is false, or when all that has been linked already by device
// links among them. With `always` an object without content is written where there is no such code.
// The options may ask for the image in its place.
bool device_link(const struct compilation *c, const cc_strings *objects, bool always,
                 const char **object);

#endif
