// A call of the host's function from a function of both sides is a warning (messages/host_calls.h).
#include "rules.h"

#include <clang/Basic/DiagnosticSema.h>

void rules::acceptHostCalls(clang::CompilerInstance &compiler) {
    // What is an error so far stays one if it is asked to be a warning.
    for (auto severity : {clang::diag::Severity::Ignored, clang::diag::Severity::Warning})
        compiler.getDiagnostics().setSeverity(clang::diag::err_ref_bad_target, severity,
                                              clang::SourceLocation());
}
