import ForgeBusProtocol

extension RunProgress.Change {
    /// One line for people.
    var line: String {
        switch self {
        case .started(let action): "started    \(action)"
        case .finished(let action, .failed(let reason)): "failed     \(action)  \(reason)"
        case .finished(let action, let result): "\(result.word.padded(to: 11))\(action)"
        case .waiting(let action, let signal): "waiting    \(action)  for \(signal)"
        case .resumed(let action, let signal): "resumed    \(action)  \(signal) is decided"
        case .retrying(let action, let attempt, let after):
            "retrying   \(action)  attempt \(attempt) in \(after.readable)"
        case .parked(let action, let reason): "parked     \(action)  \(reason)"
        case .redriven(let action): "redriven   \(action)"
        }
    }
}
