#include "nvvm/options.h"

#include <string.h>

#include "cc/options/architectures.h"

// "-opt=3": the value; NULL: another option.
static const char *value_of(const char *option, const char *name) {
    size_t n = strlen(name);
    return !strncmp(option, name, n) && option[n] == '=' ? option + n + 1 : NULL;
}

static bool parse_switch(const char *option, const char *value, bool *on) {
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        return cc_error("option %s: the value is 0 or 1", option);
    *on = *value == '1';
    return true;
}

static bool parse_arch(struct nvvm_options *o, struct arena *arena, const char *value) {
    struct architectures a = {0};
    if (strncmp(value, "compute_", strlen("compute_")) != 0)
        return cc_error("-arch=%s: a virtual architecture is meant, such as compute_90", value);
    if (!architectures_add_arch(&a, arena, value, NULL))
        return false;
    o->arch = a.list.data[0].name;
    return true;
}

static bool parse_option(struct nvvm_options *o, struct arena *arena, const char *option) {
    const struct {
        const char *name;
        bool *on;
    } switches[] = {{"-ftz", &o->ftz},
                    {"-prec-sqrt", &o->prec_sqrt},
                    {"-prec-div", &o->prec_div},
                    {"-fma", &o->fma}};
    const char *value;
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; ++i)
        if ((value = value_of(option, switches[i].name)))
            return parse_switch(option, value, switches[i].on);
    if ((value = value_of(option, "-arch")))
        return parse_arch(o, arena, value);
    if ((value = value_of(option, "-opt"))) {
        if (strlen(value) != 1 || !strchr("0123", *value))
            return cc_error("option %s: the value is 0 or 3", option);
        o->optimize = *value != '0';
        return true;
    }
    if (!strcmp(option, "-g"))
        return o->debug = true;
    if (!strcmp(option, "-gen-lto"))
        return o->lto = true;
    return cc_error("%s is an unsupported option", option);
}

bool nvvm_options_parse(struct nvvm_options *o, struct arena *arena, int count,
                        const char *const *options) {
    *o = (struct nvvm_options){
        .arch = "sm_52", .optimize = true, .prec_sqrt = true, .prec_div = true, .fma = true};
    for (int i = 0; i < count; ++i)
        if (!parse_option(o, arena, options[i]))
            return false;
    return true;
}
