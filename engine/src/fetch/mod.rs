//! Downloads: with progress, resumed where they broke off, checked, and put in place whole.
