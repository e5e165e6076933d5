//! The life of a run: the phases in their order.

use std::sync::Arc;

/// Runs what is planned, to its end. Lands with the dispatcher.
pub fn run(
    _: &crate::run_plan::RunPlan,
    _: &crate::clock::Clock,
    _: Arc<dyn crate::output::Talk>,
) -> crate::Result<crate::output::Summary> {
    Err(crate::Error::bug("the search has not landed yet"))
}
