//! The launcher's socket: one JSON message a datagram, four descriptors with a request.
//!
//! The other end is the engine's. The type is public because tests and benches hold that end.

use std::io::{self, IoSlice};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, MsgFlags, UnixAddr, sendmsg};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::sys::{self, Received};

/// Longest message: a request is a number and a path.
const LIMIT: usize = 16 << 10;

/// One end of a `SOCK_SEQPACKET` pair.
pub struct Socket {
    fd: OwnedFd,
    buffer: Vec<u8>,
}

impl Socket {
    /// Talks over `fd`.
    pub fn new(fd: OwnedFd) -> Self {
        Self {
            fd,
            buffer: vec![0; LIMIT],
        }
    }

    /// Sends one message and the descriptors with it.
    pub fn send<T: Serialize>(&self, message: &T, fds: &[RawFd]) -> Result<()> {
        let bytes = serde_json::to_vec(message)
            .map_err(|e| Error::Bug(format!("a message that is no JSON: {e}")))?;
        let rights = [ControlMessage::ScmRights(fds)];
        let rights = if fds.is_empty() { &[][..] } else { &rights };
        let flags = MsgFlags::MSG_NOSIGNAL;
        sendmsg::<UnixAddr>(
            self.fd.as_raw_fd(),
            &[IoSlice::new(&bytes)],
            rights,
            flags,
            None,
        )
        .map_err(Error::system("cannot send on the launcher's socket"))?;
        Ok(())
    }

    /// Waits for one message; `None` when the other end is closed.
    pub fn receive<T: DeserializeOwned>(&mut self) -> Result<Option<(T, Vec<OwnedFd>)>> {
        let fault = |what: String| Error::System {
            doing: "cannot read a message on the launcher's socket",
            source: io::Error::other(what),
        };
        let Received {
            n_bytes,
            is_whole,
            fds,
        } = loop {
            match sys::receive(&self.fd, &mut self.buffer) {
                Err(Errno::EINTR) => {}
                Err(Errno::ECONNRESET) => return Ok(None),
                Err(e) => return Err(fault(e.to_string())),
                Ok(received) => break received,
            }
        };
        if n_bytes == 0 {
            return Ok(None);
        }
        if !is_whole {
            return Err(fault(format!(
                "it is longer than {LIMIT} bytes or brings too many descriptors"
            )));
        }
        let message =
            serde_json::from_slice(&self.buffer[..n_bytes]).map_err(|e| fault(e.to_string()))?;
        Ok(Some((message, fds)))
    }
}
