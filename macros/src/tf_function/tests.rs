//! The stages as plain functions on tokens.
