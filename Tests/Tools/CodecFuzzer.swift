// Compiled by `Tests/Tools/fuzz` together with the sources of ForgeBusProtocol into one program of libFuzzer's.

/// Decodes what libFuzzer makes up: as a request, an answer, a publication or JSON.
///
/// Whatever comes, it is refused with a sentence, or taken; and what is taken means the same when it is written and
/// read again. Anything else ends the program, and libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func takeInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = input.first else { return 0 }
    // 0xFE is in no UTF-8, so that frames of text come whole.
    let frames = input.dropFirst().split(separator: 0xFE, maxSplits: 5, omittingEmptySubsequences: false)
    do throws(BusError) {
        switch kind {
        case UInt8(ascii: "r"): try decodeRequest(frames)
        case UInt8(ascii: "a"): try decodeAnswer(frames)
        case UInt8(ascii: "p"): try decodePublication(frames)
        default: try decodeJSON(input.dropFirst())
        }
    } catch {
        precondition(!error.message.isEmpty && !error.next.isEmpty, "an error without a sentence: \(error.code)")
        precondition(ErrorCode.catalogue.contains { $0.code == error.code }, "no entry of the catalogue: \(error.code)")
        precondition(error.message.utf8.count <= 2_000, "an error that repeats what it was sent")
    }
    return 0
}

private func decodeRequest(_ frames: [ArraySlice<UInt8>]) throws(BusError) {
    let request = try Request(decoding: message(frames))
    let again = try? Request(decoding: request.frames)
    precondition(again == request, "\(request) becomes \(String(describing: again))")
}

private func decodeAnswer(_ frames: [ArraySlice<UInt8>]) throws(BusError) {
    let answer = try Answer(decoding: message(frames))
    var buffer = FrameBuffer()
    answer.encode(into: &buffer)
    let again = try? Answer(decoding: buffer.frames)
    precondition(again == answer, "\(answer) becomes \(String(describing: again))")
}

private func decodePublication(_ frames: [ArraySlice<UInt8>]) throws(BusError) {
    let publication = try Publication(decoding: frames)
    let again = try? Publication(decoding: publication.frames)
    precondition(again == publication, "\(publication) becomes \(String(describing: again))")
}

private func decodeJSON(_ bytes: ArraySlice<UInt8>) throws(BusError) {
    let value = try JSONValue(parsing: bytes)
    let again = try? JSONValue(parsing: value.encoded[...])
    precondition(again == value, "\(value) becomes \(String(describing: again))")
}

private func message(_ frames: [ArraySlice<UInt8>]) -> Frames {
    func frame(_ index: Int) -> ArraySlice<UInt8> { index < frames.count ? frames[index] : [] }
    return Frames(command: frame(0), id: frame(1), subject: frame(2), attributes: frame(3), body: frame(4))
}
