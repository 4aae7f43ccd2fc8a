// The form of a compiled program, written by the emulated NVRTC and read by the emulated driver.
#pragma once
#include <cstdint>

namespace eagerflow {

// What the emulated NVRTC gives as a "cubin": this header, then the bytes of a shared object.
struct Image {
    char magic[16];
    uint64_t bytes;
};
constexpr char IMAGE_MAGIC[16] = "eagerflow cubin";
// What it gives as "PTX": this line, then `// ` and the path of such an image.
constexpr char PTX_MARK[] = "// eagerflow emulated ptx\n";

}  // namespace eagerflow
