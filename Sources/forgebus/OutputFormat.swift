import ArgumentParser
import ForgeBusProtocol

/// How answers are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// For programs: one JSON object a line.
    case json

    /// Prints one thing in either form.
    func show(_ text: @autoclosure () -> String, _ object: @autoclosure () -> JSONObject) {
        switch self {
        case .text: Terminal.say(text())
        case .json: Terminal.say(JSONValue.object(object()).description)
        }
    }

    /// Prints an error: the cause, then the next move.
    func show(_ error: BusError) {
        switch self {
        case .text: Terminal.complain("\(error.code): \(error.message)\n  \(error.next)")
        case .json:
            var object: JSONObject = ["error": .string(error.code.rawValue)]
            object["message"] = .string(error.message)
            object["next"] = .string(error.next)
            object["retryable"] = .bool(error.isRetryable)
            Terminal.say(JSONValue.object(object).description)
        }
    }
}

extension String {
    /// The text and as many blanks as make it `width` wide.
    func padded(to width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self + " "
    }
}

extension Duration {
    /// The duration as people read it: three digits and a unit.
    var readable: String {
        formatted(microseconds)
    }

    private func formatted(_ microseconds: Int64) -> String {
        switch microseconds {
        case ..<1_000: "\(microseconds) µs"
        case ..<1_000_000: "\(microseconds / 1_000).\(microseconds % 1_000 / 100) ms"
        default: "\(microseconds / 1_000_000).\(microseconds % 1_000_000 / 100_000) s"
        }
    }
}

extension ActionOutcome {
    /// One line for people.
    var line: String {
        let reason = if case .failed(let reason) = result { "  " + reason } else { "" }
        return "  \(action.padded(to: 20))\(result.word.padded(to: 11))\(duration.readable)\(reason)"
    }

    /// The same for programs.
    var json: JSONObject {
        var object: JSONObject = ["action": .string(action), "result": .string(result.word)]
        if case .failed(let reason) = result { object["reason"] = .string(reason) }
        object["duration_us"] = .integer(duration.microseconds)
        return object
    }
}
