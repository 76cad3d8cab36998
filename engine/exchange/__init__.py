"""Import foreign logs and export data sets."""
