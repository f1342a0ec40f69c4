"""Reports a change, and waits for the outcome of the monitors: python notify.py ENDPOINT TOPIC"""
import json, sys, uuid, zmq

endpoint, topic = sys.argv[1:]
bus = zmq.Context.instance().socket(zmq.DEALER)
bus.connect(endpoint)
attributes = json.dumps({"reply": "evaluated", "source": "notify.py"})
bus.send_multipart([b"FORGE/1 NOTIFY", uuid.uuid4().hex.encode(), topic.encode(), attributes.encode(), b""])

while bus.poll(10_000):
    command, _, _, attributes, body = bus.recv_multipart()
    if command == b"FORGE/1 ACCEPTED":
        print("accepted,", json.loads(attributes)["monitors"], "monitor(s) follow")
    elif command == b"FORGE/1 EVALUATED":
        monitors = json.loads(body)
        for monitor in monitors:
            print(monitor["monitor"], monitor["state"], [action["action"] for action in monitor["actions"]])
        sys.exit(any(monitor["state"] != "ran" for monitor in monitors))  # 1 if one failed, or has not run
    else:
        sys.exit(attributes.decode())
sys.exit("no answer: the outcome is unknown; sending the request again with the same id is safe")
