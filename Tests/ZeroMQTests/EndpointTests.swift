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
        "is refused otherwise, with the fault and what would do",
        arguments: [
            ("", "does not begin with a known transport"), ("127.0.0.1:5555", "does not begin"),
            ("udp://127.0.0.1:5555", "does not begin"), ("pgm://eth0;239.1.1.1:5555", "does not begin"),
            ("TCP://127.0.0.1:5555", "does not begin"), ("tcp://127.0.0.1", "has no port"),
            ("tcp://[::1]", "has no port"),
            ("tcp://127.0.0.1:0", "has the port \"0\""), ("tcp://127.0.0.1:65536", "has the port"),
            ("tcp://127.0.0.1:-1", "has the port"), ("tcp://127.0.0.1:٣", "has the port"),
            ("tcp://127.0.0.1:", "has the port"), ("tcp://:5555", "has the host"),
            ("tcp://127.0.0.256:5555", "has the address"), ("tcp://127.1:5555", "has the address"),
            ("tcp://::1:5555", "has the host"), ("tcp://[::1:5555", "has the host"),
            ("tcp://[]:5555", "has the address"), ("tcp://[127.0.0.1]:5555", "has the address"),
            ("tcp://[::1%]:5555", "has the address"), ("tcp://eth0;10.0.0.1:5555", "has the host"),
            ("tcp://host name:5555", "space or a control character"), ("tcp://a\u{0}:5", "control character"),
            ("ipc://", "has no path"), ("ipc://*", "has * as its path"), ("ipc://@abstract", "abstract socket"),
            ("ipc:///" + String(repeating: "x", count: 107), "has a path of 108 bytes"),
            ("inproc://", "has a name of 0 bytes"), ("inproc://" + String(repeating: "x", count: 257), "257 bytes"),
        ]
    )
    func refused(_ text: String, fault: String) {
        let error = #expect(throws: ZeroMQError.self) { try Endpoint(text) }
        #expect(error?.code == .invalidEndpoint)
        #expect(error?.message.contains(fault) == true, "\(error?.message ?? "")")
        #expect(error?.next.isEmpty == false)
    }
}
