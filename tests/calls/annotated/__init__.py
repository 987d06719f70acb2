"""What annotated calls are given: tapes of split derivatives."""
