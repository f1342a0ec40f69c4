"""The files of `deploy/kubernetes`, as the cluster gets them, and what Kubernetes does with them."""

import copy
import functools
import re

import yaml

from worker import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
NAMESPACE = KUSTOMIZATION["namespace"]


@functools.cache
def _objects():
    objects = []
    for name in KUSTOMIZATION["resources"]:
        objects += yaml.safe_load_all((FOLDER / name).read_text())
    for made in KUSTOMIZATION["configMapGenerator"]:
        data = {(FOLDER / file).name: (FOLDER / file).read_text() for file in made["files"]}
        objects.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": made["name"]}, "data": data})
    return objects


def objects():
    """Every object, with the ConfigMaps that kustomize makes; a copy, which a test may change."""
    return copy.deepcopy(_objects())


def of_kind(kind, among=None):
    """The objects of a kind, by name."""
    return {each["metadata"]["name"]: each for each in among or objects() if each["kind"] == kind}


def templates(among=None):
    """The pods' templates, by the names of their StatefulSets and Deployments."""
    return {
        name: owner["spec"]["template"]
        for kind in ("StatefulSet", "Deployment")
        for name, owner in of_kind(kind, among).items()
    }


def pod(name):
    return templates()[name]["spec"]


def containers(spec):
    """Every container of a pod, those that prepare it first."""
    return spec.get("initContainers", []) + spec["containers"]


def program(name):
    """The container of a pod that runs the program."""
    (container,) = pod(name)["containers"]
    return container


def option(arguments, name):
    """The values of an option in a list of arguments."""
    return [value for key, value in zip(arguments, arguments[1:]) if key == name]


def secrets(among=None):
    """The Secrets that the pods mount, each with the files that are copied out of it."""
    found = {}
    for template in templates(among).values():
        spec = template["spec"]
        volumes = {each["name"]: each["secret"]["secretName"] for each in spec["volumes"] if "secret" in each}
        for container in containers(spec):
            for mount in container["volumeMounts"]:
                if mount["name"] in volumes:
                    paths = [word for word in container["command"] if word.startswith(f"{mount['mountPath']}/")]
                    names = {path.removeprefix(f"{mount['mountPath']}/") for path in paths}
                    found.setdefault(volumes[mount["name"]], set()).update(names)
    return found


def selects(labels, selector):
    """Whether a selector with only `matchLabels` takes what has these labels; an empty one takes everything."""
    assert set(selector) <= {"matchLabels"}
    return selector.get("matchLabels", {}).items() <= labels.items()


# References


def dangling(among):
    """What an object refers to and is not there, one line each."""
    found = []
    for name, template in templates(among).items():
        found += _dangling_volumes(name, template["spec"], among)
        found += _dangling_ports(name, template["spec"])
    pods = {name: template["metadata"]["labels"] for name, template in templates(among).items()}
    for kind in "Service", "StatefulSet", "Deployment", "PodDisruptionBudget", "NetworkPolicy":
        for name, each in of_kind(kind, among).items():
            for labels in _pod_selectors(each):
                if not any(selects(own, {"matchLabels": labels}) for own in pods.values()):
                    found.append(f"{kind} {name} selects no pod: {labels}")
    for name, owner in of_kind("StatefulSet", among).items():
        if owner["spec"]["serviceName"] not in of_kind("Service", among):
            found.append(f"StatefulSet {name} has no Service")
    for name, service in of_kind("Service", among).items():
        for template in templates(among).values():
            if selects(template["metadata"]["labels"], {"matchLabels": service["spec"]["selector"]}):
                named = {port["name"] for each in containers(template["spec"]) for port in each.get("ports", [])}
                missing = {port["targetPort"] for port in service["spec"]["ports"]} - named
                found += [f"Service {name} leads to no port {port}" for port in missing]
    return found


