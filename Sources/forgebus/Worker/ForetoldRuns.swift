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
            let advice =
                "To avoid this, let such a run end under the earlier worker file first; otherwise redrive or cancel it "
                + "after the start."
            lines = parked + (parked.isEmpty ? [] : [advice])
        } catch  where error.code == .unavailable {
            let next =
                "If a worker uses the store, make a backup with `forgebus store backup BACKUP`, which prints the path "
                + "of the backup, and check again with --store and this path. If another program uses the store, close "
                + "that program, and check again. If the store cannot be opened, check the owner and the permissions "
                + "of its files."
            lines = ["\(error.message) So the check cannot tell \(Self.unknown) \(next)"]
        } catch {
            lines = ["\(error.message) So the check cannot tell \(Self.unknown) \(error.next)"]
        }
    }

    private static let unknown = "whether a worker with this worker file would park unfinished runs."
}
