"""What people look at in the browser."""
