import Subprocess

extension Command {
    /// Runs the program to its end, in a process group of its own that does not outlive it.
    ///
    /// When the time is over or the task is cancelled, the group gets SIGTERM, and SIGKILL if its leader is still there
    /// after the grace. Whatever the program leaves behind in its group when it ends is killed, so that nothing holds
    /// its output open.
    ///
    /// - Parameters:
    ///   - input: What it reads on its standard input.
    ///   - variables: What is added to its environment.
    /// - Returns: What became of it; a command that fails is a result, not an error.
    func run(input: [UInt8] = [], variables: [String: String] = [:]) async -> CommandResult {
        if Task.isCancelled { return CommandResult(ending: .cancelled) }
        do {
            let file = try InputFile(input)
            let result = try await Subprocess.run(
                configuration(variables),
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

    private func configuration(_ variables: [String: String]) -> Subprocess.Configuration {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [ending]
        let all = environment.merging(variables) { _, added in added }
        let executable: Executable =
            switch program {
            case .name(let name): .name(name)
            case .path(let path): .path(.init(path))
            }
        return Subprocess.Configuration(
            executable: executable,
            arguments: Arguments(Array(arguments.dropFirst())),
            environment: .custom(Dictionary(uniqueKeysWithValues: all.map { (.init(stringLiteral: $0), $1) })),
            workingDirectory: .init(directory),
            platformOptions: options
        )
    }

    /// How its processes are asked to end; what is left after the grace is killed.
    private var ending: TeardownStep {
        .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: grace)
    }

    /// Reads what the program writes until its leader has ended, by itself or because its time was over.
    private func watch<Input>(_ execution: Execution<Input, SequenceOutput, SequenceOutput>) async -> WatchedRun {
        let start = ContinuousClock.now
        // No children of this task: that an action is cancelled must not end the reading while its command still runs,
        // or the command could block on a full pipe instead of cleaning up.
        let output = Task {
            await OutputReader.head(of: execution.standardOutput, limit: Self.maximumOutputSizeInBytes) {
                try? execution.send(signal: .kill, toProcessGroup: true)
            }
        }
        let errors = Task { await OutputReader.tail(of: execution.standardError, limit: Self.errorTailSizeInBytes) }
        // Signal 0 goes to nobody: this step only waits, for the leader's end or for the end of its time.
        let time = TeardownStep.send(signal: Signal(rawValue: 0), allowedDurationToNextStep: timeLimit)
        await execution.teardown(using: [time, ending])
        let isOverdue = ContinuousClock.now - start >= timeLimit
        // The leader has not been reaped, so its number, which is the group's, belongs to nobody else.
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

/// What was seen of a command until its leader ended.
private struct WatchedRun: Sendable {
    /// nil if there was too much of it.
    let output: [UInt8]?
    let errors: [UInt8]
    let isOverdue: Bool
    let isCancelled: Bool

    /// What became of the command; why it was ended counts more than how it took that.
    func result(_ status: TerminationStatus, limit: Duration) -> CommandResult {
        CommandResult(
            ending: ending(status, limit),
            output: output ?? [],
            lastErrorLine: ErrorText.lastLine(of: errors)
        )
    }

    private func ending(_ status: TerminationStatus, _ limit: Duration) -> CommandResult.Ending {
        if isCancelled { return .cancelled }
        if output == nil { return .tooMuchOutput }
        if isOverdue { return .overdue(limit) }
        return switch status {
        case .exited(let code): .exited(code)
        case .signaled(let number): .signalled(number)
        }
    }
}
