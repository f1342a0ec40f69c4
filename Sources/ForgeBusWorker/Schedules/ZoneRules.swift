import ForgeBusProtocol

/// When the clocks of a time zone change, and by how much they are ahead of UTC, as a TZif file says (RFC 9636).
///
/// Times are in seconds since 1970, by UTC and without leap seconds.
struct ZoneRules: Hashable, Sendable {
    /// An instant at which the offset changes, and the offset from then on.
    private struct Transition: Hashable {
        let time: Int
        let offset: Int
    }

    /// The zone's name, such as `Europe/Berlin`.
    let name: String
    /// The offset before the first transition.
    private let first: Int
    private let transitions: [Transition]
    /// What holds after the last transition.
    private let footer: ZoneFooter

    /// UTC, whose clocks never change.
    static let utc = ZoneRules(name: "UTC", first: 0, transitions: [], footer: ZoneFooter(standard: 0))

    private init(name: String, first: Int, transitions: [Transition], footer: ZoneFooter) {
        (self.name, self.first, self.transitions, self.footer) = (name, first, transitions, footer)
    }

    /// Reads the zone from the bytes of its file.
    ///
    /// - Throws: `BusError` with code `bad_value` for a file that is not TZif of version 2 or later with a footer.
    init(name: String, _ bytes: [UInt8]) throws(BusError) {
        var file = TZifReader(bytes)
        do throws(TZifReader.Flaw) {
            // The first block is for readers of version 1, whose times end in 2038.
            let old = try file.header()
            try file.skip(old.blockSize(timeSize: 4))
            let counts = try file.header()
            guard counts.version >= 2, counts.types > 0 else { throw TZifReader.Flaw() }
            let times = try file.integers(counts.times, size: 8)
            let types = try file.bytes(counts.times)
            var offsets: [Int] = []
            for _ in 0..<counts.types {
                offsets.append(try file.integers(1, size: 4)[0])
                // Whether it is daylight saving time, and its abbreviation.
                try file.skip(2)
            }
            try file.skip(counts.abbreviations + counts.leaps * 12 + counts.standards + counts.universals)
            let text = try file.footer()
            guard types.allSatisfy({ $0 < counts.types }), zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
                throw TZifReader.Flaw()
            }
            var transitions: [Transition] = []
            // A transition that changes only the abbreviation changes no clock.
            for (time, type) in zip(times, types) where offsets[Int(type)] != transitions.last?.offset ?? offsets[0] {
                transitions.append(Transition(time: time, offset: offsets[Int(type)]))
            }
            // Without a footer, the last offset holds for ever.
            let last = types.last.map { offsets[Int($0)] } ?? offsets[0]
            guard let footer = text.isEmpty ? ZoneFooter(standard: last) : ZoneFooter(text) else {
                throw TZifReader.Flaw()
            }
            self.init(name: name, first: offsets[0], transitions: transitions, footer: footer)
        } catch {
            throw Errors.notZoneFile(name)
        }
    }

    /// By how much local clocks are ahead of UTC at an instant, in seconds.
    func offset(at time: Int) -> Int { segment(at: time).offset }

    /// A time during which clocks do not change.
    struct Segment {
        /// When it begins, and the offset before; nil if it has always been so.
        var begin: (time: Int, before: Int)?
        var offset: Int
        /// When it ends; nil if never.
        var end: Int?
    }

    /// The segment of an instant.
    func segment(at time: Int) -> Segment {
        let next = transitions.firstIndex { $0.time > time } ?? transitions.count
        if next < transitions.count {
            let begin = next == 0 ? nil : (transitions[next - 1].time, next == 1 ? first : transitions[next - 2].offset)
            return Segment(
                begin: begin,
                offset: next == 0 ? first : transitions[next - 1].offset,
                end: transitions[next].time
            )
        }
        let last = transitions.last
        let before = transitions.count > 1 ? transitions[transitions.count - 2].offset : first
        var begin: (time: Int, before: Int)? = last.map { ($0.time, before) }
        var offset = last?.offset ?? first
        for change in footer.changes(around: time) where change.time > last?.time ?? .min && change.offset != offset {
            if change.time > time { return Segment(begin: begin, offset: offset, end: change.time) }
            (begin, offset) = ((change.time, offset), change.offset)
        }
        return Segment(begin: begin, offset: offset, end: nil)
    }
}

/// Reads the parts of a TZif file.
private struct TZifReader {
    struct Flaw: Error {}

    /// The counts in a header.
    struct Counts {
        let version: Int
        let universals, standards, leaps, times, types, abbreviations: Int

        func blockSize(timeSize: Int) -> Int {
            times * (timeSize + 1) + types * 6 + abbreviations + leaps * (timeSize + 4) + standards + universals
        }
    }

    private let all: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { all = bytes }

    mutating func skip(_ count: Int) throws(Flaw) { _ = try bytes(count) }

    mutating func bytes(_ count: Int) throws(Flaw) -> ArraySlice<UInt8> {
        guard count >= 0, all.count - place >= count else { throw Flaw() }
        defer { place += count }
        return all[place..<place + count]
    }

    /// Signed integers in network order.
    mutating func integers(_ count: Int, size: Int) throws(Flaw) -> [Int] {
        var numbers: [Int] = []
        for _ in 0..<count {
            let bytes = try bytes(size)
            let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            numbers.append(size == 4 ? Int(Int32(truncatingIfNeeded: bits)) : Int(Int64(bitPattern: bits)))
        }
        return numbers
    }

    mutating func header() throws(Flaw) -> Counts {
        guard try Array(bytes(4)) == Array("TZif".utf8) else { throw Flaw() }
        // The version is a digit, and a NUL in version 1.
        let version = try bytes(1).first.map { Int($0) - 48 } ?? 0
        try skip(15)
        let counts = try integers(6, size: 4)
        guard counts.allSatisfy({ (0...100_000).contains($0) }) else { throw Flaw() }
        return Counts(
            version: version,
            universals: counts[0],
            standards: counts[1],
            leaps: counts[2],
            times: counts[3],
            types: counts[4],
            abbreviations: counts[5]
        )
    }

    /// The text between the last two line feeds.
    mutating func footer() throws(Flaw) -> String {
        guard try bytes(1).first == 10, let end = all[place...].firstIndex(of: 10) else { throw Flaw() }
        return String(decoding: all[place..<end], as: UTF8.self)
    }
}
