import Crypto
import ForgeBusProtocol
import ForgeBusStore

extension Fingerprint {
    /// The fingerprint of requests that the ledger does not keep.
    static let none = Fingerprint(0, 0, 0, 0)

    /// SHA-256 of the content of `request`, which was read from `frames`.
    ///
    /// The content is the command, the subject, the body byte for byte, and the attributes that change the effect.
    ///
    /// Attributes that only change the answers (`reply`, `progress`) or label the sender (`source`, `traceparent`) do
    /// not count.
    init(of request: Request, frames: Frames) {
        var hash = SHA256()
        hash.update(counted: frames.command)
        hash.update(counted: frames.subject)
        hash.update(counted: frames.body)
        if let content = request.command.rules.content {
            hash.update(content.time, content.durability)
            if let selection = content.selection { hash.update(text: selection) }
        }
        self.init(hash)
    }

    /// SHA-256 of a decision: whether it approved or rejected, and its value or reason byte for byte.
    init(of outcome: Decision.Outcome) {
        var hash = SHA256()
        switch outcome {
        case .approved(let value):
            hash.update(0)
            hash.update(counted: value[...])
        case .rejected(let reason):
            hash.update(1)
            hash.update(text: reason)
        }
        self.init(hash)
    }

    /// The digest of what was hashed.
    init(_ hash: SHA256) {
        self = hash.finalize().withUnsafeBytes { bytes in
            Fingerprint(
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            )
        }
    }
}

extension SHA256 {
    /// Hashes the length first, so that bytes moved from one part to the next change the hash.
    fileprivate mutating func update(counted bytes: ArraySlice<UInt8>) {
        update(Int64(bytes.count))
        bytes.withUnsafeBytes { update(bufferPointer: $0) }
    }

    /// Hashes the text's length first.
    mutating func update(text: String) { update(counted: Array(text.utf8)[...]) }

    fileprivate mutating func update(_ duration: Duration?, _ durability: Durability?) {
        update(duration?.milliseconds ?? -1)
        switch durability {
        case nil: update(0)
        case .memory: update(1)
        case .fsynced: update(2)
        }
    }

    fileprivate mutating func update(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { update(bufferPointer: $0) }
    }
}
