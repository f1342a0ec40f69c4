import ForgeBusProtocol

@testable import ForgeBusWorker

/// Somebody who may tell monitors which screen is showing, notify them, run pipelines and read of everything.
enum Operator {
    static func policy() throws -> AccessPolicy {
        let everything = AccessPolicy.Grant(allow: [">"])
        let grants = AccessPolicy.Grants([
            .mode: everything, .notify: everything, .run: everything, .read: everything,
        ])
        return try AccessPolicy([AccessPolicy.Member("ops", keys: [], grants: grants)])
    }

    /// A command of theirs, as it comes from connection 7.
    static func sends(_ command: Request.Command, id: String = "a") throws -> Event {
        let received = Received(Request(command, id: try RequestID(id)), from: 7)
        return .received(
            Received(
                request: received.request,
                fingerprint: received.fingerprint,
                caller: received.caller,
                principal: AccessPolicy.Principal("ops")
            )
        )
    }
}
