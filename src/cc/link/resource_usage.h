// -Xptxas -v, --resource-usage: what each kernel takes, in the form that NVIDIA's assembler has.
#ifndef KUDZU_CC_RESOURCE_USAGE_H
#define KUDZU_CC_RESOURCE_USAGE_H

#include "cc/link/ptx_check.h"
#include "cc/options/options.h"

// Whether the options ask for it; with --kudzu-ptxas that assembler tells.
bool resource_usage_wanted(const struct cc_options *o);

// Appends it. Registers are an estimate, 0 where the text cannot be loaded by itself. cpu: how the
// CPU device runs each kernel stands on a line of its own. `architecture`: "sm_90". False:
// reported.
bool resource_usage_print(const char *text, size_t size, const struct ptx_usage *usage,
                          const char *architecture, bool cpu, struct strbuf *out);

// The registers of each kernel of the usage, in its order; 0: not known. False: reported.
bool resource_usage_registers(const char *text, size_t size, const struct ptx_usage *usage,
                              unsigned *registers);
// Bytes of a GPU's first bank of constant memory that a kernel takes.
uint64_t resource_usage_constant(const struct kernel_usage *k, unsigned sm);

// Prints it to stderr, with those lines.
void resource_usage_show(struct arena *arena, const struct cc_options *o, const char *ptx,
                         size_t size, const struct ptx_usage *usage, const char *architecture);

#endif
