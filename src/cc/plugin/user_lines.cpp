// PTX that LLVM 19 writes has one line an instruction, without those that it was inlined at. Of an
// atomicAdd it would be a line of kudzu's headers, which tells the reader of a fault's report
// nothing: it becomes the innermost line that is not in headers of kudzu, of the C or the C++
// library.
#include "user_lines.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

#include <dlfcn.h>
#include <string>

using namespace llvm;

namespace {

// The plugin lies in lib, the headers beside that folder in include.
std::string ownHeaders() {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void *>(ownHeaders), &info) || !info.dli_fname)
        return "";
    StringRef path = info.dli_fname;
    for (int k = 0; k < 2; k++)
        path = path.substr(0, path.rfind('/'));
    return path.empty() ? "" : (path + "/include/").str();
}

// Of a file below the folder that clang runs in, that folder and the rest of its path.
bool isSystemHeader(const DILocation &at) {
    std::string path = at.getFilename().str();
    if (!path.empty() && path[0] != '/')
        path = (at.getDirectory() + "/" + path).str();
    StringRef whole = path;
    static const std::string own = ownHeaders();
    return (!own.empty() && whole.starts_with(own)) || whole.starts_with("/usr/include/") ||
           whole.starts_with("/usr/lib/");
}

} // namespace

PreservedAnalyses UserLinesPass::run(Function &f, FunctionAnalysisManager &) {
    for (Instruction &i : instructions(f)) {
        const DILocation *at = i.getDebugLoc().get(), *before = at;
        while (at && at->getInlinedAt() && isSystemHeader(*at))
            at = at->getInlinedAt();
        if (at != before)
            i.setDebugLoc(DebugLoc(at));
    }
    return PreservedAnalyses::all();
}
