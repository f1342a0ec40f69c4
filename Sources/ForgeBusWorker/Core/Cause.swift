public import ForgeBusProtocol
import ForgeBusStore

extension MonitorCauses {
    /// A summary of the notifications on one topic.
    public struct Cause: Hashable, Sendable {
        /// The topic's name.
        public let topic: Name
        /// The number of notifications on this topic.
        public private(set) var count: Int
        /// When the first of these notifications came, in milliseconds since 1970 by the worker's clock.
        public let firstUnixMilliseconds: Int64
        /// When the last of these notifications came, in milliseconds since 1970 by the worker's clock.
        public private(set) var lastUnixMilliseconds: Int64
        /// The sender of the last notification: its principal and, without a key, also its label.
        public private(set) var publisher: String
        /// The latest distinct W3C trace ids of these notifications, oldest first; at most ``maximumTraceIDs``.
        public private(set) var traceIDs: [String]
        /// The beginning of the last notification's body; at most ``maximumBodySizeInBytes`` bytes.
        public private(set) var lastBody: [UInt8]
        /// The number of bytes in the whole body of the last notification.
        public private(set) var lastBodySizeInBytes: Int

        /// The most trace ids that are kept for a topic.
        public static let maximumTraceIDs = 16
        /// The most bytes that are kept of a notification's body.
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

        /// Restores the notifications that an earlier worker stored.
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
