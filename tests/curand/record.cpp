// Records what a libcurand gives, for recorded.cu: the host's generators, which need no GPU.
//
// usage: record LIBCURAND <cases >recorded.txt      (g++ -O2 record.cpp -ldl)
//
// A line of input is a case: type, order (0: none set), seed (-: none), offset (-), dimensions (-),
// what is drawn (u words, w words of 64 bits, f and d uniform, n and N normal with mean 1 and
// deviation 2, l and L log-normal with 0.5 and 0.25), and the lengths of the calls. What follows a
// colon is not read. It is printed again with: the status of the last call that failed, or 0;
// FNV-1a of all bytes; and the results at eight places.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sstream>
#include <string>
#include <vector>

typedef struct generator *gen;
typedef unsigned long long ull;
static void *library;

template <typename... Args> static int call(const char *name, Args... args) {
    int (*f)(Args...) = (int (*)(Args...))dlsym(library, name);
    if (!f)
        fprintf(stderr, "%s: not there\n", name), exit(1);
    return f(args...);
}

template <typename T, typename Draw> static void draw(const std::vector<size_t> &parts, Draw one) {
    size_t total = 0, done = 0;
    int status = 0;
    for (size_t n : parts)
        total += n;
    std::vector<T> out(total);
    for (size_t n : parts) {
        const int s = one(out.data() + done, n);
        status = s ? s : status;
        done += n;
    }
    ull hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < total * sizeof(T); i++)
        hash = (hash ^ ((unsigned char *)out.data())[i]) * 0x100000001b3ull;
    printf("%d %016llx", status, hash);
    for (size_t i :
         {(size_t)0, (size_t)1, (size_t)2, (size_t)3, total / 3, total / 2, total - 2, total - 1})
        if (T(.5) == 0)
            printf(" %llx", (ull)out[i < total ? i : total - 1]);
        else
            printf(" %.9g", (double)out[i < total ? i : total - 1]);
    puts("");
}

static void draw_kind(gen g, char kind, const std::vector<size_t> &parts) {
    switch (kind) {
    case 'u':
        return draw<unsigned int>(
            parts, [=](unsigned int *p, size_t n) { return call("curandGenerate", g, p, n); });
    case 'w':
        return draw<ull>(parts,
                         [=](ull *p, size_t n) { return call("curandGenerateLongLong", g, p, n); });
    case 'f':
        return draw<float>(
            parts, [=](float *p, size_t n) { return call("curandGenerateUniform", g, p, n); });
    case 'd':
        return draw<double>(parts, [=](double *p, size_t n) {
            return call("curandGenerateUniformDouble", g, p, n);
        });
    case 'n':
        return draw<float>(parts, [=](float *p, size_t n) {
            return call("curandGenerateNormal", g, p, n, 1.f, 2.f);
        });
    case 'N':
        return draw<double>(parts, [=](double *p, size_t n) {
            return call("curandGenerateNormalDouble", g, p, n, 1., 2.);
        });
    case 'l':
        return draw<float>(parts, [=](float *p, size_t n) {
            return call("curandGenerateLogNormal", g, p, n, .5f, .25f);
        });
    default:
        return draw<double>(parts, [=](double *p, size_t n) {
            return call("curandGenerateLogNormalDouble", g, p, n, .5, .25);
        });
    }
}

int main(int argc, char **argv) {
    library = dlopen(argc > 1 ? argv[1] : "libcurand.so.10", RTLD_NOW);
    if (!library)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    char line[1000];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, ":\n")] = 0;
        if (line[0] == '#' || !line[0]) {
            puts(line);
            continue;
        }
        std::istringstream in(line);
        int type, order, status = 0;
        std::string seed, offset, dimensions, kind;
        std::vector<size_t> parts;
        in >> type >> order >> seed >> offset >> dimensions >> kind;
        for (size_t n; in >> n;)
            parts.push_back(n);
        while (line[0] && line[strlen(line) - 1] == ' ')
            line[strlen(line) - 1] = 0;
        gen g = nullptr;
        status = call("curandCreateGeneratorHost", &g, type);
        if (order && !status)
            status = call("curandSetGeneratorOrdering", g, order);
        if (seed != "-" && !status)
            status =
                call("curandSetPseudoRandomGeneratorSeed", g, strtoull(seed.c_str(), nullptr, 0));
        if (offset != "-" && !status)
            status = call("curandSetGeneratorOffset", g, strtoull(offset.c_str(), nullptr, 0));
        if (dimensions != "-" && !status)
            status = call("curandSetQuasiRandomGeneratorDimensions", g,
                          (unsigned)atoi(dimensions.c_str()));
        printf("%s : ", line);
        if (status)
            printf("%d\n", status);
        else
            draw_kind(g, kind[0], parts);
        if (g)
            call("curandDestroyGenerator", g);
    }
}
