import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// Makes the monitors of a file.
struct MonitorDefinition {
    let workshop: Workshop

    /// Reads the monitors, and records every problem.
    func monitors(_ entry: Entry) -> [HostedMonitor] {
        let next = "Write each monitor as `NAME:`, with its keys below it and without a dash."
        return (entry.members("a mapping of names to monitors", next: next) ?? []).compactMap(monitor)
    }

    private func monitor(_ member: Member) -> HostedMonitor? {
        let name = member.checkedName
        guard let fields = Fields(member.entry, .monitor) else { return nil }
        let topics = fields.required("topics").map(Self.topics)
        let interval = fields.time("interval")
        let gap = fields.time("minimum_gap")
        let debounce = fields.fields("debounce").flatMap(Self.debounce)
        let timeLimit = fields.time("time_limit")
        if let machine = fields["machine"], machine.flag == true, workshop.lease != nil {
            machine.note(Errors.monitorMustStay)
        }
        let screens = fields["excluded_screens"]?.distinctTexts("a list of names of screens")
        let actions = fields.required("actions").map {
            ActionDefinition.actions($0, .monitor)
        }
        guard let name, let topics, let actions else { return nil }
        let orchestrator = MonitorOrchestrator(interval: interval.map { $0 / .seconds(1) }, logger: workshop.logger)
        orchestrator.register(actions.compactMap { action(for: $0, of: name) })
        orchestrator.setExcludedScreens(Set(screens ?? []))
        return HostedMonitor(
            name,
            orchestrator,
            topics: topics,
            minimumGap: gap ?? .milliseconds(100),
            debounce: debounce,
            timeLimit: timeLimit ?? .seconds(60)
        )
    }

    private static func debounce(_ fields: Fields) -> HostedMonitor.Debounce? {
        let quiet = fields.required("quiet").flatMap { _ in fields.time("quiet") }
        let most = fields.required("at_most").flatMap { _ in fields.time("at_most") }
        guard let quiet, let most else { return nil }
        guard most >= quiet else {
            fields["at_most"]?.note(Errors.debounceTooShort)
            return nil
        }
        return HostedMonitor.Debounce(quiet: quiet, maximumWait: most)
    }

    private func action(for action: ActionDefinition, of monitor: Name) -> (any MonitorAction)? {
        let owner = (name: "FORGE_MONITOR", value: monitor.text)
        let condition = workshop.condition(of: action, owner)
        switch action.work {
        case .request(let request):
            workshop.requests.add(request) { .monitor(action.id, of: monitor, seed: $0) }
            return RequestMonitorAction(
                action.id,
                pipeline: request.pipeline,
                seeds: request.monitorSeeds,
                priority: action.priority
            ) {
                await condition?.holds(input: MonitorCauses.current.document) ?? true
            }
        case .post(let definition):
            return workshop.post(definition, of: action).map { post in
                PostMonitorAction(
                    id: action.id,
                    priority: action.priority,
                    monitor: monitor,
                    post: post,
                    condition: condition
                )
            }
        case .run(let line):
            return CommandMonitorAction(
                id: action.id,
                priority: action.priority,
                command: workshop.command(line, of: action, owner),
                condition: condition
            )
        // The reader of actions has refused it.
        case .gate: return nil
        }
    }

    private static func topics(_ entry: Entry) -> [NamePattern] {
        (entry.someElements("a list of patterns of topics") ?? []).compactMap { element in
            guard let text = element.text("a pattern of topics") else { return nil }
            do throws(BusError) {
                return try NamePattern(text)
            } catch {
                element.note(Errors.badValue(error))
                return nil
            }
        }
    }
}

extension Member {
    /// The member's key as a name; nil after recording that it is not a name.
    var checkedName: Name? {
        do throws(BusError) {
            return try Name(name)
        } catch {
            entry.problems.add(Errors.notName(error.message), at: position, key: entry.key)
            return nil
        }
    }
}
