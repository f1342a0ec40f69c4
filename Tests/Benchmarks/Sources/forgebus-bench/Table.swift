import Foundation

/// Prints measures as a table: the medians of the samples, the spread of the ratios, and the target.
enum Table {
    static func head(_ title: String, _ ours: String, _ other: String, _ ratio: String) {
        print("\n\(title)")
        print(line("", ours, other, ratio, "spread", "target"))
    }

    static func row(_ comparison: TransportComparison) {
        print(
            line(
                comparison.name,
                amount(comparison.medianOurs, comparison.unit),
                amount(comparison.medianFloor, comparison.unit),
                ratio(comparison.medianRatio),
                spread(comparison.ratios),
                target(comparison)
            )
        )
    }

    private static func target(_ comparison: TransportComparison) -> String {
        guard let target = comparison.target, let holds = comparison.holds else { return "" }
        return "\(comparison.moreIsBetter ? "≥" : "≤") \(ratio(target)) \(holds ? "holds" : "MISSED")"
    }

    static func row(_ comparison: OrchestratorComparison) {
        print(
            line(
                comparison.name,
                time(median(comparison.ours)),
                time(median(comparison.plain)),
                ratio(comparison.medianRatio),
                spread(comparison.ratios),
                "≥ \(ratio(comparison.target)) \(comparison.holds ? "holds" : "MISSED")"
            )
        )
    }

    static func row(_ measured: Footprint.Amount) {
        let (least, most) = (measured.values.min() ?? 0, measured.values.max() ?? 0)
        print(
            line(
                measured.name,
                amount(measured.median, measured.unit),
                "",
                "",
                measured.values.count > 1 ? String(format: "%.0f–%.0f", least, most) : "",
                target(of: measured)
            )
        )
    }

    private static func target(of measured: Footprint.Amount) -> String {
        guard let limit = measured.limit, let holds = measured.holds else { return "" }
        return "≤ \(String(format: "%.0f", limit)) \(holds ? "holds" : "MISSED")"
    }

    private static func line(_ columns: String...) -> String {
        zip(columns, [40, 16, 16, 14, 16, 16]).map { text, width in
            text + String(repeating: " ", count: max(1, width - text.count))
        }.joined()
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func ratio(_ value: Double) -> String { String(format: "%.2f", value) }

    private static func spread(_ ratios: [Double]) -> String {
        "\(ratio(ratios.first ?? 0))–\(ratio(ratios.last ?? 0))"
    }

    private static func time(_ nanoseconds: Double) -> String {
        nanoseconds < 1_000 ? amount(nanoseconds, "ns") : amount(nanoseconds / 1_000, "µs")
    }

    private static func amount(_ value: Double, _ unit: String) -> String {
        value >= 10_000 ? String(format: "%.0f k %@", value / 1000, unit) : String(format: "%.1f %@", value, unit)
    }
}
