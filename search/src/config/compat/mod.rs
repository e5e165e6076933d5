//! Old names: what earlier Ludwigs wrote is read as what it means today, each with a warning that names it.
//!
//! Works on the tree before it is checked. A moved key keeps its line.

mod features;
mod moves;
mod sections;

pub(crate) use sections::upgrade;
