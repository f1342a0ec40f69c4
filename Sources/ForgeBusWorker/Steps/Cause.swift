public import ForgeBusProtocol
import ForgeBusStore

extension MonitorCauses {
    /// The notifications on one topic.
    public struct Cause: Hashable, Sendable {
        /// The topic.
        public let topic: Name
        /// How many notifications came on it.
        public private(set) var count: Int
        /// When the first of them came, in milliseconds since 1970 by the worker's clock.
        public let firstUnixMilliseconds: Int64
        /// When the last of them came, in milliseconds since 1970 by the worker's clock.
        public private(set) var lastUnixMilliseconds: Int64
        /// The sender of the last of them: the principal, and without keys also its own label.
        public private(set) var publisher: String
        /// The latest W3C trace ids among them, each once, oldest first; at most ``maximumTraceIDs``.
        public private(set) var traceIDs: [String]
        /// The beginning of the last one's body; at most ``maximumBodySizeInBytes``.
        public private(set) var lastBody: [UInt8]
        /// How many bytes that body had.
        public private(set) var lastBodySizeInBytes: Int

        /// The most trace ids that are kept.
        public static let maximumTraceIDs = 16
        /// The most bytes of a body that are kept.
        public static let maximumBodySizeInBytes = 4096

        init(_ notice: Notice) {
            topic = notice.topic
            count = 1
            firstUnixMilliseconds = notice.unixMilliseconds
            lastUnixMilliseconds = notice.unixMilliseconds
            publisher = notice.publisher
            traceIDs = notice.traceID.map { [$0] } ?? []
            lastBody = notice.body
            lastBodySizeInBytes = notice.bodySizeInBytes
        }

        /// The notifications that an earlier worker kept.
        init(_ record: DebtRecord.Cause) {
            topic = record.topic
            count = record.count
            firstUnixMilliseconds = record.first
            lastUnixMilliseconds = record.last
            publisher = record.publisher
            traceIDs = record.traceIDs
            lastBody = record.body
            lastBodySizeInBytes = record.bodySizeInBytes
        }

        mutating func add(_ notice: Notice) {
            count += 1
            lastUnixMilliseconds = notice.unixMilliseconds
            publisher = notice.publisher
            lastBody = notice.body
            lastBodySizeInBytes = notice.bodySizeInBytes
            if let traceID = notice.traceID { add(traceID) }
        }

        /// Adds later notifications on the same topic.
        mutating func add(_ later: Cause) {
            count += later.count
            lastUnixMilliseconds = later.lastUnixMilliseconds
            publisher = later.publisher
            lastBody = later.lastBody
            lastBodySizeInBytes = later.lastBodySizeInBytes
            for traceID in later.traceIDs { add(traceID) }
        }

        private mutating func add(_ traceID: String) {
            if traceIDs.last == traceID { return }
            traceIDs.removeAll { $0 == traceID }
            if traceIDs.count == Self.maximumTraceIDs { traceIDs.removeFirst() }
            traceIDs.append(traceID)
        }
    }
}
