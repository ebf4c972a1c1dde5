"""Results of clients' tests are counted once a test, and failures win."""

import os
import tempfile
import unittest

from count_results import count

FIRST = """<testsuites><testsuite>
<testcase classname="a" name="passes"/>
<testcase classname="a" name="skips"><skipped/></testcase>
<testcase classname="a" name="fails"><failure/></testcase>
<testcase classname="a" name="breaks"><error/></testcase>
<testcase classname="a" name="parts"/>
<testcase classname="a" name="parts"><failure/></testcase>
</testsuite></testsuites>"""
SECOND = """<testsuite>
<testcase classname="a" name="skips"/>
<testcase classname="b" name="passes"><skipped/></testcase>
</testsuite>"""


class Count(unittest.TestCase):
    def test_outcomes(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, text in enumerate((FIRST, SECOND)):
                paths.append(os.path.join(folder, str(i)))
                with open(paths[-1], "w", encoding="utf-8") as f:
                    f.write(text)
            self.assertEqual(
                count(paths),
                {
                    "a.passes": "passed",
                    "a.skips": "passed",
                    "a.fails": "failed",
                    "a.breaks": "failed",
                    "a.parts": "failed",
                    "b.passes": "skipped",
                },
            )


if __name__ == "__main__":
    unittest.main()
