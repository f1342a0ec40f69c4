"""Deploys a version and shows its progress: python deploy.py ENDPOINT VERSION [ID]; the same ID shows the same run."""
import asyncio, sys
from forgebus_client import BusError, Client


def tell(answer):
    words = (answer["answer"].lower(), answer.get("state", answer["run"]), answer.get("signal"))
    print(*filter(None, words))


async def deploy(endpoint, version, id=None):
    async with Client(endpoint) as client:
        result = await client.run("deploy", {"version": version}, on_progress=tell, id=id)
        print(result["state"], result["outputs"])
        return 0 if result["state"] == "completed" else 1


try:
    sys.exit(asyncio.run(deploy(*sys.argv[1:])))
except BusError as error:  # its code is for programs; `timeout` is an unknown outcome, and the same id learns it
    sys.exit(f"{error} (id {error.id})")
