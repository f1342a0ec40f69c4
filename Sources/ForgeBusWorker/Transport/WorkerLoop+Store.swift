import ForgeBusProtocol
import ForgeBusStore

/// Requests to the store other than commits: their answers come later, and no effect waits for them.
extension WorkerLoop {
    /// The identity of the store; without a store, a random one, because no other worker has this worker's memory.
    var storeIdentity: String? { store == nil ? StoreIdentity.random() : store?.identity }

    /// Reads the journal about a name, and merges the entries with those that the core knows.
    func findHistory(_ query: HistoryQuery) {
        simulated?.began()
        Task { [self, store] in
            let content: Answer.Content
            do throws(StoreError) {
                let journal = try await store?.history(of: query.name, limit: Self.historyLength) ?? []
                content = Self.history(query, journal)
            } catch {
                content = .error(BusError(.storeFailed, error.message, next: error.next))
            }
            post(.historyFound(query, content))
            simulated?.ended()
        }
    }

    /// The most entries of the journal in an answer.
    private static let historyLength = 500

    private static func history(_ query: HistoryQuery, _ journal: [JournalEntry]) -> Answer.Content {
        guard query.isKnown || !journal.isEmpty else {
            return .error(
                BusError(
                    .unknownRun,
                    "The worker knows no run, signal or monitor \(Printable.quoted(query.name.text)).",
                    next: "Send the id of a run or signal, or the name of a monitor, as the worker's lists show them."
                )
            )
        }
        return .shown(item(query.name, MeasuredWaits.measured(query.entries(with: journal)).map { .object($0.item) }))
    }

    /// The history with its latest entries, up to the limits of a frame and of a receiver.
    private static func item(_ name: Name, _ entries: [JSONValue]) -> JSONObject {
        var (size, keys) = (0, 0)
        let fitting = entries.reversed().prefix { entry in
            size += entry.encoded.count + 1
            keys += entry.extent.keys
            return size <= Reader.pageSizeInBytes && keys <= WireLimits.jsonKeys - 8
        }
        var item: JSONObject = ["name": .string(name.text), "entries": .array(fitting.reversed())]
        if fitting.count < entries.count { item["truncated"] = true }
        return item
    }

    /// Passes an operator's task to the store.
    func perform(_ task: StoreTask, for key: RequestKey) {
        guard let store else { fatalError("This worker has no store to perform the task.") }
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
