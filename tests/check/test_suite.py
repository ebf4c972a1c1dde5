"""The judge of checkers itself: what counts as found, missed, and a false alarm."""
import os, sys, unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reports, suite

MEMORY = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at fill(int *, int)+0x90 in /tmp/x/global_overrun.cu:12
=========     by thread (4,0,0) in block (3,0,0)
=========     Address 0x7f is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: main in global_overrun.cu:19 [0x4e5]
=========
PASS
========= ERROR SUMMARY: 1 error
"""
RACE = """========= Error: Race reported between Write access at reverse(int *)+0x40 in missing_barrier.cu:6
=========     and Read access at reverse(int *)+0x90 in missing_barrier.cu:10 [248 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
API = """========= Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaFree.
=========     Saved host backtrace up to driver entry point at error
=========         Host Frame: main in /tmp/double_free.cu:9 [0x1]
========= Leaked 100 bytes at 0x7f
=========         Host Frame: main in /tmp/double_free.cu:6 [0x1]
========= LEAK SUMMARY: 100 bytes leaked in 1 allocations
"""


class Reports(unittest.TestCase):
    def test_device_lines_come_before_host_lines(self):
        (report,) = reports.parse(MEMORY)
        self.assertEqual(report.places, (("global_overrun.cu", 12),))
        self.assertTrue(report.title.startswith("Invalid __global__ write"))

    def test_both_lines_of_a_race(self):
        (report,) = reports.parse(RACE)
        self.assertEqual([line for _, line in report.places], [6, 10])

    def test_host_lines_where_there_are_no_others(self):
        self.assertEqual([r.places[0][1] for r in reports.parse(API)], [9, 6])

    def test_output_of_the_program_is_no_report(self):
        self.assertEqual(reports.parse("Error in a.cu:3\nPASS\n========= ERROR SUMMARY: 0 errors\n"), [])


class Judge(unittest.TestCase):
    def program(self, name):
        (program,) = [p for p in suite.programs("") if p.name == name]
        return program

    def test_named_line(self):
        program = self.program("race_block/missing_barrier")
        (line,), (second,) = program.bug, program.second
        text = RACE.replace("cu:6", f"cu:{line}").replace("cu:10", f"cu:{second}")
        self.assertEqual(suite.judge(program, reports.parse(text), [], True).bug, "found")

    def test_other_line_and_no_report(self):
        program = self.program("race_block/missing_barrier")
        text = RACE.replace("cu:6", "cu:1").replace("cu:10", "cu:2")
        self.assertEqual(suite.judge(program, reports.parse(text), [], True).bug, "line")
        self.assertEqual(suite.judge(program, [], [], True).bug, "missed")

    def test_twins(self):
        program = self.program("memory/global_overrun")
        self.assertEqual(suite.judge(program, [], [], True).twin, "clean")
        self.assertEqual(suite.judge(program, [], [], False).twin, "failed")
        self.assertEqual(suite.judge(program, [], reports.parse(MEMORY), True).twin, "reported")

    def test_exit_status(self):
        program = self.program("memory/global_overrun")
        missed = [(program, suite.judge(program, [], [], True))]
        self.assertEqual(list(suite.verdict(missed, [])), [])
        self.assertEqual(len(list(suite.verdict(missed, [program.name]))), 1)
        false_alarm = [(program, suite.judge(program, [], reports.parse(MEMORY), True))]
        self.assertEqual(len(list(suite.verdict(false_alarm, []))), 1)

    def test_every_program_is_marked(self):
        every = list(suite.programs(""))
        self.assertGreaterEqual(len(every), 100)
        for program in every:
            with open(program.source) as f:
                lines = f.read().splitlines()
            self.assertLessEqual(len(lines), 60, program.name)
            self.assertTrue(lines[0].startswith("// "), program.name)
            self.assertIn("uide, ", " ".join(line for line in lines[:4] if line.startswith("//")), program.name)

    def test_names_that_must_be_found_exist(self):
        names = {program.name for program in suite.programs("")}
        self.assertLessEqual(set(suite.read_names(os.path.join(suite.HERE, "found.txt"))), names)


if __name__ == "__main__":
    unittest.main()
