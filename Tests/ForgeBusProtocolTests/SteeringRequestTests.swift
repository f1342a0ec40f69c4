import ForgeBusProtocol
import Testing

@Suite("A CANCEL or REDRIVE with the subject >")
struct SteeringRequestTests {
    private func frames(_ word: String, subject: String = ">", _ attributes: String, body: String = "") -> Frames {
        Frames(
            command: Array("FORGE/1 \(word)".utf8)[...],
            id: Array("m-1".utf8)[...],
            subject: Array(subject.utf8)[...],
            attributes: Array(attributes.utf8)[...],
            body: Array(body.utf8)[...]
        )
    }

    private func refusal(_ frames: Frames) -> BusError? {
        do throws(BusError) { _ = try Request(decoding: frames) } catch { return error }
        return nil
    }

    @Test("is read as what was written, byte by byte")
    func written() throws {
        let filter = RunFilter(
            state: .parked,
            pipeline: "deploy",
            principal: "ada",
            olderThan: .seconds(60),
            prefix: "run-"
        )
        let redrive = Request(
            .steer(SteeringRequest(.redrive, filter, expecting: 12, durability: .fsynced)),
            id: try RequestID("m-1")
        )
        let attributes =
            #"{"state":"parked","pipeline":"deploy","principal":"ada","older_than_ms":60000,"id":"run-","#
            + #""expect":12,"durability":"fsynced"}"#
        #expect(redrive.frames == frames("REDRIVE", attributes))
        #expect(try Request(decoding: redrive.frames) == redrive)
        let cancel = SteeringRequest(.cancel(reason: "gone"), RunFilter(pipeline: "deploy"), expecting: 0)
        let written = frames("CANCEL", #"{"pipeline":"deploy","expect":0}"#, body: #""gone""#)
        #expect(try Request(decoding: written) == Request(.steer(cancel), id: RequestID("m-1")))
        #expect(Request(.steer(cancel), id: try RequestID("m-1")).frames == written)
    }

    @Test(
        "needs a filter and a number, each within its limits",
        arguments: [
            #"{"expect":3}"#, #"{"state":"parked"}"#, #"{"state":"stopping","expect":1}"#,
            #"{"state":"parked","expect":10001}"#, #"{"state":"parked","expect":-1}"#,
            #"{"pipeline":"a..b","expect":1}"#, #"{"pipeline":7,"expect":1}"#, #"{"older_than_ms":-1,"expect":1}"#,
            #"{"state":"parked","expect":1,"deadline_ms":5}"#, #"{"state":"parked","expect":1,"pipelin":"p"}"#, "",
        ]
    )
    func refused(attributes: String) {
        for word in ["CANCEL", "REDRIVE"] { #expect(refusal(frames(word, attributes))?.code == .badAttribute) }
    }

    @Test("is the only one that takes these attributes: a request about one run is refused with them")
    func misplaced() {
        for word in ["CANCEL", "REDRIVE"] {
            let error = refusal(frames(word, subject: "run-7", #"{"pipeline":"deploy","expect":1}"#))
            #expect(error?.code == .badAttribute && error?.message.contains("`pipeline`") == true)
        }
        #expect(refusal(frames("CANCEL", subject: "run.>", #"{"state":"parked","expect":1}"#))?.code == .badName)
    }

    @Test("is in the ledger, and needs the right to cancel once the runs are found")
    func rules() {
        let rules = Request.Command.steer(SteeringRequest(.redrive, RunFilter(prefix: "r"), expecting: 1)).rules
        #expect(rules.isLedgered && rules.right == .cancel && rules.target == nil && rules.word == "REDRIVE")
    }
}
