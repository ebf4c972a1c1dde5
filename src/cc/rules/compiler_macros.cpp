// Macros by which headers know clang and GCC. NVRTC defines none of them ("Predefined Macros"), and
// programs compiled at run time have other code for those compilers. The system's headers and
// kudzu's own count on them: they alone see them.
#include "rules.h"

#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

using namespace clang;

namespace rules {

namespace {

const char *const compilerMacros[] = {
    "__clang__", "__clang_major__", "__clang_minor__", "__clang_patchlevel__", "__clang_version__",
    "__llvm__",  "__GNUC__",        "__GNUC_MINOR__",  "__GNUC_PATCHLEVEL__",  "__GNUG__"};

class CompilerMacros : public PPCallbacks {
    Preprocessor &lexer;
    std::string own; // the folder of kudzu's headers
    MacroInfo *meanings[std::size(compilerMacros)] = {};

    void show(size_t i, bool shown, SourceLocation at) {
        IdentifierInfo *name = lexer.getIdentifierInfo(compilerMacros[i]);
        MacroInfo *now = lexer.getMacroInfo(name);
        if (now)
            meanings[i] = now;
        if (shown && !now && meanings[i])
            lexer.appendDefMacroDirective(name, meanings[i], at);
        else if (!shown && now)
            lexer.appendMacroDirective(name, new (lexer.getPreprocessorAllocator())
                                                 UndefMacroDirective(at));
    }

  public:
    CompilerMacros(Preprocessor &lexer, StringRef own) : lexer(lexer), own(own) {
    }
    // A file begins, or goes on behind one that it includes. What clang defines itself is none.
    void FileChanged(SourceLocation at, FileChangeReason reason, SrcMgr::CharacteristicKind kind,
                     FileID) override {
        StringRef path = lexer.getSourceManager().getFilename(at);
        if ((reason != EnterFile && reason != ExitFile) || path.empty() || path.starts_with("<"))
            return;
        bool shown = SrcMgr::isSystem(kind) || path.starts_with(own);
        for (size_t i = 0; i < std::size(compilerMacros); i++)
            show(i, shown, at);
    }
};

} // namespace

void hideCompilerMacros(CompilerInstance &compiler, StringRef own) {
    Preprocessor &lexer = compiler.getPreprocessor();
    lexer.addPPCallbacks(std::make_unique<CompilerMacros>(lexer, own));
}

} // namespace rules
