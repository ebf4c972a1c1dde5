#!/usr/bin/env python3
"""bench/unseen's text work: directives for the host, comparison of outputs, the two halves."""
import os, sys, unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/unseen"))
import host_loops, outputs, suites  # noqa: E402


def pragmas(text):
    return [line.strip() for line in host_loops.host_loops(text).splitlines() if "#pragma" in line]


class HostLoops(unittest.TestCase):
    def test_a_loop_over_teams_is_a_parallel_loop(self):
        text = ("#pragma omp target teams distribute parallel for collapse(2) \\\n"
                "   map(to: a[0:n]) reduction(+: s) thread_limit(256)\n"
                "for (int i = 0; i < n; i++) f(i);\n")
        self.assertEqual(pragmas(text), ["#pragma omp parallel for collapse(2) reduction(+: s)"])
        self.assertEqual(host_loops.host_loops(text).count("\n"), text.count("\n"))

    def test_data_and_declarations_go(self):
        text = ("#pragma omp declare target\nint f(int);\n#pragma omp end declare target\n"
                "#pragma omp target data map(to: a[0:n])\n{\n#pragma omp target update from(b[0:n])\n}\n")
        self.assertEqual(pragmas(text), [])

    def test_a_loop_within_is_serial(self):
        text = ("#pragma omp target teams distribute\nfor (;;) {\n#pragma omp parallel for reduction(+:s)\n"
                "for (;;) s++;\n}\n#pragma omp parallel for\nfor (;;);\n")
        self.assertEqual(pragmas(text), ["#pragma omp parallel for", "#pragma omp parallel for"])

    def test_braces_in_strings_and_comments_end_nothing(self):
        text = ('#pragma omp target teams distribute\nfor (;;) { puts("}"); // }\n#pragma omp parallel for\n'
                "for (;;) s++; /* } */ }\n")
        self.assertEqual(pragmas(text), ["#pragma omp parallel for"])

    def test_a_block_of_threads_is_no_loop(self):
        with self.assertRaises(host_loops.NotALoop):
            host_loops.host_loops("#pragma omp target teams num_teams(8)\n{\n#pragma omp parallel\n{}\n}\n")

    def test_what_is_for_the_host_stays(self):
        text = "#pragma omp parallel for num_threads(4) schedule(static)\nfor (;;) {\n#pragma omp atomic update\nx++;\n}\n"
        self.assertEqual(pragmas(text),
                         ["#pragma omp parallel for schedule(static)", "#pragma omp atomic update"])
        self.assertEqual(pragmas("#pragma omp simd\nfor (;;);\n#pragma once\n"), ["#pragma omp simd", "#pragma once"])


class Outputs(unittest.TestCase):
    def test_numbers_of_equal_lines_agree(self):
        self.assertEqual(outputs.agree("sum 1.0000\ntime 3 s\n", "sum 1.0001\ntime 9 s\n"), "checked")
        self.assertTrue(outputs.agree("sum 1.0\n", "sum 1.1\n").startswith("differ"))

    def test_a_failure_is_a_difference(self):
        self.assertTrue(outputs.agree("FAIL\n", "PASS\n").startswith("differ"))
        self.assertEqual(outputs.agree("PASS\n", "PASS\n"), "checked")

    def test_speed_alone_is_no_check(self):
        self.assertEqual(outputs.agree("Time: 3.0 s\n", "Time: 4.0 s\n"), "unchecked")


class Halves(unittest.TestCase):
    def test_a_name_stays_in_its_half(self):
        names = ["bfs", "gelu", "softmax", "lud", "nw", "sobel", "xsbench", "hotspot"]
        halves = {suites.half_of(name) for name in names}
        self.assertEqual(halves, {"seen", "unseen"})


if __name__ == "__main__":
    unittest.main()
