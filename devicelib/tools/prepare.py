"""Turn the device library's optimised LLVM text into text that fits every target it is linked to.

usage: prepare.py IN.ll OUT.ll

clang writes the target that the library was compiled for into function attributes; without them
the functions take on the target of the code that they are linked into (sm_50 and later) and can be
inlined into it. The library's name for NVVM's reflection query becomes the real one only here,
after optimisation, because the optimiser would answer it on the spot.
"""

import re
import sys

DROPPED = ("target-cpu", "target-features", "frame-pointer", "stack-protector-buffer-size")


def prepare(text):
    for attribute in DROPPED:
        text = re.sub(r' "%s"="[^"]*"' % attribute, "", text)
    text = re.sub(r"^!llvm\.(ident|module\.flags) = .*\n", "", text, flags=re.M)
    text = re.sub(r"^source_filename = .*\n", "", text, flags=re.M)
    text = re.sub(r"\bdso_local ", "", text)
    return text.replace("@__kd_reflect(", "@__nvvm_reflect(")


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as f:
        text = f.read()
    with open(target, "w", encoding="utf-8") as f:
        f.write(prepare(text))


if __name__ == "__main__":
    main()
