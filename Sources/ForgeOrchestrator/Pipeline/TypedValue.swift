/// Reads a stored value as `T`; `nil` when it is something else.
func typed<T>(_ value: any Sendable) -> T? {
    // What is read as what was stored, as most values are, needs no search for a way to convert it.
    exactly(value) ?? converted(value)
}

/// The value if it is of this very type.
@inlinable
func exactly<T, Stored>(_ value: Stored) -> T? {
    Stored.self == T.self ? unsafeBitCast(value, to: T.self) : nil
}

/// Reads a value as `T` that is of another type; `nil` when there is no way.
@usableFromInline
func converted<T>(_ value: any Sendable) -> T? {
    // Compared, because a cast that fails costs many times as much.
    let stored: any Any.Type = type(of: value)
    if stored == RestoredValue.self, let value = value as? RestoredValue { return value.decoded(as: T.self) }
    if stored == WrittenInteger.self, let value = value as? WrittenInteger { return typed(value.value) }
    // A JSON array, as most collections are that hosts put there. Cast as a whole, each of its elements would be searched
    // for a way.
    if stored == [any Sendable].self, let list = T.self as? any ConvertibleList.Type,
        let elements = value as? [any Sendable]
    {
        return list.converted(elements).flatMap { exactly($0) }
    }
    guard let cast = value as? T else { return nil }
    return isEmptyOfAnotherType(value, T.self) ? nil : cast
}

/// An array that can be made of elements that have no type of their own.
private protocol ConvertibleList {
    /// The array; nil where an element is something else.
    static func converted(_ elements: [any Sendable]) -> Self?
}

extension Array: ConvertibleList {
    fileprivate static func converted(_ elements: [any Sendable]) -> [Element]? {
        var list: [Element] = []
        list.reserveCapacity(elements.count)
        for element in elements {
            guard let element: Element = typed(element) else { return nil }
            list.append(element)
        }
        return list
    }
}

/// Whether the cast succeeded only because there was no element, at some depth, that could have failed it.
///
/// Swift converts an empty `[Int]` to an empty `[String]`. Reading with the wrong type has to give `nil`, so this is
/// refused, except where the stored elements have no type of their own, as in decoded JSON.
private func isEmptyOfAnotherType(_ value: Any, _ wanted: any Any.Type) -> Bool {
    guard let value = value as? any ElementTyped, let wanted = wanted as? any ElementTyped.Type else { return false }
    if value.isEmpty {
        return zip(type(of: value).elementTypes, wanted.elementTypes).contains { stored, wanted in
            stored != wanted && !isUntyped(stored) && !isUntyped(wanted)
        }
    }
    // Only a collection can be empty: what holds none is not looked through.
    return wanted.elementTypes.indices.contains { index in
        let element = wanted.elementTypes[index]
        return element is any ElementTyped.Type
            && value.elements(index).contains { isEmptyOfAnotherType($0, element) }
    }
}

private func isUntyped(_ type: any Any.Type) -> Bool {
    type == Any.self || type == (any Sendable).self || type == AnyHashable.self
}

/// A collection that can say what it is a collection of.
private protocol ElementTyped {
    static var elementTypes: [any Any.Type] { get }
    var isEmpty: Bool { get }

    /// The elements of the type at this place in ``elementTypes``.
    func elements(_ index: Int) -> [Any]
}

extension Array: ElementTyped {
    fileprivate static var elementTypes: [any Any.Type] { [Element.self] }
    fileprivate func elements(_ index: Int) -> [Any] { self }
}

extension Set: ElementTyped {
    fileprivate static var elementTypes: [any Any.Type] { [Element.self] }
    fileprivate func elements(_ index: Int) -> [Any] { Array(self) }
}

extension Dictionary: ElementTyped {
    fileprivate static var elementTypes: [any Any.Type] { [Key.self, Value.self] }
    fileprivate func elements(_ index: Int) -> [Any] { index == 0 ? Array(keys) : Array(values) }
}
