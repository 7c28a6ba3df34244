import Glibc

/// The one thread that talks to the keyring. libsecret's calls block, and GLib ties what they leave behind to the thread that made
/// them; so they all run here, and neither the event loop nor Swift's own threads ever wait for a keyring.
final class SecretThread: SerialExecutor {
    static let shared = SecretThread()

    /// Guarded by its mutex, which the condition goes with; both live as long as the process, as the one instance does.
    private final class Queue: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private var jobs: [UnownedJob] = []
        private var isStarted = false

        init() {
            pthread_mutex_init(mutex, nil)
            pthread_cond_init(condition, nil)
        }

        /// Whether this is the first job, for which the thread has to be started.
        func append(_ job: UnownedJob) -> Bool {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            jobs.append(job)
            pthread_cond_signal(condition)
            defer { isStarted = true }
            return !isStarted
        }

        /// The next job of a thread that could not be started; after the last, the next job tries again.
        func takeBack() -> UnownedJob? {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            isStarted = !jobs.isEmpty
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }

        func next() -> UnownedJob {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            while jobs.isEmpty { pthread_cond_wait(condition, mutex) }
            return jobs.removeFirst()
        }
    }

    private let queue = Queue()

    func enqueue(_ job: consuming ExecutorJob) {
        // Where no thread can be had, the caller's must do: late is better than never.
        guard queue.append(UnownedJob(job)), !start() else { return }
        while let job = queue.takeBack() { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    private func start() -> Bool {
        var thread = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
            SecretThread.shared.run()
            return nil
        }
        guard pthread_create(&thread, nil, body, nil) == 0 else { return false }
        pthread_detach(thread)
        return true
    }

    private func run() {
        while true { queue.next().runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
