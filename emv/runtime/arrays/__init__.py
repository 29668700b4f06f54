"""The arrays of compiled programs: one table says what each is, and all else follows from it."""
