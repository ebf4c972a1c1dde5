// clang has no call for a function that begins. When the token behind a brace is read, clang knows
// the function whose body the brace has opened.
#include "rules.h"

#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>

using namespace clang;

void rules::watchBodies(CompilerInstance &compiler, BodyWatchers watchers) {
    compiler.getPreprocessor().setTokenWatcher(
        [&compiler, watchers = std::move(watchers), brace = false](const Token &t) mutable {
            if (FunctionDecl *f =
                    brace && compiler.hasSema() ? compiler.getSema().getCurFunctionDecl() : nullptr)
                for (BodyWatcher watcher : watchers)
                    watcher(f);
            brace = t.is(tok::l_brace);
        });
}
