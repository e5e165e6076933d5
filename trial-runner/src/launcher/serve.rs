//! The launcher's loop: one request, one fork, one reply.

use std::os::fd::OwnedFd;
use std::path::Path;

use nix::unistd::Pid;
use schedulers::protocol::{LauncherReply, LauncherRequest, VERSION};

use super::{Socket, warm};
use crate::error::{Error, Result};
use crate::session::{self, Held};
use crate::sys::{Inherited, OneThread, TrialFds, fork_trial, take_over};

/// Serves the engine on descriptor 0 until it asks to quit or is gone.
pub fn serve() -> Result<()> {
    let fd = Inherited::Socket.take().ok_or_else(|| {
        Error::Usage(
            "the launcher is started by the engine, with a socket as its standard input".to_owned(),
        )
    })?;
    let mut socket = Socket::new(fd);
    warm();
    socket.send(
        &LauncherReply::Ready {
            version: VERSION,
            pid: std::process::id(),
        },
        &[],
    )?;
    let mut held = Held::default();
    while let Some((request, fds)) = socket.receive()? {
        let (id, spec) = match request {
            LauncherRequest::Fork { id, spec } => (id, spec),
            LauncherRequest::Quit => break,
        };
        let reply = match fork(&spec, &mut held, fds) {
            Ok(pid) => LauncherReply::Forked {
                id,
                pid: pid.as_raw().unsigned_abs(),
            },
            Err(error) => LauncherReply::Refused {
                id,
                why: error.to_string(),
            },
        };
        socket.send(&reply, &[])?;
    }
    Ok(())
}

/// Forks the process of one task. The launcher's copies of `fds` are closed when this returns.
fn fork(spec: &Path, held: &mut Held, fds: Vec<OwnedFd>) -> Result<Pid> {
    let alone = OneThread::check().map_err(Error::system("cannot fork"))?;
    let [commands, reports, stdout, stderr] = <[OwnedFd; 4]>::try_from(fds).map_err(|fds| {
        Error::Usage(format!(
            "a fork needs 4 descriptors, and {} came",
            fds.len()
        ))
    })?;
    if let Ok(spec) = session::read_spec(spec) {
        held.hold_for(&spec);
    }
    let held = &*held;
    let fds = TrialFds {
        commands,
        reports,
        stdout,
        stderr,
    };
    fork_trial(&alone, move || match take_over(fds) {
        Ok(()) => session::run_forked(spec, held),
        // There is no pipe to say it on: the code alone speaks.
        Err(_) => 1,
    })
    .map_err(Error::system("cannot fork"))
}
