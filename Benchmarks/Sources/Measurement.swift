import JSON

/// One number that came out, with what it is held against.
struct Measurement: Sendable {
    enum Unit: String, Sendable { case nanoseconds, bytes, percent, count }

    /// What must not be exceeded.
    enum Target: Sendable {
        /// In the unit of the value.
        case value(Double)
        /// Times the floor.
        case ratio(Double)
    }

    /// Short, such as `p50`.
    var quantity: String
    var value: Double
    var unit: Unit
    /// The same of the floor, measured beside it.
    var floor: Double?
    /// Value by floor; its own number, because the median of ratios is not the ratio of medians.
    var ratio: Double?
    /// `nil`: told for information only.
    var target: Target?

    init(_ quantity: String, _ value: Double, _ unit: Unit, floor: Double? = nil, target: Target? = nil) {
        self.quantity = quantity
        self.value = value
        self.unit = unit
        self.floor = floor
        ratio = floor.map { $0 > 0 ? value / $0 : .infinity }
        self.target = target
    }

    /// `nil` without a target.
    var isMet: Bool? {
        switch target {
        case .value(let limit): value <= limit
        case .ratio(let limit): (ratio ?? .infinity) <= limit
        case nil: nil
        }
    }

    /// The median of what several runs of one row said of one quantity.
    static func median(_ runs: [Measurement]) -> Measurement? {
        guard var result = runs.first else { return nil }
        result.value = runs.map(\.value).median
        if result.floor != nil { result.floor = runs.compactMap(\.floor).median }
        if result.ratio != nil { result.ratio = runs.compactMap(\.ratio).median }
        return result
    }
}

extension Measurement {
    var json: JSONValue {
        var fields: [String: JSONValue] = ["quantity": .string(quantity), "value": .number(value), "unit": .string(unit.rawValue)]
        if let floor { fields["floor"] = .number(floor) }
        if let ratio, ratio.isFinite { fields["ratio"] = .number(ratio) }
        switch target {
        case .value(let limit): fields["target"] = .number(limit)
        case .ratio(let limit): fields["targetRatio"] = .number(limit)
        case nil: break
        }
        if let isMet { fields["met"] = .bool(isMet) }
        return .object(fields)
    }

    init?(json: JSONValue) {
        guard let quantity = json["quantity"]?.string, let value = json["value"]?.number, let unit = json["unit"]?.string.flatMap(Unit.init) else {
            return nil
        }
        self.init(quantity, value, unit, floor: json["floor"]?.number)
        ratio = json["ratio"]?.number ?? ratio
        if let limit = json["target"]?.number { target = .value(limit) }
        if let limit = json["targetRatio"]?.number { target = .ratio(limit) }
    }
}

extension [Double] {
    /// The value in the middle; 0 of none.
    var median: Double { quantile(0.5) }

    /// - Parameter fraction: 0 … 1.
    func quantile(_ fraction: Double) -> Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return sorted[Swift.min(Int(Double(count) * fraction), count - 1)]
    }
}
