import Dispatch
import Synchronization

/// Runs the jobs of one reactor: on its thread, and after the thread has ended on a queue.
///
/// The queue exists because a task may call a reactor after its shutdown. Its job must still run, or the task would
/// wait for ever; it finds every socket closed.
final class ReactorExecutor: SerialExecutor {
    let mailbox: Mailbox
    private let afterlife: DispatchQueue

    /// The thread that runs the reactor's work now; zero between two jobs of the queue.
    private let owner = Atomic<UInt>(0)

    init(label: String) throws(ZeroMQError) {
        mailbox = try Mailbox()
        afterlife = DispatchQueue(label: "\(label).afterlife")
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if mailbox.post(job) { return }
        afterlife.async {
            self.owner.store(ReactorThread.current.number, ordering: .relaxed)
            job.runSynchronously(on: self.asUnownedSerialExecutor())
            self.owner.store(0, ordering: .relaxed)
        }
    }

    func isIsolatingCurrentContext() -> Bool? {
        // Relaxed is enough: only a thread itself stores its own number, and it sees its own stores.
        owner.load(ordering: .relaxed) == ReactorThread.current.number
    }

    func checkIsolated() {
        guard isIsolatingCurrentContext() == true else {
            fatalError("This runs on the reactor's thread only; use `submit` or `await` from elsewhere.")
        }
    }

    /// Starts the thread.
    ///
    /// The thread keeps the reactor alive until it ends.
    func start(_ reactor: Reactor, label: String) throws(ZeroMQError) {
        try ReactorThread.start(label: label) {
            self.owner.store(ReactorThread.current.number, ordering: .relaxed)
            reactor.assumeIsolated { $0.loop() }
            self.owner.store(0, ordering: .relaxed)
            self.retire(ReactorThread.current)
        }
    }

    /// The thread's last act: the queue joins it, so that a caller that awaited the end finds no thread.
    private func retire(_ thread: ReactorThread) {
        afterlife.async {
            thread.join()
            self.mailbox.joined()
        }
    }
}
