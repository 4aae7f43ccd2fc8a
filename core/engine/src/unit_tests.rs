//! What unit tests of this crate need before they run: they lie beside the library's code, and yet are users of it, so that errors
//! name their lines. The loader calls it; no test does.

extern "C" fn lines_are_the_users() {
    kernels::error::take_all_lines_for_the_users();
}

// SAFETY: the section lists functions of this type that run before `main`; this one stores to an atomic and needs nothing else.
#[used]
#[cfg_attr(all(unix, not(target_vendor = "apple")), unsafe(link_section = ".init_array"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func,mod_init_funcs"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static FIRST: extern "C" fn() = lines_are_the_users;
