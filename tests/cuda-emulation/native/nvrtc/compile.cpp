// Compiling a program by g++ and keeping the result on disk by the hash of everything that went into it.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

#include "../driver/image.h"
#include "program.h"

extern char** environ;

namespace eagerflow {

namespace fs = std::filesystem;

static std::atomic<uint64_t> compiled_programs, cached_programs;

// The folder of this library: kernel headers lie in `native/` beside it, compiled programs in a folder beside
// it that is named by what they depend on.
static fs::path home() {
    Dl_info info;
    static const int anchor = 0;
    if (dladdr(&anchor, &info) == 0) return ".";
    return fs::absolute(info.dli_fname).parent_path();
}

static std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

static void write_file(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

static std::string hash(const std::string& text) {
    // FNV-1a from two starts: 128 bits are enough to tell programs apart.
    uint64_t a = 0xcbf29ce484222325, b = 0x9ae16a3b2f90404f;
    for (const unsigned char c : text) {
        a = (a ^ c) * 0x100000001b3;
        b = (b ^ (c + 0x9e)) * 0x100000001b3 + (b >> 47);
    }
    char out[40];
    snprintf(out, sizeof out, "%016lx%016lx", a, b);
    return out;
}

static const char* compiler() { return getenv("CXX") != nullptr ? getenv("CXX") : "g++"; }

static Output run(const char* tool, const std::vector<std::string>& arguments) {
    std::vector<char*> argv = {const_cast<char*>(tool)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0) return {-1, "no pipe for the compiler's messages"};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    const int error = posix_spawnp(&child, tool, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    Output out{-1, ""};
    if (error != 0) {
        out.text = std::string("cannot run `") + tool + "`: " + strerror(error);
    } else {
        char buffer[4096];
        for (ssize_t n; (n = read(pipes[0], buffer, sizeof buffer)) > 0;) out.text.append(buffer, (size_t)n);
        waitpid(child, &out.status, 0);
    }
    close(pipes[0]);
    return out;
}

Output run_compiler(const std::vector<std::string>& arguments) { return run(compiler(), arguments); }

static const std::vector<std::string>& flags() {
    static const std::vector<std::string> all = {
        "-std=gnu++17", "-O1", "-pipe", "-fPIC", "-ffp-contract=off", "-fno-exceptions", "-fno-rtti", "-fwrapv", "-fvisibility=hidden", "-w",
        // A misaligned vector load and an index outside of an array are faults on the device too, or should be.
        "-fsanitize=alignment,bounds", "-fno-sanitize-recover=all",
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
        // Registers that were never written hold a pattern that no test can take for a result.
        "-ftrivial-auto-var-init=pattern",
#endif
    };
    return all;
}

// Adds the macros and the headers that stand before every program. The headers are kept compiled, for as long as the macros are those of
// the first program: the compiler looks by itself whether they fit.
static std::vector<std::string> with_headers(std::vector<std::string> flags, const std::vector<std::string>& macros) {
    const fs::path native = home() / "native", compiled = home() / "compiled";
    flags.insert(flags.end(), macros.begin(), macros.end());
    flags.insert(flags.end(), {"-I", compiled.string(), "-I", native.string(), "-I", (native / "kernel").string()});
    static std::once_flag once;
    std::call_once(once, [&] {
        const fs::path target = compiled / "device.h.gch";
        std::error_code ignored;
        if (fs::exists(target, ignored)) return;
        fs::create_directories(compiled, ignored);
        const std::string fresh = (compiled / ("fresh-" + std::to_string(getpid()))).string();
        std::vector<std::string> arguments = flags;
        arguments.insert(arguments.end(), {"-x", "c++-header", (native / "kernel" / "device.h").string(), "-o", fresh});
        // Programs compile without it, too, and several processes may put the same one there.
        if (run_compiler(arguments).status == 0) fs::rename(fresh, target, ignored);
    });
    flags.insert(flags.end(), {"-include", "device.h"});
    return flags;
}

// The linker alone needs a third of the time that it takes through the compiler with all of its libraries; a program asks for functions of
// mathematics, and whatever runs it has C's library.
static Output link(const std::string& object, const std::string& target) {
    const Output out = run("ld", {"-shared", object, "-o", target, "-l:libm.so.6"});
    return out.status == 0 ? out : run_compiler({"-shared", "-nostdlib", object, "-o", target, "-lm", "-lc"});
}

static int compile_fresh(Program& program, const Options& options, const fs::path& target) {
    static std::atomic<uint64_t> number;
    const fs::path home_folder = home(), work = home_folder / ("work-" + std::to_string(getpid()) + "-" + std::to_string(number++));
    const std::string name = program.name.empty() || program.name.find('/') != std::string::npos ? "program.cu" : program.name;
    struct Cleanup {
        const fs::path& folder;
        ~Cleanup() {
            std::error_code ignored;
            fs::remove_all(folder, ignored);
        }
    } cleanup{work};
    write_file(work / name, program.source);
    for (auto& [file, text] : program.headers) write_file(work / "include" / file, text);

    Output out{0, ""};
    std::vector<std::string> macros = {"-D__CUDACC__=1", "-D__CUDACC_RTC__=1", "-DEAGERFLOW_EMULATED=1", "-D__CUDA_ARCH__=" + std::to_string(options.architecture * 10)};
    if (options.preprocessor.empty() && program.headers.empty() && is_plain(program.source)) {
        write_file(work / "program.cpp", rewrite("# 1 \"" + name + "\"\n" + program.source));
    } else {
        std::vector<std::string> preprocess = {"-E", "-x", "c++", "-std=gnu++17", "-I", (work / "include").string()};
        preprocess.insert(preprocess.end(), macros.begin(), macros.end());
        preprocess.insert(preprocess.end(), options.preprocessor.begin(), options.preprocessor.end());
        preprocess.insert(preprocess.end(), {(work / name).string(), "-o", (work / "plain.ii").string()});
        out = run_compiler(preprocess);
        program.log += out.text;
        if (out.status != 0) return NVRTC_COMPILATION;
        write_file(work / "program.cpp", rewrite(read_file(work / "plain.ii")));
    }
    const fs::path object = work / "program.o", shared = work / "program.so";
    std::vector<std::string> build = with_headers(flags(), macros);
    build.insert(build.end(), {"-c", (work / "program.cpp").string(), "-o", object.string()});
    out = run_compiler(build);
    program.log += out.text;
    if (out.status != 0) return NVRTC_COMPILATION;
    out = link(object.string(), shared.string());
    program.log += out.text;
    if (out.status != 0) return NVRTC_COMPILATION;

    const std::string library = read_file(shared);
    Image image{};
    memcpy(image.magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC);
    memcpy(image.build, EAGERFLOW_BUILD, sizeof image.build);
    image.bytes = library.size();
    write_file(work / "program.image", std::string((const char*)&image, sizeof image) + library);
    fs::create_directories(target.parent_path());
    // The text stays beside the image, for whoever wants to show it to the real compiler.
    write_file(work / "program.cu.kept", program.source);
    fs::rename(work / "program.cu.kept", fs::path(target).concat(".cu"));
    // Another process may have put the same program there: either is right.
    fs::rename(work / "program.image", target);
    compiled_programs++;
    return NVRTC_SUCCESS;
}

int compile(Program& program, const Options& options) {
    std::string key = program.name + '\0' + program.source + '\0' + std::to_string(options.architecture);
    for (auto& [name, text] : program.headers) key += '\0' + name + '\0' + text;
    for (const std::string& option : options.preprocessor) key += '\0' + option;
    const fs::path path = home().parent_path() / ("programs-" EAGERFLOW_BUILD) / hash(key);
    program.binary = options.binary;
    program.path = path.string();
    std::error_code ignored;
    if (fs::exists(path, ignored)) {
        cached_programs++;
        program.compiled = true;
        return NVRTC_SUCCESS;
    }
    try {
        const int code = compile_fresh(program, options, path);
        program.compiled = code == NVRTC_SUCCESS;
        return code;
    } catch (const fs::filesystem_error& error) {
        program.log += error.what();
        return NVRTC_INTERNAL;
    }
}

}  // namespace eagerflow

// How many programs this process compiled, and how many it took from the disk.
extern "C" __attribute__((visibility("default"))) void eagerflow_emulation_programs(uint64_t* compiled, uint64_t* cached) {
    *compiled = eagerflow::compiled_programs;
    *cached = eagerflow::cached_programs;
}
