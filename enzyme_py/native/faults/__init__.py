"""What is known of loaded derivatives when memory is refused or one of them dies."""
