/// The name of a value in a ``PipelineContext``, with the value's type.
///
/// Declare the keys of an application once, and read and write by them:
///
/// ```swift
/// extension ContextKey<String> {
///     static var userID: Self { Self("user.id") }
/// }
/// ```
///
/// ```swift
/// let context = PipelineContext()
/// context[.userID] = "ada"
/// let user = context[.userID]
/// ```
///
/// A key is its name: what is stored under it is also found by the string, and the other way round. Two keys of one name
/// share one place, whatever their types; what the other has stored there reads as `nil` unless it is of this type.
public struct ContextKey<Value: Sendable>: Hashable, Sendable {
    /// The string under which the value is stored.
    public let name: String

    /// Makes a key of a name, which says whose it is, like `feed.posts`.
    public init(_ name: String) {
        self.name = name
    }
}

extension PipelineContext {
    /// The value of a key; `nil` when there is none or it is of another type.
    ///
    /// Reading is ``get(_:)``, writing ``set(_:_:)``, and writing `nil` ``remove(_:)``. A change in place, like
    /// `context[.items]?.append(item)`, is one read and one write: what another task writes in between is lost.
    public subscript<Value: Sendable>(key: ContextKey<Value>) -> Value? {
        get { get(key.name) }
        set {
            if let newValue { set(key.name, newValue) } else { remove(key.name) }
        }
    }
}
