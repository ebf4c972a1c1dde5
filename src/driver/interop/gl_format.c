// The internal formats of OpenGL of which images can be registered: those that the description of
// cudaGraphicsGLRegisterImage lists.
#include "driver/interop/gl.h"

enum {
    RED_INTEGER = 0x8D94,
    ALPHA_INTEGER = 0x8D97,
    RGBA_INTEGER = 0x8D99,
    RG_INTEGER = 0x8228,
    LUMINANCE_INTEGER = 0x8D9C,
    LUMINANCE_ALPHA_INTEGER = 0x8D9D,
};

enum component { U8, U16, F16, F32, UI8, UI16, UI32, I8, I16, I32 };
enum layout { R, RG, RGBA, A, L, LA, I };

static const struct {
    CUarray_format array;
    gl_enum type;
    bool integer;
} components[] = {
    [U8] = {CU_AD_FORMAT_UNSIGNED_INT8, 0x1401, false},
    [U16] = {CU_AD_FORMAT_UNSIGNED_INT16, 0x1403, false},
    [F16] = {CU_AD_FORMAT_HALF, 0x140B, false},
    [F32] = {CU_AD_FORMAT_FLOAT, 0x1406, false},
    [UI8] = {CU_AD_FORMAT_UNSIGNED_INT8, 0x1401, true},
    [UI16] = {CU_AD_FORMAT_UNSIGNED_INT16, 0x1403, true},
    [UI32] = {CU_AD_FORMAT_UNSIGNED_INT32, 0x1405, true},
    [I8] = {CU_AD_FORMAT_SIGNED_INT8, 0x1400, true},
    [I16] = {CU_AD_FORMAT_SIGNED_INT16, 0x1402, true},
    [I32] = {CU_AD_FORMAT_SIGNED_INT32, 0x1404, true},
};

// Intensity is all components alike: transfers take it as red.
static const struct {
    unsigned channels;
    gl_enum format, integer;
} layouts[] = {
    [R] = {1, GL_RED, RED_INTEGER},
    [RG] = {2, GL_RG, RG_INTEGER},
    [RGBA] = {4, GL_RGBA, RGBA_INTEGER},
    [A] = {1, GL_ALPHA, ALPHA_INTEGER},
    [L] = {1, GL_LUMINANCE, LUMINANCE_INTEGER},
    [LA] = {2, GL_LUMINANCE_ALPHA, LUMINANCE_ALPHA_INTEGER},
    [I] = {1, GL_RED, RED_INTEGER},
};

// Formats without a size, and 1, 2 and 4 in their place, have components of 8 bits.
static const struct {
    uint16_t internal;
    uint8_t layout, component;
} formats[] = {
    {GL_RED, R, U8},       {GL_RG, RG, U8},
    {GL_RGBA, RGBA, U8},   {GL_ALPHA, A, U8},
    {GL_LUMINANCE, L, U8}, {GL_LUMINANCE_ALPHA, LA, U8},
    {0x8049, I, U8},       {1, L, U8},
    {2, LA, U8},           {4, RGBA, U8},

    {0x8229, R, U8},       {0x822A, R, U16},
    {0x822D, R, F16},      {0x822E, R, F32},
    {0x8232, R, UI8},      {0x8234, R, UI16},
    {0x8236, R, UI32},     {0x8231, R, I8},
    {0x8233, R, I16},      {0x8235, R, I32},

    {0x822B, RG, U8},      {0x822C, RG, U16},
    {0x822F, RG, F16},     {0x8230, RG, F32},
    {0x8238, RG, UI8},     {0x823A, RG, UI16},
    {0x823C, RG, UI32},    {0x8237, RG, I8},
    {0x8239, RG, I16},     {0x823B, RG, I32},

    {0x8058, RGBA, U8},    {0x805B, RGBA, U16},
    {0x881A, RGBA, F16},   {0x8814, RGBA, F32},
    {0x8D7C, RGBA, UI8},   {0x8D76, RGBA, UI16},
    {0x8D70, RGBA, UI32},  {0x8D8E, RGBA, I8},
    {0x8D88, RGBA, I16},   {0x8D82, RGBA, I32},

    {0x803C, A, U8},       {0x803E, A, U16},
    {0x881C, A, F16},      {0x8816, A, F32},
    {0x8D7E, A, UI8},      {0x8D78, A, UI16},
    {0x8D72, A, UI32},     {0x8D90, A, I8},
    {0x8D8A, A, I16},      {0x8D84, A, I32},

    {0x8040, L, U8},       {0x8042, L, U16},
    {0x881E, L, F16},      {0x8818, L, F32},
    {0x8D80, L, UI8},      {0x8D7A, L, UI16},
    {0x8D74, L, UI32},     {0x8D92, L, I8},
    {0x8D8C, L, I16},      {0x8D86, L, I32},

    {0x8045, LA, U8},      {0x8048, LA, U16},
    {0x881F, LA, F16},     {0x8819, LA, F32},
    {0x8D81, LA, UI8},     {0x8D7B, LA, UI16},
    {0x8D75, LA, UI32},    {0x8D93, LA, I8},
    {0x8D8D, LA, I16},     {0x8D87, LA, I32},

    {0x804B, I, U8},       {0x804D, I, U16},
    {0x881D, I, F16},      {0x8817, I, F32},
    {0x8D7F, I, UI8},      {0x8D79, I, UI16},
    {0x8D73, I, UI32},     {0x8D91, I, I8},
    {0x8D8B, I, I16},      {0x8D85, I, I32},
};

bool drv_gl_format(gl_enum internal, struct gl_format *out) {
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        if (formats[k].internal != internal)
            continue;
        unsigned layout = formats[k].layout, component = formats[k].component;
        *out = (struct gl_format){.component = components[component].array,
                                  .channels = layouts[layout].channels,
                                  .format = components[component].integer ? layouts[layout].integer
                                                                          : layouts[layout].format,
                                  .type = components[component].type};
        return true;
    }
    return false;
}
