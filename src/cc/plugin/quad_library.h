// The device library's functions on quads, as LLVM bitcode within the plugin: few programs need
// them, and what those need is known only once their code has been lowered.
#ifndef KUDZU_CC_PLUGIN_QUAD_LIBRARY_H
#define KUDZU_CC_PLUGIN_QUAD_LIBRARY_H

extern "C" __attribute__((visibility("hidden"))) const char quad_library[], quad_library_end[];

#endif
