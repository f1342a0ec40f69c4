import Crypto
import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

extension Fingerprint {
    /// Hashes the texts with SHA-256, each after its length.
    init(of texts: [String]) {
        var hash = SHA256()
        for text in texts { hash.update(text: text) }
        self.init(hash)
    }
}

extension RunDefinition {
    /// Makes the digests of the parts of `pipeline`.
    ///
    /// No digest depends on the order of the seeds and outputs, or on the pipeline's slots, priority and `checkpoint`
    /// setting. The priority of an action counts only through the order of the actions.
    init(of pipeline: HostedPipeline) {
        let seeds = pipeline.seeds.sorted { $0.key < $1.key }.map { seed in
            "\(seed.key) \(seed.type.rawValue) \(seed.defaultValue.map(\.description) ?? "required")"
        }
        let frame = Fingerprint(of: ["seeds"] + seeds + ["outputs"] + pipeline.outputs.sorted())
        self.init(frame: frame, actions: pipeline.actionsInOrder.map { Action($0, of: pipeline) })
    }
}

extension RunDefinition.Action {
    fileprivate init(_ action: any PipelineAction, of pipeline: HostedPipeline) {
        let revision = pipeline.revisions[action.id] ?? HostedPipeline.Revision(work: pipeline.revision)
        // A gate's rule and deadline are not in the digest: a gate that waits takes the new rule, and its run goes on.
        let signal = (action as? GateAction)?.signal.text ?? (action as? RequestAction)?.definition ?? ""
        let requires = action.requires.sorted().map(\.rawValue)
        let policy = pipeline.policies[action.id] ?? .once
        self.init(
            id: action.id.rawValue,
            work: Fingerprint(of: ["\(type(of: action))", signal, revision.work, "requires"] + requires),
            handling: Fingerprint(
                of: [
                    revision.handling, "\(policy.attempts)", "\(policy.backoff.milliseconds)",
                    policy.onFailure.rawValue,
                ]
            )
        )
    }
}
