//! Seats, tickets and placement
