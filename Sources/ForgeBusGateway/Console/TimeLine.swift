import ForgeBusProtocol
import Foundation

/// A picture of what happened in a run, as SVG: a row for each action with its attempts and waits.
///
/// A run can wait for days between actions of a second. So the distance between two moments on the picture grows with
/// the logarithm of the time between them, and labels show the real durations.
struct TimeLine {
    /// A part of a row: when it began and ended, and what it was.
    private struct Bar {
        let row: Int
        let begin: Int64
        let end: Int64
        let kind: String
        let title: String
    }

    private struct Mark {
        let moment: Int64
        let kind: String
        let title: String
    }

    private var rows: [String] = []
    private var bars: [Bar] = []
    private var marks: [Mark] = []
    private var moments: Set<Int64> = []

    /// Makes the picture of a history.
    init(_ history: [HistoryEntryItem], isEnded: Bool, now: Date) {
        var waits: [String: Int64] = [:]
        for item in history {
            let (moment, event, entry) = (item.unixMilliseconds, item.event, item.details)
            let action = entry["action"]?.string
            moments.insert(moment)
            switch event {
            case "action_completed", "action_failed", "action_skipped":
                guard let action else { continue }
                if let began = waits.removeValue(forKey: action) { add(action, began, moment, "wait", "waited") }
                // A gate only waits: its wait is its bar.
                if let time = entry["duration_ms"]?.integer, entry["waited_ms"] == nil {
                    let kind = event == "action_completed" ? "" : event == "action_failed" ? "bad" : "skipped"
                    add(action, moment - time, moment, kind, event.replacing("_", with: " "))
                }
            case "waiting": if let action { waits[action] = moment }
            case "resumed":
                if let action, let began = waits.removeValue(forKey: action) {
                    add(action, began, moment, "wait", "waited")
                }
            case "retrying":
                if let action {
                    add(action, moment, moment + (entry["after_ms"]?.integer ?? 0), "wait", "waits to try again")
                }
            case "taken_up_again": marks.append(Mark(moment: moment, kind: "crash", title: "the worker was restarted"))
            case "superseded":
                let newer = entry["by"]?.string ?? "a newer run"
                marks.append(Mark(moment: moment, kind: "person", title: "superseded by \(newer)"))
            case "decided", "decided_early", "cancelled", "redriven":
                let who = item.principal ?? "somebody"
                let done = ["cancelled": "cancelled the run", "redriven": "redrove the run"][event]
                let what = entry["decision"]?.string ?? done ?? event
                marks.append(Mark(moment: moment, kind: "person", title: "\(who) \(what)"))
            default: break
            }
        }
        if !isEnded {
            let end = Int64(now.timeIntervalSince1970 * 1000)
            for (action, began) in waits { add(action, began, max(began, end), "wait", "waits") }
        }
    }

    private mutating func add(_ action: String, _ begin: Int64, _ end: Int64, _ kind: String, _ title: String) {
        if !rows.contains(action) { rows.append(action) }
        guard let row = rows.firstIndex(of: action) else { return }
        bars.append(
            Bar(row: row, begin: begin, end: end, kind: kind, title: "\(action) \(title), \(Self.span(end - begin))")
        )
        moments.formUnion([begin, end])
    }

    /// The picture; nil if nothing has happened yet.
    var svg: String? {
        guard !bars.isEmpty else { return nil }
        let (left, width, rowHeight) = (150.0, 850.0, 30.0)
        let sorted = moments.sorted()
        var places: [Int64: Double] = [:]
        var total = 0.0
        for (index, moment) in sorted.enumerated() {
            if index > 0 { total += 1 + log(1 + Double(moment - sorted[index - 1])) }
            places[moment] = total
        }
        func x(_ moment: Int64) -> Double { left + (places[moment] ?? 0) / max(total, 1) * (width - 20) }
        let height = Double(rows.count) * rowHeight + 34
        var parts = [
            #"<svg class="timeline" viewBox="0 0 1000 \#(Int(height))" role="img" aria-label="\#(summary)">"#,
            #"<line class="axis" x1="\#(left)" x2="1000" y1="\#(height - 26)" y2="\#(height - 26)"/>"#,
        ]
        for (index, action) in rows.enumerated() {
            let y = Double(index) * rowHeight + 20
            parts.append(#"<text class="name" x="0" y="\#(y)">\#(Self.cut(action).escaped)</text>"#)
        }
        for bar in bars {
            let (from, to) = (x(bar.begin), max(x(bar.end), x(bar.begin) + 4))
            let y = Double(bar.row) * rowHeight + 7
            parts.append(
                #"<rect class="bar \#(bar.kind)" x="\#(Self.text(from))" y="\#(y)" width="\#(Self.text(to - from))" "#
                    + #"height="18" rx="4"><title>\#(bar.title.escaped)</title></rect>"#
            )
            if bar.end - bar.begin >= 1000, to - from > 44 {
                parts.append(
                    #"<text class="on \#(bar.kind)" x="\#(Self.text(from + 6))" y="\#(y + 13)">"#
                        + "\(Self.span(bar.end - bar.begin))</text>"
                )
            }
        }
        for mark in marks {
            let place = Self.text(x(mark.moment))
            let shape =
                mark.kind == "crash"
                ? #"<line class="crash" x1="\#(place)" x2="\#(place)" y1="0" y2="\#(height - 26)">"#
                : #"<circle class="person" cx="\#(place)" cy="\#(height - 26)" r="6">"#
            let tag = mark.kind == "crash" ? "line" : "circle"
            parts.append("\(shape)<title>\(mark.title.escaped)</title></\(tag)>")
        }
        if let first = sorted.first, let last = sorted.last {
            parts.append(#"<text x="\#(left)" y="\#(height - 6)">\#(Moment(unixMilliseconds: first).exact)</text>"#)
            parts.append(
                #"<text x="1000" y="\#(height - 6)" text-anchor="end">\#(Self.span(last - first)) in all</text>"#
            )
        }
        return parts.joined() + "</svg>"
    }

    /// What the picture shows, for those who do not see it; the history below it says everything.
    private var summary: String {
        let people = marks.filter { $0.kind == "person" }.map(\.title)
        return (["Time line of \(rows.joined(separator: ", "))"] + people).joined(separator: "; ").escaped
    }

    /// A time span as a person says it.
    static func span(_ milliseconds: Int64) -> String {
        switch milliseconds {
        case ..<1000: "\(milliseconds) ms"
        case ..<60_000: "\(Double(milliseconds / 100) / 10) s"
        case ..<3_600_000: "\(milliseconds / 60_000) min"
        case ..<86_400_000: "\(Double(milliseconds / 360_000) / 10) h"
        default: "\(Double(milliseconds / 8_640_000) / 10) days"
        }
    }

    private static func text(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

    private static func cut(_ text: String) -> String { text.count > 20 ? text.prefix(19) + "…" : text }
}

extension String {
    /// The text with references in place of the code points that HTML gives a meaning, and with visible escapes in
    /// place of control characters other than tabs and line ends.
    ///
    /// A terminal that shows the source of a page would obey the control characters. A search for characters would miss a `<` that is joined with a neighbour to one character.
    var escaped: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case _ where scalar.properties.generalCategory == .control:
                escaped += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
