import Glibc

exit(await ClientProgram.run(Array(CommandLine.arguments.dropFirst())))