def _pod_selectors(each):
    """The labels by which an object selects pods of the own namespace."""
    spec, kind = each["spec"], each["kind"]
    if kind == "Service":
        return [spec["selector"]]
    if kind != "NetworkPolicy":
        return [spec["selector"]["matchLabels"]]
    peers = [peer for rule in spec.get("ingress", []) for peer in rule.get("from", [])]
    peers += [peer for rule in spec.get("egress", []) for peer in rule.get("to", [])]
    own = [peer["podSelector"] for peer in peers if "namespaceSelector" not in peer]
    return [selector.get("matchLabels", {}) for selector in (spec["podSelector"], *own)]


def _dangling_volumes(name, spec, among):
    volumes = {each["name"]: each for each in spec["volumes"]}
    claims = of_kind("StatefulSet", among).get(name, {}).get("spec", {}).get("volumeClaimTemplates", [])
    known = set(volumes) | {claim["metadata"]["name"] for claim in claims}
    mounted = {mount["name"] for each in containers(spec) for mount in each["volumeMounts"]}
    found = [f"{name} mounts no volume {volume}" for volume in mounted - known]
    found += [f"{name} does not use its volume {volume}" for volume in known - mounted]
    for each in volumes.values():
        if "configMap" in each and each["configMap"]["name"] not in of_kind("ConfigMap", among):
            found.append(f"{name} has no ConfigMap {each['configMap']['name']}")
    for container in containers(spec):
        mounts = {mount["mountPath"]: volumes.get(mount["name"], {}) for mount in container["volumeMounts"]}
        words = container.get("command", []) + container.get("args", [])
        words += [variable["value"] for variable in container.get("env", [])]
        for path in re.findall(r"(?<![\w.:/])/[\w./-]+", " ".join(words)):
            found += _dangling_path(container["name"], path, mounts, among)
    return found


def _dangling_path(container, path, mounts, among):
    """Whether a path of a container lies in one of its volumes, and is in the ConfigMap if that is one."""
    place = next((place for place in mounts if path == place or path.startswith(f"{place}/")), None)
    if place is None:
        return [f"{container} names {path}, which is in no volume"]
    map = of_kind("ConfigMap", among).get(mounts[place].get("configMap", {}).get("name"))
    is_there = map is None or path.removeprefix(f"{place}/") in map["data"]
    return [] if is_there else [f"{container} names {path}, which its ConfigMap has not"]


def _dangling_ports(name, spec):
    found = []
    for container in spec["containers"]:
        named = {port["name"] for port in container["ports"]}
        for probe in "startupProbe", "livenessProbe", "readinessProbe":
            port = container.get(probe, {}).get("httpGet", {}).get("port")
            if port is not None and port not in named:
                found.append(f"{name} is asked at no port {port}")
    return found


# The network


def is_allowed(sender, receiver, port, protocol="TCP"):
    """Whether the policies let a pod connect to another; each is its namespace and its labels."""
    return _passes("Egress", sender, receiver, port, protocol) and _passes("Ingress", receiver, sender, port, protocol)


def _passes(direction, own, other, port, protocol):
    policies = [
        each["spec"]
        for each in of_kind("NetworkPolicy").values()
        if own[0] == NAMESPACE and direction in each["spec"]["policyTypes"] and selects(own[1], each["spec"]["podSelector"])
    ]
    rules, peers = ("ingress", "from") if direction == "Ingress" else ("egress", "to")
    # Without a policy, everything is allowed.
    return not policies or any(
        any(_is_peer(other, peer) for peer in rule[peers])
        and any((each["port"], each["protocol"]) == (port, protocol) for each in rule["ports"])
        for policy in policies
        for rule in policy.get(rules, [])
    )


def _is_peer(other, peer):
    namespace, labels = other
    if "namespaceSelector" not in peer:
        return namespace == NAMESPACE and selects(labels, peer["podSelector"])
    named = {"kubernetes.io/metadata.name": namespace}
    return selects(named, peer["namespaceSelector"]) and selects(labels, peer.get("podSelector", {}))
