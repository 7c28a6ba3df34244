import CommandLineKit
import DeckClient
import JSON
import RelayProtocol

/// `deckclient receipts`: what became of the last commands.
enum ReceiptCommand {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        // What is kept is known at once; no computer has to be heard for it.
        let state = try await OneShot.with(environment, patience: .zero) { _, state in state }
        let records = state.receipts.prefix(invocation.integer("limit") ?? ReceiptLog.capacity)
        if invocation.flag("json") { return Output.json(.array(records.map(json))) }
        guard !records.isEmpty else { return Output.print("Nothing was pressed yet.") }
        var table = Table([
            .init("AGE", alignment: .right), .init("COMMAND"), .init("TASK", isFlexible: true), .init("COMPUTER"), .init("RESULT", isFlexible: true),
        ])
        let now = environment.now()
        for record in records {
            table.rows.append([
                Age.text(milliseconds: now.milliseconds(since: record.at)), record.action, record.title, record.hostName, record.sentence,
            ])
        }
        for line in table.render(width: Output.width(environment)) { Output.print(line) }
    }

    private static func json(_ record: ReceiptRecord) -> JSONValue {
        var fields: [String: JSONValue] = [
            "id": .number(Double(record.id)), "command": .string(record.action), "title": .string(record.title), "hostName": .string(record.hostName),
            "at": .number(Double(record.at.value)), "finished": .bool(record.isFinished), "failure": .bool(record.isFailure),
            "sentence": .string(record.sentence),
        ]
        if let task = record.task { fields["task"] = .string(task.uuid) }
        fields["outcome"] =
            switch record.step {
            case .sending: "sending"
            case .confirmedByHost: "confirmed-by-host"
            case .finished(_, let word, _): .string(word)
            }
        return .object(fields)
    }
}
