//! Golden graphs.
