import Glibc

// A client that goes away is an error of one connection, not of the process.
signal(SIGPIPE, SIG_IGN)
exit(BenchmarkProgram.run(Array(CommandLine.arguments.dropFirst())))
