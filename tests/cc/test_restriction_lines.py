"""Families of rules, many spellings a file: restrictions/lines/*.cu. A line that ends in
`// error: words` is an error that holds these words (a regular expression), and no other line is one;
a warning is marked likewise. `// options:` adds options."""
import os
import re
import sys

from common import CompilerTest, main


class Lines(CompilerTest):
    def test_lines(self):
        with open(SOURCE) as f:
            text = f.read().splitlines()
        options, expected = ["-arch=sm_90"], {}
        for number, line in enumerate(text, 1):
            m = re.search(r"// (options|error|warning): (.*)", line)
            if m and m.group(1) == "options":
                options += m.group(2).split()
            elif m:
                expected[number] = m.group(1), m.group(2)
        r = self.cc("-c", *options, SOURCE, "-o", "a.o")
        self.assertEqual(r.returncode, int(any(e[0] == "error" for e in expected.values())), r.stderr)
        said = {}
        for m in re.finditer(r"^\S*?:(\d+):\d+: (error|warning): (.*)", r.stderr, re.M):
            said.setdefault(int(m.group(1)), []).append((m.group(2), m.group(3)))
        errors = {n for n, what in said.items() if any(kind == "error" for kind, _ in what)}
        self.assertEqual(errors, {n for n, e in expected.items() if e[0] == "error"}, r.stderr)
        for number, (kind, words) in expected.items():
            found = any(k == kind and re.search(words, s) for k, s in said.get(number, []))
            self.assertTrue(found, f"line {number}: no {kind} with {words!r}\n{r.stderr}")


if __name__ == "__main__":
    SOURCE = os.path.abspath(sys.argv.pop(1))
    main()
