"""No source asks for a variable but by environment_get, which knows when none may count.

The compiler's plugin runs in clang, which kudzu starts: what it asks for, kudzu has set.
"""
import os
import re
import sys

bad = []
for root, _, files in os.walk(os.path.join(sys.argv[1], "src")):
    for name in files:
        path = os.path.relpath(os.path.join(root, name), sys.argv[1])
        if not name.endswith((".c", ".h", ".cpp", ".cu")) or path.startswith("src/cc/plugin/"):
            continue
        with open(os.path.join(root, name), errors="replace") as f:
            for number, line in enumerate(f, 1):
                if re.search(r"\b(secure_)?getenv\s*\(", line.split("//")[0]) and \
                        path != "src/support/environment.c":
                    bad.append(f"{path}:{number}: {line.strip()}")
print("\n".join(bad))
sys.exit(bool(bad))
