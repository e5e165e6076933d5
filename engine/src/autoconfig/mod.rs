//! From a profile, a machine and a budget to a base config, with a reason for each choice.
