// The entry points of the emulated NVRTC and the options it takes.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "../driver/image.h"
#include "program.h"

using namespace eagerflow;

namespace eagerflow {

// Options that change nothing here; those that take a value as a word of their own are followed by it.
static bool is_ignored(const std::string& option, bool& takes_value) {
    static const char* const PLAIN[] = {"--fmad", "-fmad", "--use_fast_math", "-use_fast_math", "--ftz", "-ftz", "--prec-div", "-prec-div", "--prec-sqrt",
                                        "-prec-sqrt", "--std", "-std", "--ptxas-options", "-Xptxas", "--maxrregcount", "-maxrregcount", "--generate-line-info",
                                        "-lineinfo", "--device-debug", "-G", "--dopt", "-dopt", "--restrict", "-restrict", "--default-device",
                                        "-default-device", "--device-as-default-execution-space", "--extra-device-vectorization", "-w", "--disable-warnings",
                                        "--no-source-include", "--split-compile", "-split-compile", "--diag-suppress", "-diag-suppress", "--minimal", "-minimal",
                                        "--extensible-whole-program", "-ewp", "--relocatable-device-code", "-rdc", "--builtin-initializer-list", "--pch"};
    const std::string name = option.substr(0, option.find('='));
    for (const char* known : PLAIN) {
        if (name != known) continue;
        takes_value = option.find('=') == std::string::npos && (name == "-Xptxas" || name == "--ptxas-options" || name == "--maxrregcount");
        return true;
    }
    return false;
}

// What the compiler knows; a compiler that is older than the device does not know its architecture.
static std::vector<int> architectures() {
    return getenv("EAGERFLOW_CUDA_EMULATION_OLD_COMPILER") != nullptr ? std::vector<int>{75, 80} : std::vector<int>{75, 80, 90};
}

int read_options(int count, const char* const* given, Options& out, std::string& log) {
    for (int i = 0; i < count; i++) {
        const std::string option = given[i];
        auto value = [&](const std::string& name) -> const char* {
            if (option.rfind(name + "=", 0) == 0) return given[i] + name.size() + 1;
            if (option == name && i + 1 < count) return given[++i];
            return nullptr;
        };
        bool takes_value = false;
        const char* text;
        if ((text = value("--gpu-architecture")) || (text = value("-arch"))) {
            out.binary = strncmp(text, "sm_", 3) == 0;
            const char* digits = strpbrk(text, "0123456789");
            out.architecture = digits != nullptr ? atoi(digits) : 0;
            const std::vector<int> known = architectures();
            if (std::find(known.begin(), known.end(), out.architecture) == known.end()) {
                log = std::string("nvrtc: error: invalid value for --gpu-architecture (-arch): ") + text + "\n";
                return NVRTC_INVALID_OPTION;
            }
        } else if ((text = value("--define-macro"))) {
            out.preprocessor.push_back(std::string("-D") + text);
        } else if ((text = value("--undefine-macro"))) {
            out.preprocessor.push_back(std::string("-U") + text);
        } else if ((text = value("--include-path"))) {
            out.preprocessor.push_back(std::string("-I") + text);
        } else if (option.rfind("-D", 0) == 0 || option.rfind("-U", 0) == 0 || option.rfind("-I", 0) == 0) {
            out.preprocessor.push_back(option);
            if (option.size() == 2 && i + 1 < count) out.preprocessor.back() += given[++i];
        } else if (is_ignored(option, takes_value)) {
            i += takes_value;
        } else {
            log = "nvrtc: error: unrecognized option " + option + " found\n";
            return NVRTC_INVALID_OPTION;
        }
    }
    return NVRTC_SUCCESS;
}

}  // namespace eagerflow

#define EXPORT extern "C" __attribute__((visibility("default"))) int

EXPORT nvrtcVersion(int* major, int* minor) {
    *major = 13, *minor = 0;
    return NVRTC_SUCCESS;
}
EXPORT nvrtcGetNumSupportedArchs(int* count) {
    *count = (int)eagerflow::architectures().size();
    return NVRTC_SUCCESS;
}
EXPORT nvrtcGetSupportedArchs(int* all) {
    for (int one : eagerflow::architectures()) *all++ = one;
    return NVRTC_SUCCESS;
}
extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(int code) {
    switch (code) {
        case 0: return "NVRTC_SUCCESS";
        case 3: return "NVRTC_ERROR_INVALID_INPUT";
        case 4: return "NVRTC_ERROR_INVALID_PROGRAM";
        case 5: return "NVRTC_ERROR_INVALID_OPTION";
        case 6: return "NVRTC_ERROR_COMPILATION";
        case 11: return "NVRTC_ERROR_INTERNAL_ERROR";
        default: return "NVRTC_ERROR unknown";
    }
}

EXPORT nvrtcCreateProgram(void** out, const char* source, const char* name, int headers, const char* const* texts, const char* const* names) {
    if (out == nullptr || source == nullptr || headers < 0) return NVRTC_INVALID_INPUT;
    auto* program = new eagerflow::Program;
    program->source = source;
    program->name = name != nullptr ? name : "";
    for (int i = 0; i < headers; i++) program->headers.emplace_back(names[i], texts[i]);
    *out = program;
    return NVRTC_SUCCESS;
}
EXPORT nvrtcDestroyProgram(void** program) {
    if (program == nullptr || *program == nullptr) return NVRTC_INVALID_PROGRAM;
    delete (eagerflow::Program*)*program;
    *program = nullptr;
    return NVRTC_SUCCESS;
}
EXPORT nvrtcCompileProgram(void* handle, int count, const char* const* given) {
    if (handle == nullptr) return NVRTC_INVALID_PROGRAM;
    auto& program = *(eagerflow::Program*)handle;
    Options options;
    program.log.clear();
    if (const int code = read_options(count, given, options, program.log)) return code;
    return compile(program, options);
}

static std::string cubin(const eagerflow::Program& program) {
    if (!program.compiled || !program.binary) return "";
    std::ifstream file(program.path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}
static std::string ptx(const eagerflow::Program& program) { return program.compiled ? PTX_MARK + ("// " + program.path) + "\n" : ""; }

#define RESULT(Name, text, terminator)                                                                    \
    EXPORT nvrtcGet##Name##Size(void* handle, size_t* size) {                                             \
        if (handle == nullptr) return NVRTC_INVALID_PROGRAM;                                              \
        const std::string value = text;                                                                   \
        *size = value.empty() && !terminator ? 0 : value.size() + terminator;                             \
        return NVRTC_SUCCESS;                                                                             \
    }                                                                                                     \
    EXPORT nvrtcGet##Name(void* handle, char* out) {                                                      \
        if (handle == nullptr) return NVRTC_INVALID_PROGRAM;                                              \
        const std::string value = text;                                                                   \
        memcpy(out, value.c_str(), value.size() + terminator);                                            \
        return NVRTC_SUCCESS;                                                                             \
    }
RESULT(CUBIN, cubin(*(eagerflow::Program*)handle), 0)
RESULT(PTX, ptx(*(eagerflow::Program*)handle), 1)
RESULT(ProgramLog, ((eagerflow::Program*)handle)->log, 1)
