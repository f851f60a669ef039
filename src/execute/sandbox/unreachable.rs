//! Why a program that is there cannot be run in a sandbox, where that is known.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::catalog::SandboxLevel;
use crate::execute::ParentEnvironment;

use super::{SandboxProfile, profile, toolchain};

/// Most bytes of a script that are read for its first line.
const MAX_LINE: u64 = 512;

/// Most bytes of what a command printed that are searched, from the end.
const MAX_SAID: usize = 16 << 10;

/// Advice for a program that did not start in a sandbox, or ended with the status by which shells say that they could
/// not find or run one. It names no path; `None` at level `none`, where every program is within reach.
pub(in crate::execute) fn advice(
    profile: &SandboxProfile,
    program: Option<&Path>,
    parent: &ParentEnvironment,
) -> Option<String> {
    if profile.level() == SandboxLevel::None {
        return None;
    }
    if let Some(variable) = program.and_then(|program| closed_toolchain(profile, program, parent)) {
        return Some(format!(
            "the program belongs to a toolchain that the sandbox hides: the contract opens it with `pass_env: [{variable}]`"
        ));
    }
    Some(format!(
        "at sandbox level `{}` only programs in system folders, in folders of `PATH`, in the workspace and in toolchains \
         that the contract passes on (`pass_env: [CARGO_HOME, PYENV_ROOT, …]`) can be run, and so their interpreters",
        profile::name(profile.level())
    ))
}

/// The rule of the sandbox that may be behind what a command says it was refused. Whether it was, only the command knows.
pub(in crate::execute) fn refused_by_sandbox(
    profile: &SandboxProfile,
    printed: [&[u8]; 2],
) -> Option<String> {
    const WORDS: [&str; 4] =
        ["permission denied", "operation not permitted", "read-only file system", "eacces"];
    let says_so = |text: &[u8]| {
        let end = text.get(text.len().saturating_sub(MAX_SAID)..).unwrap_or_default();
        let end = String::from_utf8_lossy(end).to_lowercase();
        WORDS.iter().any(|words| end.contains(words))
    };
    let rule = match profile.level() {
        SandboxLevel::None => return None,
        SandboxLevel::Confined => {
            ", and where nothing new can be made directly in the workspace root or beside something protected"
        }
        SandboxLevel::Isolated => "",
    };
    printed.into_iter().any(says_so).then(|| {
        format!(
            "the sandbox may be what refused it: at level `{}` a command writes only where `sandbox.write` of its contract \
             lets it{rule}",
            profile::name(profile.level())
        )
    })
}

/// The variable of the toolchain in which the program, what it is a link to, or its interpreter lies, where the contract
/// does not pass that variable on.
fn closed_toolchain(
    profile: &SandboxProfile,
    program: &Path,
    parent: &ParentEnvironment,
) -> Option<&'static str> {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let interpreter = interpreter(&real).map(|path| path.canonicalize().unwrap_or(path));
    toolchain::variables()
        .filter(|variable| !profile.toolchains().iter().any(|open| open == variable))
        .filter_map(|variable| toolchain::folder(variable, parent))
        .find(|folder| {
            let within = |path: &Path| path.starts_with(&folder.path);
            within(&real) || interpreter.as_deref().is_some_and(within)
        })
        .map(|folder| folder.variable)
}

/// The program that a script names in its first line.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut start = Vec::new();
    File::open(script).ok()?.take(MAX_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?.trim_ascii();
    let path = line.split(|byte| byte.is_ascii_whitespace()).next()?;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Risk, SandboxRequest};
    use crate::execute::sandbox::{Capability, resolve_profile};
    use crate::policy::Environment;

    fn confined() -> SandboxProfile {
        let request = SandboxRequest { level: Some(SandboxLevel::Confined), ..SandboxRequest::default() };
        let contract = profile::tests::contract(Risk::ReadOnly, Some(request));
        let machine = Capability::imagined(&[SandboxLevel::Confined]);
        resolve_profile(&contract, &Environment::default(), &machine).unwrap()
    }

    #[test]
    fn the_toolchain_of_a_program_or_of_its_interpreter_is_named_unless_it_is_open() {
        let home = tempfile::tempdir().unwrap();
        let bin = home.path().join(".pyenv/versions/3/bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::write(bin.join("python"), "").unwrap();
        let script = home.path().join("tool");
        std::fs::write(&script, format!("#! {}/python -E\nprint()\n", bin.display())).unwrap();
        let parent: ParentEnvironment = [("HOME", home.path().as_os_str())].into_iter().collect();
        let mut profile = confined();
        for program in [&bin.join("python"), &script] {
            let advice = advice(&profile, Some(program), &parent).unwrap();
            assert!(advice.contains("pass_env: [PYENV_ROOT]"), "{advice}");
            assert!(!advice.contains(home.path().to_str().unwrap()), "{advice}");
        }
        profile.allow_toolchain("PYENV_ROOT");
        let advice = advice(&profile, Some(&script), &parent).unwrap();
        assert!(advice.contains("level `confined`"), "{advice}");
    }

    #[test]
    fn without_a_sandbox_there_is_nothing_to_say() {
        let parent = ParentEnvironment::default();
        assert_eq!(advice(&SandboxProfile::none(), Some(Path::new("/no/such")), &parent), None);
    }
}
