//! The system calls that a confined command cannot make.
//!
//! Landlock knows files, TCP, signals and abstract sockets; this filter takes away the rest of what leads out: other
//! sockets, other processes' memory and limits, new namespaces, mounts, and kernel interfaces that have their own rules.

use std::collections::BTreeMap;
use std::io;

use libc::{c_long, c_ulong};
use rustix::process::{getegid, geteuid};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};

use super::Network;

/// What a command may change about files besides their content. Landlock does not cover it: a mode can be changed by
/// path, and through a file that is open for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Metadata {
    /// Whatever the file system permits: for a command that sees only files that it may change, or cannot.
    Free,
    /// Modes without set-id bits, and times, as compilers and archivers do. Where Landlock alone guards files, this
    /// reaches beyond the grants. No other owners, and no extended attributes, which programs do without where a file system
    /// has none.
    Change,
    /// Nothing but the times of a file that is open.
    Keep,
}

/// Whose memory segments, message queues and semaphores a command would find by their keys and names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    /// Its own, in a namespace of its own.
    Own,
    /// Those of every program of the user, so that it gets none.
    Shared,
}

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// Calls that are refused whatever their arguments.
const REFUSED: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

/// Calls that change a file's user and group, and which argument of theirs is the user; the group is the next.
const OWNERS: &[(c_long, u8)] = &[
    (libc::SYS_fchown, 1),
    (libc::SYS_fchownat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chown, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lchown, 1),
];

/// Calls that change extended attributes.
const ATTRIBUTES: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
];

/// Calls for System V memory, messages and semaphores, and for POSIX message queues.
const OBJECTS: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmdt,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_notify,
    libc::SYS_mq_getsetattr,
];

