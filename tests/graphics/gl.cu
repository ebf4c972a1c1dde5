// OpenGL in the runtime's API (guide 6.2.15.1): the guide's kernel fills a buffer of vertices,
// another one a texture, and OpenGL draws with them. The pixels are those that the numbers mean.
#include <cuda_runtime.h>

// What cuda_gl_interop.h declares, without OpenGL's headers.
extern "C" {
cudaError_t cudaGLGetDevices(unsigned *, int *, unsigned, int);
cudaError_t cudaGLSetGLDevice(int);
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource **, unsigned, unsigned);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource **, unsigned, unsigned, unsigned);
cudaError_t cudaGLRegisterBufferObject(unsigned);
cudaError_t cudaGLMapBufferObject(void **, unsigned);
cudaError_t cudaGLUnmapBufferObject(unsigned);
cudaError_t cudaGLMapBufferObjectAsync(void **, unsigned, cudaStream_t);
cudaError_t cudaGLUnmapBufferObjectAsync(unsigned, cudaStream_t);
cudaError_t cudaGLSetBufferObjectMapFlags(unsigned, unsigned);
cudaError_t cudaGLUnregisterBufferObject(unsigned);
}
#include "gl_context.h"

static int failures;

static void check(bool condition, const char *what, int line) {
    if (condition)
        return;
    fprintf(stderr, "gl.cu:%d: not true: %s\n", line, what);
    failures++;
}
#define CHECK(condition) check(condition, #condition, __LINE__)
#define OK(call) check((call) == cudaSuccess, #call, __LINE__)

enum { WIDTH = 64, HEIGHT = 32, ARRAY_BUFFER = 0x8892, DYNAMIC_DRAW = 0x88E8 };
enum { TEXTURE_2D = 0x0DE1, RGBA8 = 0x8058, RGBA = 0x1908, UNSIGNED_BYTE = 0x1401 };
enum { FRAMEBUFFER = 0x8D40, COLOR_ATTACHMENT0 = 0x8CE0, COMPLETE = 0x8CD5, FLOAT = 0x1406 };

// The guide's.
__global__ void createVertices(float4 *positions, float time, unsigned int width,
                               unsigned int height) {
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x / (float)width;
    float v = y / (float)height;
    u = u * 2.0f - 1.0f;
    v = v * 2.0f - 1.0f;
    float freq = 4.0f;
    float w = sinf(u * freq + time) * cosf(v * freq + time) * 0.5f;
    positions[y * width + x] = make_float4(u, w, v, 1.0f);
}

// Two triangles over the left half of the picture.
__global__ void half_of_it(float4 *corners) {
    int i = threadIdx.x;
    corners[i] = make_float4(i == 1 || i == 2 || i == 4 ? 0 : -1, i >= 2 && i != 3 ? 1 : -1, 0, 1);
}

__global__ void paint(cudaSurfaceObject_t picture) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    surf2Dwrite(make_uchar4(4 * x, 8 * y, 200, 255), picture, x * 4, y);
}

__global__ void darken(cudaTextureObject_t from, uchar4 *to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float4 c = tex2D<float4>(from, x + 0.5f, y + 0.5f);
    to[y * WIDTH + x] = make_uchar4(c.x * 127.5f, c.y * 127.5f, c.z * 127.5f, 255);
}

static void vertices() {
    unsigned positionsVBO;
    cudaGraphicsResource *positionsVBO_CUDA;
    unsigned size = WIDTH * HEIGHT * 4 * sizeof(float);
    glGenBuffers(1, &positionsVBO);
    glBindBuffer(ARRAY_BUFFER, positionsVBO);
    glBufferData(ARRAY_BUFFER, size, 0, DYNAMIC_DRAW);
    glBindBuffer(ARRAY_BUFFER, 0);
    OK(cudaGraphicsGLRegisterBuffer(&positionsVBO_CUDA, positionsVBO,
                                    cudaGraphicsMapFlagsWriteDiscard));
    float4 *positions, back[WIDTH * HEIGHT];
    size_t num_bytes;
    OK(cudaGraphicsMapResources(1, &positionsVBO_CUDA, 0));
    OK(cudaGraphicsResourceGetMappedPointer((void **)&positions, &num_bytes, positionsVBO_CUDA));
    CHECK(num_bytes == size);
    dim3 dimBlock(16, 16, 1), dimGrid(WIDTH / 16, HEIGHT / 16, 1);
    createVertices<<<dimGrid, dimBlock>>>(positions, 0.5f, WIDTH, HEIGHT);
    OK(cudaGraphicsUnmapResources(1, &positionsVBO_CUDA, 0));
    glBindBuffer(ARRAY_BUFFER, positionsVBO);
    glGetBufferSubData(ARRAY_BUFFER, 0, size, back);
    double worst = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double u = 2. * x / WIDTH - 1, v = 2. * y / HEIGHT - 1;
            float4 p = back[y * WIDTH + x];
            worst = fmax(worst, fabs(p.y - sin(u * 4 + 0.5) * cos(v * 4 + 0.5) * 0.5));
            CHECK(p.x == (float)u && p.z == (float)v && p.w == 1);
        }
    CHECK(worst < 1e-6);
    OK(cudaGraphicsUnregisterResource(positionsVBO_CUDA));
    CHECK(cudaGraphicsUnregisterResource(positionsVBO_CUDA) == cudaErrorInvalidResourceHandle);
    glDeleteBuffers(1, &positionsVBO);
}

