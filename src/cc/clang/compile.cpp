// One compilation (`-cc1`) with clang's libraries, and kudzu's plugin where the command asks for
// it: it is linked in, so that its file's name only says so.
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/FrontendDiagnostic.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Signals.h>

#include "../rules/rules.h"
#include "tools.h"

using namespace clang;
using namespace llvm;

extern "C" PassPluginLibraryInfo llvmGetPassPluginInfo();

namespace {

bool isOwnPlugin(StringRef path) {
    return sys::path::filename(path) == "kudzu-clang-plugin.so";
}

template <typename List> bool takeOwnPlugin(List &paths) {
    size_t before = paths.size();
    erase_if(paths, [](const std::string &path) { return isOwnPlugin(path); });
    return paths.size() < before;
}

void usePlugin(CompilerInvocation &invocation) {
    CodeGenOptions &code = invocation.getCodeGenOpts();
    if (takeOwnPlugin(code.PassPlugins))
        code.PassBuilderCallbacks.push_back(llvmGetPassPluginInfo().RegisterPassBuilderCallbacks);
    if (takeOwnPlugin(invocation.getFrontendOpts().Plugins))
        rules::registerRules();
}

// The actions that the driver asks for when it compiles; a plugin's own are none of them.
std::unique_ptr<FrontendAction> actionOf(frontend::ActionKind kind) {
    switch (kind) {
    case frontend::EmitAssembly:
        return std::make_unique<EmitAssemblyAction>();
    case frontend::EmitBC:
        return std::make_unique<EmitBCAction>();
    case frontend::EmitLLVM:
        return std::make_unique<EmitLLVMAction>();
    case frontend::EmitObj:
        return std::make_unique<EmitObjAction>();
    case frontend::GeneratePCH:
        return std::make_unique<GeneratePCHAction>();
    case frontend::ParseSyntaxOnly:
        return std::make_unique<SyntaxOnlyAction>();
    case frontend::PrintPreprocessedInput:
        return std::make_unique<PrintPreprocessedAction>();
    case frontend::RunPreprocessorOnly:
        return std::make_unique<PreprocessOnlyAction>();
    case frontend::DumpCompilerOptions:
        return std::make_unique<DumpCompilerOptionsAction>();
    default:
        return nullptr;
    }
}

// -mllvm
void setOptionsOfLlvm(const FrontendOptions &options) {
    if (options.LLVMArgs.empty())
        return;
    SmallVector<const char *, 8> arguments{"clang (LLVM option parsing)"};
    for (const std::string &argument : options.LLVMArgs)
        arguments.push_back(argument.c_str());
    cl::ParseCommandLineOptions(arguments.size(), arguments.data());
}

bool compile(CompilerInstance &compiler) {
    const FrontendOptions &options = compiler.getFrontendOpts();
    compiler.LoadRequestedPlugins();
    setOptionsOfLlvm(options);
    if (compiler.getDiagnostics().hasErrorOccurred())
        return false;
    std::unique_ptr<FrontendAction> action = actionOf(options.ProgramAction);
    if (!action) {
        DiagnosticsEngine &d = compiler.getDiagnostics();
        d.Report(d.getCustomDiagID(DiagnosticsEngine::Error, "kudzu's clang does not do this"));
        return false;
    }
    bool done = compiler.ExecuteAction(*action);
    if (options.DisableFree) // the process ends
        (void)action.release();
    return done;
}

// LLVM says why it gives up; then the process ends, as with an error of the program's.
void onFatalError(void *diagnostics, const char *message, bool crash) {
    static_cast<DiagnosticsEngine *>(diagnostics)->Report(diag::err_fe_error_backend) << message;
    sys::RunInterruptHandlers();
    std::exit(crash ? 70 : 1);
}

} // namespace

int runCompiler(ArrayRef<const char *> arguments, const char *program) {
    auto compiler = std::make_unique<CompilerInstance>();
    IntrusiveRefCntPtr<DiagnosticIDs> ids = new DiagnosticIDs;
    IntrusiveRefCntPtr<DiagnosticOptions> options = new DiagnosticOptions;
    auto *early = new TextDiagnosticBuffer; // until the options say where messages go
    DiagnosticsEngine diagnostics(ids, &*options, early);
    bool done = CompilerInvocation::CreateFromArgs(compiler->getInvocation(), arguments,
                                                   diagnostics, program);
    usePlugin(compiler->getInvocation());
    compiler->createDiagnostics();
    if (!compiler->hasDiagnostics())
        return 1;
    install_fatal_error_handler(onFatalError, &compiler->getDiagnostics());
    early->FlushDiagnostics(compiler->getDiagnostics());
    if (done)
        done = compile(*compiler);
    else
        compiler->getDiagnosticClient().finish();
    remove_fatal_error_handler();
    if (compiler->getFrontendOpts().DisableFree)
        (void)compiler.release();
    return !done;
}
