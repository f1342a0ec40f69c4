@testable import ForgeBusConfiguration

extension BadFile {
    /// An inventory with the one worker `web-01`, at a loopback address, and these further keys.
    static func worker(
        _ code: ConfigurationError.Code,
        _ key: String,
        guess: String? = nil,
        naming: String? = nil,
        _ lines: String
    ) -> BadFile {
        let head = "workers:\n  web-01:\n    endpoint: tcp://127.0.0.1:7717\n    "
        return BadFile(code, "workers.web-01.\(key)", guess: guess, naming: naming, head + lines + "\n")
    }

    /// An inventory with the workers `web-01` (role web, zone a) and `db-01` (role db), and these further lines.
    static func fleet(
        _ code: ConfigurationError.Code,
        _ key: String,
        guess: String? = nil,
        naming: String? = nil,
        _ lines: String
    ) -> BadFile {
        let workers = """
            workers:
              web-01: {endpoint: "tcp://127.0.0.1:7717", labels: {role: web, zone: a}}
              db-01: {endpoint: "tcp://127.0.0.1:7718", labels: {role: db}}

            """
        return BadFile(code, key, guess: guess, naming: naming, workers + lines + "\n")
    }

    static let fleets: [BadFile] = fleetStructure + fleetEndpoints + fleetKeys + fleetLabels + includes + expectations

    private static let local = "endpoint: \"tcp://127.0.0.1:7717\""

    private static let fleetStructure: [BadFile] = [
        BadFile(.missingKey, nil, "§"),
        BadFile(.notYAML, nil, "workers:\n  web-01: {endpoint: a\nexpect§: []\n"),
        BadFile(.wrongType, nil, "§- web-01\n"),
        BadFile(.missingKey, nil, naming: "workers", "§expect: [{monitors: [tls]}]\n"),
        BadFile(.wrongType, "workers", "workers:§\n"),
        BadFile(.wrongType, "workers", "workers: §[web-01]\n"),
        BadFile(.badValue, "workers", "workers: §{}\n"),
        BadFile(.duplicate, "web-01", naming: "web-01", "workers:\n  §web-01: {\(local)}\n  web-01: {\(local)}\n"),
        BadFile(.badValue, "workers.web/01", naming: "web/01", "workers: {§web/01: {\(local)}}\n"),
        BadFile(.wrongType, "workers.web-01", "workers: {web-01: §\"tcp://127.0.0.1:7717\"}\n"),
        BadFile(
            .wrongType,
            "workers.web-01.endpoint",
            naming: "!!str",
            "workers:\n  web-01:\n    endpoint: §!!str ipc:///a\n"
        ),
        .fleet(.unknownKey, "hosts", guess: "workers", "§hosts: {}"),
        .fleet(.unknownKey, "expects", guess: "expect", "§expects: []"),
        .worker(.unknownKey, "tags", guess: "labels", "§tags: {role: web}"),
        .worker(.unknownKey, "lables", guess: "labels", "§lables: {role: web}"),
        .worker(.unknownKey, "public_key", guess: "key", "§public_key: a"),
    ]

    private static func endpoint(
        _ code: ConfigurationError.Code,
        _ text: String,
        naming: String? = nil
    ) -> BadFile {
        let key = "    key: \"\(ExampleKeys.client)\"\n"
        return BadFile(code, "workers.a.endpoint", naming: naming, "workers:\n  a:\n\(key)    endpoint: §\(text)\n")
    }

    private static let fleetEndpoints: [BadFile] = [
        BadFile(.missingKey, "workers.a", naming: "endpoint", "workers: {a: §{labels: {role: web}}}\n"),
        endpoint(.wrongType, "[tcp://127.0.0.1:7717]"),
        endpoint(.badValue, "tcp://10.1.0.11", naming: "tcp://10.1.0.11"),
        endpoint(.badValue, "10.1.0.11:7717"),
        endpoint(.badValue, "tcp://*:7717"),
        endpoint(.badValue, "tcp://10.1.0.11:*"),
        endpoint(.badValue, "inproc://a"),
        endpoint(.badValue, "ipc://worker.ipc"),
        BadFile(
            .duplicate,
            "workers.b.endpoint",
            naming: "a",
            "workers:\n  a: {\(local)}\n  b: {endpoint: §\"tcp://127.0.0.1:7717\"}\n"
        ),
        BadFile(
            .duplicate,
            "workers.b.endpoint",
            naming: "b",
            "workers:\n  a: {endpoint: \"tcp://web:7717\", key: \"\(ExampleKeys.client)\"}\n"
                + "  b: {endpoint: §\"tcp://WEB:7717\", key: \"\(ExampleKeys.server)\"}\n"
        ),
        BadFile(.missingKey, "workers.a", naming: "key", "workers: {a: §{endpoint: \"tcp://10.1.0.11:7717\"}}\n"),
        BadFile(.missingKey, "workers.a", naming: "key", "workers: {a: §{endpoint: \"tcp://localhost:7717\"}}\n"),
    ]

