import Dispatch
import Synchronization

/// Runs the jobs of one reactor: on the reactor's thread, and on a dispatch queue after the thread has ended.
///
/// The queue exists because a task may call a reactor after the shutdown. The task's job must still run; otherwise the
/// task would wait forever. The job finds every socket closed.
final class ReactorExecutor: SerialExecutor {
    let mailbox: Mailbox
    private let afterlife: DispatchQueue

    /// The number of the thread that runs the reactor's work now; zero while no thread runs it.
    private let owner = Atomic<UInt>(0)

    init(label: String) throws(ZeroMQError) {
        mailbox = try Mailbox()
        afterlife = DispatchQueue(label: "\(label).afterlife")
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if mailbox.post(job) { return }
        afterlife.async {
            self.owned { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    func isIsolatingCurrentContext() -> Bool? {
        // Relaxed is enough: only a thread itself stores its own number, and it sees its own stores.
        owner.load(ordering: .relaxed) == ReactorThread.current.number
    }

    func checkIsolated() {
        guard isIsolatingCurrentContext() == true else {
            fatalError("This code may run only on the reactor's thread; use `submit` or `await` from other threads.")
        }
    }

    /// Starts the reactor's thread, which keeps the reactor alive until the thread ends.
    func start(_ reactor: Reactor, label: String) throws(ZeroMQError) {
        try ReactorThread.start(label: label) {
            self.owned { reactor.assumeIsolated { $0.loop() } }
            self.retire(ReactorThread.current)
        }
    }

    /// Runs work as the owner of the reactor.
    private func owned(_ work: () -> Void) {
        let number = ReactorThread.current.number
        owner.store(number, ordering: .relaxed)
        work()
        // The first job after the thread's last work may have stored its own number already.
        _ = owner.compareExchange(expected: number, desired: 0, ordering: .relaxed)
    }

    /// Makes the dispatch queue join the ending thread, so that the thread no longer exists when `shutDown` returns.
    private func retire(_ thread: ReactorThread) {
        afterlife.async {
            thread.join()
            self.mailbox.joined()
        }
    }
}
