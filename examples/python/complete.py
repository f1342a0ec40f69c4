"""Decides a gate: python complete.py ENDPOINT SIGNAL approve|reject [JSON]"""
import json, sys, uuid, zmq

endpoint, signal, decision, *value = sys.argv[1:]
command = {"approve": b"FORGE/1 COMPLETE", "reject": b"FORGE/1 REJECT"}[decision]
bus = zmq.Context.instance().socket(zmq.DEALER)
bus.connect(endpoint)
bus.send_multipart([command, uuid.uuid4().hex.encode(), signal.encode(), b'{"source": "complete.py"}', *(v.encode() for v in value or [""])])

if not bus.poll(10_000):
    sys.exit("no answer: the outcome is unknown; sending the request again with the same id is safe")
answer, _, _, attributes, _ = bus.recv_multipart()
attributes = json.loads(attributes)
if answer != b"FORGE/1 VERDICT":
    sys.exit(json.dumps(attributes))
why = [json.dumps(attributes["why"])] if "why" in attributes else []  # why it had no effect, and the next move
print(attributes["verdict"], attributes["durability"], *why)
sys.exit(0 if attributes["verdict"] in ("delivered", "counted", "buffered", "duplicate") else 2)
