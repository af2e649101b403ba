"""Programs that run, and how they are ended so that nothing of them is left."""
