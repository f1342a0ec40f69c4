"""Runs a pipeline: python run.py ENDPOINT PIPELINE '{"seed": "value"}'"""
import json, sys, uuid, zmq

endpoint, pipeline, seeds = sys.argv[1:]
bus = zmq.Context.instance().socket(zmq.DEALER)
bus.connect(endpoint)
bus.send_multipart([b"FORGE/1 RUN", uuid.uuid4().hex.encode(), pipeline.encode(), b'{"source": "run.py"}', seeds.encode()])

patience = 10_000  # for the first answer; a run itself may wait for a person, days long
while bus.poll(patience):
    command, _, run, attributes, body = bus.recv_multipart()
    attributes, patience = json.loads(attributes), None
    if command == b"FORGE/1 ACCEPTED":
        print("accepted", run.decode(), attributes["durability"])
    elif command == b"FORGE/1 PROGRESS":
        print(attributes["state"], attributes["action"], attributes.get("signal") or attributes.get("reason", ""))
    elif command == b"FORGE/1 RESULT":
        print(attributes["state"], body.decode())
        sys.exit(0 if attributes["state"] == "completed" else 1)
    else:
        sys.exit(json.dumps(attributes))
sys.exit("no answer: the outcome is unknown; sending the request again with the same id is safe")
