import ForgeBusProtocol
import ForgeOrchestrator

/// The declared outputs that a run set, as the run's result contains them; the result must fit into one frame.
struct RunOutputs {
    /// The outputs; empty if they are too large.
    private(set) var values = JSONObject()
    /// Why the result lacks outputs that the run set; nil if it has them all.
    private(set) var flaw: String?

    /// The most bytes that the outputs may take as JSON; the rest of the frame is for the other fields of a result.
    static let sizeInBytes = 900 * 1024

    /// Takes the declared outputs of a pipeline from the values of a run's context.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline that declares the outputs.
    ///   - values: The values of the context.
    ///   - actions: The outcomes that the result contains beside the outputs.
    ///   - masking: Removes secrets from an output.
    init(
        of pipeline: HostedPipeline,
        _ values: [String: any Sendable],
        beside actions: [ActionOutcome],
        masking: (JSONValue) -> JSONValue = { $0 }
    ) {
        for key in pipeline.outputs {
            guard let value = values[key] else { continue }
            guard let json = JSONValue(contextValue: value) else {
                let name = (value as? RestoredValue)?.shortTypeName ?? "\(type(of: value))"
                flaw = "The output `\(key)` is a \(name), which has no JSON form."
                break
            }
            self.values[key] = masking(json)
        }
        guard let excess = excess(beside: actions) else { return }
        (self.values, flaw) = ([:], excess)
    }

    /// Why the outputs do not fit into the result's frame; nil if they fit.
    private func excess(beside actions: [ActionOutcome]) -> String? {
        if values.isEmpty { return nil }
        let extent = JSONValue.object(values).extent
        let others = actions.reduce(1024) { $0 + $1.mostBytes }
        let room = min(Self.sizeInBytes, max(0, WireLimits.frameSizeInBytes - others))
        // The exact size is measured only if the outputs may be too large.
        let size = extent.mostBytes > room ? JSONValue.object(values).encoded.count : extent.mostBytes
        if size > room {
            let sizes = values.entries.map { (key: $0.key, size: $0.value.encoded.count) }
            return Errors.outputsTooLarge(size, room: room, largest: sizes.max { $0.size < $1.size })
        }
        let keys = WireLimits.jsonKeys - 3 - 5 * actions.count
        if extent.keys > keys { return "The outputs have \(extent.keys) keys; the result has room for \(keys)." }
        let depth = WireLimits.jsonDepth - 1
        guard extent.depth > depth else { return nil }
        return "The outputs are nested \(extent.depth) levels deep; the result has room for \(depth)."
    }
}

extension ActionOutcome {
    /// The most bytes of a reason in answers; a longer reason is cut.
    static let reasonSizeInBytes = 4096

    /// The most bytes that the outcome takes in the body of a result.
    fileprivate var mostBytes: Int {
        guard case .failed(let reason) = result else { return 6 * action.utf8.count + 128 }
        return 6 * action.utf8.count + 128 + JSONValue.string(reason).encoded.count
    }
}

extension String {
    /// The text, cut to ``ActionOutcome/reasonSizeInBytes``; a mark shows that it was cut.
    var asReason: String {
        guard utf8.count > ActionOutcome.reasonSizeInBytes else { return self }
        let mark = "…"
        var end = utf8.index(startIndex, offsetBy: ActionOutcome.reasonSizeInBytes - mark.utf8.count)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + mark
    }
}

extension JSONValue {
    /// The size of a value as JSON.
    struct Extent {
        /// How many keys all objects in the value have together.
        var keys = 0
        /// How deeply the value is nested.
        var depth = 0
        /// The most bytes that the value may take as JSON: each byte of a string counts as six, the longest escape.
        var mostBytes = 0

        /// Adds an inner value, with `more` bytes for its separator and its key.
        fileprivate mutating func take(_ value: JSONValue, _ more: Int) {
            let inner = value.extent
            keys += inner.keys
            depth = max(depth, inner.depth)
            mostBytes += inner.mostBytes + more
        }
    }

    /// The size of the value as JSON.
    var extent: Extent {
        var extent = Extent()
        switch self {
        case .null, .bool, .integer, .number: extent.mostBytes = 32
        case .string(let text): extent.mostBytes = 6 * text.utf8.count + 2
        case .array(let values):
            extent.mostBytes = 2
            for value in values { extent.take(value, 1) }
            extent.depth += 1
        case .object(let object):
            extent.mostBytes = 2
            for entry in object.entries { extent.take(entry.value, 6 * entry.key.utf8.count + 4) }
            extent.keys += object.entries.count
            extent.depth += 1
        }
        return extent
    }
}
