#!/bin/sh
# torch.utils.cpp_extension of PyTorch's wheel: PyTorch's own tests of extensions, which compile C++ and
# CUDA with kudzu as nvcc. The tests are those of PyTorch 2.6.0, from Debian's source package.
# TORCH_TESTS: a folder with PyTorch's sources, of which test/ is used, instead.
. "$(dirname "$0")/common.sh"
version=2.15.0
. "$clients/torch/environment.sh"
tests_version=2.6.0
if [ -z "$TORCH_TESTS" ]; then
    TORCH_TESTS=$work/pytorch-$tests_version
    archive=$work/pytorch_$tests_version+dfsg.orig.tar.xz
    [ -d "$TORCH_TESTS" ] || {
        curl -fsSLo "$archive" "http://deb.debian.org/debian/pool/main/p/pytorch/$(basename "$archive")" &&
            echo "099a9601bc40d67656e75735c44abedb0fbe92d08817852ab7472eebb7e6ddff  $archive" | sha256sum -c - &&
            mkdir -p "$TORCH_TESTS.new" &&
            tar xJf "$archive" -C "$TORCH_TESTS.new" --strip-components=1 --wildcards '*/test/*cpp_extensions*' &&
            mv "$TORCH_TESTS.new" "$TORCH_TESTS"
    } >> "$log" 2>&1 || fail "no sources"
fi
cd "$TORCH_TESTS/test" || exit 1
for library in cublas cusolver; do # what two of the extensions link: stand-ins
    ln -sfn "$(ls "$work/torch-stand-ins/lib$library.so".* | grep -v "[.]map$\|[.]s$" | head -1)" \
        "$work/torch-stand-ins/lib$library.so"
done
export LIBRARY_PATH="$work/torch-stand-ins"
[ -e "$work/$client.built" ] || {
    (cd cpp_extensions && USE_NINJA=1 MAX_JOBS=$jobs "$python" setup.py build_ext --inplace &&
        cd no_python_abi_suffix_test && "$python" setup.py build_ext --inplace) >> "$log" 2>&1 ||
        fail "the extensions cannot be built"
    : > "$work/$client.built"
}
export PYTHONPATH="$TORCH_TESTS/test/cpp_extensions:$PYTHONPATH"
[ $# -gt 0 ] || set -- test_cpp_extensions_aot.py test_cpp_extensions_jit.py
tests -p kudzu_torch "$@" --timeout 3000
report $version
