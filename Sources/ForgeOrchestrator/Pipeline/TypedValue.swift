/// Reads a stored value as `T`; `nil` if the value is not a `T`.
func typed<T>(_ value: any Sendable) -> T? {
    // Most values are read as the type that they were stored as, and need no conversion.
    exactly(value) ?? converted(value)
}

/// The value if its type is exactly `T`, otherwise nil.
@inlinable
func exactly<T, Stored>(_ value: Stored) -> T? {
    Stored.self == T.self ? unsafeBitCast(value, to: T.self) : nil
}

/// Converts a value of another type to `T`; `nil` if that is not possible.
@usableFromInline
func converted<T>(_ value: any Sendable) -> T? {
    // The types are compared first, because a failed cast takes much longer than a comparison.
    let stored: any Any.Type = type(of: value)
    if stored == RestoredValue.self, let value = value as? RestoredValue { return value.decoded(as: T.self) }
    if stored == WrittenInteger.self, let value = value as? WrittenInteger { return typed(value.value) }
    // A decoded JSON array has this type, and so have most collections from hosts. A cast of the whole array would be
    // slower, because it searches for a conversion of each element.
    if stored == [any Sendable].self, let list = T.self as? any ConvertibleList.Type,
        let elements = value as? [any Sendable]
    {
        return list.converted(elements).flatMap { exactly($0) }
    }
    guard let cast = value as? T else { return nil }
    return isEmptyOfAnotherType(value, T.self) ? nil : cast
}

/// An array that can be made from elements stored as `any Sendable`.
private protocol ConvertibleList {
    /// Converts each element; nil if one element has another type.
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

/// Whether a cast succeeded only because a collection, or a collection inside it, was empty.
///
/// Swift converts an empty `[Int]` to an empty `[String]`. Reading with the wrong type must return `nil`, so this
/// conversion is refused. It is allowed if the stored or the wanted elements have the type `any Sendable`, as in
/// decoded JSON, or `Any` or `AnyHashable`.
private func isEmptyOfAnotherType(_ value: Any, _ wanted: any Any.Type) -> Bool {
    guard let value = value as? any ElementTyped, let wanted = wanted as? any ElementTyped.Type else { return false }
    if value.isEmpty {
        return zip(type(of: value).elementTypes, wanted.elementTypes).contains { stored, wanted in
            stored != wanted && !isUntyped(stored) && !isUntyped(wanted)
        }
    }
    // Only elements that are collections can be empty, so only such elements are checked.
    return wanted.elementTypes.indices.contains { index in
        let element = wanted.elementTypes[index]
        return element is any ElementTyped.Type
            && value.elements(index).contains { isEmptyOfAnotherType($0, element) }
    }
}

private func isUntyped(_ type: any Any.Type) -> Bool {
    type == Any.self || type == (any Sendable).self || type == AnyHashable.self
}

/// A collection that knows its element types at run time.
private protocol ElementTyped {
    static var elementTypes: [any Any.Type] { get }
    var isEmpty: Bool { get }

    /// The elements whose type is `elementTypes[index]`.
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
