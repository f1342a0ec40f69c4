import ForgeBusProtocol
import ForgeBusStore

/// An ended run as SHOW tells it: the worker knows its result, and the store its seeds and decisions.
struct EndedRunItem: Sendable {
    private let known: RunItem
    private let outputs: JSONObject
    private let hasTexts: Bool

    init(of run: EndedRun, _ reader: Reader) {
        known = reader.details(run)
        outputs = run.result.outputs
        hasTexts = run.hasTexts
    }

    /// The item with the texts of the store; with `nil` texts that were kept once, it says that they are no longer kept.
    func complete(with texts: RunTexts?) -> JSONObject {
        var item = known
        item.json.add(texts?.members)
        if hasTexts, texts == nil { item.isKept = false }
        if outputs.isEmpty { return item.json }
        var whole = item
        whole.outputs = outputs
        let (bare, extent) = (JSONValue.object(whole.json), JSONValue.object(whole.json).extent)
        if bare.encoded.count <= Reader.pageSizeInBytes, extent.keys <= WireLimits.jsonKeys,
            extent.depth <= WireLimits.jsonDepth
        {
            return whole.json
        }
        item.isTruncated = true
        return item.json
    }
}
