import ForgeBusFleet
import ForgeBusProtocol
import Foundation
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusConfiguration

@Suite("The article about the inventory")
struct FleetArticleTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func article() throws -> String {
        try Repository.text(of: "Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc/TheFleetFile.md")
    }

    private static func blocks(_ language: String) throws -> [String] {
        let parts = try article().components(separatedBy: "```\(language)\n").dropFirst()
        return parts.map { String($0.prefix(upTo: $0.range(of: "```")?.lowerBound ?? $0.endIndex)) }
    }

    @Test("shows an inventory that can be read as it stands")
    func example() async throws {
        let example = try #require(try Self.blocks("yaml").first)
        try FileManager.default.createDirectory(atPath: directory.file("keys"), withIntermediateDirectories: false)
        try Certificate(KeyPair()).write(to: directory.file("keys/db-01"))
        try directory.script("machines", "echo 'workers: {web-02: {endpoint: \"ipc:///web\", labels: {role: web}}}'")
        let inventory = try await Inventory(example, in: directory)
        #expect(inventory.workers.map(\.name) == ["db-01", "web-01", "web-02"])
        #expect(inventory.expectations.map(\.monitors) == [["password-age", "tls"]])
    }

    @Test("names the bounds")
    func bounds() throws {
        let article = try Self.article()
        for bound in [
            "at most \(Inventory.maximumCount / 1_000),000.", "at most \(IncludeDefinition.maximumCount) commands",
            "at most \(LabelText.maximumCount) labels", "1 to \(LabelText.maximumSizeInBytes) characters",
            "at most \(SourceFile.maximumInventorySizeInBytes >> 20) MiB",
        ] {
            #expect(article.contains(bound), "\(bound)")
        }
    }

    @Test("shows errors as they are")
    func errors() throws {
        let article = try Self.article()
        let errors = [
            Errors.endpointTwice("tcp://10.1.0.11:7717", of: "db-01", "web-01"),
            Errors.workerTwice("web-01", definedAt: "fleet.yaml:2"),
        ]
        for error in errors { #expect(article.contains(error.message)) }
        #expect(article.contains("\(Errors.output(of: "./machines")):2:3: workers.web-01: "))
    }

    // MARK: The scripts

    private static let hasJQ = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/jq")
    }

    /// The inventory that a script makes of what the program `tool` prints, with its errors.
    private func included(
        _ script: String,
        _ tool: String,
        printing text: String,
        status: Int = 0
    ) async throws -> (workers: [Inventory.Worker], codes: [ConfigurationError.Code]) {
        try directory.write(text, to: "printed.json")
        try directory.script(tool, "echo \"$*\" >arguments; cat printed.json; exit \(status)")
        try directory.write(script, to: "machines")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.file("machines"))
        do throws(ConfigurationError) {
            let inventory = try await Inventory(
                yaml: "include: [{command: [./machines], timeout: 2m}]",
                name: "fleet.yaml",
                directory: directory.path,
                environment: ["PATH": "\(directory.path):/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin"]
            )
            return (inventory.workers, [])
        } catch {
            return ([], ([error] + error.others).map(\.code))
        }
    }

    /// A pod as `kubectl get pods -o json` shows it, cut to what matters.
    private static func pod(_ name: String, on node: String, address: String?, key: String? = ExampleKeys.client)
        -> String
    {
        var metadata: JSONObject = ["name": .string(name), "labels": ["app": "policy", "zone": "a"]]
        if let key { metadata["annotations"] = ["forgebus/key": .string(key)] }
        var status: JSONObject = ["phase": "Running"]
        if let address { status["podIP"] = .string(address) }
        let pod: JSONObject = [
            "metadata": .object(metadata), "spec": ["nodeName": .string(node)], "status": .object(status),
        ]
        return JSONValue.object(pod).description
    }

    @Test(
        "has a script that makes workers of pods",
        .enabled(if: hasJQ, "jq is not installed here: `apt-get install jq`")
    )
    func pods() async throws {
        let script = try #require(try Self.blocks("sh").first)
        func read(_ pods: String..., status: Int = 0) async throws -> (
            workers: [Inventory.Worker], codes: [ConfigurationError.Code]
        ) {
            let list = "{\"kind\": \"List\", \"items\": [\(pods.joined(separator: ", "))]}"
            return try await included(script, "kubectl", printing: list, status: status)
        }
        let one = Self.pod("policy-a", on: "node-1.example", address: "10.2.0.1")
        let two = Self.pod("policy-b", on: "node-2.example", address: "10.2.0.2", key: ExampleKeys.server)
        let good = try await read(one, two)
        #expect(good.codes == [])
        #expect(good.workers.map(\.name) == ["node-1.example", "node-2.example"])
        #expect(good.workers.map(\.endpoint.text) == ["tcp://10.2.0.1:7717", "tcp://10.2.0.2:7717"])
        #expect(good.workers.map(\.key) == [try PublicKey(ExampleKeys.client), try PublicKey(ExampleKeys.server)])
        #expect(good.workers.first?.labels == ["app": "policy", "zone": "a"])
        let arguments = try directory.text("arguments")
        #expect(arguments == "get pods --namespace policy --selector app=policy --output json\n")

        #expect(try await read(one, two, status: 1).codes == [.failedCommand])
        #expect(try await read().codes == [.wrongType])
        #expect(try await read(one, Self.pod("c", on: "node-3", address: nil)).codes == [.failedCommand])
        #expect(
            try await read(one, Self.pod("c", on: "node-3", address: "10.2.0.3", key: nil)).codes == [.failedCommand]
        )
        #expect(try await read(one, Self.pod("c", on: "node-1.example", address: "10.2.0.3")).codes == [.duplicate])
    }

    @Test(
        "has a script that makes workers of Ansible's hosts",
        .enabled(if: hasJQ, "jq is not installed here: `apt-get install jq`")
    )
    func hosts() async throws {
        let script = try #require(try Self.blocks("sh").last)
        // As ansible-core 2.19 prints it for an inventory of three hosts in two groups.
        let list = """
            {
                "_meta": {
                    "hostvars": {
                        "db-01": {"forgebus_key": "\(ExampleKeys.server)", "role": "db"},
                        "web-01": {"ansible_host": "10.1.0.11", "forgebus_key": "\(ExampleKeys.client)", "role": "web"}
                    },
                    "profile": "inventory_legacy"
                },
                "all": {"children": ["ungrouped", "bus", "other"]},
                "bus": {"hosts": ["web-01", "db-01"]},
                "other": {"hosts": ["x"]}
            }
            """
        let good = try await included(script, "ansible-inventory", printing: list)
        #expect(good.codes == [])
        #expect(good.workers.map(\.name) == ["db-01", "web-01"])
        #expect(good.workers.map(\.endpoint.text) == ["tcp://db-01:7717", "tcp://10.1.0.11:7717"])
        #expect(good.workers.map(\.labels) == [["role": "db"], ["role": "web"]])
        #expect(try directory.text("arguments") == "--list\n")

        #expect(try await included(script, "ansible-inventory", printing: list, status: 1).codes == [.failedCommand])
        let keyless = list.replacing("\"forgebus_key\": \"\(ExampleKeys.client)\", ", with: "")
        #expect(try await included(script, "ansible-inventory", printing: keyless).codes == [.failedCommand])
        let other = list.replacing("\"bus\": {", with: "\"bos\": {")
        #expect(try await included(script, "ansible-inventory", printing: other).codes == [.failedCommand])
    }
}

