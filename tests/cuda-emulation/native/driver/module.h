// Modules: compiled programs brought into the process, their functions and global variables.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "block.h"
#include "image.h"

namespace eagerflow {

struct Module;

struct Function {
    Module* module;
    std::string name;
    const Kernel* kernel;
    unsigned max_dynamic_shared;
};

struct Module {
    void* library = nullptr;
    Program program{};
    std::map<std::string, std::unique_ptr<Function>> functions;
    std::vector<uint64_t> globals;
};

int load_module(const void* data, Module** out);
void unload_module(Module* module);
bool is_module(const Module* module);
bool is_function(const Function* function);
int find_function(Module* module, const char* name, Function** out);

}  // namespace eagerflow
