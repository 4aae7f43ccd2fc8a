// One program of the emulated NVRTC: its text, what became of it, and where compiled programs are kept.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace eagerflow {

struct Options {
    std::vector<std::string> preprocessor;  // -D, -U, -I as given
    int architecture = 75;
    bool binary = false;  // `sm_XY` rather than `compute_XY`
};

struct Program {
    std::string source, name;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string log, path;
    bool compiled = false, binary = false;
};

// The numbers of `nvrtcResult`.
enum Nvrtc : int { NVRTC_SUCCESS = 0, NVRTC_INVALID_INPUT = 3, NVRTC_INVALID_PROGRAM = 4, NVRTC_INVALID_OPTION = 5, NVRTC_COMPILATION = 6, NVRTC_INTERNAL = 11 };

int read_options(int count, const char* const* given, Options& out, std::string& log);
// Takes the program from the cache or compiles it; `path` names the image, `log` says what the compiler had to say.
int compile(Program& program, const Options& options);

// Whether a text can be rewritten without running the preprocessor first, which costs a third of a compilation: if no
// directive decides what kernels and dynamic shared memory there are and what they are called.
bool is_plain(const std::string& text);

// Text, after the preprocessor or plain: dynamic shared memory becomes a pointer, and each kernel is exported at the end.
std::string rewrite(const std::string& text);

struct Output {
    int status;
    std::string text;
};
// Runs the compiler; `text` is its standard error.
Output run_compiler(const std::vector<std::string>& arguments);

}  // namespace eagerflow
