"""The profile "restricted" of Kubernetes' Pod Security Standards, rule by rule."""

from manifests import containers

VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
SYSCTLS = {
    "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
}  # fmt: skip
SELINUX = {"", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"}
PROFILES = {"RuntimeDefault", "Localhost"}


def violations(spec):
    """The rules that a pod breaks, by the names that the standard gives them."""
    broken = set()

    def rule(name, is_kept):
        if not is_kept:
            broken.add(name)

    own = spec.get("securityContext", {})
    for name in "hostNetwork", "hostPID", "hostIPC":
        rule("Host Namespaces", not spec.get(name))
    rule("Sysctls", {each["name"] for each in own.get("sysctls", [])} <= SYSCTLS)
    for volume in spec.get("volumes", []):
        rule("Volume Types", set(volume) - {"name"} <= VOLUMES)
    for context in (own, *(each.get("securityContext", {}) for each in containers(spec))):
        rule("HostProcess", not context.get("windowsOptions", {}).get("hostProcess"))
        rule("AppArmor", context.get("appArmorProfile", {}).get("type", "RuntimeDefault") in PROFILES)
        selinux = context.get("seLinuxOptions", {})
        rule("SELinux", selinux.get("type", "") in SELINUX and not selinux.get("user") and not selinux.get("role"))
        rule("Running as Non-root user", context.get("runAsUser") != 0)
    for container in containers(spec):
        _check_container(container, own, rule)
    return broken


def _check_container(container, pod, rule):
    context = container.get("securityContext", {})
    effective = {**pod, **context}
    capabilities = context.get("capabilities", {})
    rule("Privileged Containers", not context.get("privileged"))
    rule("Host Ports", not any(port.get("hostPort") for port in container.get("ports", [])))
    rule("/proc Mount Type", context.get("procMount", "Default") == "Default")
    rule("Privilege Escalation", context.get("allowPrivilegeEscalation") is False)
    rule("Running as Non-root", effective.get("runAsNonRoot") is True)
    rule("Seccomp", effective.get("seccompProfile", {}).get("type") in PROFILES)
    rule("Capabilities", "ALL" in capabilities.get("drop", []))
    rule("Capabilities", set(capabilities.get("add", [])) <= {"NET_BIND_SERVICE"})
    hooks = [container.get(name, {}) for name in ("startupProbe", "livenessProbe", "readinessProbe")]
    hooks += container.get("lifecycle", {}).values()
    for hook in hooks:
        for kind in "httpGet", "tcpSocket":
            rule("Host Probes / Lifecycle Hooks", not hook.get(kind, {}).get("host"))
