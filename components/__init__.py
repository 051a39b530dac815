"""Everything one sees, without data access: rows in, Dash components out."""
