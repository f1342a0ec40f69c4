import ForgeBusProtocol

/// Makes the ids of new runs; each id is unique among the runs of all workers.
struct RunNumbers {
    let prefix: String
    private var number = 0

    init(prefix: String) { self.prefix = prefix }

    /// The id of the next run.
    var next: Name { Name(unchecked: "\(prefix)-\(number + 1)") }

    /// Takes the next id for a run; the id is used up even if the worker refuses the run.
    ///
    /// Otherwise the next run would get the same id. If another owner has a signal whose name contains this id, the
    /// worker would then refuse every further run because of that signal.
    mutating func take() -> Name {
        defer { number += 1 }
        return next
    }
}
