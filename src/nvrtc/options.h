// The options of nvrtcCompileProgram.
#ifndef KUDZU_NVRTC_OPTIONS_H
#define KUDZU_NVRTC_OPTIONS_H

#include "cc/options/options.h"

struct rtc_warning {
    unsigned number; // nvcc's
    bool hidden;
};

struct rtc_options {
    struct cc_options cc;
    bool real_architecture; // sm_XX: there is a cubin, too
    bool default_device;    // what says nothing of host or device is for the device
    bool no_source_include, syntax_only, no_move_forward, no_initializer_list;
    bool lto; // code to be optimised at link time comes out, not PTX
    const char *time_file;
    VEC(struct rtc_warning) own_warnings; // of kudzu's own; the last of a number counts
};

// False: an unknown option, or a wrong value; cc_error has told.
bool rtc_options_parse(struct rtc_options *o, struct arena *arena, int count,
                       const char *const *options);

#endif
