import ForgeBusProtocol

/// Makes the pages of lists.
extension Reader {
    /// A page of items of one kind; only the page's own items are built.
    ///
    /// A page of runs or signals begins after the cursor of the request, and looks at no more than ``mostLookedAt``
    /// runs or signals. If few of these match the filter, the page has few items or no items. Its own cursor says where
    /// the next page begins.
    ///
    /// - Throws: `BusError` with code `bad_attribute` if the cursor does not have the form of a cursor of this kind.
    func page(_ request: ListRequest) throws(BusError) -> Page {
        switch request.kind {
        case .runs:
            let isOver = request.filter.state?.isEnd
            return try scan(isOver == false ? runs.order.unfinished : runs.order.all, request) { place in
                if let run = runs[place.name] { return run.matches(request.filter) ? item(run).json : nil }
                return runs.ended[place.name].flatMap { $0.matches(request.filter) ? item($0).json : nil }
            }
        case .signals:
            return try scan(signals.waiting.order, request) { place in
                guard let waiting = signals.waiting[place.name], matches(waiting, request.filter) else {
                    return nil
                }
                var item = item(place.name, waiting)
                addVotes(to: &item, place.name, waiting, isWhole: false)
                return item.json
            }
        case .early:
            return try page(of: signals.early.signals, request) { name in
                var item = EarlyItem()
                (item.id, item.decisions) = (SignalID(name), decisions(on: name))
                return item.json
            }
        case .monitors:
            return try page(of: monitors.lanes.lazy.map(\.name), request) { name in monitors[name].map { item($0).json }
            }
        case .pipelines:
            return try page(of: runs.pipelines.keys, request) { name in runs.pipelines[name].map { item($0).json } }
        }
    }

    /// The most runs or signals that one page looks at.
    static let mostLookedAt = 5_000

    /// A page of runs or signals, in the order of their times.
    private func scan(
        _ index: NameIndex,
        _ request: ListRequest,
        _ item: (NameIndex.Place) -> JSONObject?
    ) throws(BusError) -> Page {
        var room = PageRoom()
        let latest = request.filter.olderThan.map { now.unixMilliseconds &- $0.milliseconds } ?? .max
        let isNewestFirst = request.order == .newest
        var (looked, last, isCut) = (0, NameIndex.Place?.none, false)
        index.scan(after: try request.place, backwards: isNewestFirst) { place in
            if place.time > latest, !isNewestFirst { return false }
            if room.items.count == request.limit || looked == Self.mostLookedAt { isCut = true }
            if isCut { return false }
            looked += 1
            if place.time <= latest, request.filter.prefix.map({ place.name.text.utf8.starts(with: $0.utf8) }) ?? true,
                let item = item(place), !room.takes(item)
            {
                isCut = true
                return false
            }
            last = place
            return true
        }
        return Page(items: room.items, cursor: isCut ? last?.cursor : nil)
    }

    /// A page of a short list, in the order of the names.
    private func page(
        of names: some Sequence<Name>,
        _ request: ListRequest,
        _ item: (Name) -> JSONObject?
    ) throws(BusError) -> Page {
        var keys = PageKeys(
            after: try request.cursor.map { text throws(BusError) in try Name(cursor: text) },
            atMost: request.limit
        )
        let prefix = request.filter.prefix ?? ""
        for name in names where name.text.utf8.starts(with: prefix.utf8) { keys.offer(name) }
        let page = keys.page
        var room = PageRoom()
        for (index, name) in page.names.enumerated() {
            if let item = item(name), !room.takes(item) {
                return Page(items: room.items, cursor: page.names[index - 1].text)
            }
        }
        return Page(items: room.items, cursor: page.cursor)
    }

    private func matches(_ waiting: SignalWait, _ filter: ListFilter) -> Bool {
        let run = waiting.owner.run.flatMap { runs[$0] }
        if let pipeline = filter.pipeline, run?.pipeline != pipeline { return false }
        return filter.principal.map { run?.principal.utf8.elementsEqual($0.utf8) ?? false } ?? true
    }
}

/// The items of a page, at most as many as the limits of a message and of its receiver allow.
private struct PageRoom {
    private(set) var items: [JSONObject] = []
    private var (size, keys) = (0, 0)

    /// Adds an item if there is room for it, and returns whether there was; the first item always has room.
    mutating func takes(_ item: JSONObject) -> Bool {
        let extent = JSONValue.object(item).extent
        size += extent.mostBytes + 1
        keys += extent.keys
        let fits = size <= Reader.pageSizeInBytes && keys <= WireLimits.jsonKeys
        guard fits || items.isEmpty else { return false }
        items.append(item)
        return true
    }
}

extension ListRequest {
    /// The place after which the page begins; nil for the first page.
    fileprivate var place: NameIndex.Place? {
        get throws(BusError) {
            guard let cursor else { return nil }
            guard let place = NameIndex.Place(cursor: cursor) else { throw .badCursor(cursor) }
            return place
        }
    }
}

extension Name {
    fileprivate init(cursor: String) throws(BusError) {
        guard let name = try? Name(cursor) else { throw .badCursor(cursor) }
        self = name
    }
}

extension BusError {
    fileprivate static func badCursor(_ cursor: String) -> BusError {
        BusError(
            .badAttribute,
            "`cursor` must be the cursor of a page of this list, not \(Printable.quoted(cursor)).",
            next: "Send the cursor of the previous page unchanged, or none for the first page."
        )
    }
}

extension RunMachine {
    fileprivate func matches(_ filter: ListFilter) -> Bool {
        if let state = filter.state, state.rawValue != standing.rawValue { return false }
        if let pipeline = filter.pipeline, pipeline != self.pipeline { return false }
        return filter.principal.map { $0.utf8.elementsEqual(principal.utf8) } ?? true
    }
}

extension EndedRun {
    fileprivate func matches(_ filter: ListFilter) -> Bool {
        if let state = filter.state, state.rawValue != result.state.rawValue { return false }
        if let pipeline = filter.pipeline, pipeline != self.pipeline { return false }
        return filter.principal.map { $0.utf8.elementsEqual(principal.utf8) } ?? true
    }
}
