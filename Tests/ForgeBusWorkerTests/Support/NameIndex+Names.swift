import ForgeBusProtocol

@testable import ForgeBusWorker

extension NameIndex {
    /// All names, in the order.
    var names: [Name] {
        var names: [Name] = []
        scan(after: nil, backwards: false) { place in
            names.append(place.name)
            return true
        }
        return names
    }
}
