import ForgeBusConfiguration
import ForgeBusSQLite
import ForgeBusStore
import ForgeBusWorker

/// The runs in the store that the next worker of a file would park, for `worker --check`.
struct ForetoldRuns {
    /// A line for each run that would be parked, and then the advice; empty if no run would be parked.
    ///
    /// If the store cannot be read, one line says why.
    let lines: [String]

    /// Reads the store of a stopped worker, or a backup; changes nothing.
    init(of file: WorkerFile) async {
        let path: String
        switch file.store {
        case .file(let file): path = file
        case .memory:
            lines = []
            return
        case .postgreSQL:
            lines = ["The check does not read databases, so it cannot tell \(Self.unknown)"]
            return
        }
        do throws(StoreError) {
            let records = try await StoppedStore.records(at: path) ?? []
            let parked = ForetoldParking.all(in: records, under: file.pipelines).map { run in
                "The run \(run.run) of the pipeline \"\(run.pipeline)\" would be parked: \(run.change)"
            }
            lines = parked + (parked.isEmpty ? [] : [Errors.adviceOnForetoldRuns])
        } catch  where error.code == .unavailable {
            lines = ["\(error.message) So the check cannot tell \(Self.unknown) \(Errors.adviceOnUsedStore)"]
        } catch {
            lines = ["\(error.message) So the check cannot tell \(Self.unknown) \(error.next)"]
        }
    }

    private static let unknown = "whether a worker with this worker file would park unfinished runs."
}
