import ForgeBusProtocol

/// What is kept of a monitor of a worker: enough to judge it later, and no more.
struct KeptMonitor: Hashable {
    /// The item without its texts.
    let item: MonitorItem
    /// When the request was first sent that the item answers, or earlier.
    let sent: ContinuousClock.Instant
    private let topics: [NamePattern]
    /// A topic that is no pattern, or one that the first pattern matches.
    let plainTopic: Name?
    /// A cycle that went well began after this moment, as EVALUATED has said.
    var provedSince: ContinuousClock.Instant?

    /// How many topics of a monitor are kept.
    private static let maximumTopics = 16

    init(_ item: MonitorItem, sent: ContinuousClock.Instant, provedSince: ContinuousClock.Instant?) {
        let texts = item.topics.prefix(Self.maximumTopics)
        topics = texts.compactMap { try? NamePattern($0) }
        let plain = texts.first { !$0.contains("*") && !$0.contains(">") }
        let some = plain ?? texts.first.map { $0.replacing("*", with: "all").replacing(">", with: "all") }
        plainTopic = some.flatMap { try? Name($0) }
        var bare = item
        (bare.topics, bare.others) = ([], [:])
        bare.failure?.reason = ""
        bare.pause?.reason = nil
        (self.item, self.sent, self.provedSince) = (bare, sent, provedSince)
    }

    func follows(_ topic: Name) -> Bool { topics.contains { $0.matches(topic) } }

    /// When the latest ended cycle began, or earlier; nil if none has ended.
    var began: ContinuousClock.Instant? { item.last.map { sent.advanced(by: .zero - $0.beganAgo) } }
}
