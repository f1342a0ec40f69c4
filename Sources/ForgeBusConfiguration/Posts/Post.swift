import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// The POST of an action, ready to be sent for a run or a cycle.
struct Post: Sendable {
    let url: PostURL
    /// The members of the JSON object, in the order of the file.
    let members: [(name: String, source: PostDefinition.Source)]
    let secret: SigningSecret?
    let timeLimit: Duration
    let poster: any HTTPPoster
    /// The lease of the worker's store, during which a post may be sent; nil for a worker that needs no lease.
    let lease: CommandLease?

    /// The outcome of a POST.
    struct Outcome {
        let result: ActionResult
        /// The answer as text, for `forgebus logs`.
        var printed = PrintedText("")
        /// The answer's JSON value; nil if the answer has none.
        var value: JSONValue?
    }

    /// Sends the object.
    ///
    /// - Parameters:
    ///   - object: The JSON object.
    ///   - url: The URL, with its values.
    ///   - id: The token of the action, the same for each attempt.
    ///   - traceparent: The W3C trace context of the run; nil without one.
    ///   - mask: Removes secrets from the texts of the answer that become a part of the reason.
    /// - Returns: Completed for a status from 200 to 299, otherwise failed with the reason.
    func send(
        _ object: JSONObject,
        to url: String,
        id: String,
        traceparent: String? = nil,
        masking mask: (String) -> String = { $0 }
    ) async -> Outcome {
        let epoch = lease?.epoch
        guard lease == nil || epoch != nil else {
            return Outcome(result: .failed("nothing was sent: \(Errors.leaseLost)"))
        }
        let key: [UInt8]?
        do throws(ConfigurationError) {
            key = try secret?.key()
        } catch {
            return Outcome(result: .failed("\(error.message) \(error.next)"))
        }
        let post = HTTPPost(
            url: url,
            body: JSONValue.object(object).encoded,
            id: id,
            signingKey: key,
            traceparent: traceparent,
            epoch: epoch,
            timeLimit: timeLimit
        )
        do throws(HTTPPostError) {
            return outcome(of: try await poster.post(post), mask)
        } catch {
            return Outcome(result: .failed("\(self.url.origin): \(error)"))
        }
    }

    private func outcome(of answer: HTTPPostAnswer, _ mask: (String) -> String) -> Outcome {
        let printed = PrintedText(endOf: answer.body)
        switch answer.status {
        case 200...299:
            let isJSON = answer.mediaType == "application/json" || answer.mediaType?.hasSuffix("+json") == true
            let value = isJSON && answer.isWhole ? try? JSONValue(parsing: answer.body[...]) : nil
            return Outcome(result: .completed, printed: printed, value: value)
        case 300...399:
            let reason = Errors.redirect(url.origin, status: answer.status, to: answer.location.map(mask))
            return Outcome(result: .failed(reason), printed: printed)
        default:
            let line = mask(printed.text).split(whereSeparator: \.isNewline).first.map {
                ": \(Printable.cut($0.asText, to: 200))"
            }
            return Outcome(
                result: .failed("\(url.origin): the server answered with status \(answer.status)\(line ?? "")"),
                printed: printed
            )
        }
    }
}

extension Substring {
    fileprivate var asText: String { String(self) }
}
