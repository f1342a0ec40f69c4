import ForgeBusProtocol
import Foundation
import Testing

/// The vectors of `golden.json`, as section "Test vectors" of `Protocol.md` describes them.
struct Golden: Decodable, Sendable {
    let vectors: [Vector]

    /// Read once; a file that cannot be read ends the tests with its reason.
    static let shared: Golden = {
        do {
            return try JSONDecoder().decode(Golden.self, from: Data(contentsOf: TestFiles.golden))
        } catch {
            fatalError("golden.json cannot be read: \(error)")
        }
    }()

    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let direction: Direction
        let frames: [Neutral]
        let value: Neutral?
        let error: String?
        let canonical: Bool?
        let seedTypes: [String: String]?

        enum Direction: String, Decodable { case request, answer, publication }

        enum CodingKeys: String, CodingKey {
            case name, direction, frames, value, error, canonical
            case seedTypes = "seed_types"
        }

        var testDescription: String { name }

        /// The bytes of each frame.
        var bytes: [[UInt8]] { frames.map(\.bytes) }
    }
}

extension Frames {
    /// Five frames; nil for another number of them.
    init?(_ bytes: [[UInt8]]) {
        guard bytes.count == Frames.count else { return nil }
        self.init(
            command: bytes[0][...],
            id: bytes[1][...],
            subject: bytes[2][...],
            attributes: bytes[3][...],
            body: bytes[4][...]
        )
    }

    /// The frames without the buffer they lie in, for comparison.
    var bytes: [[UInt8]] { all.map { Array($0) } }
}

/// Files the tests hold the code against, found from where this file lies.
enum TestFiles {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()

    static let golden = here.appending(path: "golden.json")
    static let document = here.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/ForgeBusProtocol/ForgeBusProtocol.docc/Protocol.md")
}
