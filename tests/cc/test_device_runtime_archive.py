"""NVIDIA's device runtime library in the image: where it is looked for, and that only programs which
call it carry it. The CPU device passes it over."""
import os

from common import CompilerTest, main

MARK = "a member of the archive, whose length is odd"
PARENT = ("#include <cstdio>\n__global__ void child(int x) { printf(\"%d\\n\", x); }\n"
          "__global__ void parent() { child<<<1, 1>>>(3); }\n"
          "int main() { parent<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n")


class DeviceRuntimeArchive(CompilerTest):
    def archive(self, folder):
        member = self.write("member", MARK)
        os.makedirs(os.path.join(self.dir, folder), exist_ok=True)
        r = self.command(["ar", "qcS", folder + "/libcudadevrt.a", member])
        self.assertEqual(r.returncode, 0, r.stderr)
        return os.path.join(self.dir, folder)

    def carries(self, *args, env=None, source=PARENT):
        self.write("a.cu", source)
        self.compiles("-rdc=true", "a.cu", "-o", "a.out", *args,
                      env={"CUDA_HOME": "", "CUDA_PATH": "", **(env or {})})
        if os.environ.get("KUDZU_RUNS"):
            self.assertEqual(self.command(["./a.out"]).returncode, 0)
        return MARK.encode() in self.read_bytes("a.out")

    def test_folder_of_an_option(self):
        folder = self.archive("one")
        self.assertTrue(self.carries("-L" + folder))
        self.assertTrue(self.carries("-L", folder, "-lcudadevrt"))

    def test_folders_of_the_environment(self):
        home = os.path.dirname(self.archive("toolkit/lib64"))
        self.assertTrue(self.carries(env={"CUDA_HOME": home}))
        self.assertTrue(self.carries(env={"CUDA_PATH": home}))

    def test_none_is_wanted(self):
        folder = self.archive("one")
        self.assertFalse(self.carries("-L" + folder, "-cudadevrt", "none"))

    def test_an_archive_without_members_is_passed_over(self):
        self.write("empty/libcudadevrt.a", "!<arch>\n")
        home = os.path.dirname(self.archive("toolkit/lib64"))
        self.assertTrue(self.carries("-L" + self.dir + "/empty", env={"CUDA_HOME": home}))
        self.assertFalse(self.carries("-L" + self.dir + "/empty"))

    def test_nothing_calls_it(self):
        folder = self.archive("one")
        self.assertFalse(self.carries(
            "-L" + folder, source="__global__ void k() {}\nint main() { k<<<1, 1>>>(); "
            "return cudaDeviceSynchronize(); }\n"))

    def test_names_of_the_present_interface(self):
        """Functions of graphs are the driver's; the older interface has the older names."""
        self.write("a.cu", "__global__ void child() {}\n"
                   "__global__ void k(cudaGraphExec_t g, cudaGraphConditionalHandle h) {\n"
                   "    child<<<1, 1>>>(); cudaGetLastError();\n"
                   "    cudaGraphLaunch(g, cudaStreamGraphTailLaunch); cudaGraphSetConditional(h, 1);\n"
                   "    free(__nv_aligned_device_malloc(64, 64)); }\n")
        self.compiles("-ptx", "a.cu", "-o", "a.ptx")
        self.contains(self.read("a.ptx"), "__cudaCDP2LaunchDeviceV2,", "__cudaCDP2GetLastError,",
                      "\tcudaGraphLaunch,", "\tcudaGraphSetConditional,",
                      "__cuda_syscall_aligned_malloc,")
        self.write("b.cu", "__global__ void child() {}\n"
                   "__global__ void k() { child<<<1, 1>>>(); cudaDeviceSynchronize(); }\n")
        self.compiles("-ptx", "-arch=sm_70", "-DCUDA_FORCE_CDP1_IF_SUPPORTED", "b.cu", "-o", "b.ptx")
        self.contains(self.read("b.ptx"), "\tcudaLaunchDeviceV2,")
        self.lacks(self.read("b.ptx"), "CDP2")


if __name__ == "__main__":
    main()
