# A thin front for CMake and Ninja. What is built lies under build/.
#
#   make            set up and build
#   make run        build, and run an example CUDA program on the CPU
#   make check      build, and run all tests
#   make quick      build, and run the tests that take less than a second each, most of them
#   make brief      the same, and some that take seconds: together under a minute on two cores
#   make elsewhere  the same, and what else depends on compilers and libraries of the system
#   make thorough   what make check compiles quickly, or at one width, compiled well and at every width
#                   (SIXTH=0 to 5: a sixth of that)
#   make clients    build, and run the tests of Python clients (from the network, into CLIENTS=folder)
#   make bench      build, and measure against native code and pocl
#   make aarch64    build driver and runtime for 64-bit Arm, in build/aarch64
#   make check-aarch64    the same, and test it with qemu-user
#   make check-releases   compile against other releases' C and C++ libraries
#   make install PREFIX=/usr/local
#   make uninstall        removes what was installed
#   make wheel            a package for pip, dist/kudzu-*.whl
#   make wheel ARCH=arm64 the same for 64-bit Arm (built here); make check-wheel-arm64 runs it by qemu-user
#   make deb              packages for Debian, dist/*.deb; MAINTAINER="Name <address>" is who made them
#   make deb ARCH=arm64   the same for 64-bit Arm (built here); make check-deb-arm64 runs them by qemu-user
#   make deps       install the Debian packages that the build needs
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CLIENTS ?= $(BUILD)/clients
CMAKE_FLAGS ?=
comma := ,

# A CUDA toolkit that happens to be installed is never used.
unexport CUDA_HOME CUDA_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LD_LIBRARY_PATH
export PATH := $(shell printf %s "$$PATH" | tr : '\n' | grep -v cuda | paste -sd:)

all: $(BUILD)/build.ninja
	ninja -C $(BUILD) -j $(JOBS)

$(BUILD)/build.ninja: CMakeLists.txt | deps
	cmake -G Ninja -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS)

deps:
	@scripts/deps.sh build
	@scripts/direction_numbers.sh $(BUILD)/direction-numbers

run: all
	$(BUILD)/bin/kudzu run examples/vector_add.cu

check: all
	ctest --test-dir $(BUILD) --output-on-failure --timeout 300 -j $(JOBS)

thorough: all
	KUDZU_COMPARE=thorough ctest --test-dir $(BUILD) -C thorough --output-on-failure --timeout 1800 -j $(JOBS) \
		-L thorough $(if $(SIXTH),-I $$(($(SIXTH) + 1))$(comma)$(comma)6)

clients: all
	@for script in tests/clients/*.sh; do \
	    case $$script in */common.sh) ;; *) $$script $(BUILD) $(CLIENTS) || true ;; esac; \
	done

quick: all
	ctest --test-dir $(BUILD) --output-on-failure --timeout 300 -j $(JOBS) -L quick

brief: all
	ctest --test-dir $(BUILD) --output-on-failure --timeout 300 -j $(JOBS) -L 'quick|brief'

elsewhere: all
	ctest --test-dir $(BUILD) --output-on-failure --timeout 300 -j $(JOBS) -L 'quick|brief|elsewhere'

bench: all
	@scripts/deps.sh bench
	bench/run.sh $(BUILD)

aarch64: deps
	@scripts/deps.sh aarch64
	scripts/sysroot.sh arm64 $(BUILD)/sysroot-arm64
	cmake -G Ninja -B $(BUILD)/aarch64 -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/aarch64.cmake \
		-DKUDZU_SYSROOT=$(abspath $(BUILD))/sysroot-arm64
	ninja -C $(BUILD)/aarch64 -j $(JOBS)

check-aarch64: all aarch64
	ctest --test-dir $(BUILD) --output-on-failure -R '^aarch64'

# glibc 2.27 to the newest, libstdc++ 8 to the newest: each is a release of Debian or Ubuntu and gcc's
# version there.
RELEASES ?= bionic-8 focal-9 bullseye-10 jammy-11 noble-13 trixie-14 sid-15 sid-16
check-releases: all
	set -e; for r in $(RELEASES); do \
		scripts/sysroot.sh amd64 $(BUILD)/sysroot-$$r $${r%-*} $${r##*-}; done
	KUDZU=$(abspath $(BUILD))/bin/kudzu python3 -B tests/cc/test_c_libraries.py \
		$(RELEASES:%=$(BUILD)/sysroot-%)

install: all
	cmake -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	cmake --install $(BUILD)

# A wheel for pip, with compiler and all, in dist/. As root: it is built in a root of an older Debian; that for
# 64-bit Arm with an older Debian's libraries, by anybody.
ifeq ($(ARCH),arm64)
wheel: all
	scripts/make_wheel_arm64.sh $(BUILD) $(BUILD)/wheel-arm64 dist $(JOBS)
else
wheel:
	scripts/make_wheel.sh $(BUILD)/wheel dist $(JOBS)
endif

# All of kudzu for 64-bit Arm, in build/arm64.
ARM64 ?= $(BUILD)/arm64
ARM64_SYSROOT ?= $(abspath $(BUILD))/sysroot-arm64-compilers
arm64: all
	scripts/sysroot.sh -c arm64 $(ARM64_SYSROOT)
	cmake -G Ninja -B $(ARM64) -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/aarch64.cmake \
		-DKUDZU_SYSROOT=$(ARM64_SYSROOT) -DKUDZU_COMPILER=ON -DKUDZU_TESTS=OFF \
		-DKUDZU_NATIVE=$(abspath $(BUILD))/bin/kudzu $(CMAKE_FLAGS)
	ninja -C $(ARM64) -j $(JOBS)

# Packages for this release of Debian or Ubuntu, in dist/.
ifeq ($(ARCH),arm64)
deb: arm64
	@scripts/deps.sh deb cross-deb
	cmake -B $(ARM64) -DKUDZU_DEB=ON $(if $(MAINTAINER),-DKUDZU_MAINTAINER="$(MAINTAINER)")
	cd $(ARM64) && DEB_HOST_ARCH=arm64 DPKG_ADMINDIR=$(ARM64_SYSROOT)/var/lib/dpkg \
		cpack -G DEB -B $(CURDIR)/dist
	rm -rf dist/_CPack_Packages
	cmake -B $(ARM64) -DKUDZU_DEB=OFF
else
deb: all
	@scripts/deps.sh deb
	cmake -B $(BUILD) -DKUDZU_DEB=ON $(if $(MAINTAINER),-DKUDZU_MAINTAINER="$(MAINTAINER)")
	cd $(BUILD) && cpack -G DEB -B $(CURDIR)/dist
	rm -rf dist/_CPack_Packages
	cmake -B $(BUILD) -DKUDZU_DEB=OFF
endif

# Installs them in a root of Debian for arm64 and runs what a user would. As root, on Linux 6.7 or later.
check-deb-arm64: deb
	scripts/check_arm64.sh $(BUILD)/root-arm64 dist/*_arm64.deb

# The same of the wheel.
check-wheel-arm64:
	$(MAKE) wheel ARCH=arm64
	scripts/check_arm64.sh $(BUILD)/root-arm64 dist/kudzu-*_aarch64.whl

uninstall:
	cmake --build $(BUILD) --target uninstall

clean:
	rm -rf $(BUILD)

.PHONY: all deps run check quick brief elsewhere thorough clients bench aarch64 check-aarch64 check-releases install wheel arm64 deb check-deb-arm64 check-wheel-arm64 uninstall clean
