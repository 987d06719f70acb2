"""The C of the package by itself: drivers, compiled and run plainly and under the sanitizers."""