static unsigned make_program() {
    const char *vertex = "#version 330 core\nlayout(location = 0) in vec4 p;\nout vec2 at;\n"
                         "void main() { gl_Position = p; at = p.xy * 0.5 + 0.5; }\n";
    const char *fragment = "#version 330 core\nin vec2 at;\nout vec4 colour;\n"
                           "uniform sampler2D picture;\n"
                           "void main() { colour = texture(picture, at); }\n";
    unsigned program = glCreateProgram(), v = glCreateShader(0x8B31), f = glCreateShader(0x8B30);
    int linked = 0;
    glShaderSource(v, 1, &vertex, NULL);
    glShaderSource(f, 1, &fragment, NULL);
    glCompileShader(v);
    glCompileShader(f);
    glAttachShader(program, v);
    glAttachShader(program, f);
    glLinkProgram(program);
    glGetProgramiv(program, 0x8B82, &linked);
    CHECK(linked);
    return program;
}

static unsigned make_picture() {
    unsigned name;
    glGenTextures(1, &name);
    glBindTexture(TEXTURE_2D, name);
    glTexImage2D(TEXTURE_2D, 0, RGBA8, WIDTH, HEIGHT, 0, RGBA, UNSIGNED_BYTE, NULL);
    glTexParameteri(TEXTURE_2D, 0x2800, 0x2600); // nearest, without levels
    glTexParameteri(TEXTURE_2D, 0x2801, 0x2600);
    return name;
}