/// Calls that change a mode, and which argument of theirs it is.
const MODES: &[(c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (SYS_FCHMODAT2, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
];

/// The bits of a mode that run a program as somebody else.
const SET_ID: [u64; 2] = [0o4000, 0o2000];

/// Older calls that change times by path.
const TIMES_BY_PATH: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

// Numbers from the kernel's table that all architectures share, newer than the C library's headers.
const SYS_FCHMODAT2: c_long = 452;
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_FILE_SETATTR: c_long = 469;

/// The filters of a command; each must be installed.
///
/// # Errors
/// When the machine's architecture is not supported.
pub(super) fn programs(
    network: Network,
    metadata: Metadata,
    objects: Objects,
) -> io::Result<Vec<BpfProgram>> {
    let mut refused: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    keep_metadata(&mut refused, metadata)?;
    refused.insert(libc::SYS_clone, new_namespaces()?);
    // Another process's limits are its own; 0 means the caller's.
    refused.insert(libc::SYS_prlimit64, vec![rule(&[(0, SeccompCmpOp::Ne, 0)])?]);
    refused.insert(
        libc::SYS_ioctl,
        vec![
            rule(&[(1, SeccompCmpOp::Eq, libc::TIOCSTI)])?,
            rule(&[(1, SeccompCmpOp::Eq, libc::TIOCLINUX)])?,
        ],
    );
    sockets(&mut refused, network)?;
    // What its structure asks for cannot be seen, and libraries fall back to `clone` when it is said not to exist.
    let mut unknown: Rules = [(libc::SYS_clone3, Vec::new())].into();
    if objects == Objects::Shared {
        // As on a kernel that was built without them, for which programs are prepared.
        unknown.extend(OBJECTS.iter().map(|call| (*call, Vec::new())));
    }
    let mut programs = vec![compile(refused, libc::EPERM)?, compile(unknown, libc::ENOSYS)?];
    if metadata != Metadata::Free {
        let attributes: Rules = ATTRIBUTES.iter().map(|call| (*call, Vec::new())).collect();
        programs.push(compile(attributes, libc::EOPNOTSUPP)?);
    }
    Ok(programs)
}

fn keep_metadata(refused: &mut Rules, metadata: Metadata) -> io::Result<()> {
    match metadata {
        Metadata::Free => return Ok(()),
        Metadata::Change => {
            for (call, argument) in MODES {
                let set_id = SET_ID.map(|bit| rule(&[(*argument, SeccompCmpOp::MaskedEq(bit), bit)]));
                refused.insert(*call, set_id.into_iter().collect::<io::Result<_>>()?);
            }
        }
        Metadata::Keep => {
            refused.extend(MODES.iter().map(|(call, _)| (*call, Vec::new())));
            refused.extend(TIMES_BY_PATH.iter().map(|call| (*call, Vec::new())));
            // Without a path it changes the times of a file that is open already.
            refused.insert(libc::SYS_utimensat, vec![rule(&[(1, SeccompCmpOp::Ne, 0)])?]);
        }
    }
    refused.insert(SYS_FILE_SETATTR, Vec::new());
    for (call, user) in OWNERS {
        refused.insert(
            *call,
            vec![another(*user, geteuid().as_raw())?, another(*user + 1, getegid().as_raw())?],
        );
    }
    Ok(())
}

/// The filter as the kernel reads it.
pub(super) fn bytes(program: &BpfProgram) -> Vec<u8> {
    program
        .iter()
        .flat_map(|instruction| {
            let [code_0, code_1] = instruction.code.to_ne_bytes();
            let [k_0, k_1, k_2, k_3] = instruction.k.to_ne_bytes();
            [code_0, code_1, instruction.jt, instruction.jf, k_0, k_1, k_2, k_3]
        })
        .collect()
}

fn new_namespaces() -> io::Result<Vec<SeccompRule>> {
    [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ]
    .into_iter()
    .map(|flag| {
        let flag = u64::from(flag.unsigned_abs());
        rule(&[(0, SeccompCmpOp::MaskedEq(flag), flag)])
    })
    .collect()
}

fn sockets(refused: &mut Rules, network: Network) -> io::Result<()> {
    match network {
        Network::None => {
            // A pair of connected sockets reaches only the two who hold it; nothing else is a socket.
            for call in [libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen] {
                refused.insert(call, Vec::new());
            }
        }
        Network::Open => {
            let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
            let other: Vec<(u8, SeccompCmpOp, c_ulong)> = families
                .into_iter()
                .map(|family| (0, SeccompCmpOp::Ne, c_ulong::from(family.unsigned_abs())))
                .collect();
            refused.insert(libc::SYS_socket, vec![rule(&other)?]);
        }
    }
    // Datagrams of a pair can be sent elsewhere: to any socket in the file system.
    let kind = u64::from(libc::SOCK_DGRAM.unsigned_abs());
    refused.insert(libc::SYS_socketpair, vec![rule(&[(1, SeccompCmpOp::MaskedEq(0xf), kind)])?]);
    Ok(())
}

/// A rule that matches where an argument names a user or group that is not the command's own, and is not left as it is.
/// Programs that copy or unpack give a file the owner that it has.
fn another(argument: u8, own: u32) -> io::Result<SeccompRule> {
    let differs =
        |value| SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(value));
    let conditions = [differs(own), differs(u32::MAX)].into_iter().collect::<Result<Vec<_>, _>>();
    SeccompRule::new(conditions.map_err(io::Error::other)?).map_err(io::Error::other)
}

/// A rule that matches when all of its conditions (argument, operator, value) do. Arguments count as 32 bits wide, which
/// is what the kernel looks at in all of those used here, but for pointers.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> io::Result<SeccompRule> {
    let conditions = conditions
        .iter()
        .map(|(argument, operator, value)| {
            let length = if *value == 0 { SeccompCmpArgLen::Qword } else { SeccompCmpArgLen::Dword };
            SeccompCondition::new(*argument, length, operator.clone(), *value)
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(io::Error::other)?;
    SeccompRule::new(conditions).map_err(io::Error::other)
}

fn compile(rules: Rules, errno: i32) -> io::Result<BpfProgram> {
    let architecture = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let action = SeccompAction::Errno(errno.unsigned_abs());
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, action, architecture).map_err(io::Error::other)?;
    let program: BpfProgram = filter.try_into().map_err(io::Error::other)?;
    Ok(without_x32().into_iter().chain(program).collect())
}

/// Refuses the x32 form of every call. It has the same architecture and other numbers, so a filter of numbers misses it.
fn without_x32() -> [sock_filter; 3] {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32: u32 = 0x4000_0000;
    let errno = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    [
        sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: X32 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: errno },
    ]
}