@Suite("The files of the example of a fleet")
struct FleetExampleTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["fleet.yaml", "worker.yaml", "access.yaml", "minimum-kernel"] {
            try directory.write(try Repository.text(of: "examples/fleet/\(name)"), to: name)
        }
        try directory.script("kernel", String(try Repository.text(of: "examples/fleet/kernel").drop { $0 != "\n" }))
    }

    @Test("are an inventory, an access file and the file of a worker with a monitor that has an interval")
    func read() async throws {
        let inventory = try await Inventory(path: directory.file("fleet.yaml"))
        #expect(inventory.workers.map(\.name) == ["db-01", "web-01", "web-02"])
        let file = try WorkerFile(
            yaml: try directory.text("worker.yaml").replacing("tcp://*:7717", with: "tcp://127.0.0.1:7717"),
            name: "worker.yaml",
            directory: directory.path,
            environment: ["FORGEBUS_NAME": "web-01", "PATH": "/usr/bin:/bin"]
        )
        try file.checkMachine()
        #expect(file.configuration.name == "web-01")
        #expect(inventory.expectations.map(\.monitors) == [file.monitors.map(\.name)])
        #expect(file.monitors.allSatisfy { $0.orchestrator.interval != nil })
        let policy = try AccessFile(contentsOf: directory.file("access.yaml")).policy
        #expect(policy.principalNames == ["operator"])
    }

    @Test("have a check that fails on a kernel older than the policy's", arguments: [("0.1", true), ("999", false)])
    func check(_ minimum: String, isMet: Bool) async throws {
        try directory.write("\(minimum)\n", to: "minimum-kernel")
        let result = await Command(["./kernel"], in: directory).run()
        #expect(result.ending == .exited(isMet ? 0 : 1))
        #expect((result.errors.lastLine?.contains(minimum) ?? false) != isMet)
    }
}
