import DeckNode
import Glibc

exit(await NodeProgram.run(Array(CommandLine.arguments.dropFirst())))
