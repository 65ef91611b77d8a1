# llama.cpp's own HTTP server, from PyPI's wheel of xllamacpp: it has no program of that name, so this is one. Each argument is a field of
# its CommonParams with its value as JSON. Usage: python3 llama-server.py port=8080 'model.path="tiny.gguf"' …
import json
import sys
import threading

import xllamacpp

params = xllamacpp.CommonParams()
for argument in sys.argv[1:]:
    path, _, value = argument.partition("=")
    *parents, field = path.split(".")
    owner = params
    for parent in parents:
        owner = getattr(owner, parent)
    setattr(owner, field, json.loads(value))
server = xllamacpp.Server(params)
print(f"listens at {server.listening_address}", flush=True)
threading.Event().wait()
