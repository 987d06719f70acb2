"""Derivatives of derivatives."""
