package import ForgeBusProtocol
package import ForgeBusStore

/// A run that a worker would park at its start, because the definition of the run's unfinished part has changed.
package struct ForetoldParking: Hashable, Sendable {
    /// The run's id.
    package let run: Name
    /// The name of the run's pipeline.
    package let pipeline: Name
    /// The change of the definition, as a part of a sentence, such as "the action feed changed".
    package let change: String

    /// Finds the runs in `records` that a worker with these pipelines would park, in the order of their acceptance.
    ///
    /// The list omits runs that are already parked or stopping. It includes a run whose deadline has passed, although
    /// the worker would end this run.
    package static func all(in records: [StoreRecord], under pipelines: [HostedPipeline]) -> [ForetoldParking] {
        let left = LeftRecords(records)
        let served = Dictionary(pipelines.map { ($0.name, $0) }) { first, _ in first }
        let definitions = served.mapValues { RunDefinition(of: $0) }
        return left.runs.compactMap { record in
            guard record.end == nil else { return nil }
            let progress = left.progress[record.run]
            switch progress?.state {
            case .parked, .stopping: return nil
            case .executing, .waiting, .awaiting, .retrying, nil: break
            }
            var change = DefinitionChange?.some(.gone)
            if let pipeline = served[record.pipeline], let current = definitions[record.pipeline] {
                change = record.definition.change(
                    to: current,
                    requiring: pipeline.requirements,
                    after: RunCourse(of: progress)
                )
            }
            return change.map { ForetoldParking(run: record.run, pipeline: record.pipeline, change: $0.description) }
        }
    }
}
