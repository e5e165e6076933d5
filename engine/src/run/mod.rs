//! The life of a run: the phases in their order.

use std::sync::Arc;

/// try
pub fn run(
    _: &crate::run_plan::RunPlan,
    _: &crate::clock::Clock,
    _: Arc<dyn crate::output::Talk>,
) -> crate::Result<crate::output::Summary> {
    Err(crate::Error::bug("not yet"))
}
