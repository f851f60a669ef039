//! Lets the test program be its own launcher, as the real program is: unit tests have no `main` of ours.

#![expect(
    unsafe_code,
    reason = "the section is what makes the loader call the function before the test harness"
)]

#[used]
// SAFETY: the section holds pointers to functions that the loader calls after those of the standard library.
#[unsafe(link_section = ".init_array")]
static ENTRY: extern "C" fn() = become_launcher;

extern "C" fn become_launcher() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == super::ARGUMENT) {
        super::main(arguments);
    }
}
