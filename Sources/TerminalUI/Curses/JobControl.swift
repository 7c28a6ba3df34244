import Glibc

/// Stopping at the terminal's wish.
enum JobControl {
    /// Does what Ctrl-Z does to a program that does not catch it, and returns when the process goes on. Where nobody could let it go on,
    /// the kernel ignores the wish, and this returns at once.
    ///
    /// - Parameter withGroup: Whether to stop the other processes of the job too, such as a script that waits for this one.
    static func stop(withGroup: Bool) {
        var deaf = sigaction()
        deaf.__sigaction_handler.sa_handler = SIG_IGN
        var standard = sigaction()
        standard.__sigaction_handler.sa_handler = SIG_DFL
        var previous = sigaction()
        // Deaf first, so that this one is not stopped before its turn.
        guard sigaction(SIGTSTP, &deaf, &previous) == 0 else { return }
        if withGroup { kill(0, SIGTSTP) }
        sigaction(SIGTSTP, &standard, nil)
        // Loop threads block all signals; this one must come here and now.
        var wanted = sigset_t()
        var mask = sigset_t()
        sigemptyset(&wanted)
        sigaddset(&wanted, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &wanted, &mask)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        sigaction(SIGTSTP, &previous, nil)
    }
}
