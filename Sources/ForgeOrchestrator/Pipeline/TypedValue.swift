/// Reads a stored value as `T`; `nil` when it is something else.
func typed<T: Sendable>(_ value: any Sendable) -> T? {
    // What is read as what was stored, as most values are, needs no search for a way to convert it.
    if let exact: T = exactly(value) { return exact }
    if let value = value as? RestoredValue { return value.decoded(as: T.self) }
    guard let cast = value as? T else { return nil }
    return isEmptyOfAnotherType(value, T.self) ? nil : cast
}

/// The value if it is of this very type.
private func exactly<T, Stored>(_ value: Stored) -> T? {
    Stored.self == T.self ? unsafeBitCast(value, to: T.self) : nil
}

/// Whether the cast succeeded only because there was no element that could have failed it.
///
/// Swift converts an empty `[Int]` to an empty `[String]`. Reading with the wrong type has to give `nil`, so this is
/// refused, except where the stored elements have no type of their own, as in decoded JSON.
private func isEmptyOfAnotherType(_ value: any Sendable, _ wanted: any Any.Type) -> Bool {
    guard let value = value as? any ElementTyped, value.isEmpty, let wanted = wanted as? any ElementTyped.Type else {
        return false
    }
    return zip(type(of: value).elementTypes, wanted.elementTypes).contains { stored, wanted in
        stored != wanted && !isUntyped(stored) && !isUntyped(wanted)
    }
}

private func isUntyped(_ type: any Any.Type) -> Bool {
    type == Any.self || type == (any Sendable).self || type == AnyHashable.self
}

/// A collection that can say what it is a collection of.
private protocol ElementTyped {
    static var elementTypes: [any Any.Type] { get }
    var isEmpty: Bool { get }
}

extension Array: ElementTyped {
    fileprivate static var elementTypes: [any Any.Type] { [Element.self] }
}

extension Set: ElementTyped {
    fileprivate static var elementTypes: [any Any.Type] { [Element.self] }
}

extension Dictionary: ElementTyped {
    fileprivate static var elementTypes: [any Any.Type] { [Key.self, Value.self] }
}