static cudaArray_t array_of(cudaGraphicsResource *r) {
    cudaArray_t a = NULL;
    OK(cudaGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
    return a;
}

static void fill_picture(cudaGraphicsResource *r) {
    cudaResourceDesc desc = {};
    cudaSurfaceObject_t surface;
    OK(cudaGraphicsMapResources(1, &r, 0));
    cudaMipmappedArray_t levels;
    cudaArray_t first = NULL;
    OK(cudaGraphicsResourceGetMappedMipmappedArray(&levels, r));
    OK(cudaGetMipmappedArrayLevel(&first, levels, 0));
    CHECK(first == array_of(r));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = first;
    OK(cudaCreateSurfaceObject(&surface, &desc));
    paint<<<dim3(WIDTH / 32, HEIGHT), 32>>>(surface);
    OK(cudaGraphicsUnmapResources(1, &r, 0));
    OK(cudaDestroySurfaceObject(surface));
}

// What was drawn is read by a texture fetch: half as bright.
static void read_drawn(unsigned target) {
    static uchar4 back[WIDTH * HEIGHT];
    cudaGraphicsResource *r;
    cudaResourceDesc desc = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    uchar4 *to;
    OK(cudaMalloc(&to, sizeof back));
    OK(cudaGraphicsGLRegisterImage(&r, target, TEXTURE_2D, cudaGraphicsRegisterFlagsReadOnly));
    OK(cudaGraphicsMapResources(1, &r, 0));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array_of(r);
    how.readMode = cudaReadModeNormalizedFloat;
    OK(cudaCreateTextureObject(&texture, &desc, &how, NULL));
    darken<<<dim3(WIDTH / 32, HEIGHT), 32>>>(texture, to);
    OK(cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
    OK(cudaGraphicsUnmapResources(1, &r, 0));
    OK(cudaDestroyTextureObject(texture));
    OK(cudaGraphicsUnregisterResource(r));
    OK(cudaFree(to));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uchar4 c = back[y * WIDTH + x];
            bool left = x < WIDTH / 2;
            CHECK(c.x == (left ? 2 * x : 0) && c.y == (left ? 4 * y : 0) &&
                  c.z == (left ? 100 : 127));
        }
}

// The left half shows the texture, the right half what the picture was cleared with.
static void draw() {
    static unsigned char pixels[HEIGHT][WIDTH][4];
    unsigned corners, vao, frame, target, picture = make_picture();
    cudaGraphicsResource *both[2];
    float4 *p;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glGenBuffers(1, &corners);
    glBindBuffer(ARRAY_BUFFER, corners);
    glBufferData(ARRAY_BUFFER, 6 * sizeof *p, NULL, DYNAMIC_DRAW);
    glVertexAttribPointer(0, 4, FLOAT, 0, 0, NULL);
    glEnableVertexAttribArray(0);
    OK(cudaGraphicsGLRegisterBuffer(&both[0], corners, cudaGraphicsRegisterFlagsNone));
    OK(cudaGraphicsGLRegisterImage(&both[1], picture, TEXTURE_2D,
                                   cudaGraphicsRegisterFlagsSurfaceLoadStore));
    fill_picture(both[1]);
    OK(cudaGraphicsResourceSetMapFlags(both[0], cudaGraphicsMapFlagsWriteDiscard));
    OK(cudaGraphicsMapResources(1, both, 0));
    OK(cudaGraphicsResourceGetMappedPointer((void **)&p, NULL, both[0]));
    half_of_it<<<1, 6>>>(p);
    OK(cudaGraphicsUnmapResources(1, both, 0));

    target = make_picture();
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(FRAMEBUFFER, frame);
    glFramebufferTexture2D(FRAMEBUFFER, COLOR_ATTACHMENT0, TEXTURE_2D, target, 0);
    CHECK(glCheckFramebufferStatus(FRAMEBUFFER) == COMPLETE);
    glViewport(0, 0, WIDTH, HEIGHT);
    glClearColor(0, 0, 1, 1);
    glClear(0x4000);
    glUseProgram(make_program());
    glBindTexture(TEXTURE_2D, picture);
    glDrawArrays(4, 0, 6);
    glReadPixels(0, 0, WIDTH, HEIGHT, RGBA, UNSIGNED_BYTE, pixels);
    CHECK(glGetError() == 0);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            unsigned char *c = pixels[y][x];
            if (x < WIDTH / 2)
                CHECK(c[0] == 4 * x && c[1] == 8 * y && c[2] == 200);
            else
                CHECK(c[0] == 0 && c[1] == 0 && c[2] == 255);
        }
    read_drawn(target);
    for (int i = 0; i < 2; i++)
        OK(cudaGraphicsUnregisterResource(both[i]));
}

static void by_name() {
    unsigned name;
    float4 *p, back[6];
    glGenBuffers(1, &name);
    glBindBuffer(ARRAY_BUFFER, name);
    glBufferData(ARRAY_BUFFER, sizeof back, NULL, DYNAMIC_DRAW);
    OK(cudaGLRegisterBufferObject(name));
    OK(cudaGLSetBufferObjectMapFlags(name, 0));
    OK(cudaGLMapBufferObject((void **)&p, name));
    half_of_it<<<1, 6>>>(p);
    OK(cudaGLUnmapBufferObject(name));
    OK(cudaGLMapBufferObjectAsync((void **)&p, name, 0));
    OK(cudaMemset(p, 0, sizeof *p));
    OK(cudaGLUnmapBufferObjectAsync(name, 0));
    OK(cudaGLUnregisterBufferObject(name));
    glGetBufferSubData(ARRAY_BUFFER, 0, sizeof back, back);
    CHECK(back[0].x == 0 && back[0].w == 0 && back[3].x == -1 && back[3].w == 1 && back[5].y == 1);
}

int main() {
    cudaGraphicsResource *r;
    unsigned n;
    int devices[4];
    CHECK(cudaGraphicsGLRegisterBuffer(&r, 1, 0) == cudaErrorInvalidGraphicsContext);
    CHECK(cudaGetLastError() == cudaErrorInvalidGraphicsContext);
    test_open_egl();
    test_make_context(3, 3, TEST_CORE);
    OK(cudaGLGetDevices(&n, devices, 4, 1));
    CHECK(n >= 1 && devices[0] == 0);
    OK(cudaGLSetGLDevice(0));
    CHECK(cudaGraphicsUnregisterResource(NULL) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGraphicsMapResources(-1, &r, 0) == cudaErrorInvalidValue);
    vertices();
    draw();
    by_name();
    return failures != 0;
}
