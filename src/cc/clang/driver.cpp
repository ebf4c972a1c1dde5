// clang++'s driver: makes compilations and a link of a command line, and runs them.
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Frontend/Utils.h>
#include <llvm/Support/Allocator.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include "tools.h"

using namespace clang;
using namespace llvm;
using clang::driver::Command;
using clang::driver::Compilation;
using clang::driver::Driver;

namespace {

bool isCompiler(ArrayRef<const char *> arguments) {
    return arguments.size() > 1 && StringRef(arguments[1]) == "-cc1";
}

// What the driver calls for a compilation instead of starting this program again.
int compileInProcess(SmallVectorImpl<const char *> &arguments) {
    if (isCompiler(arguments))
        return runCompiler(ArrayRef(arguments).drop_front(2), arguments[0]);
    errs() << "kudzu-clang: error: it compiles C and C++, and assembles nothing else\n";
    return 1;
}

// Crashes leave their exit status, as signals do with a process of its own.
int execute(Driver &driver, Compilation &compilation) {
    SmallVector<std::pair<int, const Command *>, 4> failing;
    int status = driver.ExecuteCompilation(compilation, failing);
    for (const auto &[code, command] : failing)
        status = status ? status : code;
    return status;
}

} // namespace

int runDriver(SmallVectorImpl<const char *> &arguments) {
    BumpPtrAllocator allocator;
    if (Error e = clang::driver::expandResponseFiles(arguments, false, allocator)) {
        errs() << "kudzu-clang: error: " << toString(std::move(e)) << '\n';
        return 1;
    }
    if (isCompiler(arguments) ||
        (arguments.size() > 1 && StringRef(arguments[1]).starts_with("-cc1")))
        return compileInProcess(arguments);

    std::string path = sys::fs::getMainExecutable(arguments[0], (void *)(intptr_t)runDriver);
    IntrusiveRefCntPtr<DiagnosticOptions> options = CreateAndPopulateDiagOpts(arguments).release();
    auto *printer = new TextDiagnosticPrinter(errs(), &*options);
    printer->setPrefix("clang++");
    DiagnosticsEngine diagnostics(new DiagnosticIDs, &*options, printer);
    ProcessWarningOptions(diagnostics, *options, /*ReportDiags=*/false);
    Driver driver(path, sys::getDefaultTargetTriple(), diagnostics);
    driver.setTargetAndMode({"", "", "--driver-mode=g++", true});
    arguments.insert(arguments.begin() + 1, "--driver-mode=g++");
    driver.CC1Main = compileInProcess;
    CrashRecoveryContext::Enable();
    std::unique_ptr<Compilation> compilation(driver.BuildCompilation(arguments));
    int status = 1;
    if (compilation && !compilation->containsError())
        status = execute(driver, *compilation);
    diagnostics.getClient()->finish();
    return status;
}
