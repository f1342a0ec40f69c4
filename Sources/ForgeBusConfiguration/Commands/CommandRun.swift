import Subprocess

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension Command {
    /// Runs the program to its end, in a process group of its own.
    ///
    /// After the time limit or a cancellation, the group gets SIGTERM, and SIGKILL if the group's first process has not
    /// ended after ``grace``. When the program ends, the other processes of the group are killed, so that no process
    /// keeps the program's output open. If the command has a ``Leader``, the leader kills the group when the worker's
    /// process ends for any reason, or when the command's lease ends.
    ///
    /// - Parameters:
    ///   - input: The program's standard input.
    ///   - variables: The variables to add to the program's environment.
    /// - Returns: The result; a command that fails is a result, not an error.
    func run(input: [UInt8] = [], variables: [String: String] = [:]) async -> CommandResult {
        if Task.isCancelled { return CommandResult(ending: .cancelled) }
        var variables = environment.merging(variables) { _, added in added }
        if let lease {
            guard let epoch = lease.epoch else {
                return CommandResult(ending: .notStarted(Errors.leaseLost))
            }
            variables["FORGE_EPOCH"] = "\(epoch)"
        }
        do {
            let file = try InputFile(input)
            if let leader = Leader.program { return try await run(ledBy: leader, variables, file) }
            let result = try await Subprocess.run(
                configuration(executable, Arguments(Array(arguments.dropFirst())), variables),
                input: .fileDescriptor(.init(rawValue: file.descriptor), closeAfterSpawningProcess: false),
                output: .sequence,
                error: .sequence
            ) { execution in
                await watch(execution)
            }
            file.close()
            return result.closureResult.result(result.terminationStatus, limit: timeLimit)
        } catch {
            return CommandResult(ending: Task.isCancelled ? .cancelled : .notStarted("\(error)"))
        }
    }

    /// Runs the program under a leader, which exits with the program's status.
    private func run(
        ledBy program: String,
        _ variables: [String: String],
        _ file: borrowing InputFile
    ) async throws -> CommandResult {
        let path = try await executable.resolveExecutablePath(in: .custom(variables.asEnvironment)).string
        let leader = try Leader()
        let led = Arguments(executablePathOverride: Leader.name, remainingValues: [path] + arguments.dropFirst())
        let result = try await Subprocess.run(
            configuration(.path(.init(program)), led, Leader.environment(of: variables)),
            input: .fileDescriptor(.init(rawValue: leader.input), closeAfterSpawningProcess: true),
            output: .sequence,
            error: .sequence
        ) { execution in
            let token = variables["FORGE_TOKEN"]
            let slot = token.flatMap { book?.enter(leader: execution.processIdentifier.value, token: $0) }
            leader.begin(reading: file, during: lease)
            let run = await watch(execution)
            if let slot { book?.leave(slot) }
            return run
        }
        if let number = leader.failure { throw StartFailure(path: path, number: number) }
        return result.closureResult.result(result.terminationStatus, limit: timeLimit)
    }

    private var executable: Executable {
        switch program {
        case .name(let name): .name(name)
        case .path(let path): .path(.init(path))
        }
    }

    private func configuration(
        _ executable: Executable,
        _ arguments: Arguments,
        _ variables: [String: String]
    ) -> Subprocess.Configuration {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [ending]
        return Subprocess.Configuration(
            executable: executable,
            arguments: arguments,
            environment: .custom(variables.asEnvironment),
            workingDirectory: .init(directory),
            platformOptions: options
        )
    }

    /// The step that sends SIGTERM to the command's processes; after ``grace`` they are killed.
    private var ending: TeardownStep {
        .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: grace)
    }

    /// Reads the program's output until the group's first process has ended.
    ///
    /// That process is the leader, or the program itself if there is no leader. It ends by itself, or after the time
    /// limit or a cancellation.
    private func watch<Input>(_ execution: Execution<Input, SequenceOutput, SequenceOutput>) async -> WatchedRun {
        let start = ContinuousClock.now
        // Not child tasks: cancelling the action must not end the reading while its command still runs, or the command
        // could block on a full pipe instead of cleaning up.
        let output = Task {
            await OutputReader.output(
                of: execution.standardOutput,
                limit: wholeOutputInBytes ?? Self.largestDocumentInBytes,
                tail: wholeOutputInBytes == nil ? Self.longestTextInBytes : nil
            ) {
                try? execution.send(signal: .kill, toProcessGroup: true)
            }
        }
        let errors = Task { await OutputReader.tail(of: execution.standardError, limit: Self.longestTextInBytes) }
        // Signal 0 is not delivered: this step only waits until the first process ends or the time limit passes.
        let time = TeardownStep.send(signal: Signal(rawValue: 0), allowedDurationToNextStep: timeLimit)
        await execution.teardown(using: [time, ending])
        let isOverdue = ContinuousClock.now - start >= timeLimit
        // The first process has not been reaped, so no other process or group can have its number.
        try? execution.send(signal: .kill, toProcessGroup: true)
        output.cancel()
        errors.cancel()
        return await WatchedRun(
            output: output.value,
            errors: errors.value,
            isOverdue: isOverdue,
            isCancelled: Task.isCancelled
        )
    }
}

/// The output of a command, and whether the command exceeded its time limit or was cancelled.
private struct WatchedRun: Sendable {
    let output: CommandOutput
    let errors: CommandOutput
    let isOverdue: Bool
    let isCancelled: Bool

    /// The command's result; a reason for ending the command early takes precedence over its exit status.
    func result(_ status: TerminationStatus, limit: Duration) -> CommandResult {
        CommandResult(ending: ending(status, limit), output: output, errors: errors)
    }

    private func ending(_ status: TerminationStatus, _ limit: Duration) -> CommandResult.Ending {
        if isCancelled { return .cancelled }
        if output.isTooLarge { return .tooLargeDocument }
        if isOverdue { return .overdue(limit) }
        return switch status {
        case .exited(let code): .exited(code)
        case .signaled(let number): .signalled(number)
        }
    }
}

/// The error of a leader that could not start its command.
private struct StartFailure: Error, CustomStringConvertible {
    let path: String
    let number: Int32

    var description: String { Errors.start(path, number, exists: access(path, F_OK) == 0) }
}

extension [String: String] {
    fileprivate var asEnvironment: [Environment.Key: String] {
        Dictionary<Environment.Key, String>(uniqueKeysWithValues: map { (.init(stringLiteral: $0), $1) })
    }
}
