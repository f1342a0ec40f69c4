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
            var history = HistoryItem()
            (history.name, history.entries) = (query.name.text, fitting(entries.map(\.item)))
            history.isTruncated = journal.count > historyLength || history.entries.count < entries.count
            return .shown(history.json)
        case .output(let action):
            let outputs = try await store?.outputs(of: query.name, action: action, limit: Reader.pageSizeInBytes) ?? []
            var printed = OutputItem()
            (printed.name, printed.entries) = (query.name.text, fitting(outputs.map(\.item)))
            printed.isTruncated = printed.entries.count < outputs.count
            return .shown(printed.json)
        case .run(let complete): return .shown(complete(try await store?.texts(of: query.name)))
        }
    }

    /// The maximum number of journal entries that the worker reads from the store for one answer.
    private static let historyLength = 500

    /// The latest entries: as many as fit into a page and the limit of JSON keys.
    private static func fitting<Members>(_ entries: [Item<Members>]) -> [Item<Members>] {
        var (size, keys) = (0, 0)
        let fitting = entries.reversed().prefix { entry in
            size += JSONValue.object(entry.json).encoded.count + 1
            keys += JSONValue.object(entry.json).extent.keys
            return size <= Reader.pageSizeInBytes && keys <= WireLimits.jsonKeys - 8
        }
        return fitting.reversed()
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
    fileprivate var item: OutputEntryItem {
        var item = OutputEntryItem()
        (item.unixMilliseconds, item.action, item.attempt) = (unixMilliseconds, action, attempt)
        (item.output, item.outputOmitted) = (output.text, output.omittedBytes)
        (item.errors, item.errorsOmitted, item.reason) = (errors.text, errors.omittedBytes, failure)
        return item
    }
}
