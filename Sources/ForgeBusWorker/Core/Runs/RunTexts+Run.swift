import ForgeBusProtocol
import ForgeBusStore

/// What SHOW tells of a run beside its progress and its result: its seeds, and how its signals ended.
extension Runs {
    /// The texts of a run, as members of the answer to SHOW; without members if there are none.
    func texts(of run: RunMachine, _ signals: Signals) -> RunItem {
        var texts = RunItem()
        texts.seeds = seeds(of: run)
        texts.signals = signals.ended(of: run.id).fitting(Self.signalsSizeInBytes)
        return texts
    }

    /// The most bytes that the signals take as JSON; what is older is left out.
    private static let signalsSizeInBytes = 256 * 1024
    /// The most bytes that the seeds take as JSON; larger ones are left out.
    private static let seedsSizeInBytes = 64 * 1024

    /// The seeds that the request gave, without the secret ones; empty if there are none, or if they are too large.
    ///
    /// Also empty if the worker no longer serves the pipeline, because it then does not know which seeds are secret.
    private func seeds(of run: RunMachine) -> JSONObject {
        guard let declared = pipelines[run.pipeline]?.seeds else { return [:] }
        var seeds = run.terms.seeds
        for seed in declared where seed.isSecret { seeds[seed.key] = nil }
        return JSONValue.object(seeds).encoded.count <= Self.seedsSizeInBytes ? seeds : [:]
    }
}

extension Signals {
    /// How the signals of an unfinished run ended, in the order in which they did, as SHOW tells it.
    func ended(of run: Name) -> [EndedSignalItem] {
        ended.signals(of: run).compactMap { signal in
            ended[signal].flatMap { $0.waiting.owner.run == run ? $0.ended(signal) : nil }
        }
    }
}

extension EndedSignal {
    /// The question, its answer and every vote, as SHOW of the run tells them.
    fileprivate func ended(_ signal: Name) -> EndedSignalItem {
        var item = EndedSignalItem()
        (item.id, item.kind, item.action) = (SignalID(signal), waiting.kind, waiting.owner.action)
        (item.openedUnixMilliseconds, item.message) = (waiting.opened, waiting.terms.message)
        switch state {
        case .decided(let kind, let principal, _): (item.state, item.by) = (SignalState(kind), principal)
        case .expired: item.state = .expired
        case .closed(_, let why): (item.state, item.why) = (.closed, why)
        case .waiting, .early: fatalError("Internal error: a signal that has ended waits.")
        }
        item.json.add(shown)
        return item
    }
}

extension [EndedSignalItem] {
    /// The latest of them that fit into so many bytes; each that alone takes a quarter of that loses what was sent.
    fileprivate func fitting(_ size: Int) -> [EndedSignalItem] {
        var (left, keys) = (size, WireLimits.jsonKeys / 2)
        let all = map { JSONValue.object($0.json).encoded.count > size / 4 ? $0.withoutSent : $0 }
        let fitting = all.reversed().prefix { item in
            left -= JSONValue.object(item.json).encoded.count + 1
            keys -= JSONValue.object(item.json).extent.keys
            return left >= 0 && keys >= 0
        }
        return fitting.reversed()
    }
}

extension EndedSignalItem {
    /// The signal without the values and reasons of its votes.
    fileprivate var withoutSent: Self {
        var item = self
        (item.value, item.reason) = (nil, nil)
        item.votes = item.votes?.map { vote in
            var vote = vote
            (vote.value, vote.reason) = (nil, nil)
            return vote
        }
        return item
    }
}
