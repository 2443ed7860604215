//! Honest and cheating players built on the client
