import CommandLineKit
import JSON

/// What all rows said, as a table and as JSON.
struct Report {
    private struct Entry {
        var row: Row
        var measurements: [Measurement]
        var failure: String?
    }

    private var entries: [Entry] = []
    private let conditions: Conditions
    private let facts = MachineFacts.now

    init(conditions: Conditions) { self.conditions = conditions }

    mutating func add(_ row: Row, _ result: Result<[Measurement], BenchmarkError>) {
        switch result {
        case .success(let measurements): entries.append(Entry(row: row, measurements: measurements))
        case .failure(let error): entries.append(Entry(row: row, measurements: [], failure: error.description))
        }
    }

    var hasFailures: Bool { entries.contains { $0.failure != nil } }
    var hasMisses: Bool { entries.contains { $0.measurements.contains { $0.isMet == false } } }

    // MARK: Text

    var text: String {
        var table = Table([
            .init("row"), .init("quantity"), .init("measured", alignment: .right), .init("floor", alignment: .right),
            .init("ratio", alignment: .right), .init("target", alignment: .right), .init("verdict"),
        ])
        for entry in entries {
            if let failure = entry.failure { table.rows.append([entry.row.rawValue, "", "", "", "", "", "failed: \(failure)"]) }
            for measurement in entry.measurements { table.rows.append(cells(entry.row, measurement)) }
        }
        let notes = entries.map { "  \($0.row.rawValue): \($0.row.summary)" }
        return (facts.lines + [""] + table.render() + [""] + notes).joined(separator: "\n") + "\n"
    }

    private func cells(_ row: Row, _ measurement: Measurement) -> [String] {
        let unit = measurement.unit
        let target: String =
            switch measurement.target {
            case .value(let limit): "≤ " + Self.format(limit, unit)
            case .ratio(let limit): "≤ \(Self.decimal(limit)) ×"
            case nil: ""
            }
        return [
            row.rawValue, measurement.quantity, Self.format(measurement.value, unit), measurement.floor.map { Self.format($0, unit) } ?? "",
            measurement.ratio.map { Self.decimal($0) + " ×" } ?? "", target, measurement.isMet.map { $0 ? "met" : "MISSED" } ?? "",
        ]
    }

    private static func format(_ value: Double, _ unit: Measurement.Unit) -> String {
        switch unit {
        case .count: return decimal(value, digits: 0)
        case .percent: return decimal(value, digits: 3) + " %"
        case .bytes: return value < 1_048_576 ? decimal(value / 1_024) + " KiB" : decimal(value / 1_048_576) + " MiB"
        case .nanoseconds: return value < 1e6 ? decimal(value / 1e3) + " µs" : decimal(value / 1e6) + " ms"
        }
    }

    /// With `digits` digits behind the point, whatever the locale.
    private static func decimal(_ value: Double, digits: Int = 2) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "?" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int64((value * Double(scale)).rounded())
        guard digits > 0 else { return "\(scaled)" }
        let fraction = String(scaled.magnitude % UInt64(scale))
        return (scaled < 0 ? "-" : "") + "\(scaled.magnitude / UInt64(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    // MARK: JSON

    var json: JSONValue {
        .object([
            "machine": facts.json, "quick": .bool(conditions.isQuick),
            "rows": .array(
                entries.map { entry in
                    var fields: [String: JSONValue] = [
                        "row": .string(entry.row.rawValue), "summary": .string(entry.row.summary),
                        "measurements": .array(entry.measurements.map(\.json)),
                    ]
                    if let failure = entry.failure { fields["failure"] = .string(failure) }
                    return .object(fields)
                }),
        ])
    }
}
