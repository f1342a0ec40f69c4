import ForgeBusProtocol

/// The refusals of deliveries to webhooks.
extension Errors {
    /// The header `field` is missing, or does not fit the secret.
    static func badSignature(_ field: String, isMissing: Bool) -> BusError {
        if isMissing {
            // Only a service that signs as Standard Webhooks asks sends this header, also without the right secret.
            guard field != "webhook-timestamp" else {
                return BusError(
                    .badSignature,
                    "The header \(field) of the delivery is missing, empty or repeated.",
                    next:
                        "Let the service sign as Standard Webhooks asks, or correct the webhook's `signature`. Check "
                        + "also that no proxy removes or repeats this header."
                )
            }
            return BusError(
                .badSignature,
                "The header \(field) of the delivery is missing, empty or repeated.",
                next:
                    "Enter the content of the webhook's `secret_file` as the secret in the settings of the service; if the "
                    + "service signs in another way, correct the webhook's `signature`. Check also that no proxy "
                    + "removes or repeats this header."
            )
        }
        return BusError(
            .badSignature,
            "The header \(field) of the delivery does not fit the webhook's secret.",
            next:
                "Check that the service and the webhook's `secret_file` have the same secret. If they have, check that "
                + "the service signs as the webhook's `signature` says, and that no proxy changes the delivery."
        )
    }

    /// The gateway cannot read the secret of a webhook.
    static let noSecret = BusError(
        .webhookUnavailable,
        "The gateway cannot read the secret of this webhook.",
        next:
            "Look in the log of the gateway for “the secret of its webhook cannot be used”: that line has the cause. "
            + "Remove this cause, and then send the delivery again."
    )

    /// The secret of a webhook with the signature `standard` is not a key.
    static let noKey = BusError(
        .webhookUnavailable,
        "The secret of this webhook is not a key in base64, as Standard Webhooks asks.",
        next: "Let `secret` of the `Webhook` return `whsec_` and the key in base64. Then send the delivery again."
    )

    static func noTime(_ text: String) -> BusError {
        BusError(
            .badSignature,
            "The header webhook-timestamp is \(Printable.quoted(text)), which is not a number of seconds since 1970.",
            next:
                "Let the service sign as Standard Webhooks asks, or correct the webhook's `signature` in the worker file."
        )
    }

    static func oldDelivery(_ seconds: String) -> BusError {
        // Years of more than four digits are shown only as seconds.
        let time = Int64(seconds).flatMap { (0..<253_402_300_800).contains($0) ? $0 : nil }
        let date = time.map { " (\(Moment(unixMilliseconds: $0 * 1000).exact))" } ?? ""
        return BusError(
            .badSignature,
            "The header webhook-timestamp is \(Printable.quoted(seconds)), in seconds since 1970\(date); it differs "
                + "from the gateway's clock by more than 5 minutes.",
            next:
                "If this is an old delivery that was sent again, let the service sign it again, with a new time. "
                + "Otherwise correct the clock of the service or of the gateway's machine, and let the service send "
                + "the delivery again."
        )
    }

    /// The delivery has none of the headers `names`, or one of them is empty or repeated.
    static func noDeliveryID(_ names: [String]) -> BusError {
        let all = names.joined(separator: " and ")
        let header = names.count == 1 ? "the header \(all)" : "one of the headers \(all)"
        return BusError(
            .badID,
            "The delivery has no id: it must have \(header), not empty, and exactly once.",
            next:
                "Check that no proxy removes \(all), and that the service is new enough to send "
                + "\(names.count == 1 ? "it" : "one of them"). If the deliveries come from another kind of service, "
                + "set the webhook's key `signature`, in the worker file, to that kind."
        )
    }

    /// The topic of the webhook needs the event, which the delivery does not name.
    static func namelessEvent(_ signature: Webhook.Signature) -> BusError {
        let place =
            switch signature {
            case .github: "in the header X-GitHub-Event, and check that no proxy removes it"
            case .gitlab: "in the header X-Gitlab-Event, and check that no proxy removes it"
            case .standard: "as `type` in the body"
            }
        return BusError(
            .badName,
            "The delivery does not name its event, which the webhook's `topic` needs in place of {event}.",
            next: "Let the service name the event \(place). Or write the webhook's `topic` without {event}."
        )
    }

    static func unreadableDelivery(_ flaw: BusError) -> BusError {
        BusError(
            .badBody,
            "The webhook's `seeds` use parts of the delivery's body, and this body cannot be read. "
                + flaw.message,
            next: "Let the service send its deliveries as such JSON (application/json)."
        )
    }

    static func postedForm(_ type: String?) -> BusError {
        var error = unsupportedType(type, expected: "application/json")
        error.next = "In the settings of the service, choose the content type application/json for this webhook."
        return error
    }

    static func tooManyDeliveries(_ limit: Int) -> BusError {
        BusError(
            .busy,
            "Too many deliveries arrive at the same time: the gateway receives at most \(limit) at once.",
            next: "Let the service send the delivery again in a moment.",
            details: ["limit": "deliveries"]
        )
    }

    static let emptySecret = BusError(
        .webhookUnavailable,
        "The secret is empty, so everybody could sign.",
        next: "Let `secret` of the `Webhook` return the secret that the sending service has."
    )
}
