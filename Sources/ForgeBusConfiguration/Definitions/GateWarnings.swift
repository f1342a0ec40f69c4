import ForgeBusWorker

extension WorkerFile {
    /// The conflicts between the rules of the gates and the access file, one sentence each.
    ///
    /// A conflict may mean that nobody can approve a gate. That is safe, but may not be intended. Reading the file logs
    /// the warnings, and `worker --check` shows them. The list is empty if the worker has no keys.
    public var warnings: [String] {
        guard case .keyed(_, let policy) = configuration.access else { return [] }
        return pipelines.flatMap { pipeline in
            let principals = pipeline.deciders.subtracting(policy.principalNames).sorted()
            let groups = pipeline.decidingGroups.subtracting(policy.groupNames).sorted()
            return principals.map { Errors.unknownPrincipal($0, in: pipeline.name) }
                + groups.map { Errors.unknownGroup($0, in: pipeline.name) }
                + pipeline.unreachableVotes(under: policy)
        }
    }
}
