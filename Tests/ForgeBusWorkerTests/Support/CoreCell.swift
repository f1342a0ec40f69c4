@testable import ForgeBusWorker

/// Where a harness has its core, of which there is only ever one: whoever takes a copy of the harness has the same core.
final class CoreCell {
    var core: WorkerCore

    init(_ configuration: CoreConfiguration) { core = WorkerCore(configuration) }
}
