// Loading a program: its bytes become a file of their own, which the system's loader maps; two loads of one image are
// two modules, as on the device.
#include "module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "driver.h"
#include "memory.h"

namespace eagerflow {

namespace {

std::set<const Module*>& modules() {
    static auto* set = new std::set<const Module*>;
    return *set;
}
std::set<const Function*>& functions() {
    static auto* set = new std::set<const Function*>;
    return *set;
}

// The thread-local segment of a loaded library: its size, and where it lies for this thread.
struct Segment {
    const link_map* library;
    size_t bytes;
    char* here;
};

int find_segment(dl_phdr_info* info, size_t, void* out) {
    Segment* segment = (Segment*)out;
    if (info->dlpi_addr != segment->library->l_addr || strcmp(info->dlpi_name, segment->library->l_name) != 0) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS) segment->bytes = info->dlpi_phdr[i].p_memsz;
    segment->here = (char*)info->dlpi_tls_data;
    return 1;
}

int load_library(const char* bytes, size_t size, Module** out) {
    const char* folder = getenv("TMPDIR");
    std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/eagerflow-module-XXXXXX";
    const int file = mkstemp(path.data());
    if (file < 0) return 304;  // operating system
    size_t written = 0;
    while (written < size) {
        const ssize_t n = write(file, bytes + written, size - written);
        if (n <= 0) break;
        written += (size_t)n;
    }
    close(file);
    // The name stays unique for the life of the library, so that the loader never takes one module for another.
    void* library = written == size ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (library == nullptr && !driver().switches.quiet) fprintf(stderr, "CUDA emulation: %s\n", written == size ? dlerror() : "no space for a module");
    unlink(path.c_str());
    if (library == nullptr) return INVALID_IMAGE;
    auto attach = (void (*)(const Services*, Attachment*))dlsym(library, "eagerflow_attach");
    if (attach == nullptr) {
        dlclose(library);
        return INVALID_IMAGE;
    }
    Attachment attachment{};
    attach(&services(), &attachment);
    Module* module = new Module;
    module->library = library;
    char* probe = (char*)attachment.shared_probe();
    Segment segment{};
    dlinfo(library, RTLD_DI_LINKMAP, &segment.library);
    dl_iterate_phdr(find_segment, &segment);
    module->program = Program{attachment.state, attachment.shared_probe, (size_t)(probe - segment.here), segment.bytes};
    modules().insert(module);
    driver().counters.module_loads++;
    *out = module;
    return SUCCESS;
}

}  // namespace

int load_module(const void* data, Module** out) {
    if (data == nullptr || out == nullptr) return INVALID_VALUE;
    if (memcmp(data, IMAGE_MAGIC, sizeof IMAGE_MAGIC) == 0) {
        const Image* image = (const Image*)data;
        if (memcmp(image->build, EAGERFLOW_BUILD, sizeof image->build) != 0) return NO_BINARY_FOR_GPU;
        return load_library((const char*)data + sizeof(Image), image->bytes, out);
    }
    const char* text = (const char*)data;
    if (strncmp(text, PTX_MARK, sizeof PTX_MARK - 1) != 0) return memcmp(text, "\x7f" "ELF", 4) == 0 ? INVALID_IMAGE : INVALID_PTX;
    const char* name = text + sizeof PTX_MARK - 1 + 3;  // after "// "
    std::ifstream file(std::string(name, strcspn(name, "\n")), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.size() <= sizeof(Image)) return INVALID_PTX;
    return load_library(bytes.data() + sizeof(Image), bytes.size() - sizeof(Image), out);
}

void unload_module(Module* module) {
    for (auto& [name, function] : module->functions) functions().erase(function.get());
    for (const uint64_t address : module->globals) unregister_global(address);
    modules().erase(module);
    dlclose(module->library);
    delete module;
}

bool is_module(const Module* module) { return modules().count(module) != 0; }
bool is_function(const Function* function) { return functions().count(function) != 0; }

int find_function(Module* module, const char* name, Function** out) {
    auto found = module->functions.find(name);
    if (found == module->functions.end()) {
        // The plain name is exported only by a function with C linkage, which the device asks for too.
        const Kernel* kernel = (const Kernel*)dlsym(module->library, (std::string("eagerflow_kernel_") + name).c_str());
        if (kernel == nullptr || dlsym(module->library, name) == nullptr) return NOT_FOUND;
        auto function = std::make_unique<Function>(Function{module, name, kernel, MAX_SHARED});
        functions().insert(function.get());
        found = module->functions.emplace(name, std::move(function)).first;
    }
    *out = found->second.get();
    return SUCCESS;
}

}  // namespace eagerflow
