"""What runs in the box: nothing of regard but this folder, which imports only itself.

The process is started with this folder alone on its path (`from inside.program import main`), so
that a submission finds no other module of regard in memory. Hence the relative imports.
"""
