"""A worker that is killed again and again under load, and what must be true of it afterwards.

`bakery` is what the worker serves, `clients` puts load on it, `killer` ends it and starts it again, `settling` has
everything finished and asks for every answer once more, and `checker` compares what was said with what was done.
"""
