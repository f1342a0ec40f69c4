import ForgeBusClient
import ForgeBusProtocol
import TestSupport
import Testing

@testable import ForgeBusConfiguration
@testable import ForgeBusWorker

@Suite("A monitor from a file")
struct MonitorFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func monitor(_ lines: String) throws -> HostedMonitor {
        let head = "monitors:\n  m:\n    topics: [orders.>]\n"
        let body = lines.split(separator: "\n").map { "    \($0)\n" }.joined()
        return try #require(try WorkerFile(head + body, in: directory).monitors.first)
    }

    @Test("says when its cycles begin, how long they take and which screens they avoid")
    func settings() throws {
        let monitor = try monitor(
            """
            minimum_gap: 0s
            debounce: {quiet: 200ms, at_most: 2s}
            time_limit: 5s
            excluded_screens: [checkout]
            actions: [{id: a, run: [x]}]
            """
        )
        #expect(monitor.minimumGap == .zero)
        #expect(monitor.debounce == .init(quiet: .milliseconds(200), maximumWait: .seconds(2)))
        #expect(monitor.timeLimit == .seconds(5))
        monitor.orchestrator.updateCurrentScreen("elsewhere")
        #expect(!monitor.orchestrator.isExcluded)
        monitor.orchestrator.updateCurrentScreen("checkout")
        #expect(monitor.orchestrator.isExcluded)
    }

    @Test("has the defaults of the article")
    func defaults() throws {
        let monitor = try monitor("actions: [{id: a, run: [x]}]")
        #expect(monitor.minimumGap == .milliseconds(100))
        #expect(monitor.debounce == nil)
        #expect(monitor.timeLimit == .seconds(60))
        monitor.orchestrator.updateCurrentScreen("checkout")
        #expect(!monitor.orchestrator.isExcluded)
    }

    @Test("lets its commands read what was said")
    func causes() async throws {
        let yaml = """
            worker: {listen: ["tcp://127.0.0.1:*"]}
            monitors:
              m:
                topics: [orders.>]
                minimum_gap: 0s
                actions:
                  - {id: see, when: [/bin/sh, -c, 'cat > asked'], run: [/bin/sh, -c, 'cat > seen']}
            """
        let worker = try WorkerFile(yaml, in: directory).worker(logger: .silent)
        let serving = Task { try await worker.run() }
        let endpoint = try #require(try await worker.endpoints.first)
        // What is sent again counts again.
        let client = BusClient(endpoint, source: "shop", resendsAfter: nil)
        let evaluation = try await client.notifyAndWait("orders.42", body: ["sku": 42])
        await client.close()
        serving.cancel()
        try await serving.value
        #expect(evaluation.monitors[0].actions.map(\.result) == [.completed])
        let seen = try directory.text("seen")
        #expect(try directory.text("asked") == seen)
        let document = try JSONValue(parsing: Array(seen.utf8)[...]).object
        #expect(document?["others"] == 0)
        let topic = try #require(document?["topics"]?.array?.first?.object)
        #expect(topic["topic"] == "orders.42")
        #expect(topic["count"] == 1)
        #expect(topic["publisher"] == "local/shop")
        #expect(topic["body"] == #"{"sku":42}"#)
        #expect(topic["body_bytes"] == 10)
    }
}

@Suite("What a monitor's command reads")
struct CausesDocumentTests {
    private func document(of body: [UInt8]) -> String {
        var causes = MonitorCauses()
        causes.add(Notice("t", by: "ada", body: body, at: 5))
        return String(decoding: causes.document, as: UTF8.self)
    }

    @Test("says that nothing was said")
    func empty() {
        #expect(String(decoding: MonitorCauses().document, as: UTF8.self) == #"{"topics":[],"others":0}"#)
    }

    @Test("holds a text as it is, whatever is in it")
    func text() {
        let head = #"{"topics":[{"topic":"t","count":1,"first_ms":5,"last_ms":5,"publisher":"ada","trace_ids":[],"#
        #expect(document(of: Array("a\"b\n".utf8)) == head + #""body_bytes":4,"body":"a\"b\n"}],"others":0}"#)
        #expect(document(of: []) == head + #""body_bytes":0,"body":""}],"others":0}"#)
    }

    @Test("holds bytes that are no text in Base64")
    func bytes() { #expect(document(of: [0xFF, 0x00]).contains(#""body_bytes":2,"body_base64":"/wA="}"#)) }

    @Test("ends a long text with a whole character")
    func long() {
        let body = Array(String(repeating: "€", count: 2000).utf8)
        let text = String(repeating: "€", count: 1365)
        #expect(document(of: body).contains(#""body_bytes":6000,"body":"\#(text)"}"#))
    }

    @Test("is bounded, however much is said")
    func bound() {
        var causes = MonitorCauses()
        let trace = String(repeating: "a", count: 31)
        for number in 0..<5_000 {
            let topic = Name(unchecked: String(repeating: "t", count: 64) + ".\(number % 100)")
            let traceparent = "00-\(trace)\(number % 10)-b7ad6b7169203331-01"
            causes.add(
                Notice(topic, by: "a", traceparent: traceparent, body: [UInt8](repeating: 1, count: 9_000), at: 0)
            )
        }
        #expect(causes.document.count < 2 * 1024 * 1024)
        #expect(causes.count == 5_000)
    }
}
