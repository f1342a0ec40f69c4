/// The name of a value in a ``PipelineContext``, with the value's type.
///
/// Declare an application's keys once, and use them to read and write:
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
/// A key and the string of its name give access to the same value, and so do two keys with the same name and different
/// types. If the value does not have the type of a key, reading it with that key returns `nil`.
public struct ContextKey<Value: Sendable>: Hashable, Sendable {
    /// The string under which the value is stored.
    public let name: String

    /// Makes a key with a name; start the name with the owner of the value, as in `feed.posts`.
    public init(_ name: String) {
        self.name = name
    }
}

extension PipelineContext {
    /// The value of a key; `nil` if no value is stored under the key, or if the value has another type.
    ///
    /// Reading is the same as ``get(_:)``, writing is the same as ``set(_:_:)``, and writing `nil` is the same as
    /// ``remove(_:)``. A change in place, like `context[.items]?.append(item)`, is a read and then a write. It
    /// overwrites a value that another task writes between the read and the write.
    public subscript<Value: Sendable>(key: ContextKey<Value>) -> Value? {
        get { get(key.name) }
        set {
            if let newValue { set(key.name, newValue) } else { remove(key.name) }
        }
    }
}
