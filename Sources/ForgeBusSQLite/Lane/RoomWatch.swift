import ForgeBusStore

/// Checks the disk's free space from time to time, and reports when room runs short and when there is enough again.
///
/// Owned by the store's thread.
struct RoomWatch {
    private let tell: (StoreRoom) -> Void
    private let interval: UInt64
    private var book: RoomBook
    private var due: UInt64 = 0

    init(_ options: SQLiteStoreOptions, _ tell: @escaping (StoreRoom) -> Void) {
        self.tell = tell
        interval = options.roomInterval.nanoseconds
        book = RoomBook(
            floor: options.floorInBytes,
            margin: options.marginInBytes,
            reserve: Int64(options.reserveSizeInBytes)
        )
    }

    /// The time of the next check if nothing is committed; nil while there is enough room.
    var nextLook: UInt64? {
        switch book.room {
        case .ample: nil
        case .short: due
        }
    }

    mutating func lookIfDue(_ session: StoreSession, at now: UInt64) {
        // If the store has given up the reserve, the check is immediate, so that the shortage is reported.
        if now >= due || book.room == .ample && !session.reserve.isKept { look(session, at: now) }
    }

    /// Takes the reserve if that leaves enough room, then makes the first check.
    mutating func begin(_ session: StoreSession, at now: UInt64) {
        let options = session.options
        let free = Files.room(at: session.files.directory) ?? 0
        if free >= options.floorInBytes + Int64(options.reserveSizeInBytes) { session.reserve.take() }
        look(session, at: now)
    }

    private mutating func look(_ session: StoreSession, at now: UInt64) {
        due = now + interval
        guard let free = Files.room(at: session.files.directory) else { return }
        switch book.seen(free: free, hasReserve: session.reserve.isKept) {
        case .none: return
        case .tellShort: tell(.short)
        case .takeReserve:
            guard session.reserve.take() else { return }
            book.reserved()
            tell(.ample)
        }
    }
}
