import Glibc

/// A POSIX semaphore, for tests that wait for another thread.
final class Semaphore: @unchecked Sendable {
    // Unchecked: sem_t is made to be shared between threads; its address never changes.
    private let raw = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(raw, 0, 0) }

    deinit {
        sem_destroy(raw)
        raw.deallocate()
    }

    func signal() { sem_post(raw) }
    func wait() { while sem_wait(raw) != 0 {} }
}
