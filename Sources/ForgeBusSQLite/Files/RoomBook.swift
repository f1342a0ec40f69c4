import ForgeBusStore

/// Decides whether the disk has enough room for new work.
///
/// Pure: the caller reads the disk's free space, and calls the observer.
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

    /// What the caller has to do.
    enum Action: Equatable {
        /// Do nothing.
        case none
        /// Report that room is short.
        case tellShort
        /// Take the reserve again, and call ``reserved()`` if that succeeds.
        case takeReserve
    }

    /// Decides what the caller has to do when `free` bytes are free on the disk.
    ///
    /// `hasReserve` says whether the reserve file has its full size.
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

    /// Records that the reserve was taken again, so there is enough room.
    mutating func reserved() { room = .ample }
}
