// What CUDA C++ has and C++ has not: arrays of unknown size in shared memory, and functions that the host launches.
// Both are found in the preprocessed text where macros have a part in them, else in the text as it is.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "program.h"

namespace eagerflow {

namespace {

bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

class Rewriter {
  public:
    explicit Rewriter(const std::string& text) : text_(text) {}

    std::string run() {
        while (at_ < text_.size()) step();
        out_ += "\nEAGERFLOW_PROGRAM\n" + exports_;
        return std::move(out_);
    }

  private:
    void step() {
        const char c = text_[at_];
        if (c == '\n') {
            line_++;
            copy(1);
            if (at_ < text_.size() && text_[at_] == '#') marker();
        } else if (text_.compare(at_, 2, "//") == 0) {
            copy(std::min(text_.find('\n', at_), text_.size()) - at_);
        } else if (text_.compare(at_, 2, "/*") == 0) {
            const size_t end = std::min(text_.find("*/", at_), text_.size() - 2) + 2;
            for (size_t i = at_; i < end; i++) line_ += text_[i] == '\n';
            copy(end - at_);
        } else if (c == '#' && at_ == 0) {
            marker();
        } else if (c == '"' || c == '\'') {
            copy(literal(at_) - at_);
        } else if (c == '{' || c == '}') {
            depth_ += c == '{' ? 1 : -1;
            copy(1);
        } else if (is_word(c)) {
            const std::string word = word_at(at_);
            if (word == "extern" && word_at(skip(at_ + 6)) == "__shared__") dynamic_array();
            else {
                if (word == "__global__") kernel(at_ + word.size());
                copy(word.size());
            }
        } else {
            copy(1);
        }
    }

    void copy(size_t n) {
        out_.append(text_, at_, n);
        at_ += n;
    }

    // `# 12 "file"` tells where the next line is from; a directive of a plain text is left alone, with its continuations.
    void marker() {
        size_t end = std::min(text_.find('\n', at_), text_.size());
        while (end < text_.size() && end > 0 && text_[end - 1] == '\\') {
            line_++;
            end = std::min(text_.find('\n', end + 1), text_.size());
        }
        const std::string line = text_.substr(at_, end - at_);
        size_t digits = 1;
        while (digits < line.size() && line[digits] == ' ') digits++;
        if (digits < line.size() && isdigit((unsigned char)line[digits])) {
            line_ = std::stoi(line.substr(digits)) - 1;
            const size_t quote = line.find('"');
            if (quote != std::string::npos) file_ = line.substr(quote, line.find('"', quote + 1) - quote + 1);
        }
        copy(end - at_);
    }

    size_t literal(size_t from) const {
        size_t end = from + 1;
        while (end < text_.size() && text_[end] != text_[from]) end += text_[end] == '\\' ? 2 : 1;
        return std::min(end + 1, text_.size());
    }

    size_t skip(size_t from) const {
        while (from < text_.size() && isspace((unsigned char)text_[from])) from++;
        return from;
    }

    std::string word_at(size_t from) const {
        size_t end = from;
        while (end < text_.size() && is_word(text_[end])) end++;
        return text_.substr(from, end - from);
    }

    // Behind the parenthesis that closes the one at `from`.
    size_t closing(size_t from) const {
        int depth = 0;
        for (size_t i = from; i < text_.size(); i++) {
            if (text_[i] == '(') depth++;
            if (text_[i] == ')' && --depth == 0) return i + 1;
        }
        return text_.size();
    }

    // `extern __shared__ [__align__(n)] T name[];`
    void dynamic_array() {
        const size_t end = text_.find(';', at_);
        std::string declaration = text_.substr(at_, end - at_), type;
        const size_t bracket = declaration.find('[');
        if (end == std::string::npos || bracket == std::string::npos) {
            copy(6);
            return;
        }
        std::string head = declaration.substr(declaration.find("__shared__") + 10, bracket - declaration.find("__shared__") - 10);
        for (const char* attribute : {"__align__", "alignas"}) {
            const size_t where = head.find(attribute);
            if (where == std::string::npos) continue;
            head.erase(where, head.find(')', where) + 1 - where);
        }
        while (!head.empty() && isspace((unsigned char)head.back())) head.pop_back();
        size_t name = head.size();
        while (name > 0 && is_word(head[name - 1])) name--;
        for (const char c : head.substr(0, name))
            if (!isspace((unsigned char)c)) type += c;
            else if (!type.empty() && type.back() != ' ') type += ' ';
        const std::string pointer = "((" + type + "*)eagerflow_state.dynamic_shared)";
        // All such arrays of a program are one object with external linkage: its name has one type.
        const auto [known, fresh] = arrays_.emplace(head.substr(name), type);
        if (!fresh && known->second != type) out_ += "static_assert(false, \"extern __shared__ arrays of one name must have one type\");";
        if (depth_ > 0) out_ += type + "* const " + head.substr(name) + " = " + pointer;
        else out_ += "\n#define " + head.substr(name) + " " + pointer + "\n# " + std::to_string(line_) + " " + file_ + "\n";
        for (size_t i = at_; i < end; i++) line_ += text_[i] == '\n';
        at_ = end;
    }

