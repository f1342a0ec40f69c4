/// To which store a request may have been sent.
///
/// A store remembers the id of what it took; another one would do it a second time.
enum Reach: Hashable {
    /// To none: no part of it has left.
    case nowhere
    /// To this one; nil where nobody asked, or the worker does not say.
    case store(String?)

    /// Whether it may be sent to the worker of this store.
    func permits(_ store: String?) -> Bool {
        switch self {
        case .nowhere: true
        case .store(let known): known != nil && known == store
        }
    }
}
