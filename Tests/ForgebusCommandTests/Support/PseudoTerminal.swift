import Foundation
import Subprocess
import Testing

/// What a program said to a terminal.
struct Drawn: Sendable {
    /// Every character, in the order in which it came.
    let text: String

    /// What stands there in the end, without colours.
    var rows: [String] {
        var rows: [String] = []
        let plain = text.replacing("\r\n", with: "\n").replacing(/\u{1B}\[(\d+m|\?7[lh])/, with: "")
        for line in plain.split(separator: "\n") {
            // Each drawing of a row begins at its start and clears it.
            rows.append(String(line.components(separatedBy: "\r\u{1B}[J").last ?? ""))
        }
        return rows
    }
}

/// A terminal that a test reads.
struct PseudoTerminal {
    private let reading: Int32
    /// The end that a program writes to.
    let writing: Int32

    init() throws {
        var (reading, writing): (Int32, Int32) = (-1, -1)
        try #require(openpty(&reading, &writing, nil, nil, nil) == 0)
        // Whoever inherits it would keep it from ending.
        _ = fcntl(reading, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writing, F_SETFD, FD_CLOEXEC)
        (self.reading, self.writing) = (reading, writing)
    }

    /// What is written until nobody has the other end open; on a thread of its own, because it waits.
    func readToEnd() async -> Drawn {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = read(reading, &buffer, buffer.count)
                    guard count > 0 else { break }
                    bytes += buffer[..<count]
                }
                close(reading)
                continuation.resume(returning: Drawn(text: String(decoding: bytes, as: UTF8.self)))
            }
        }
    }
}

extension WorkerProcess {
    /// Asks the worker from a terminal, with `body` beside it.
    func drawn(
        _ arguments: String...,
        environment: [String: String?] = [:],
        body: @Sendable () async throws -> Void = {}
    ) async throws -> Drawn {
        let changes: [String: String?] = ["FORGEBUS_ENDPOINT": endpoint, "TERM": "xterm", "NO_COLOR": nil]
        let environment = changes.merging(environment) { $1 }
        let terminal = try PseudoTerminal()
        async let drawn = terminal.readToEnd()
        _ = try await Subprocess.run(
            Forgebus.configuration(arguments, environment),
            input: .none,
            output: .fileDescriptor(.init(rawValue: terminal.writing), closeAfterSpawningProcess: true),
            error: .discarded
        ) { _ in try await body() }
        return await drawn
    }
}
