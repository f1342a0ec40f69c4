import Testing
import ZeroMQ

@Suite("An endpoint")
struct EndpointTests {
    @Test(
        "is accepted in the documented forms",
        arguments: [
            ("tcp://127.0.0.1:5555", true, true, false), ("tcp://127.8.9.10:1", true, true, false),
            ("tcp://[::1]:65535", true, true, false), ("tcp://[0:0::1]:80", true, true, false),
            ("tcp://10.0.0.1:5555", false, false, false), ("tcp://[fe80::1%eth0]:5", false, false, false),
            ("tcp://localhost:5555", false, false, false), ("tcp://eth0:5555", false, false, false),
            ("tcp://*:5555", false, false, true), ("tcp://127.0.0.1:*", true, true, true),
            ("tcp://[::]:5555", false, false, false), ("tcp://[::ffff:127.0.0.1]:5", false, false, false),
            ("ipc:///run/app/bus", false, true, false), ("ipc://relative", false, true, false),
            ("inproc://name", false, true, false),
        ]
    )
    func accepted(_ text: String, isLoopback: Bool, isLocal: Bool, isWildcard: Bool) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.isLoopback == isLoopback)
        #expect(endpoint.isLocal == isLocal)
        #expect(endpoint.isWildcard == isWildcard)
        #expect(endpoint.description == text)
    }

    @Test(
        "is refused otherwise, and the error names the part with the fault",
        arguments: [
            ("", "transport"), ("127.0.0.1:5555", "transport"), ("udp://127.0.0.1:5555", "transport"),
            ("pgm://eth0;239.1.1.1:5555", "transport"), ("TCP://127.0.0.1:5555", "transport"),
            ("tcp://127.0.0.1", "port"), ("tcp://[::1]", "port"), ("tcp://127.0.0.1:0", "port \"0\""),
            ("tcp://127.0.0.1:65536", "port"), ("tcp://127.0.0.1:-1", "port"), ("tcp://127.0.0.1:٣", "port"),
            ("tcp://127.0.0.1:", "port"), ("tcp://:5555", "host"), ("tcp://127.0.0.256:5555", "address"),
            ("tcp://127.1:5555", "address"), ("tcp://::1:5555", "host"), ("tcp://[::1:5555", "host"),
            ("tcp://[]:5555", "address"), ("tcp://[127.0.0.1]:5555", "address"), ("tcp://[::1%]:5555", "address"),
            ("tcp://eth0;10.0.0.1:5555", "host"), ("tcp://host name:5555", "space"), ("tcp://a\u{0}:5", "character"),
            ("ipc://", "path"), ("ipc://*", "path"), ("ipc://@abstract", "abstract"),
            ("ipc:///" + String(repeating: "x", count: 107), "108 bytes"),
            ("inproc://", "0 bytes"), ("inproc://" + String(repeating: "x", count: 257), "257 bytes"),
        ]
    )
    func refused(_ text: String, part: String) {
        let error = #expect(throws: ZeroMQError.self) { try Endpoint(text) }
        #expect(error?.code == .invalidEndpoint)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.next.isEmpty == false)
    }
}
