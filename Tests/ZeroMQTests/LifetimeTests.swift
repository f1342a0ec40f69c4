import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#endif

@Suite("The life of a reactor", .timeLimit(.minutes(30)))
struct LifetimeTests {
    struct Failure: Error, Equatable {}

    @Test("ends with its scope, also by an error")
    func scope() async throws {
        let kept = try await withReactor("scope") { reactor in
            _ = try await reactor.withSocket(Router.self) { router in
                try await reactor.bind(router, to: LocalEndpoint("inproc://scope"))
            }
            // The socket's scope is over, so its name is free.
            let next = try await reactor.open(Router.self)
            try await reactor.bind(next, to: LocalEndpoint("inproc://scope"))
            await #expect(throws: Failure.self) {
                try await reactor.withSocket(Dealer.self) { _ in throw Failure() }
            }
            return reactor
        }
        #expect(!kept.submit { _ in })
        let failed = Record<Reactor>()
        await #expect(throws: Failure.self) {
            try await withReactor("scope") { reactor in
                failed.add(reactor)
                throw Failure()
            }
        }
        #expect(failed.values.first?.submit { _ in } == false)
    }

    @Test("ends with its program, as a service")
    func service() async throws {
        let reactor = try Reactor(label: "service")
        let program = Program(reactor)
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: reactor),
                    .init(service: program, successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        try await group.run()
        #expect(program.hasUsedReactor, "It is shut down after those who use it.")
        #expect(!reactor.submit { _ in })
    }

    @Test("does not go on in a forked process: whoever tries is stopped with a sentence")
    func fork() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await useInForkedChild()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("fork"))
    }

    @Test("costs nothing while there is nothing to do: fewer than 20 context switches in 10 s")
    func idle() async {
        await #expect(processExitsWith: .success) { try await countSwitchesWhileIdle() }
    }

    @Test("does not spin for a watched descriptor that the program has closed")
    func closedDescriptor() async throws {
        // In a process of its own, where nobody else gets the number of the descriptor.
        await #expect(processExitsWith: .success) {
            try await withReactor { reactor in
                let descriptor = Glibc.open("/dev/null", O_RDONLY)
                let calls = Record<Int>()
                await reactor.watch(descriptor: descriptor) { calls.add(1) }
                // Nothing of /dev/null is ever waited for, so the handler is called in each turn until then.
                _ = await calls.reach(2)
                reactor.submit { _ in close(descriptor) }
                await reactor.passTurns(2)
                let count = calls.values.count
                await reactor.passTurns(20)
                guard calls.values.count == count else { fatalError("\(calls.values.count)") }
            }
        }
    }

    @Test("leaves no descriptor behind when it cannot start")
    func leftovers() async throws {
        await #expect(processExitsWith: .success) {
            let count = { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
            var options = ReactorOptions()
            options.ioThreads = 0
            let before = count()
            for _ in 0..<100 { _ = try? Reactor(label: "none", options: options) }
            // The process itself may open a few meanwhile.
            guard before > 0, count() < before + 50 else { fatalError("\(count() - before) descriptors") }
        }
    }

    @Test("watches descriptors of the operating system in the same wait")
    func descriptors() async throws {
        try await withReactor { reactor in
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            let (readable, writable) = (ends[0], ends[1])
            let read = Record<UInt8>()
            await reactor.watch(descriptor: readable) {
                var byte: UInt8 = 0
                if Glibc.read(readable, &byte, 1) == 1 { read.add(byte) }
            }
            // Level-triggered: one byte a call, and none is left behind.
            var bytes: [UInt8] = [1, 2, 3, 4, 5]
            #expect(write(writable, &bytes, bytes.count) == bytes.count)
            #expect(await read.reach(5) == bytes)
            await reactor.unwatch(descriptor: readable)
            #expect(write(writable, &bytes, 1) == 1)
            await reactor.passTurns(10)
            #expect(read.values.count == 5)
            for end in ends { close(end) }
        }
    }
}

/// A program that uses a reactor until its own end.
private final class Program: Service {
    let reactor: Reactor
    private let hasUsed = Atomic<Bool>(false)

    var hasUsedReactor: Bool { hasUsed.load(ordering: .relaxed) }

    init(_ reactor: Reactor) { self.reactor = reactor }

    func run() async throws {
        let router = try await reactor.open(Router.self)
        try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
        hasUsed.store(true, ordering: .relaxed)
    }
}

/// Forks, and uses the parent's reactor in the child.
///
/// Swift does not offer `fork` for good reasons; those who call it from C meet the same.
private func useInForkedChild() async throws {
    try await withReactor("parent") { reactor in
        guard let symbol = dlsym(nil, "fork") else { fatalError("There is no fork.") }
        let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        let child = fork()
        if child == 0 {
            reactor.submit { _ in }
            _exit(0)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status & 0x7F != 0 else { fatalError("The child was not stopped.") }
        // The parent goes on as before.
        let endpoint = try await reactor.startEcho(on: Endpoint("inproc://parent"))
        try await reactor.run(EchoClient(count: 10, window: 2), against: endpoint)
    }
}

/// Runs in a process of its own, whose other threads do nothing.
private func countSwitchesWhileIdle() async throws {
    try await withReactor("idle") { reactor in
        let authenticator = try await reactor.authenticate(AllowedKeys())
        let router = try await reactor.open(Router.self)
        await reactor.receive(router) { _ in }
        let server = CurveServer(keys: KeyPair(), authenticator: authenticator)
        try await reactor.bind(router, to: Endpoint("tcp://127.0.0.1:*"), as: server)
        let xpub = try await reactor.open(XPub.self)
        try await reactor.bind(xpub, to: LocalEndpoint("tcp://127.0.0.1:*"))
        await reactor.passTurns(10)
        let before = contextSwitches()
        // Nothing is waited for: the ten seconds are what is measured.
        try await Task.sleep(for: .seconds(10))
        let switches = contextSwitches() - before
        guard switches < 20 else { fatalError("\(switches) context switches in 10 s.") }
    }
}

/// The context switches of a reactor's threads so far.
private func contextSwitches() -> Int {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.reduce(0) { total, thread in
        guard let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8),
            ["idle", "ZMQbg"].contains(where: { status.hasPrefix("Name:\t\($0)") })
        else { return total }
        let lines = status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
        return total + lines.compactMap { $0.split(separator: "\t").last.flatMap { Int($0) } }.reduce(0, +)
    }
}