    // The name is the word before the parameters; templates have none that the host could ask for.
    void kernel(size_t from) {
        std::string bounds = "0", word;
        for (size_t i = from; i < text_.size();) {
            if (is_word(text_[i])) {
                word = word_at(i);
                i += word.size();
            } else if (text_[i] == '(') {
                const size_t end = closing(i);
                if (word == "__launch_bounds__") {
                    bounds = text_.substr(i + 1, end - i - 2);
                    int depth = 0;
                    for (size_t k = 0; k < bounds.size(); k++) {
                        depth += bounds[k] == '(' ? 1 : bounds[k] == ')' ? -1 : 0;
                        if (bounds[k] == ',' && depth == 0) bounds.resize(k);
                    }
                } else if (word != "__attribute__" && word != "__align__") {
                    if (text_[skip(end)] == '{' && !is_template() && names_.insert(word).second)
                        exports_ += "EAGERFLOW_KERNEL(" + word + ", " + word + ", (" + bounds + "))\n";
                    return;
                }
                i = end;
            } else if (text_[i] == ';' || text_[i] == '{') {
                return;
            } else {
                i++;
            }
        }
    }

    // Whether the declaration that ends in `__global__` here began with `template`.
    bool is_template() const {
        const size_t begin = out_.find_last_of(";}");
        const size_t word = out_.find("template", begin == std::string::npos ? 0 : begin);
        return word != std::string::npos;
    }

    const std::string& text_;
    std::string out_, exports_, file_ = "\"program.cu\"";
    std::set<std::string> names_;
    std::map<std::string, std::string> arrays_;
    size_t at_ = 0;
    int depth_ = 0, line_ = 1;
};

}  // namespace

// Whether a kernel's head (from `__global__` to its parameters) or an array's declaration uses one of these words.
static bool head_uses(const std::string& text, size_t from, const std::set<std::string>& words) {
    std::string word;
    int depth = 0;
    bool attribute = false;
    for (size_t i = from; i < text.size();) {
        if (is_word(text[i])) {
            size_t end = i;
            while (end < text.size() && is_word(text[end])) end++;
            word = text.substr(i, end - i);
            if (words.count(word) != 0) return true;
            i = end;
            continue;
        }
        if (text[i] == '(' && depth++ == 0) attribute = word == "__launch_bounds__" || word == "__attribute__" || word == "__align__";
        if (text[i] == '(' && !attribute) return false;
        if (text[i] == ')') depth--;
        if (text[i] == ';' || text[i] == '{') return false;
        i++;
    }
    return false;
}

bool is_plain(const std::string& text) {
    std::set<std::string> defined;
    std::vector<size_t> heads;
    int conditions = 0;
    for (size_t begin = 0; begin < text.size();) {
        size_t end = std::min(text.find('\n', begin), text.size());
        const size_t first = std::min(text.find_first_not_of(" \t", begin), end);
        const bool directive = first < end && text[first] == '#';
        while (directive && end < text.size() && text[end - 1] == '\\') end = std::min(text.find('\n', end + 1), text.size());
        const std::string line = text.substr(begin, end - begin);
        const size_t name = std::min(line.find("__global__"), line.find("__shared__"));
        const bool names = name != std::string::npos;
        if (directive) {
            // Other forms than in the first column, and includes, are for the preprocessor to see to.
            if (names || first != begin || line.rfind("#include", 0) == 0 || line.rfind("# ", 0) == 0) return false;
            if (line.rfind("#if", 0) == 0) conditions++;
            if (line.rfind("#endif", 0) == 0) conditions--;
            if (line.rfind("#define ", 0) == 0) {
                size_t stop = 8;
                while (stop < line.size() && is_word(line[stop])) stop++;
                defined.insert(line.substr(8, stop - 8));
            }
        } else if (names) {
            if (conditions != 0) return false;
            heads.push_back(begin + name);
        }
        begin = end + 1;
    }
    return std::none_of(heads.begin(), heads.end(), [&](size_t head) { return head_uses(text, head, defined); });
}

std::string rewrite(const std::string& text) { return Rewriter(text).run(); }

}  // namespace eagerflow
