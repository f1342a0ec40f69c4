import ForgeBusProtocol

/// What published messages do: they owe cycles, as notifications do, and nobody is told.
///
/// While the worker starts, the evaluation at the start covers them. While it stops, the worker that takes its place
/// evaluates at its own start.
extension WorkerCore {
    /// Something was published; if `othersMayBeLost`, something else perhaps that did not come, on whatever topic.
    ///
    /// What its sender has no grant for is only told to the audit, as a request is.
    mutating func published(
        _ publication: Publication,
        by principal: AccessPolicy.Principal,
        othersMayBeLost: Bool,
        at now: Moment
    ) {
        if let grant = access.ruling(for: principal, .notify, on: .name(publication.topic)).missingGrant {
            let event = AuditRecord.Event.refused(grant: grant)
            return emit(.audit(AuditRecord(event, principal: principal.name, request: publication.id)))
        }
        guard phase == .ready else { return }
        let followers = followers(of: publication.topic)
        if !followers.isEmpty {
            let notice = Notice(publication, by: principal, at: now)
            for monitor in followers { follow(lanes[monitor].notified(notice, telling: nil, at: now), monitor) }
        }
        if othersMayBeLost { makeUpForLoss(except: followers, at: now) }
    }

    /// Something may have been published that did not come, on whatever topic.
    mutating func publicationsMayBeLost(at now: Moment) {
        if phase == .ready { makeUpForLoss(except: [], at: now) }
    }

    /// Every monitor that follows any topic is owed a cycle; `covered` are owed theirs already.
    private mutating func makeUpForLoss(except covered: [Int], at now: Moment) {
        for monitor in lanes.indices where !lanes[monitor].topics.isEmpty && !covered.contains(monitor) {
            follow(lanes[monitor].missed(at: now), monitor)
        }
    }
}

extension Notice {
    fileprivate init(_ publication: Publication, by principal: AccessPolicy.Principal, at now: Moment) {
        self.init(
            publication.topic,
            by: principal.ledgerName,
            traceparent: publication.traceparent,
            body: publication.body,
            at: now.unixMilliseconds
        )
    }
}
