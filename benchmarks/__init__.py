"""What `make bench` measures: the speed bars, as ratios to a baseline of the same run."""
