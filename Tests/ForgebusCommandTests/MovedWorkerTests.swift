import ForgeBusClient
import ForgeBusProtocol
import Foundation
import Logging
import TestSupport
import Testing
import ZeroMQ

extension CommandLineTests {
    @Suite("A worker that is killed under load, with another on its store at the second endpoint")
    struct MovedWorkerTests {
        private static let yaml = #"""
            worker:
              name: mover
            pipelines:
              mark:
                seeds:
                  number: {type: integer, required: true}
                outputs: [number]
                actions:
                  - id: write
                    run: [/bin/sh, -c, "echo \"$FORGE_TOKEN $(cat)\" >>marks"]
            """#

        @Test("loses no request of a client of both, and runs none twice")
        func moved() async throws {
            let (rounds, runsPerRound) = (4, 60)
            try await withScratch { directory in
                let endpoints = try ["one", "two"].map { try Endpoint("ipc://\(directory.path)/\($0).ipc") }
                let client = BusClient(
                    endpoints[0],
                    orAt: [endpoints[1]],
                    patience: .seconds(300),
                    logger: .silent
                )
                let ends = Ends()
                for round in 0..<rounds {
                    let outcome = try await WorkerProcess.serve(
                        Self.yaml,
                        in: directory,
                        listen: endpoints[round % 2].text
                    ) { worker in
                        for number in 0..<runsPerRound {
                            let number = round * runsPerRound + number
                            Task { ends.add(("r-\(number)", await Self.mark(number, with: client))) }
                        }
                        // The last worker finishes them all; the others die in the middle of it.
                        await ends.reach(round == rounds - 1 ? rounds * runsPerRound : round * runsPerRound + 15)
                        worker.stop(round == rounds - 1 ? SIGTERM : SIGKILL)
                    }
                    if round < rounds - 1 { #expect(outcome.status == .signaled(SIGKILL)) }
                }
                await client.close()
                let runs = try Dictionary(uniqueKeysWithValues: ends.values.map { ($0.request, try $0.end.get()) })
                #expect(runs.count == rounds * runsPerRound)
                #expect(Set(runs.values).count == runs.count)
                // Each line is an attempt: a run's action has one token, in however many workers it was tried.
                let lines = try directory.lines("marks").map { $0.split(separator: " ", maxSplits: 1) }
                let tokens = Dictionary(grouping: lines, by: { $0[1] }).mapValues { Set($0.map { $0[0] }) }
                #expect(tokens.count == runs.count)
                #expect(tokens.filter { $0.value.count > 1 }.isEmpty)
            }
        }

        /// Has a run write its number, and returns the run's id.
        private static func mark(_ number: Int, with client: BusClient) async -> Result<RunID, any Error> {
            do {
                let result = try await client.run("mark", seeds: ["number": number], id: RequestID("r-\(number)"))
                #expect(result.state == .completed, "\(result)")
                return .success(result.run)
            } catch {
                return .failure(error)
            }
        }
    }
}

/// How requests ended, each once.
private typealias Ends = Record<(request: String, end: Result<RunID, any Error>)>
