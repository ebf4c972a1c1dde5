#include <inttypes.h>
#include <string.h>

#include "tools/check/results.h"

void check_xml_text(FILE *out, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default: // XML has no other control characters
            fputc((unsigned char)*text < 0x20 && *text != '\n' && *text != '\t' ? '?' : *text, out);
        }
}

static void element(FILE *out, const char *name, const char *value) {
    if (!value)
        return;
    fprintf(out, "<%s>", name);
    check_xml_text(out, value);
    fprintf(out, "</%s>", name);
}

static void three(FILE *out, const char *name, const uint32_t v[3]) {
    fprintf(out, "<%s><x>%" PRIu32 "</x><y>%" PRIu32 "</y><z>%" PRIu32 "</z></%s>", name, v[0],
            v[1], v[2], name);
}

static const char *kind_of(const struct check_record *r) {
    static const char *const kinds[][2] = {{"memory.access", "Precise"},
                                           {"memory.heap", "MallocFree"},
                                           {"memory", "Memory"},
                                           {"race", "Race"},
                                           {"init", "Init"},
                                           {"sync", "Barrier"},
                                           {"api", "Api"},
                                           {"leak", "Leak"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strncmp(r->kind, kinds[k][0], strlen(kinds[k][0])))
            return kinds[k][1];
    return r->kind;
}

static void write_site(FILE *out, const char *name, const struct check_site *s) {
    fprintf(out, "    <%s>", name);
    element(out, "func", s->function);
    element(out, "path", s->file);
    if (s->file)
        fprintf(out, "<line>%" PRIu32 "</line>", s->line);
    fprintf(out, "<pc>0x%" PRIx32 "</pc></%s>\n", s->offset, name);
}

static void write_frame(FILE *out, const struct check_frame *f) {
    fputs("      <frame>", out);
    element(out, "func", f->symbol);
    element(out, "path", f->file);
    if (f->file)
        fprintf(out, "<line>%" PRIu32 "</line>", f->line);
    element(out, "module", f->module);
    fprintf(out, "<pc>0x%" PRIx64 "</pc></frame>\n", f->offset);
}

static void write_record(FILE *out, const struct check_record *r) {
    fprintf(out, "  <record>\n    <kind>%s</kind><level>Error</level>\n", kind_of(r));
    if (r->has_thread) {
        fputs("    <who>", out);
        three(out, "threadIdx", r->thread);
        three(out, "blockIdx", r->block);
        fputs("</who>\n", out);
    }
    fputs("    <what>", out);
    element(out, "text", r->what);
    element(out, "api", r->call);
    element(out, "error", r->error);
    if (r->error) {
        element(out, "message", r->message);
        fprintf(out, "<result>%" PRId32 "</result>", r->error_number);
    }
    for (uint32_t k = 0; k < r->nlines; k++)
        element(out, "detail", r->lines[k]);
    if (r->leaked)
        fprintf(out, "<size>%" PRIu64 "</size>", r->leaked);
    fputs("</what>\n", out);
    for (uint32_t k = 0; k < r->nsites; k++)
        write_site(out, k ? "and" : "where", &r->sites[k]);
    element(out, "kernel", r->kernel);
    if (r->nframes) {
        fputs("    <hostStack>", out);
        element(out, "saveLocation", r->frames_of);
        fputs("\n", out);
        for (uint32_t k = 0; k < r->nframes; k++)
            write_frame(out, &r->frames[k]);
        fputs("    </hostStack>\n", out);
    }
    fputs("  </record>\n", out);
}

void check_write_xml(FILE *out, const struct check_results *all) {
    fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>\n", out);
    for (uint32_t k = 0; k < all->records.len; k++)
        write_record(out, &all->records.data[k]);
    fputs("</ComputeSanitizerOutput>\n", out);
}
