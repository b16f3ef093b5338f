"""What the demo model says: one script for each thing a person may ask, and the two scenarios made of them."""
