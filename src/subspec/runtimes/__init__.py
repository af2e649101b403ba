"""Specs forward to the objects that runtimes take: one module a runtime, imported when used."""
