"""The scripts for public suites: labels out of names, kinds of reports, and what counts as found, missed and false."""
import os, sys, tempfile, unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "public"))
import common, gpuverify, hirace, indigo, scor
import reports


def touch(root, path, text=""):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


class Labels(unittest.TestCase):
    def test_hirace(self):
        self.assertEqual(hirace.label("push_node_neighbor"), frozenset())
        self.assertEqual(hirace.label("push_node_neighbor_boundsBug_last"), {"memory"})
        self.assertEqual(hirace.label("push_node_neighbor_boundsBug_last_atomicBug"), {"memory", "race"})
        self.assertEqual(hirace.label("pull_node_neighbors_block_syncBug"), {"race"})

    def test_indigo_3(self):
        self.assertEqual(indigo.label_3("BFS_CUDA_E_RaceBug_NoBoundsBug"), {"race"})
        self.assertEqual(indigo.label_3("BFS_CUDA_E_NoRaceBug_NbrBoundsBug_UninitializedBug"), {"memory", "init"})
        self.assertIsNone(indigo.label_3("BFS_CUDA_E_RaceBug_LivelockBug"))

    def test_cases_of_checkouts(self):
        with tempfile.TemporaryDirectory() as root:
            touch(root, "microbenchmarks/src/race_a.cu")
            touch(root, "microbenchmarks/src/norace_b.cu")
            touch(root, "benchmarks/uts/Makefile")
            labels = {case.name: case.expected for case in scor.cases(root)}
            self.assertEqual(labels, {"race_a": {"race"}, "norace_b": set(), "uts-racy": {"race"}, "uts-right": set()})
            touch(root, "testsuite/CUDA/a/b/kernel.cu", "//pass\n//--blockDim=2\n")
            touch(root, "testsuite/CUDA/c/kernel.cu", "//xfail:NOT_ALL_VERIFIED\n")
            touch(root, "testsuite/CUDA/d/kernel.cu", "//xfail:BUGLE_ERROR\n")
            labels = {case.name: case.expected for case in gpuverify.cases(root)}
            self.assertEqual(labels, {"a.b": set(), "c": {"any"}})


class Judge(unittest.TestCase):
    def test_kinds(self):
        def kind(title):
            return common.kind_of(reports.Report(title, ()))
        self.assertEqual(kind("Error: Race reported between Write access at k"), "race")
        self.assertEqual(kind("Invalid __shared__ write of size 4 bytes"), "memory")
        self.assertEqual(kind("Uninitialized __global__ memory read of size 4 bytes"), "init")
        self.assertEqual(kind("Barrier error detected. Divergent thread(s) in block"), "sync")
        self.assertIsNone(kind("Leaked 4 bytes at 0x7f"))

    def test_found_missed_false(self):
        judged = ("race", "memory")
        self.assertEqual(common.judge({"race", "memory"}, ["race"], judged), ({"race"}, {"memory"}, set()))
        self.assertEqual(common.judge(set(), ["race", None, "init"], judged), (set(), set(), {"race"}))
        self.assertEqual(common.judge({"any"}, ["memory"], judged), ({"any"}, set(), set()))
        self.assertEqual(common.judge({"any"}, [], judged), (set(), {"any"}, set()))

    def test_halves_are_those_of_bench_unseen(self):
        halves = [common.half_of(f"name{i}") for i in range(200)]
        self.assertTrue(60 < halves.count("seen") < 140)


if __name__ == "__main__":
    unittest.main()
