#!/bin/sh
# Liger-Kernel, Triton kernels for training language models: its tests of single kernels.
# LIGER_SOURCE: a checkout of https://github.com/linkedin/Liger-Kernel.
. "$(dirname "$0")/common.sh"
version=0.8.2
. "$clients/torch/environment.sh"
add_packages transformers==5.24.0 huggingface_hub==2.4.0 tokenizers==0.23.3 safetensors==0.8.0 regex==2026.11.19 \
    PyYAML==6.0.4 tqdm==4.70.1 hf-xet==1.8.0 httpx2==2.16.2 httpcore2==2.16.2 anyio==4.16.0 h11==0.16.0 idna==3.20 \
    truststore==0.10.5 typer==0.29.2 click==8.5.1 rich==15.0.0 shellingham==1.5.4 markdown-it-py==4.3.0 mdurl==0.1.2 \
    annotated-doc==0.0.7
sources LIGER_SOURCE https://github.com/linkedin/Liger-Kernel ead96b618e5c67bddc6a6e9bcb99bfe6b5ab661c pyproject.toml \
    src/liger_kernel test/transformers test/utils.py test/conftest.py test/__init__.py
cd "$sources" || exit 1
[ $# -gt 0 ] || for t in cross_entropy dyt embedding fused_linear_cross_entropy geglu group_norm jsd kl_div layer_norm \
    poly_norm rms_norm rope softmax sparsemax swiglu tvd; do set -- "$@" "test/transformers/test_$t.py"; done
tests -p kudzu_torch "$@" -n "$jobs" --max-worker-restart 1000 --timeout 900 --tb native
report $version
