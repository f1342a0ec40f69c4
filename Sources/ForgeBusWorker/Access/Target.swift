public import ForgeBusProtocol

extension AccessPolicy {
    /// What a request wants to do something to: one name, or every name that a pattern means.
    public struct Target: Hashable, Sendable, CustomStringConvertible {
        /// A name, or a pattern, as the request spelled it.
        let text: String

        init(text: String) { self.text = text }

        /// One topic, pipeline, signal, monitor or verb.
        public static func name(_ name: Name) -> Target { Target(text: name.text) }

        /// Whatever `pattern` means: a grant must cover all of it, and a denial of any of it refuses all.
        ///
        /// One pattern of the grant must cover it alone.
        public static func every(_ pattern: NamePattern) -> Target { Target(text: pattern.text) }

        /// One thing to be read, a run apart: `signal.deploy.42.approve`, `monitor.stock`.
        public static func item(_ kind: ItemKind, _ name: Name) -> Target { Target(text: "\(kind.rawValue).\(name)") }

        /// Everything of a kind, to be read: `monitor.>`.
        public static func all(_ kind: ItemKind) -> Target { Target(text: "\(kind.rawValue).>") }

        /// What an event tells of: `run.PIPELINE.RUN`, `signal.ID`, `monitor.NAME`.
        static func event(_ subject: EventSubject) -> Target { Target(text: subject.text) }

        /// A run to be read: `run.PIPELINE.RUN`.
        static func run(_ run: RunID, of pipeline: PipelineName) -> Target { Target(text: "run.\(pipeline).\(run)") }

        /// The name or pattern as the request spelled it.
        public var description: String { text }
    }
}

/// What patterns have to do with each other.
///
/// Pure. A name is the pattern of itself. Works on the text, because targets come with every message.
enum Scope {
    /// Whether every name that `target` means is meant by `pattern`.
    static func covers(_ pattern: String, _ target: String) -> Bool {
        var (left, right) = (Tokens(pattern), Tokens(target))
        while let token = left.next() {
            if token.isRest { return right.next() != nil }
            guard let other = right.next(), !other.isRest else { return false }
            guard token.isAny || !other.isAny && token.elementsEqual(other) else { return false }
        }
        return right.next() == nil
    }

    /// Whether some name is meant by both.
    static func overlaps(_ a: String, _ b: String) -> Bool {
        var (left, right) = (Tokens(a), Tokens(b))
        while true {
            switch (left.next(), right.next()) {
            case (nil, nil): return true
            case (nil, _), (_, nil): return false
            case (let token?, let other?):
                if token.isRest || other.isRest { return true }
                guard token.isAny || other.isAny || token.elementsEqual(other) else { return false }
            }
        }
    }

    /// The tokens of a name or pattern, between dots.
    private struct Tokens {
        private var rest: Substring.UTF8View?

        init(_ text: String) { rest = Substring(text).utf8 }

        mutating func next() -> Substring.UTF8View? {
            guard let text = rest else { return nil }
            guard let dot = text.firstIndex(of: UInt8(ascii: ".")) else {
                rest = nil
                return text
            }
            rest = text[text.index(after: dot)...]
            return text[..<dot]
        }
    }
}

extension Substring.UTF8View {
    /// Whether it stands for any one token.
    fileprivate var isAny: Bool { count == 1 && first == UInt8(ascii: "*") }

    /// Whether it stands for one token or more.
    fileprivate var isRest: Bool { count == 1 && first == UInt8(ascii: ">") }
}
