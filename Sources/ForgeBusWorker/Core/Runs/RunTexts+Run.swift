import ForgeBusProtocol
import ForgeBusStore

/// What SHOW tells of a run beside its progress and its result: its seeds, and how its signals ended.
extension Runs {
    /// The texts of a run, as members of the answer to SHOW; empty if there are none.
    func texts(of run: RunMachine, _ signals: Signals) -> JSONObject {
        var texts = JSONObject()
        texts["seeds"] = seeds(of: run)
        let ended = signals.ended(of: run.id)
        if !ended.isEmpty { texts["signals"] = .array(ended.fitting(Self.signalsSizeInBytes)) }
        return texts
    }

    /// The most bytes that the signals take as JSON; what is older is left out.
    private static let signalsSizeInBytes = 256 * 1024
    /// The most bytes that the seeds take as JSON; larger ones are left out.
    private static let seedsSizeInBytes = 64 * 1024

    /// The seeds that the request gave, without the secret ones; nil if there are none, or if they are too large.
    ///
    /// Also nil if the worker no longer serves the pipeline, because it then does not know which seeds are secret.
    private func seeds(of run: RunMachine) -> JSONValue? {
        guard let declared = pipelines[run.pipeline]?.seeds else { return nil }
        var seeds = run.terms.seeds
        for seed in declared where seed.isSecret { seeds[seed.key] = nil }
        guard !seeds.entries.isEmpty, JSONValue.object(seeds).encoded.count <= Self.seedsSizeInBytes else {
            return .none
        }
        return .object(seeds)
    }
}

extension Signals {
    /// How the signals of an unfinished run ended, in the order in which they did, as SHOW tells it.
    func ended(of run: Name) -> [JSONObject] {
        ended.signals(of: run).compactMap { signal in
            ended[signal].flatMap { $0.waiting.owner.run == run ? $0.ended(signal) : nil }
        }
    }
}

extension EndedSignal {
    /// The question, its answer and every vote, as SHOW of the run tells them.
    fileprivate func ended(_ signal: Name) -> JSONObject {
        var item: JSONObject = ["signal": .string(signal.text), "kind": .string(waiting.kind.rawValue)]
        item["action"] = waiting.owner.action.map { .string($0) }
        item["opened_at_ms"] = .integer(waiting.opened)
        item["message"] = waiting.terms.message.map { .string($0) }
        switch state {
        case .decided(let word, let principal, _): (item["state"], item["by"]) = (.string(word), .string(principal))
        case .expired: item["state"] = "expired"
        case .closed(_, let why): (item["state"], item["why"]) = ("closed", .string(why))
        case .waiting, .early: fatalError("Internal error: a signal that has ended waits.")
        }
        item.add(shown)
        return item
    }
}

extension [JSONObject] {
    /// The latest of them that fit into so many bytes; each that alone takes a quarter of that loses what was sent.
    fileprivate func fitting(_ size: Int) -> [JSONValue] {
        var (left, keys) = (size, WireLimits.jsonKeys / 2)
        let all = map { JSONValue.object($0).encoded.count > size / 4 ? $0.withoutSent : $0 }
        let fitting = all.reversed().prefix { item in
            left -= JSONValue.object(item).encoded.count + 1
            keys -= JSONValue.object(item).extent.keys
            return left >= 0 && keys >= 0
        }
        return fitting.reversed().map { .object($0) }
    }
}

extension JSONObject {
    /// The signal without the values and reasons of its votes.
    fileprivate var withoutSent: JSONObject {
        var item = self
        (item["value"], item["reason"]) = (nil, nil)
        item["votes"] = item["votes"]?.array.map { votes in
            .array(
                votes.map { vote in
                    var vote = vote.object ?? [:]
                    (vote["value"], vote["reason"]) = (nil, nil)
                    return .object(vote)
                }
            )
        }
        return item
    }
}
