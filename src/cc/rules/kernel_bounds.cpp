// __launch_bounds__, __maxnreg__ and __cluster_dims__ (guide 10.37 to 10.39, 5.2.1): for kernels
// alone, the first two not for one; a cluster has no side of 0 and needs compute capability 9.0.
#include "rules.h"

#include <clang/Basic/TargetInfo.h>

using namespace clang;

namespace rules {

constexpr unsigned FirstWithClusters = 90;

static const AnnotateAttr *annotation(const Decl *d, StringRef text) {
    for (auto *a : d->specific_attrs<AnnotateAttr>())
        if (a->getAnnotation() == text)
            return a;
    return nullptr;
}

// Of the device pass; in the host pass there is none.
static unsigned architecture(const Checker &c) {
    StringRef cpu = c.compiler.getTargetOpts().CPU;
    unsigned number = 0;
    if (!c.devicePass || !cpu.consume_front("sm_") || cpu.consumeInteger(10, number))
        return FirstWithClusters;
    return number;
}

static void checkCluster(Checker &c, const FunctionDecl *f, const AnnotateAttr *cluster) {
    for (const Expr *side : cluster->args()) {
        Expr::EvalResult value;
        if (!side->isValueDependent() && side->EvaluateAsInt(value, c.context) &&
            value.Val.getInt().isZero())
            c.error(f->getLocation(), "a side of the cluster of the kernel " + quoted(f) + " is 0");
    }
    if (architecture(c) < FirstWithClusters)
        c.error(f->getLocation(), "__cluster_dims__ on the kernel " + quoted(f) +
                                      ": clusters need compute capability 9.0");
}

void checkBounds(Checker &c, const FunctionDecl *f) {
    const AnnotateAttr *cluster = annotation(f, "kudzu.cluster_dims");
    const AnnotateAttr *registers = annotation(f, "kudzu.maxnreg");
    auto *bounds = f->getAttr<CUDALaunchBoundsAttr>();
    const char *kind = cluster     ? "__cluster_dims__"
                       : registers ? "__maxnreg__"
                       : bounds    ? "__launch_bounds__"
                                   : nullptr;
    if (kind && !isKernel(f))
        return c.error(f->getLocation(),
                       Twine(kind) + " is for kernels, " + quoted(f) + " is none");
    if (bounds && registers)
        c.error(f->getLocation(),
                "__launch_bounds__ and __maxnreg__ cannot both apply to the kernel " + quoted(f));
    if (cluster)
        checkCluster(c, f, cluster);
}

} // namespace rules
