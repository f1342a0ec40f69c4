/// Where a ROUTER sends an answer: one connection of one peer, as that ROUTER knows it.
///
/// It comes with a received message and works for sending on the same socket until the peer disconnects; after a
/// reconnect the peer has another one. It does not identify anybody, because a peer may claim any id. It is never
/// printed, because a peer that knows the next id a ROUTER will assign can stop the process.
public struct PeerID: Hashable, Sendable {
    /// An id that a ROUTER assigns has five bytes, so the common case needs no allocation.
    private enum Storage: Hashable, Sendable {
        /// Up to seven bytes in memory order; the eighth holds their number.
        case inline(UInt64)
        case allocated([UInt8])
    }

    private let storage: Storage

    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= 7 else {
            storage = .allocated([UInt8](bytes))
            return
        }
        var packed: UInt64 = 0
        withUnsafeMutableBytes(of: &packed) { target in
            target.copyMemory(from: bytes)
            target[7] = UInt8(bytes.count)
        }
        storage = .inline(packed)
    }

    /// Whether the ROUTER made it for a connection without a name: five bytes, the first of them zero.
    ///
    /// Any other id was chosen by the peer and does not prove who it is. A peer may also claim an id of this form
    /// without being noticed: libzmq gives the `Identity` of a peer as text, which ends at the first zero.
    public var isAssigned: Bool { assignedNumber != nil }

    /// The number in an id that the ROUTER assigned, different in each of them; nil for a chosen id.
    package var assignedNumber: UInt32? {
        withUnsafeBytes { bytes in
            guard bytes.count == 5, bytes[0] == 0 else { return nil }
            return bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
        }
    }

    /// The id that has this ``assignedNumber``.
    package init(assignedNumber number: UInt32) {
        var packed: UInt64 = 0
        withUnsafeMutableBytes(of: &packed) { target in
            target.storeBytes(of: number, toByteOffset: 1, as: UInt32.self)
            target[7] = 5
        }
        storage = .inline(packed)
    }

    @inline(__always)
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch storage {
        case .inline(let packed):
            Swift.withUnsafeBytes(of: packed) { bytes in
                body(UnsafeRawBufferPointer(rebasing: bytes[0..<Int(bytes[7])]))
            }
        case .allocated(let bytes):
            bytes.withUnsafeBytes(body)
        }
    }
}

extension PeerID: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same text, because the id must not reach a log.
    public var description: String { "PeerID(redacted)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows nothing of the id to `dump` either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
