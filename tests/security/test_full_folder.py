"""A temporary folder without space, and files without an end: the compiler says what is wrong."""
import os
import resource
import subprocess

from common import KUDZU, check, finish, run, scratch

folder = scratch()
temporary = os.path.join(folder, "tmp")
os.mkdir(temporary)
with open(os.path.join(folder, "a.cu"), "w") as f:
    f.write("".join(f"__global__ void kernel{i}(int *p) {{ *p = {i}; }}\n" for i in range(200)) +
            "int main() { kernel1<<<1, 1>>>(nullptr); }\n")
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C", "TMPDIR": temporary, "CUDA_CACHE_DISABLE": "1"}


def judge(r, what, *texts):
    check(r.returncode == 1, f"{what}: status {r.returncode}: {r.stderr}")
    for text in texts:
        check(text in r.stderr, f"{what}: '{text}' is not said: {r.stderr}")
    check("bug report" not in r.stderr, f"{what}: a crash: {r.stderr}")
    check(os.listdir(temporary) == [], f"{what}: {os.listdir(temporary)} is left")


# A file system of its own, which only this process sees.
def compile_in(size, *command):
    script = ('mount -t tmpfs -o size="$0",nr_inodes=50 none "$TMPDIR" || exit 99\n"$@"\ncode=$?\n'
              'umount "$TMPDIR"\nexit $code\n')
    return subprocess.run(["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "sh", "-c",
                           script, size, *command], cwd=folder, env=ENVIRONMENT, timeout=240,
                          capture_output=True, text=True, errors="replace")


if compile_in("16k", "true").returncode:
    print("not checked: file systems without space, which cannot be mounted here")
else:
    for size in ["4k", "8k", "16k", "32k"]:
        judge(compile_in(size, KUDZU, "cc", "-G", "-g", "a.cu", "-o", "a"), size,
              "the temporary directory " + temporary, "No space left on device", "TMPDIR")
    # The test can fail: with space enough all is well.
    r = compile_in("100m", KUDZU, "cc", "-G", "-g", "a.cu", "-o", "a")
    check(r.returncode == 0 and r.stderr == "", f"with space: {r.stderr}")


# A limit of the process.
def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))


r = subprocess.run([KUDZU, "cc", "-G", "-g", "a.cu", "-o", "a"], cwd=folder, env=ENVIRONMENT,
                   preexec_fn=limit, timeout=240, capture_output=True, text=True, errors="replace")
judge(r, "a limit", "File too large", "TMPDIR")
r = run([KUDZU, "cc", "a.cu"], folder, dict(ENVIRONMENT, TMPDIR=folder + "/none"))
judge(r, "no TMPDIR", "cannot make a temporary directory in " + folder + "/none")

# ---- Files without an end ---------------------------------------------------------------------

with open(os.path.join(folder, "words"), "w") as f:
    f.write("-c -o a.o")
with open(os.path.join(folder, "huge"), "w") as f:
    f.truncate(1 << 40)
with open(os.path.join(folder, "includes.cu"), "w") as f:
    f.write('#include "/dev/zero"\n__global__ void kernel(int *p) { *p = 1; }\nint main() {}\n')
os.mkfifo(os.path.join(folder, "fifo"))


def cc(*args):
    return run([KUDZU, "cc", *args], folder, ENVIRONMENT, timeout=60)


check(cc("--options-file", "words", "a.cu").returncode == 0, "an options file is not read")
r = subprocess.run(["bash", "-c", '"$0" cc --options-file <(echo -c -o a.o) a.cu', KUDZU],
                   cwd=folder, env=ENVIRONMENT, timeout=60, capture_output=True, text=True)
check(r.returncode == 0, f"options through a pipe: {r.stderr}")
judge(cc("--options-file", "/dev/zero", "a.cu"), "options", "/dev/zero", "device")
judge(cc("--options-file", "huge", "a.cu"), "options", "huge", "more than")
judge(cc("--options-file", ".", "a.cu"), "options", "directory")
judge(cc("-x", "cu", "/dev/zero"), "a source", "/dev/zero is a device")
judge(cc("-x", "cu", "/dev/urandom"), "a source", "/dev/urandom is a device")
judge(cc("-x", "cu", "huge"), "a source", "huge")
os.symlink("/dev/zero", os.path.join(folder, "zero.o"))
judge(cc("zero.o", "-o", "a"), "an object", "zero.o is a device")
os.symlink("/dev/zero", os.path.join(folder, "zero.cubin"))
judge(cc("-dlink", "zero.cubin", "-o", "a"), "a container", "zero.cubin")
check(cc("-x", "cu", "-c", "/dev/null", "-o", "a.o").returncode == 0, "an empty source")
check(cc("includes.cu", "-o", "a").returncode in (0, 1), "an endless header")
check(cc("-include", "/dev/zero", "a.cu", "-o", "a").returncode in (0, 1), "an endless -include")
finish(folder)
