"""What native code keeps on disk."""
