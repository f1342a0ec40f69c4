import ForgeBusProtocol
import ForgeBusStore

/// Requests to the store other than commits; the store answers them later, and no effect waits for the answer.
extension WorkerLoop {
    /// The identity of the store; nil if the store does not know its identity yet.
    ///
    /// Without a store, a new random identity, because the worker's memory ends with the worker.
    var storeIdentity: String? { store == nil ? StoreIdentity.random() : store?.identity }

    /// Reads a history, an output or the texts of a run from the store, and then reports the answer to the core.
    func lookUp(_ query: StoreQuery) {
        simulated?.began()
        Task { [self, store] in
            let content: Answer.Content
            do throws(StoreError) {
                content = try await Self.answer(to: query, from: store)
            } catch {
                content = .error(BusError(.storeFailed, error.message, next: error.next))
            }
            post(.lookedUp(query, content))
            simulated?.ended()
        }
    }

    private static func answer(
        to query: StoreQuery,
        from store: (any BusStore)?
    ) async throws(StoreError) -> Answer.Content {
        switch query.content {
        case .history(_, let isKnown):
            // The journal's entries are merged with those that the core knows.
            // One entry more than the answer has shows that there are earlier ones.
            let journal = try await store?.history(of: query.name, limit: historyLength + 1) ?? []
            guard isKnown || !journal.isEmpty else {
                return .error(Errors.unknownHistory(query.name, hasJournal: store != nil))
            }
            let entries = MeasuredWaits.measured(query.entries(with: journal.suffix(historyLength)))
            return .shown(
                item(query.name, entries.map { .object($0.item) }, isCut: journal.count > historyLength)
            )
        case .output(let action):
            let outputs = try await store?.outputs(of: query.name, action: action, limit: Reader.pageSizeInBytes) ?? []
            return .shown(item(query.name, outputs.map { .object($0.item) }))
        case .run(let complete): return .shown(complete(try await store?.texts(of: query.name)))
        }
    }

    /// The maximum number of journal entries that the worker reads from the store for one answer.
    private static let historyLength = 500

    /// Makes the answer's item with the latest entries: as many as fit into a page and the limit of JSON keys.
    private static func item(_ name: Name, _ entries: [JSONValue], isCut: Bool = false) -> JSONObject {
        var (size, keys) = (0, 0)
        let fitting = entries.reversed().prefix { entry in
            size += entry.encoded.count + 1
            keys += entry.extent.keys
            return size <= Reader.pageSizeInBytes && keys <= WireLimits.jsonKeys - 8
        }
        var item: JSONObject = ["name": .string(name.text), "entries": .array(fitting.reversed())]
        if isCut || fitting.count < entries.count { item["truncated"] = true }
        return item
    }

    /// Passes an operator's task to the store, and then reports its outcome to the core.
    func perform(_ task: StoreTask, for key: RequestKey) {
        guard let store else { fatalError("Internal error: this worker has no store to perform the task.") }
        simulated?.began()
        Task { [self] in
            do throws(StoreError) {
                let details = try await store.perform(task)
                post(.performed(key, .success(details)))
            } catch {
                post(.performed(key, .failure(error)))
            }
            simulated?.ended()
        }
    }
}

extension ActionOutput {
    /// The output as the answer to SHOW contains it.
    fileprivate var item: JSONObject {
        var item: JSONObject = [
            "at_ms": .integer(unixMilliseconds), "action": .string(action), "attempt": .integer(Int64(attempt)),
            "output": .string(output.text), "output_omitted": .integer(Int64(output.omittedBytes)),
            "errors": .string(errors.text), "errors_omitted": .integer(Int64(errors.omittedBytes)),
        ]
        item["reason"] = failure.map { .string($0) }
        return item
    }
}
