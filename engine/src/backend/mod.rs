//! How a task becomes a process on this machine, and how it is watched and ended.
//!
//! [`Local`] starts processes and says what happens to them; it obeys and decides nothing. Read
//! `local` for the whole, `watch` for one process, `launcher` for the process that forks them, `program` for trials that are programs of the user's,
//! `unix` for the system calls, `group` for what must be dead when this program is.

mod child;
mod group;
mod launcher;
mod local;
mod pipes;
mod process;
mod program;
mod unix;
mod watch;

pub use child::{Ended, run_child};
pub use group::{kill_all, resume_all, suspend_all};
pub use local::{Happening, Launch, LaunchId, Local, Order};
pub use program::command_line;
pub use unix::{become_subreaper, exit_at_once, reap_all, suspend_self};
