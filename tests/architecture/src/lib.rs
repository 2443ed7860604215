//! What depends on what, and what must not be there
