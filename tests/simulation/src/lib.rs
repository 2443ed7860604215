//! Whole rooms under virtual time and seeded networks
