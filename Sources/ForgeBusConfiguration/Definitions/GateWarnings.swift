import ForgeBusWorker

extension WorkerFile {
    /// The conflicts between the rules of the gates and the access file, one sentence each.
    ///
    /// Because of such a conflict, perhaps nobody can approve a gate. That is safe, but may not be intended. A worker
    /// logs the warnings when it starts, and `worker --check` shows them.
    public var warnings: [String] {
        guard case .keyed(_, let policy) = configuration.access else { return [] }
        return pipelines.flatMap { pipeline in
            let principals = pipeline.deciders.subtracting(policy.principalNames).sorted()
            let groups = pipeline.decidingGroups.subtracting(policy.groupNames).sorted()
            return principals.map {
                "Gates of the pipeline \(pipeline.name) allow \($0), who is not in the access file."
            }
                + groups.map {
                    "Gates of the pipeline \(pipeline.name) allow the group \($0), which is not in the access file."
                }
                + pipeline.unreachableVotes(under: policy)
        }
    }
}
