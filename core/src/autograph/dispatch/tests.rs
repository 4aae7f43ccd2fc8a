//! What the tiers answer for types of each kind.
