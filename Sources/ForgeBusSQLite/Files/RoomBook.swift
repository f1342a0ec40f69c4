import ForgeBusStore

/// Decides whether there is room for more.
///
/// Pure: the caller looks at the disk and tells whoever asked.
struct RoomBook {
    private(set) var room = StoreRoom.ample
    private let floor: Int64
    private let margin: Int64
    private let reserve: Int64

    init(floor: Int64, margin: Int64, reserve: Int64) {
        self.floor = floor
        self.margin = margin
        self.reserve = reserve
    }

    /// What to do about what was seen.
    enum Action: Equatable {
        /// Nothing has changed.
        case none
        /// Say that room is short.
        case tellShort
        /// Make the reserve again, and call ``reserved()`` if that went well.
        case takeReserve
    }

    /// So many bytes are free, and the reserve is kept or not.
    mutating func seen(free: Int64, hasReserve: Bool) -> Action {
        switch room {
        case .ample:
            guard free < floor || !hasReserve else { return .none }
            room = .short
            return .tellShort
        case .short:
            let needed = floor + margin + (hasReserve ? 0 : reserve)
            return free >= needed ? .takeReserve : .none
        }
    }

    /// The reserve is there again: there is enough.
    mutating func reserved() { room = .ample }
}
