// Pieces of the printer, for the linker.
#ifndef KUDZU_PTX_PRINT_H
#define KUDZU_PTX_PRINT_H

#include "ptx/ast.h"

void ptx_print_sampler(uint64_t bits, struct strbuf *out); // of ISA_SAMPLER, its properties
void ptx_print_header(const struct ptx_module *m, struct strbuf *out);
void ptx_print_var(const struct ptx_var *v, struct strbuf *out);             // with newline
void ptx_print_var_declaration(const struct ptx_var *v, struct strbuf *out); // .extern
void ptx_print_declaration(const struct ptx_func *f, struct strbuf *out);    // prototype;
void ptx_print_function(const struct ptx_func *f, struct strbuf *out);       // with its body

#endif
