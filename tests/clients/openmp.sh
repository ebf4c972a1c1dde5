#!/bin/sh
# LLVM's OpenMP offloading: its tests, by Debian's clang-19, clang-tools-19, libomp-19-dev and llvm-19-tools.
# OPENMP_SOURCE=/path/llvm-toolchain-19_19.1.7.orig.tar.xz names a local copy of the sources.
. "$(dirname "$0")/common.sh"
version=19.1.7
llvm=/usr/lib/llvm-19
for part in bin/clang bin/clang-linker-wrapper bin/FileCheck lib/libomptarget.so lib/libomptarget-nvptx-sm_90.bc; do
    [ -e $llvm/$part ] || fail "$llvm/$part is missing"
done
environment lit==18.1.8 psutil==7.2.2
tests=$work/openmp-$version
[ -d "$tests" ] || {
    archive=${OPENMP_SOURCE:-$work/openmp.tar.xz}
    [ -f "$archive" ] || curl -sfo "$archive" \
        "https://deb.debian.org/debian/pool/main/l/llvm-toolchain-19/llvm-toolchain-19_$version.orig.tar.xz" ||
        fail "no sources"
    mkdir -p "$tests"
    tar xf "$archive" -C "$tests" --strip-components=3 --wildcards '*/offload/test/*' || fail "no tests in $archive"
}
# What lit.site.cfg.in asks for. The run time of the device lies elsewhere than the tests look for it.
mkdir -p "$work/openmp-site/lib/DeviceRTL"
ln -sfn $llvm/lib/libomptarget-nvptx-sm_90.bc "$work/openmp-site/lib/DeviceRTL/"
cat > "$work/openmp-site/lit.site.cfg" <<END
config.bin_llvm_tools_dir = "$llvm/bin"
config.test_c_compiler = "$llvm/bin/clang"
config.test_cxx_compiler = "$llvm/bin/clang++"
config.test_fortran_compiler = ""
config.test_compiler_features = ["clang", "clang-19", "clang-19.1"]
config.test_openmp_flags = "-fopenmp"
config.test_extra_flags = "-Wno-unknown-cuda-version --offload-arch=sm_90"
config.cuda_path = "$kudzu"
config.cuda_libdir = "$kudzu/lib"
config.cuda_test_arch = "90"
config.amdgpu_test_arch = ""
config.libomptarget_obj_root = "$work/openmp-site/out"
vars(config)["library_dir"] = "$work/openmp-site/lib"
config.llvm_library_dir = config.llvm_library_intdir = config.llvm_lib_directory = "$llvm/lib"
config.omp_host_rtl_directory = "$llvm/lib"
config.omp_header_directory = "$llvm/lib/clang/19/include"
config.operating_system = "Linux"
config.libomptarget_all_targets = [t + s for s in ("", "-LTO") for t in (
    "nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa", "aarch64-unknown-linux-gnu", "x86_64-pc-linux-gnu",
    "powerpc64le-ibm-linux-gnu", "powerpc64-ibm-linux-gnu", "s390x-ibm-linux-gnu")]
config.libomptarget_current_target = "nvptx64-nvidia-cuda"
config.libomptarget_filecheck = "$llvm/bin/FileCheck"
config.libomptarget_not = "$llvm/bin/not"
config.libomptarget_debug = config.has_libomptarget_ompt = config.libomptarget_has_libc = 0
config.environment["LD_LIBRARY_PATH"] = "$kudzu/lib:$llvm/lib"
config.environment["PATH"] = "$llvm/bin:/usr/bin:/bin"
config.environment["XDG_CACHE_HOME"] = "$XDG_CACHE_HOME"
config.environment["KUDZU_TIER"] = "$KUDZU_TIER"
config.environment["OMP_TARGET_OFFLOAD"] = "MANDATORY"
lit_config.load_config(config, "$tests/lit.cfg")
END
"$work/$client/bin/lit" -j "$jobs" --timeout 200 --filter "${1:-.}" --xunit-xml-output "$results.0" \
    ${CLIENT_SAMPLE:+--num-shards "$CLIENT_SAMPLE" --run-shard 1} "$work/openmp-site" >> "$log" 2>&1
report $version
