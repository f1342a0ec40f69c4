import ForgeBusProtocol
import HTTPTypes

/// Makes the changes that the console's forms ask for; the answers lead back to a page.
struct ConsoleChanges {
    let bus: any GatewayBus
    let sender: Sender
    let form: Form

    /// Approves, rejects or withdraws, as the pressed button says.
    func decide(_ gate: Name) async throws(BusError) -> APIResponse {
        let reason = form["because"] ?? ""
        let command: Request.Command
        switch form["decision"] {
        case "approve":
            let value = try await value(for: gate, reason)
            command = .decide(Decision(signal: gate, outcome: .approved(value: value)))
        case "reject": command = .decide(Decision(signal: gate, outcome: .rejected(reason: reason)))
        case "withdraw": command = .withdraw(WithdrawRequest(signal: gate))
        default: throw Errors.unknownButton("decision", "`approve`, `reject` or `withdraw`")
        }
        switch try await ask(command, id: form.requestID()) {
        case .verdict(let report):
            if let refusal = report.refusal { throw refusal }
            return Self.lead(to: "/", report.verdict.word)
        case .ok(let report): return Self.lead(to: "/", report.state.rawValue)
        default: throw Errors.unexpectedAnswer
        }
    }

    /// The value of an approval: the values that the gate expects, with their types, and the reason.
    private func value(for gate: Name, _ reason: String) async throws(BusError) -> [UInt8] {
        var value = JSONObject()
        let members = form.members("value.")
        if !members.isEmpty {
            guard case .shown(let shown) = try await ask(.show(ShowRequest(.signal, gate))) else {
                throw Errors.unexpectedAnswer
            }
            for (name, text) in members {
                let type = shown["expects"]?.object?[name]?.object?["type"]?.string ?? "string"
                value[name] = JSONValue(text: text, type: type)
            }
        }
        if !reason.isEmpty { value["because"] = .string(reason) }
        return value.isEmpty ? [] : JSONValue.object(value).encoded
    }

    /// Cancels or redrives a run.
    func steer(_ run: Name) async throws(BusError) -> APIResponse {
        let id = try form.requestID()
        switch form["change"] {
        case "cancel":
            guard case .ok(let report) = try await ask(.cancel(CancelRequest(run: run)), id: id) else {
                throw Errors.unexpectedAnswer
            }
            let hasEnded = report.state != .stopping && report.state != .cancelled
            return Self.lead(to: "/runs/\(run)", hasEnded ? "ended" : "cancelled")
        case "redrive":
            _ = try await ask(.redrive(RedriveRequest(run: run)), id: id)
            return Self.lead(to: "/runs/\(run)", "redriven")
        default: throw Errors.unknownButton("change", "`cancel` or `redrive`")
        }
    }

    /// Cancels or redrives the chosen runs, one after another.
    ///
    /// - Throws: `BusError` if requests were refused, with their number and the first refusal. The other runs are
    ///   changed.
    func steerMany() async throws(BusError) -> APIResponse {
        let (key, runs) = (try form.requestID(), form.all("run"))
        guard !runs.isEmpty else {
            throw Errors.noRunChosen
        }
        var refusals: [(run: String, error: BusError)] = []
        for (index, run) in runs.enumerated() {
            let (name, id) = (try Name(run), try RequestID("\(key.text.prefix(100))-\(index)"))
            let command: Request.Command =
                switch form["change"] {
                case "cancel": .cancel(CancelRequest(run: name))
                case "redrive": .redrive(RedriveRequest(run: name))
                default: throw Errors.unknownButton("change", "`cancel` or `redrive`")
                }
            // One refusal must not keep the other runs from their change.
            do throws(BusError) { _ = try await ask(command, id: id) } catch { refusals.append((run, error)) }
        }
        if let (run, error) = refusals.first {
            guard runs.count > 1 else { throw error }
            throw Errors.changedInPart(refusals.count, of: runs.count, run, error)
        }
        return Self.lead(to: "/attention", "done")
    }

    /// Starts a run with the seeds of the form.
    func start(_ pipeline: Name) async throws(BusError) -> APIResponse {
        guard case .shown(let shown) = try await ask(.show(ShowRequest(.pipeline, pipeline))) else {
            throw Errors.unexpectedAnswer
        }
        let declared = (shown["seeds"]?.array ?? []).compactMap(\.object)
        var seeds = JSONObject()
        for (name, text) in form.members("seed.") {
            let type = declared.first { $0["key"]?.string == name }?["type"]?.string ?? "string"
            seeds[name] = JSONValue(text: text, type: type)
        }
        let run = RunRequest(pipeline: pipeline, seeds: seeds, isDetached: true)
        guard case .accepted(let acceptance) = try await ask(.run(run), id: form.requestID()),
            let id = acceptance.run
        else { throw Errors.unexpectedAnswer }
        return Self.lead(to: "/runs/\(id.text)", "started")
    }

    /// Reports a change on a topic, so that the monitors that follow it run again.
    func evaluate() async throws(BusError) -> APIResponse {
        let topic = try Name(form["topic"] ?? "")
        _ = try await ask(.notify(StateChange(topic: topic)))
        return Self.lead(to: "/monitors", "evaluated")
    }

    private func ask(_ command: Request.Command, id: RequestID = .random()) async throws(BusError) -> Answer.Content {
        try sender.check(command)
        return try await bus.ask(Request(command, id: id, as: sender.principal))
    }

    private static func lead(to path: String, _ done: String) -> APIResponse {
        APIResponse(.seeOther, fields: [.location: "\(path)?done=\(done)"])
    }
}
