/// Reads the attributes frame of one request, and refuses an attribute if ignoring it could change the effect.
///
/// Three rules apply (`Protocol.md`, "Attributes"). First, an attribute that changes an effect is refused if it is
/// malformed, or if its command does not accept it. Second, an unknown attribute is refused if it looks like one of the
/// command's attributes: in capitals, without its unit, or at most two edits away. Third, all other unknown attributes
/// are ignored.
package struct AttributeReader {
    private let attributes: JSONObject

    /// The attributes of all verbs; each of them changes the effect of its request.
    private static let effective = Set(
        Request.Command.verbs.flatMap { $0.attributes } + SteeringRequest.attributes + [agency]
    )
    /// The attribute of every request that names the principal for which the sender acts.
    static let agency = "as"
    /// The attributes that every command accepts; they change no effect.
    static let common = ["source", "traceparent"]

    /// The label that the sender chose; nil if the sender gave none.
    var source: String? { attributes["source"]?.string }

    /// The W3C trace context, unchanged; nil if the sender gave none.
    var traceparent: String? { attributes["traceparent"]?.string }

    /// The principal for which the sender acts; nil if it acts for itself.
    ///
    /// - Throws: ``BusError`` with code `bad_attribute` if the attribute is no name.
    func principal() throws(BusError) -> Name? {
        guard let text = try text(Self.agency, atMost: Name.maximumSizeInBytes) else { return nil }
        do throws(BusError) { return try Name(text) } catch {
            throw BusError(.badAttribute, "The attribute `as` is malformed: \(error.message)", next: error.next)
        }
    }

    /// Reads the frame of a published message, which accepts only the common attributes.
    ///
    /// The publisher gets no answer, so an attribute that asks for an answer or a durability is an error.
    init(published frame: ArraySlice<UInt8>) throws(BusError) {
        try self.init(frame, of: "A published NOTIFY", taking: [], isPublished: true)
    }

    /// Reads the frame, and checks the names of all attributes and the values of the common attributes.
    ///
    /// - Parameters:
    ///   - frame: The attributes frame, which may be empty.
    ///   - command: The word of the request's command, for errors.
    ///   - taken: The attributes that the command accepts beside the common attributes and `as`.
    ///   - isPublished: Whether the frame belongs to a published message, which does not accept `as`.
    /// - Throws: ``BusError`` with code `bad_attribute` or `too_large`.
    init(
        _ frame: ArraySlice<UInt8>,
        of command: String,
        taking taken: [String],
        isPublished: Bool = false
    ) throws(BusError) {
        guard !frame.isEmpty else {
            attributes = JSONObject()
            return
        }
        guard frame.count <= WireLimits.attributesSizeInBytes else {
            throw Errors.tooManyAttributes(sizeInBytes: frame.count)
        }
        let value: JSONValue
        do throws(JSONParser.Flaw) {
            value = try JSONParser.parse(frame)
        } catch {
            throw Errors.noAttributes(
                "The attributes are not acceptable JSON: \(error.message), at byte \(error.offset).",
                next: error.offset == 0 ? nil : error.next
            )
        }
        guard case .object(let object) = value else {
            throw Errors.noAttributes("The attributes are not a JSON object; found \(value.typeName).")
        }
        // The list with `as` is made only here, because many requests have no attributes.
        let taken = isPublished ? taken : taken + [Self.agency]
        for entry in object.entries { try Self.check(entry, command: command, taken: taken) }
        attributes = object
        for key in Self.common { _ = try text(key, atMost: WireLimits.commonAttributeSizeInBytes) }
        _ = try principal()
    }

    private static func check(_ entry: JSONObject.Entry, command: String, taken: [String]) throws(BusError) {
        if taken.contains(entry.key) || common.contains(entry.key) { return }
        if effective.contains(entry.key) {
            // CANCEL and REDRIVE of many runs take more attributes than those of one run.
            let isOfMany = SteeringRequest.words.contains(command) && SteeringRequest.attributes.contains(entry.key)
            throw Errors.misplacedAttribute(entry.key, of: command, isOfMany: isOfMany, taken: taken)
        }
        for known in taken where isMisspelt(entry.key, known) {
            throw Errors.misspeltAttribute(entry.key, known, taken: taken)
        }
    }

    /// Whether `word` is `known` in capitals, without its unit, or at most two edits away.
    private static func isMisspelt(_ word: String, _ known: String) -> Bool {
        let lower = word.lowercased()
        return lower == known || lower + "_ms" == known || Spelling.isWithinTwoEdits(word, known)
            || Spelling.isWithinTwoEdits(lower, known)
    }

    /// The attribute as one word of a fixed set; nil if it is absent.
    func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) throws(BusError) -> Choice?
    where Choice.RawValue == String {
        guard let value = attributes[key] else { return nil }
        guard let text = value.string, let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
            throw Errors.badAttribute("`\(key)` must be \(words), not \(Self.shown(value)).")
        }
        return choice
    }

    /// The attribute as a duration, in whole milliseconds from `least` to `most`; nil if it is absent.
    func duration(_ key: String, atLeast least: Int64, atMost most: Duration = WireLimits.duration) throws(BusError)
        -> Duration?
    {
        guard let value = attributes[key] else { return nil }
        let longest = most.milliseconds
        guard let milliseconds = value.integer, (least...longest).contains(milliseconds) else {
            throw Errors.badAttribute(
                "`\(key)` must be a whole number of milliseconds from \(least) to \(longest), not \(Self.shown(value))."
            )
        }
        return .milliseconds(milliseconds)
    }

    /// The attribute as a whole number in `range`; nil if it is absent.
    func integer(_ key: String, in range: ClosedRange<Int64>, next: String? = nil) throws(BusError) -> Int? {
        guard let value = attributes[key] else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw Errors.badAttribute(
                "`\(key)` must be a whole number from \(range.lowerBound) to \(range.upperBound),"
                    + " not \(Self.shown(value)).",
                next: next
            )
        }
        return Int(number)
    }

    /// The attribute as a Boolean; false if it is absent.
    func flag(_ key: String) throws(BusError) -> Bool {
        guard let value = attributes[key] else { return false }
        guard let flag = value.bool else {
            throw Errors.badAttribute("`\(key)` must be true or false, not \(Self.shown(value)).")
        }
        return flag
    }

    /// Returns `value`, the value of the attribute `key`; throws `bad_attribute` if the attribute is absent.
    func required<Value>(_ key: String, _ value: Value?) throws(BusError) -> Value {
        guard let value else {
            throw Errors.missingAttribute(key)
        }
        return value
    }

    /// The attribute as a string of at most `maximum` bytes; nil if it is absent.
    func text(_ key: String, atMost maximum: Int) throws(BusError) -> String? {
        guard let value = attributes[key] else { return nil }
        // The only attribute whose option has another name; `--id` of the command line is the request's id.
        let name = key == "id" ? "`id` (on the command line: `--prefix`)" : "`\(key)`"
        guard let text = value.string else {
            throw Errors.badAttribute("\(name) must be a string of at most \(maximum) bytes, not \(Self.shown(value)).")
        }
        guard text.utf8.count <= maximum else {
            throw Errors.longAttribute(key, called: name, text, atMost: maximum)
        }
        return text
    }

    private static func shown(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): Printable.quoted(text)
        case .integer, .number, .bool, .null: value.description
        case .array, .object: "an \(value.typeName)"
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero; at most 292 million years.
    package var milliseconds: Int64 { whole(units: 1_000_000_000_000_000) }

    /// Whole milliseconds, rounded up; for a duration that is not negative.
    package var millisecondsRoundedUp: Int64 {
        let whole = milliseconds
        return self > .milliseconds(whole) && whole < .max ? whole + 1 : whole
    }

    /// Whole microseconds, rounded towards zero; at most 292 thousand years.
    package var microseconds: Int64 { whole(units: 1_000_000_000_000) }

    /// The number of whole units in the duration; a unit has `units` attoseconds.
    private func whole(units: Int64) -> Int64 {
        // For up to nine seconds, the number of attoseconds fits 64 bits, so that a fast division is possible.
        if let few = Int64(exactly: attoseconds) { return few / units }
        return Int64(clamping: attoseconds / Int128(units))
    }
}
