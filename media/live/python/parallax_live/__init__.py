"""Observes the calls of a live plan while a Python program runs. The plan and the messages: src/features/live/contract/protocol.ts."""
