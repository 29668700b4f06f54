"""Run programs: bind kernels to columns, drive the supersteps, report what happened."""
