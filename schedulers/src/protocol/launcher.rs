//! How the engine asks the launcher for a process.
//!
//! Over a `SOCK_SEQPACKET` pair that is the launcher's stdin, one JSON message a packet. With `Fork` come
//! four descriptors (`SCM_RIGHTS`), in this order: the read end of the command pipe, the write end of the
//! report pipe, the stdout file, the stderr file. The launcher forks twice, so that the process becomes a
//! child of the engine (a subreaper), and closes its own copies.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// From the engine to the launcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LauncherRequest {
    /// Fork one process.
    Fork {
        /// Chosen by the engine; comes back in the reply.
        id: u64,
        /// The task, a file.
        spec: PathBuf,
    },
    /// Exit; processes that were forked live on.
    Quit,
}

/// From the launcher to the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LauncherReply {
    /// Libraries are loaded; forks may be asked for. Sent once, first.
    Ready {
        /// Protocol version of the launcher.
        version: u32,
        /// Its process id.
        pid: u32,
    },
    /// The process exists.
    Forked {
        /// As in the request.
        id: u64,
        /// Its process id, which is its process group too.
        pid: u32,
    },
    /// There is no process.
    Refused {
        /// As in the request.
        id: u64,
        /// One line for people.
        why: String,
    },
}
