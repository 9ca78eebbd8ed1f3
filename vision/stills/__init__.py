"""Single pictures of tables and chips that nobody calibrated: scale, pose and cards of any picture, and a chip set learned from one."""
