"""The comparison of new derivatives with finite differences (`config(check=True)`)."""
