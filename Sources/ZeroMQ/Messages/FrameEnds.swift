/// The end positions of a message's frames: the value itself stores the first eight, and the heap stores the others.
///
/// The code accesses the first eight positions as memory, by index. A vector type (`SIMD8`) would be simpler to read,
/// but a change of one element is slow: the processor writes the whole vector to memory and reads it back.
@usableFromInline
struct FrameEnds: Sendable {
    @usableFromInline typealias Row = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)

    /// The number of ends that the value stores without an allocation.
    @usableFromInline static var inlineCount: Int { 8 }

    @usableFromInline private(set) var count = 0

    /// The first eight ends; zero beyond `count`.
    @usableFromInline var row: Row = (0, 0, 0, 0, 0, 0, 0, 0)

    /// The ninth and all later ends.
    @usableFromInline var rest: [UInt32] = []

    /// Makes the ends of a message without frames.
    init() {}

    /// Copies up to eight ends.
    @inline(__always)
    init(_ ends: UnsafePointer<UInt32>, count: Int) {
        self.count = count
        withUnsafeMutableBytes(of: &row) { row in
            row.copyMemory(from: UnsafeRawBufferPointer(start: ends, count: count * MemoryLayout<UInt32>.stride))
        }
    }

    /// The end of the frame at an index, which must be below `count`.
    @inlinable
    subscript(index: Int) -> Int {
        if index >= Self.inlineCount { return Int(rest[index - Self.inlineCount]) }
        return withUnsafeBytes(of: row) { row in
            Int(row.load(fromByteOffset: index &* MemoryLayout<UInt32>.stride, as: UInt32.self))
        }
    }

    @inline(__always)
    mutating func append(_ end: UInt32) {
        if count < Self.inlineCount {
            let offset = count &* MemoryLayout<UInt32>.stride
            withUnsafeMutableBytes(of: &row) { $0.storeBytes(of: end, toByteOffset: offset, as: UInt32.self) }
        } else {
            rest.append(end)
        }
        count += 1
    }
}

extension FrameEnds: Equatable {
    @usableFromInline
    static func == (left: FrameEnds, right: FrameEnds) -> Bool {
        left.count == right.count && left.rest == right.rest
            && withUnsafeBytes(of: left.row) { left in
                withUnsafeBytes(of: right.row) { right in left.elementsEqual(right) }
            }
    }
}
