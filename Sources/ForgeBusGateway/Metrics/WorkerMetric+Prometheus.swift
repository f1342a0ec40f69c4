import ForgeBusProtocol

extension WorkerMetric {
    /// The lines of the metric in the text format of Prometheus: its help, its type and its values.
    func lines(_ worker: JSONObject) -> [String] { Self.lines(name, kind, help, values(worker)) }

    static func lines(_ name: String, _ kind: Kind, _ help: String, _ values: [Value]) -> [String] {
        guard !values.isEmpty else { return [] }
        return ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
            + values.map { value in
                let label = value.label.map { "{\($0.name)=\"\(escaped($0.value))\"}" } ?? ""
                let number = value.number
                return "\(name)\(label) \(number == number.rounded() ? "\(Int64(number))" : "\(number)")"
            }
    }

    /// A label's value with the escapes of the format.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
