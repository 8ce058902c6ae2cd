"""Observes the calls of a live plan while a Python program runs. The plan and the messages: src/shared/live/protocol.ts."""
