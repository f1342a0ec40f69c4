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
    /// Otherwise the next run would get the same id. If the worker refused the run because of a signal with this id in
    /// its name, it would then refuse all further runs, too.
    mutating func take() -> Name {
        defer { number += 1 }
        return next
    }
}