    private static let fleetKeys: [BadFile] = [
        .worker(.wrongType, "key", "key: §[a]"),
        .worker(.badValue, "key", naming: "3", "key: §abc"),
        .worker(.badValue, "key", naming: "Z85", "key: §\"\(String(repeating: "~", count: 40))\""),
        // The other half is told from a public key by its form.
        .worker(.badValue, "key", "key: §\"\(String(repeating: "%nSc0", count: 8))\""),
        .worker(.badValue, "key_file", "key: \"\(ExampleKeys.client)\"\n    §key_file: a.key"),
        .worker(.unreadable, "key_file", naming: "absent.key", "key_file: §absent.key"),
        BadFile(
            .duplicate,
            "workers.b.key",
            naming: "a",
            "workers:\n  a: {endpoint: \"tcp://10.1.0.1:1\", key: \"\(ExampleKeys.client)\"}\n"
                + "  b: {endpoint: \"tcp://10.1.0.2:1\", key: §\"\(ExampleKeys.client)\"}\n"
        ),
        BadFile(
            .badValue,
            "workers.b.key",
            "workers:\n  a: {endpoint: \"tcp://10.1.0.1:1\", key: \"\(ExampleKeys.client)\"}\n"
                + "  b: {endpoint: \"tcp://10.1.0.2:1\", key: §\"\(ExampleKeys.clientSecret)\"}\n"
        ),
    ]

    private static let fleetLabels: [BadFile] = [
        .worker(.wrongType, "labels", "labels: §[role]"),
        .worker(.badValue, "labels.the role", naming: "the role", "labels: {§the role: web}"),
        .worker(.badValue, "labels.role", naming: "web, db", "labels: {role: §\"web, db\"}"),
        .worker(.badValue, "labels.role", "labels: {role: §\"\(String(repeating: "a", count: 129))\"}"),
        .worker(.wrongType, "labels.role", "labels: {role: §}"),
        .worker(.wrongType, "labels.role", "labels: {role: §[web]}"),
        .worker(
            .badValue,
            "labels",
            naming: "32",
            "labels: §{\((1...33).map { "l\($0): a" }.joined(separator: ", "))}"
        ),
    ]

    private static let includes: [BadFile] = [
        .fleet(.wrongType, "include", "include: §{command: [x]}"),
        .fleet(.badValue, "include", "include: §[]"),
        .fleet(.missingKey, "include[0]", naming: "command", "include: [§{timeout: 10s}]"),
        .fleet(.unknownKey, "include[0].time_out", guess: "timeout", "include: [{command: [x], §time_out: 10s}]"),
        .fleet(.wrongType, "include[0].command", "include: [{command: §./machines}]"),
        .fleet(.badValue, "include[0].command[1]", naming: "|", "include: [{command: [x, §'|', jq]}]"),
        .fleet(.wrongType, "include[0].timeout", naming: "10", "include: [{command: [x], timeout: §10}]"),
        .fleet(.wrongType, "include[0].timeout", naming: "10", "include: [{command: [x], timeout: §\"10\"}]"),
        .fleet(.badValue, "include[0].timeout", naming: "soon", "include: [{command: [x], timeout: §soon}]"),
        .fleet(.badValue, "include[0].timeout", naming: "10m", "include: [{command: [x], timeout: §11m}]"),
        .fleet(.badValue, "include[0].timeout", naming: "0s", "include: [{command: [x], timeout: §0s}]"),
        .fleet(
            .badValue,
            "include",
            naming: "16",
            "include: §[\(Array(repeating: "{command: [x]}", count: 17).joined(separator: ", "))]"
        ),
    ]

    private static let expectations: [BadFile] = [
        .fleet(.wrongType, "expect", "expect: §{on: [role=web], monitors: [tls]}"),
        .fleet(.badValue, "expect", "expect: §[]"),
        .fleet(.missingKey, "expect[0]", naming: "monitors", "expect: [§{on: [role=web]}]"),
        .fleet(.unknownKey, "expect[0].not_on", naming: "not_on", "expect: [{monitors: [tls], §not_on: [db-01]}]"),
        .fleet(.badValue, "expect[0].monitors", "expect: [{monitors: §[]}]"),
        .fleet(.badValue, "expect[0].monitors[0]", naming: "a b", "expect: [{monitors: [§a b]}]"),
        .fleet(.duplicate, "expect[0].monitors[1]", naming: "tls", "expect: [{monitors: [tls, §tls]}]"),
        .fleet(.wrongType, "expect[0].on", naming: "role=web", "expect: [{on: §role=web, monitors: [tls]}]"),
        .fleet(.badValue, "expect[0].on", naming: "db-01", "expect: [{on: §[role=web, db-01], monitors: [tls]}]"),
        .fleet(.badValue, "expect[0].on", naming: "web-02", "expect: [{on: §[web-02], monitors: [tls]}]"),
        .fleet(.badValue, "expect[0].on", naming: "role=cache", "expect: [{on: §[role=cache], monitors: [tls]}]"),
        .fleet(.badValue, "expect[0].on", naming: "zone=a", "expect: [{on: §[role=db, zone=a], monitors: [tls]}]"),
        .fleet(.badValue, "expect[0].on", naming: "role", "expect: [{on: §[role=db, role=web], monitors: [tls]}]"),
    ]
}
