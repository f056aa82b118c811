"""What may be asked, one file each: `Asked`, and `answer`, which returns an `Answer`.

Modules import only `regard.lab` at their top; what answers is imported when it is asked.
"""
