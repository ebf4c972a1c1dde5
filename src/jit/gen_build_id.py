"""Writes a header with a hash over the given source files."""
import hashlib
import sys

h = hashlib.sha256()
for path in sorted(sys.argv[2:]):
    with open(path, "rb") as f:
        h.update(f.read())
with open(sys.argv[1], "w") as f:
    f.write('#define KUDZU_BUILD_ID "%s"\n' % h.hexdigest()[:16])
