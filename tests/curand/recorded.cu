// What cuRAND's host generators gave (recorded.txt, by record.cpp), and kudzu's, of the host and of
// the device: words and uniform numbers bit for bit, normal ones at eight places.
#include <curand.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../language/check.h"

#ifndef DIMENSIONS
#define DIMENSIONS 20000
#endif

struct recorded_case {
    int type, order;
    std::string seed, offset, dimensions, kind;
    std::vector<size_t> parts;
    int status;
    unsigned long long hash;
    std::vector<std::string> some;
};

static recorded_case parse(const std::string &line) {
    recorded_case c = {};
    const size_t colon = line.find(':');
    std::istringstream in(line.substr(0, colon)), out(line.substr(colon + 1));
    in >> c.type >> c.order >> c.seed >> c.offset >> c.dimensions >> c.kind;
    for (size_t n; in >> n;)
        c.parts.push_back(n);
    out >> c.status >> std::hex >> c.hash;
    for (std::string s; out >> s;)
        c.some.push_back(s);
    return c;
}

template <typename T> static bool is_result(T got, const std::string &want) {
    if (std::is_integral_v<T>)
        return got == (T)strtoull(want.c_str(), nullptr, 16);
    const double w = strtod(want.c_str(), nullptr);
    return fabs((double)got - w) <= 2e-6 * (fabs(w) > 1 ? fabs(w) : 1);
}

template <typename T, typename Draw>
static bool draw(const recorded_case &c, bool host, bool exact, Draw one) {
    size_t total = 0, done = 0;
    int status = 0;
    for (size_t n : c.parts)
        total += n;
    std::vector<T> out(total);
    T *p = out.data();
    if (!host) {
        CUDA(cudaMalloc(&p, total * sizeof(T)));
        CUDA(cudaMemset(p, 0, total * sizeof(T)));
    }
    for (size_t n : c.parts) {
        const int s = one(p + done, n);
        status = s ? s : status;
        done += n;
    }
    if (!host) {
        CUDA(cudaMemcpy(out.data(), p, total * sizeof(T), cudaMemcpyDeviceToHost));
        CUDA(cudaFree(p));
    }
    if (status != c.status)
        return printf("status %d\n", status), false;
    if (status)
        return true;
    unsigned long long hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < total * sizeof(T); i++)
        hash = (hash ^ ((unsigned char *)out.data())[i]) * 0x100000001b3ull;
    const size_t places[] = {0, 1, 2, 3, total / 3, total / 2, total - 2, total - 1};
    for (int i = 0; i < 8; i++) {
        const T got = out[places[i] < total ? places[i] : total - 1];
        if (!is_result(got, c.some[i]))
            return printf("result %zu: %.9g\n", places[i], (double)got), false;
    }
    return !exact || hash == c.hash;
}

static bool draw_kind(curandGenerator_t g, const recorded_case &c, bool host) {
    typedef unsigned long long ull;
    switch (c.kind[0]) {
    case 'u':
        return draw<unsigned int>(
            c, host, true, [=](unsigned int *p, size_t n) { return curandGenerate(g, p, n); });
    case 'w':
        return draw<ull>(c, host, true,
                         [=](ull *p, size_t n) { return curandGenerateLongLong(g, p, n); });
    case 'f':
        return draw<float>(c, host, true,
                           [=](float *p, size_t n) { return curandGenerateUniform(g, p, n); });
    case 'd':
        return draw<double>(c, host, true, [=](double *p, size_t n) {
            return curandGenerateUniformDouble(g, p, n);
        });
    case 'n':
        return draw<float>(c, host, false,
                           [=](float *p, size_t n) { return curandGenerateNormal(g, p, n, 1, 2); });
    case 'N':
        return draw<double>(c, host, false, [=](double *p, size_t n) {
            return curandGenerateNormalDouble(g, p, n, 1, 2);
        });
    case 'l':
        return draw<float>(c, host, false, [=](float *p, size_t n) {
            return curandGenerateLogNormal(g, p, n, .5f, .25f);
        });
    default:
        return draw<double>(c, host, false, [=](double *p, size_t n) {
            return curandGenerateLogNormalDouble(g, p, n, .5, .25);
        });
    }
}

static bool run(const recorded_case &c, bool host) {
    curandGenerator_t g;
    const curandRngType_t type = (curandRngType_t)c.type;
    int status = host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type);
    if (status)
        return status == c.status;
    if (c.order)
        status = curandSetGeneratorOrdering(g, (curandOrdering_t)c.order);
    if (c.seed != "-" && !status)
        status = curandSetPseudoRandomGeneratorSeed(g, strtoull(c.seed.c_str(), nullptr, 0));
    if (c.offset != "-" && !status)
        status = curandSetGeneratorOffset(g, strtoull(c.offset.c_str(), nullptr, 0));
    if (c.dimensions != "-" && !status)
        status = curandSetQuasiRandomGeneratorDimensions(g, (unsigned)atoi(c.dimensions.c_str()));
    const bool good = status ? status == c.status : draw_kind(g, c, host);
    CHECK(curandDestroyGenerator(g) == CURAND_STATUS_SUCCESS);
    return good;
}

int main() {
    std::string path = __FILE__;
    std::ifstream file(path.substr(0, path.rfind('/') + 1) + "recorded.txt");
    int cases = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        const recorded_case c = parse(line);
        if (c.dimensions != "-" && atoi(c.dimensions.c_str()) > DIMENSIONS)
            continue; // built without the direction numbers
        cases++;
        for (bool host : {true, false}) {
            // Orders that the device's generators have, and the host's have not.
            if (!host && c.status == CURAND_STATUS_OUT_OF_RANGE && c.order)
                continue;
            if (!run(c, host) && failures++ < 20)
                printf("of the %s: %s\n", host ? "host" : "device", line.c_str());
        }
    }
    CHECK(cases > 100);
    return failures != 0;
}
