import ForgeBusFleet
import ForgeBusProtocol

/// The errors and sentences about a fleet.
extension Errors {
    static let noWorker = BusError(
        .unknownPath,
        "This gateway serves a fleet, and no single worker.",
        next:
            "Open the page Fleet, or use the paths below /v1/fleet. To serve one worker, too, start the gateway with "
            + "`--endpoint ADDRESS` beside `--fleet FILE`."
    )

    static let noFleet = BusError(
        .unknownPath,
        "This gateway serves a single worker, and no fleet.",
        next: "Start the gateway with `--fleet FILE`; the file names the workers of the fleet."
    )

    static let tooManyRollouts = BusError(
        .busy,
        "Too many roll-outs are under way in this gateway.",
        next: "Send the request again with the same Idempotency-Key when another roll-out has ended.",
        retryAfter: .seconds(10),
        details: ["limit": "rollouts"]
    )

    static func otherRollout(_ id: RequestID) -> BusError {
        BusError(
            .idConflict,
            "Another roll-out with the id \(Printable.quoted(id.text)) is under way.",
            next: "Send exactly the same request to follow it, or another id in the header Idempotency-Key."
        )
    }

    static func refusedEverywhere(_ line: FleetReport.Line) -> BusError {
        BusError(
            .forbidden,
            "No worker that answers allows it. \(line.worker) says: \(line.reason ?? line.state.rawValue)",
            next:
                "Grant the right to the sender's principal in the access file of each worker, and `act_as` to the "
                + "gateway's principal; then send SIGHUP to the workers."
        )
    }

    static func badCount(_ name: String, _ text: String) -> BusError {
        BusError(
            .badAttribute,
            "`\(name)` must be a number of at least 1, not \(Printable.quoted(text)).",
            next: "Write a number, such as `\(name)=2`."
        )
    }

    static func badBatches(_ text: String) -> BusError {
        BusError(
            .badAttribute,
            "`batches` must be sizes, in workers or percent, not \(Printable.quoted(text)).",
            next: "Write for instance `batches=1,10%25,100%25`; %25 stands for the percent sign."
        )
    }

    static func badTime(_ name: String, _ text: String) -> BusError {
        BusError(
            .badAttribute,
            "`\(name)` must be a time that is not in the future, not \(Printable.quoted(text)).",
            next: "Write the time in UTC, such as `\(name)=2026-11-28T10:42:07Z`."
        )
    }
}
