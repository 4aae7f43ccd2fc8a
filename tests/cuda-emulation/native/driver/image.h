// The form of a compiled program, written by the emulated NVRTC and read by the emulated driver.
#pragma once
#include <cstdint>

// The build that made an image must be the one that runs it: both share the layout of `abi.h`.
#ifndef EAGERFLOW_BUILD
#define EAGERFLOW_BUILD "0000000000000000"
#endif

namespace eagerflow {

// What the emulated NVRTC gives as a "cubin": this header, then the bytes of a shared object.
struct Image {
    char magic[16];
    char build[16];
    uint64_t bytes;
};
constexpr char IMAGE_MAGIC[16] = "eagerflow cubin";
// What it gives as "PTX": this line, then `// ` and the path of such an image.
constexpr char PTX_MARK[] = "// eagerflow emulated ptx\n";

}  // namespace eagerflow
