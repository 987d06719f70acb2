"""The version of the dict that a report is; docs/inspecting.md describes it."""

SCHEMA = "enzyme_py.report/1"
