#if PostgreSQL
import ForgeLocks
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Stands between a store and its server, and breaks its connections at moments that a test chooses.
///
/// The connection that renews the lease passes undisturbed, unless all are cut.
final class Relay: Sendable {
    /// Where the next commit is cut.
    enum Cut {
        /// The server never gets the commit.
        case before
        /// The server commits, and the store never gets the answer.
        case after
        /// The store's connection breaks, and the server gets the commit only at ``release()``.
        case late
        /// As `late`, but the server gets the commit just before it gets the same commit again.
        case overtaking
    }

    let directory: String
    private let server: String
    private let listener: CInt
    private let state = Guarded(State())

    private struct State {
        var cut: Cut?
        var cuts = 0
        /// How many further commits pass before the late ones are released.
        var countdown: Int?
        var refusals = 0
        var awaiting: [CheckedContinuation<Void, Never>] = []
        var isRefusing = false
        var descriptors: Set<CInt> = []
        var late: [(descriptor: CInt, bytes: [UInt8])] = []
    }

    /// Begins to relay to the server whose socket is at this path.
    init(to server: String) throws {
        self.server = server
        directory = "/tmp/forge-relay-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        listener = Self.socket()
        let bound = Self.with("\(directory)/.s.PGSQL.5432") { [listener] in bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 64) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        Thread { [weak self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                guard let self else {
                    close(client)
                    return
                }
                serve(client)
            }
        }.start()
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        cutAll()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// How many commits were cut.
    var cuts: Int { state.withLock { $0.cuts } }

    /// Cuts the next commit.
    func cutNextCommit(_ cut: Cut) { state.withLock { $0.cut = cut } }

    /// Breaks all connections.
    func cutAll() { state.withLock { for descriptor in $0.descriptors { shutdown(descriptor, CInt(SHUT_RDWR)) } } }

    /// Whether new connections are refused.
    func refuse(_ isRefusing: Bool) {
        state.withLock { $0.isRefusing = isRefusing }
        if isRefusing { cutAll() }
    }

    /// Lets the server have the late commits, and ends their connections when it has answered.
    func release() {
        for (descriptor, bytes) in state.withLock({ state in exchange(&state.late, with: []) }) {
            Self.send(bytes, to: descriptor)
            var answer = [UInt8](repeating: 0, count: 1 << 16)
            _ = recv(descriptor, &answer, answer.count, 0)
            close(descriptor)
        }
    }

    /// Waits until a connection was refused.
    func refused() async {
        await withCheckedContinuation { continuation in
            let isRefused = state.withLock { state in
                if state.refusals == 0 { state.awaiting.append(continuation) }
                return state.refusals > 0
            }
            if isRefused { continuation.resume() }
        }
    }

    private func serve(_ client: CInt) {
        let server = Self.socket()
        let isConnected = Self.with(self.server) { connect(server, $0, $1) } == 0
        let isTaken = state.withLock { state in
            guard isConnected, !state.isRefusing else { return false }
            state.descriptors.formUnion([client, server])
            return true
        }
        guard isTaken else {
            close(client)
            close(server)
            let awaiting = state.withLock { state in
                state.refusals += 1
                return exchange(&state.awaiting, with: [])
            }
            for continuation in awaiting { continuation.resume() }
            return
        }
        // The relay lives until its test drops it; its threads must not keep it.
        Thread { [weak self] in Connection(client: client, server: server, relay: self).run() }.start()
    }

    /// Counts a commit that passes; releases the late ones before it if it is the one that they overtake.
    fileprivate func passes() {
        let isDue = state.withLock { state in
            guard let left = state.countdown else { return false }
            state.countdown = left == 0 ? nil : left - 1
            return left == 0
        }
        if isDue { release() }
    }

    /// Takes the cut that is due, if there is one.
    fileprivate func takeCut() -> Cut? {
        state.withLock { state in
            guard let cut = state.cut else { return nil }
            state.cut = nil
            state.cuts += 1
            // The next commit is the one that asks whether this one has happened.
            if case .overtaking = cut { state.countdown = 1 }
            return cut
        }
    }

    fileprivate func forget(_ descriptors: [CInt]) { state.withLock { $0.descriptors.subtract(descriptors) } }

    fileprivate func hold(_ bytes: [UInt8], for descriptor: CInt) {
        state.withLock { $0.late.append((descriptor, bytes)) }
    }

    fileprivate static func send(_ bytes: [UInt8], to descriptor: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { transmit(descriptor, $0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func socket() -> CInt { localSocket() }

    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

private func transmit(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
    send(descriptor, bytes.baseAddress, bytes.count, 0)
    #else
    send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    #endif
}

private func localSocket() -> CInt {
    #if canImport(Glibc)
    socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
    socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
}

/// One connection through a relay.
private final class Connection {
    private let client: CInt
    private let server: CInt
    private weak var relay: Relay?
    /// Whether the connection is the one that renews the lease; nil before its first message.
    private var isLease: Bool?
    /// The end of what the client sent, in case a message comes in two parts.
    private var end: [UInt8] = []
    private var isAnswerCut = false
    private var isServerKept = false

    init(client: CInt, server: CInt, relay: Relay?) {
        (self.client, self.server, self.relay) = (client, server, relay)
    }

    func run() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        loop: while true {
            var ends = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ends, 2, -1) > 0 || errno == EINTR else { break }
            for (index, descriptor) in [client, server].enumerated() where ends[index].revents != 0 {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { break loop }
                let bytes = Array(buffer[..<count])
                let goesOn = descriptor == client ? fromClient(bytes) : fromServer(bytes)
                guard goesOn else { break loop }
            }
        }
        relay?.forget([client, server])
        close(client)
        if !isServerKept { close(server) }
    }

    private func fromClient(_ bytes: [UInt8]) -> Bool {
        isLease = isLease ?? (bytes.firstRange(of: Array("forgebus lease".utf8)) != nil)
        end = Array((end + bytes).suffix(bytes.count + 6))
        let isCommit = isLease == false && end.firstRange(of: Array("COMMIT\0".utf8)) != nil
        guard isCommit, let cut = relay?.takeCut() else {
            if isCommit { relay?.passes() }
            end = end.suffix(6)
            Relay.send(bytes, to: server)
            return true
        }
        switch cut {
        case .before: return false
        case .after:
            isAnswerCut = true
            Relay.send(bytes, to: server)
            return true
        case .late, .overtaking:
            relay?.hold(bytes, for: server)
            isServerKept = true
            return false
        }
    }

    private func fromServer(_ bytes: [UInt8]) -> Bool {
        guard isAnswerCut else {
            Relay.send(bytes, to: client)
            return true
        }
        // The server is ready for the next transaction, so it has committed this one.
        return !bytes.suffix(6).starts(with: [UInt8(ascii: "Z"), 0, 0, 0, 5])
    }
}
#endif
