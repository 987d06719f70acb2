"""What code tells of the lines that it comes from: activity, remarks, calls, rows of listings."""
