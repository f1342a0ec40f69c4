import ForgeBusWorker

extension WorkerFile {
    /// What the access file keeps the file's gates from, one sentence each: gates stay shut then, which is safe but perhaps
    /// not intended.
    ///
    /// A worker logs them when it starts, and `worker --check` shows them.
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
