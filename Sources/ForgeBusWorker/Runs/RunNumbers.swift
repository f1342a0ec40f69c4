import ForgeBusProtocol

/// Makes the ids of runs; no other run of any worker has one of them.
struct RunNumbers {
    let prefix: String
    private var number = 0

    init(prefix: String) { self.prefix = prefix }

    /// The id of the next run.
    var next: Name { Name(unchecked: "\(prefix)-\(number + 1)") }

    /// Takes the next id for a run; the id is used up even if the worker refuses the run.
    ///
    /// Otherwise somebody could name a signal after the next run's id, and all further runs would be refused.
    mutating func take() -> Name {
        defer { number += 1 }
        return next
    }
}
